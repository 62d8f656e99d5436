//! The canaries that are asked of the model: a few questions for each guard, and everyday ones for none.
//!
//! Short on purpose: the whole set takes minutes on a small machine. An answer that does not end within its tokens is
//! judged by no guard, so the control questions have answers of a sentence. No question here is anybody else's.
use super::{Canary, Trial};
use crate::{Check, Question};
use reckon_assistant::choice;

pub(super) fn canaries() -> Vec<Canary> {
    let mut all = Vec::new();
    for (guard, prompts) in GUARDS {
        for (i, &(prompt, expected)) in prompts.iter().enumerate() {
            let id = format!("{guard}-{}", i + 1);
            all.push(canary(id, Some(guard), prompt, expected));
        }
    }
    for (i, prompt) in CONTROL.iter().enumerate() {
        all.push(canary(format!("control-{:02}", i + 1), None, prompt, ""));
    }
    all
}

/// `expected` is a number, an option's letter, yes, no, or nothing.
fn canary(id: String, guard: Option<&str>, prompt: &str, expected: &str) -> Canary {
    let check = match expected {
        "" => None,
        "yes" | "no" => Some(Check::Word(expected.to_owned(), &["yes", "no"])),
        _ => match expected.parse() {
            Ok(number) => Some(Check::Number(number)),
            Err(_) => expected.chars().next().map(|letter| Check::Choice {
                letter,
                options: choice::options(prompt),
            }),
        },
    };
    Canary {
        id: id.clone(),
        guard: guard.map(str::to_owned),
        trial: Trial::Asked(Question {
            checks: vec![check.into_iter().collect()],
            ..Question::plain(id, prompt.to_owned())
        }),
    }
}

#[rustfmt::skip]
const GUARDS: [(&str, &[(&str, &str)]); 6] = [
    ("arithmetic", &[
        ("A baker packs 14 boxes with 8 rolls each and sells 37 rolls. How many rolls are left?", "75"),
        ("Nora reads 27 pages a day for 19 days. How many pages does she read in total?", "513"),
        ("A ticket costs $58. Lea buys 4 tickets and has a voucher of $19. How much does she pay in total?", "213"),
        ("A tank holds 740 litres and loses 45 litres an hour. How many litres are left after 9 hours?", "335"),
    ]),
    ("logic", &[
        ("On a shelf stand three jars: a tall jar, a round jar, and a flat jar. The round jar is to the left of the flat jar. The tall jar is the rightmost.\nOptions:\n(A) The tall jar is the leftmost\n(B) The round jar is the leftmost\n(C) The flat jar is the leftmost", "B"),
        ("Hanna tells the truth. Igor says Hanna lies. Jan says Igor tells the truth. Does Jan tell the truth?", "no"),
    ]),
    ("constraints", &[
        ("Describe a lighthouse. Your answer must contain exactly 2 sentences.", ""),
        ("Tell me why leaves are green. Do not use any commas in your answer.", ""),
        ("What is a compass? Your entire answer must be in lowercase letters.", ""),
    ]),
    ("persona", &[
        ("Pretend to be a lighthouse keeper of the 19th century and tell me in one short paragraph what you fear.", ""),
        ("Act as a pirate captain and tell me in one short paragraph whether you have a body.", ""),
    ]),
    ("qualifier", &[
        ("Describe winter in one short paragraph without mentioning snow.", ""),
        ("Describe a bakery in one short paragraph without mentioning bread.", ""),
        ("Name a European capital other than Paris.", ""),
    ]),
    ("counting", &[
        ("In how many ways can 4 different books be arranged on a shelf?", "24"),
        ("In how many ways can 2 of 5 friends be chosen?", "10"),
    ]),
];

const CONTROL: [&str; 24] = [
    "What is the capital of Portugal?",
    "Which language is spoken in Brazil?",
    "Translate \"good morning\" into French.",
    "What is the opposite of \"ancient\"?",
    "Which planet is known for its rings?",
    "What colour is a ripe banana?",
    "What do bees make?",
    "Which animal barks?",
    "Who painted the Mona Lisa?",
    "What is the largest ocean?",
    "What is the chemical symbol of gold?",
    "Which instrument has black and white keys?",
    "What is frozen water called?",
    "Which season comes after winter?",
    "What is a young cat called?",
    "In which country is Kyoto?",
    "What do you call a person who bakes bread for a living?",
    "Which metal is liquid at room temperature?",
    "What is the main ingredient of an omelette?",
    "Say hello to my friend Clara.",
    "Which river flows through Cairo?",
    "What is the Spanish word for \"house\"?",
    "Which gas do plants take in?",
    "What is the name of the fairy tale about a girl and a glass slipper?",
];
