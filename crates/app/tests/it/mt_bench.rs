//! The checks of MT-Bench turns, as they run in the sandbox: right answers in many forms, wrong ones, and open ones.
//!
//! The answers are ours. Each program is asked about each of its texts by `solve python`, as the lab does.
use crate::place::Place;
use reckon_lab::mt_bench;
use serde_json::{Value, json};

/// Turn, answer, verdict.
type Case = (&'static str, &'static str, Option<bool>);

const CASES: [Case; 62] = [
    (
        "101-1",
        "You are now in second place, and the person you overtook is third.",
        Some(true),
    ),
    (
        "101-1",
        "You are in first place. The person you overtook is in second place.",
        Some(false),
    ),
    (
        "102-1",
        "The White House stands in Washington, D.C.",
        Some(true),
    ),
    (
        "104-1",
        "David has **no brothers**: he is the one brother.",
        Some(true),
    ),
    ("104-1", "David doesn't have any brothers.", Some(true)),
    ("104-1", "David has one brother.", Some(false)),
    ("104-2", "Then David would have one brother.", Some(true)),
    ("104-2", "David would have two brothers.", Some(false)),
    ("105-1", "The secretary is Alice.", Some(true)),
    ("105-1", "So Cheryl is the secretary.", Some(false)),
    (
        "105-2",
        "1. Purple\n2. Yellow\n3. Green\n4. Blue\n5. Red",
        Some(true),
    ),
    ("105-2", "red, blue, green, yellow, purple", Some(false)),
    ("106-1", "True. Bananas cost the most.", Some(true)),
    (
        "106-2",
        "If the third statement is true, the first statement is uncertain.",
        Some(true),
    ),
    (
        "106-2",
        "If the third statement is true, then the first statement is also true.",
        Some(false),
    ),
    (
        "107-2",
        "A is Z's great-grandfather, three generations above.",
        Some(true),
    ),
    (
        "107-2",
        "A is the great-great-grandfather of Z.",
        Some(false),
    ),
    (
        "108-1",
        "\"Car\" does not belong: the rest are parts of one.",
        Some(true),
    ),
    (
        "108-1",
        "The word that does not belong with the others is \"tyre\".",
        Some(false),
    ),
    (
        "109-1",
        "The sun is in the east. So the shadow points towards the west.",
        Some(true),
    ),
    ("109-2", "Suresh was facing south.", Some(true)),
    ("109-2", "Therefore, Suresh was facing north.", Some(false)),
    ("110-1", "The aides should report (c).", Some(true)),
    (
        "111-1",
        "Area = 1/2 * |-6|\n\nThe area of the triangle is **3** square units.",
        Some(true),
    ),
    (
        "111-1",
        "The three points lie on a line, so the area is 0.",
        Some(false),
    ),
    (
        "111-2",
        "The radius is √5, so the area is \\(5\\pi\\).",
        Some(true),
    ),
    (
        "111-2",
        "The area of the circle is about 15.71 square units.",
        Some(true),
    ),
    (
        "112-1",
        "The total is:\n$8000 + $4000 = $12,000",
        Some(true),
    ),
    (
        "112-2",
        "In the third year they will invest $4000.",
        Some(false),
    ),
    (
        "113-1",
        "The probability of neither is 0.19, or 19%.",
        Some(true),
    ),
    (
        "113-2",
        "They like green, so the probability is 0.",
        Some(true),
    ),
    (
        "113-2",
        "The probability that they dislike both colors is 51.11%.",
        Some(false),
    ),
    ("114-1", "The probability is \\frac{35}{36}.", Some(true)),
    ("114-1", "The probability is 34/36.", Some(false)),
    ("114-2", "The probability is 100%.", Some(true)),
    ("114-2", "The probability is 1/6.", Some(false)),
    ("115-1", "So 38 people got on at the terminal.", Some(true)),
    ("115-2", "The bus earned a total of $100.", Some(true)),
    ("116-1", "x - y = 2z - 2z = 0", Some(true)),
    ("116-1", "So x - y = 2z.", Some(false)),
    ("116-2", "z - x = -y/2", Some(true)),
    ("116-2", "z - x = y/2", Some(false)),
    (
        "117-1",
        "There are 19 integers in the solution.",
        Some(true),
    ),
    ("117-2", "There are 9 integers: -14 to -6.", Some(true)),
    ("117-2", "There are 10 integers.", Some(false)),
    (
        "118-1",
        "The remainder when twice the number is divided by 4 is 0.",
        Some(true),
    ),
    ("118-2", "It leaves a remainder of 3.", Some(true)),
    ("119-2", "His total revenue would be $350.", Some(true)),
    ("120-1", "f(2) = 32 - 18 - 14 = 0", Some(true)),
    ("120-2", "So the solution is x = 2.", Some(true)),
    ("120-2", "x ≈ 1.65", Some(false)),
    (
        "128-1",
        "```python\ndef b(n):\n    v = [0, 1] + [0] * n\n    for m in range(3, n + 1, 2):\n        v[m] = sum(v[i] * v[m - 1 - i] for i in range(1, m - 1, 2))\n    return v[n]\n```",
        Some(true),
    ),
    (
        "128-1",
        "```python\ndef b(n):\n    return 0 if n > 1 else 1\n```",
        Some(false),
    ),
    ("128-1", "int b(int n) { return 0; }", None),
    ("131-1", "[5, 1, 3]", Some(true)),
    ("131-1", "[3, 1, 3]", Some(false)),
    ("134-1", "Company V; its CEO is Lisa Brown.", Some(true)),
    ("134-2", "Company Z, at 35 %.", Some(true)),
    ("136-1", "Amazon, 7\nriver, 6\nyou, 2", Some(true)),
    ("136-1", "Amazon, 5\nriver, 6\nyou, 2", Some(false)),
    (
        "140-1",
        "Month,High,Low\n01,156.25,153.80\n02,163.90,161.80\n03,168.20,166.80",
        Some(true),
    ),
    (
        "87-2",
        "The house stood dark. Nobody dared go near. Wind moved the shutters. One light went on. Then it went out.",
        Some(true),
    ),
];

#[test]
fn checks_know_right_from_wrong() {
    let place = Place::new();
    let program = |name: &str, text: &str| {
        let known = mt_bench::all().find(|one| {
            let (id, turn) = one.place();
            format!("{id}-{turn}") == name
        });
        let check = known.and_then(|one| one.check.as_ref()).expect("a check");
        let program = check["program"].as_str().expect("a program");
        let literal = Value::from(Value::from(text).to_string()).to_string();
        format!("import json\nresponse = json.loads({literal})\n{program}")
    };
    let rows: String = CASES
        .iter()
        .enumerate()
        .map(|(at, (name, text, _))| {
            format!("{}\n", json!({ "id": at, "program": program(name, text) }))
        })
        .collect();
    place.write("programs.jsonl", rows.as_bytes());
    let ended = place.reckon(&["solve", "python", "--jsonl", "programs.jsonl", "--json"]);
    let found: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row"))
        .collect();
    assert_eq!(found.len(), CASES.len(), "{}", ended.err);
    let mut wrong = Vec::new();
    for (row, (name, text, right)) in found.iter().zip(CASES) {
        let verdict = match row["value"].as_str() {
            Some("True") => Some(true),
            Some("False") => Some(false),
            _ => None,
        };
        if verdict != right {
            wrong.push(format!(
                "{name} {text:?}: {verdict:?}, error {}",
                row["error"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
