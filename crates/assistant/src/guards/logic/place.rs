//! A puzzle that offers no options: which of the names in it is the answer.
//!
//! A model letters its options all the same, often asks for another place than the question ("the second" for the middle),
//! and counts from another end than its own comment says. So its options are left aside. The question's last sentence says
//! which place is asked for ("third", "second oldest", "second from the right", "won"); the facts say which end the
//! places are counted from: "Kofi is older than Bea" as `kofi > bea` means that the oldest stands last. Where facts disagree about
//! that, one of them is wrong.

use crate::choice::mentions;
use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};

/// What the check printed, with names: `@option NAME` for all who could be the answer and `@holds NAME` for who is. Nothing
/// where neither question nor program is of this form, and why not where they do not go together.
pub(super) fn printed(
    question: &str,
    program: &str,
    stdout: &str,
) -> Result<Option<String>, &'static str> {
    if stdout.contains("@has ") {
        if is_passed_round(program) {
            return Err("the program passes things round, and nobody checked which way");
        }
        return Ok(by_thing(question, stdout).or_else(|| by_name(question, program, stdout)));
    }
    let Some(names) = Names::new(question, program) else {
        return Ok(None);
    };
    let asked = Asked::new(question).ok_or("the question's place is not understood")?;
    let counted = Counted::new(program, &names)?;
    let place = asked.place(counted, names.of_program.len());
    let place = place.ok_or("the program counts by something else than the question")?;
    let stands = |name: &str| {
        let line = format!("@stands {name} {place}");
        stdout.lines().any(|one| one == line)
    };
    let at = names.of_program.iter().position(|name| stands(name));
    let at = at.ok_or("the facts do not say who stands there")?;
    Ok(Some(said(&names.of_question, names.of_question[at])))
}

fn said(options: &[&str], holds: &str) -> String {
    let options = options.iter().map(|name| format!("@option {name}\n"));
    options.collect::<String>() + &format!("@holds {holds}\n")
}

/// Whether things go round among three or more (`a, b, c = b, c, a`): which way that is, a small model guesses.
fn is_passed_round(program: &str) -> bool {
    static ROUND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^\w+(?:, \w+){2,} = [A-Za-z_]\w*(?:, \w+){2,}\s*$").expect("fixed")
    });
    ROUND.is_match(program)
}

/// What stands in an order, as the program and as the question calls it.
struct Names<'a> {
    of_program: Vec<&'a str>,
    of_question: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn new(question: &'a str, program: &'a str) -> Option<Self> {
        static EVERYTHING: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?m)^everything = \[([\w, ]+)\]$").expect("fixed"));
        let (_, [list]) = EVERYTHING.captures(program)?.extract();
        let of_program: Vec<&str> = list.split(", ").collect();
        let written = of_program.iter().map(|one| as_written(question, one));
        let of_question: Vec<&str> = written.collect::<Option<_>>()?;
        let distinct: BTreeSet<_> = of_question.iter().collect();
        (distinct.len() == of_program.len()).then_some(Self {
            of_program,
            of_question,
        })
    }

    /// Whether a sentence, in lowercase, is about these of the program's, which it may call "she" or "it".
    fn are_in(&self, sentence: &str, programs: &[&str]) -> bool {
        const SOMEBODY: [&str; 14] = [
            "he", "him", "his", "she", "her", "it", "its", "they", "them", "their", "i", "me",
            "we", "us",
        ];
        let mut words = sentence.split(|c: char| !c.is_alphanumeric());
        let is_named = |name: &str| {
            let at = self.of_program.iter().position(|one| *one == name);
            at.is_none_or(|at| {
                let written = self.of_question[at].to_lowercase();
                sentence.contains(&written) || as_written(sentence, name).is_some()
            })
        };
        programs.iter().all(|name| is_named(name)) || words.any(|word| SOMEBODY.contains(&word))
    }
}

/// What things are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    Age,
    Size,
    Weight,
    Price,
    Speed,
    Height,
    /// From left to right.
    Row,
    /// From the first to the last.
    Rank,
}

/// Words that compare two things, and those for the end that they lead to; of each pair the second is for the larger.
const WORDS: &[(Axis, &[&str], &[&str])] = &[
    (
        Axis::Age,
        &["younger", "youngest", "newer", "newest", "born after"],
        &["older", "oldest", "elder", "eldest", "born before"],
    ),
    (
        Axis::Size,
        &["shorter", "shortest", "smaller", "smallest"],
        &[
            "taller", "tallest", "longer", "longest", "bigger", "biggest", "larger", "largest",
        ],
    ),
    (
        Axis::Weight,
        &["lighter", "lightest", "weighs less", "weigh less"],
        &["heavier", "heaviest", "weighs more", "weigh more"],
    ),
    (
        Axis::Price,
        &[
            "cheaper",
            "cheapest",
            "costs less",
            "cost less",
            "least expensive",
            "less expensive",
        ],
        &[
            "more expensive",
            "most expensive",
            "costs more",
            "cost more",
            "dearer",
            "dearest",
            "pricier",
            "priciest",
        ],
    ),
    (
        Axis::Speed,
        &["slower", "slowest"],
        &["faster", "fastest", "quicker", "quickest"],
    ),
    (
        Axis::Height,
        &["lower", "lowest", "bottom", "below"],
        &["higher", "highest", "top", "above"],
    ),
    (
        Axis::Row,
        &["left of", "leftmost", "left"],
        &["right of", "rightmost", "right"],
    ),
    (
        Axis::Rank,
        &[
            "ahead", "before", "in front", "beat", "beats", "earlier", "first", "front", "won",
            "wins", "winner",
        ],
        &[
            "behind",
            "after",
            "later",
            "last",
            "back",
            "at the end",
            "at the very end",
        ],
    ),
];

/// A word of an order that stands in a text: where, of which order, and whether it is for the larger.
#[derive(Clone, Copy, Debug)]
struct Found {
    at: usize,
    axis: Axis,
    is_larger: bool,
}

/// All words of orders in a text, of longer ones only the whole.
fn ordered(text: &str) -> Vec<Found> {
    static ANY: LazyLock<Regex> = LazyLock::new(|| {
        let mut words: Vec<&str> = WORDS
            .iter()
            .flat_map(|(_, a, b)| a.iter().chain(*b))
            .copied()
            .chain(["more than", "less than"])
            .collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Regex::new(&format!(r"\b(?:{})\b", words.join("|"))).expect("fixed")
    });
    // "Right behind": no side.
    const WHERE: [&str; 7] = [
        "after", "ahead", "before", "behind", "in front", "next", "above",
    ];
    let is_just = |found: &regex::Match<'_>| {
        let rest = text[found.end()..].trim_start();
        found.as_str() == "right" && WHERE.iter().any(|word| rest.starts_with(word))
    };
    let mut all: Vec<Found> = Vec::new();
    for found in ANY.find_iter(text).filter(|found| !is_just(found)) {
        let has = |words: &[&str]| words.contains(&found.as_str());
        let known = WORDS.iter().find(|(_, a, b)| has(a) || has(b));
        // "Costs less than a kettle but more than a mug": the same order.
        let axis = match known {
            Some((axis, ..)) => Some(*axis),
            None => all.last().map(|last| last.axis),
        };
        all.extend(axis.map(|axis| Found {
            at: found.start(),
            axis,
            is_larger: known.map_or(found.as_str() == "more than", |(_, _, b)| has(b)),
        }));
    }
    all
}

/// The place that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Middle,
    /// The n-th from one end.
    Nth {
        n: usize,
        axis: Axis,
        /// From the end of the larger.
        from_larger: bool,
    },
}

/// Where one of these is said, a place only helps to say who is meant ("right behind the winner").
const OTHERS: &str = r"\b(?:after|ahead|before|behind|beside|between|but|directly|following|how|immediately|just|next|not|than|when|where)\b";

impl Asked {
    fn new(question: &str) -> Option<Self> {
        Self::in_sentence(&last_sentence(question))
    }

    fn in_sentence(sentence: &str) -> Option<Self> {
        static MEANT: LazyLock<Regex> = LazyLock::new(|| Regex::new(OTHERS).expect("fixed"));
        static FLOOR: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\bfloor (\d)\b").expect("fixed"));
        const NTH: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];
        if MEANT.is_match(sentence) {
            return None;
        }
        let has = |word: &str| {
            sentence
                .split(|c: char| !c.is_alphanumeric())
                .any(|one| one == word)
        };
        let mut nth = (1..).zip(NTH).filter(|(_, word)| has(word));
        let (n, more) = (nth.next(), nth.next());
        // "Who won the second race?"
        let has_won = ["won", "wins", "winner"].into_iter().any(has);
        if more.is_some() || n.is_some() && has_won {
            return None;
        }
        if has("middle") {
            return n.is_none().then_some(Self::Middle);
        }
        // "First" is an end and a number; here it is the number.
        let ends: Vec<Found> = ordered(sentence);
        let ends: Vec<Found> = match n {
            Some((1, word)) => ends
                .into_iter()
                .filter(|end| !sentence[end.at..].starts_with(word))
                .collect(),
            _ => ends,
        };
        let n = n.map(|(n, _)| n);
        // "Who lives on floor 2?", "on the third floor".
        let numbered = FLOOR
            .captures(sentence)
            .and_then(|found| found[1].parse().ok());
        if let (Some(n), []) = (numbered.or(n.filter(|_| has("floor"))), ends.as_slice()) {
            return Some(Self::Nth {
                n,
                axis: Axis::Height,
                from_larger: false,
            });
        }
        let (axis, from_larger) = match ends.as_slice() {
            // "From the heaviest to the lightest".
            [a, b]
                if a.axis == b.axis && a.is_larger != b.is_larger && sentence.contains("from ") =>
            {
                (a.axis, a.is_larger)
            }
            [end] => (end.axis, end.is_larger),
            [] if n.is_some() => (Axis::Rank, false),
            _ => return None,
        };
        Some(Self::Nth {
            n: n.unwrap_or(1),
            axis,
            from_larger,
        })
    }

    /// In the program's numbers.
    fn place(self, counted: Option<Counted>, count: usize) -> Option<usize> {
        let place = match self {
            Self::Middle => return (count % 2 == 1).then_some(count.div_ceil(2)),
            Self::Nth {
                n,
                axis,
                from_larger,
            } => {
                let counted = counted.filter(|counted| counted.axis == axis)?;
                match counted.is_larger_last == from_larger {
                    true => (count + 1).checked_sub(n)?,
                    false => n,
                }
            }
        };
        (1..=count).contains(&place).then_some(place)
    }
}

/// What a program's numbers count by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    axis: Axis,
    /// The oldest has the largest number.
    is_larger_last: bool,
}

const UNCLEAR: &str = "a comparison of the program is not understood";
const AGAINST: &str = "the program's facts count from different ends";

impl Counted {
    /// As its facts say, and where they compare nothing, its comment.
    fn new(program: &str, names: &Names<'_>) -> Result<Option<Self>, &'static str> {
        let facts = facts(program, names)?;
        let first = facts.first().copied();
        if facts.iter().any(|fact| Some(*fact) != first) {
            return Err(AGAINST);
        }
        Ok(first.or_else(|| comment(program)))
    }
}

/// What "Position 1 is the leftmost" says.
fn comment(program: &str) -> Option<Counted> {
    static START: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^# Position 1 is (?:the )?([\w ]+?), position").expect("fixed")
    });
    let (_, [start]) = START.captures(program)?.extract();
    match ordered(&start.to_lowercase()).as_slice() {
        [end] => Some(Counted {
            axis: end.axis,
            is_larger_last: !end.is_larger,
        }),
        _ => None,
    }
}

/// What each fact says: the comment above it has the words, the line the sign or the number.
fn facts(program: &str, names: &Names<'_>) -> Result<Vec<Counted>, &'static str> {
    static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^s\.add\((\w+) (<|>|==) (\w+)(?: ([+-]) 1)?\)").expect("fixed")
    });
    let mut found = Vec::new();
    let (mut words, mut stated) = (Vec::new(), String::new());
    for line in program.lines() {
        if let Some(comment) = line.strip_prefix('#') {
            stated = comment.to_lowercase();
            words = ordered(&stated);
            words.reverse();
            continue;
        }
        let Some(compared) = COMPARED.captures(line) else {
            continue;
        };
        let (left, sign, right) = (&compared[1], &compared[2], &compared[3]);
        if !names.are_in(&stated, &[left, right]) {
            return Err("a fact of the program is about somebody whom its sentence does not name");
        }
        let is_larger = match (sign, compared.get(4).map(|sign| sign.as_str())) {
            (">", None) | ("==", Some("+")) => true,
            ("<", None) | ("==", Some("-")) => false,
            ("==", None) => {
                found.extend(at_number(&stated, right, names.of_program.len())?);
                continue;
            }
            _ => continue,
        };
        let word = words.pop().ok_or(UNCLEAR)?;
        let last = |name: &str| {
            let at = names.of_program.iter().position(|one| *one == name)?;
            stated[..word.at].rfind(&names.of_question[at].to_lowercase())
        };
        // Of whom it is said: the nearest name before the word.
        let is_left = match (last(left), last(right)) {
            (None, None) => return Err(UNCLEAR),
            (left, right) => left > right,
        };
        found.push(Counted {
            axis: word.axis,
            is_larger_last: (is_larger == is_left) == word.is_larger,
        });
    }
    Ok(found)
}

/// What `white == 5` means under "the white car is second from the right".
fn at_number(stated: &str, number: &str, count: usize) -> Result<Option<Counted>, &'static str> {
    let Some(Asked::Nth {
        n,
        axis,
        from_larger,
    }) = Asked::in_sentence(stated)
    else {
        return Ok(None);
    };
    let Ok(number) = number.parse::<usize>() else {
        return Ok(None);
    };
    match (number == n, number + n == count + 1) {
        (true, true) => Ok(None),
        (false, false) => Err("a fact of the program names another place than its comment"),
        (from_start, _) => Ok(Some(Counted {
            axis,
            is_larger_last: from_start != from_larger,
        })),
    }
}

/// The sentence that asks, in lowercase.
fn last_sentence(question: &str) -> String {
    let lower = question.to_lowercase();
    let asks = lower.rfind('?').map_or("", |end| &lower[..end]);
    let sentence = asks.rsplit(['.', '!', ':', '?']).next();
    sentence.unwrap_or_default().to_owned()
}

/// Who has the thing in the end that the last sentence names, or what the one whom it names has.
fn by_thing(question: &str, stdout: &str) -> Option<String> {
    let lines = stdout.lines().filter_map(|line| line.strip_prefix("@has "));
    let pairs: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(' ')).collect();
    let written: Option<Vec<&str>> = pairs
        .iter()
        .map(|(name, _)| as_written(question, name))
        .collect();
    let owners = written?;
    let things: Vec<&str> = pairs.iter().map(|(_, thing)| *thing).collect();
    let are_distinct = |all: &[&str]| all.iter().collect::<BTreeSet<_>>().len() == pairs.len();
    if pairs.len() < 2 || !are_distinct(&owners) || !are_distinct(&things) {
        return None;
    }
    let sentence = last_sentence(question);
    let named = |all: &[&str]| -> Vec<usize> {
        let all = all.iter().enumerate();
        all.filter(|(_, one)| mentions(&sentence, one))
            .map(|(at, _)| at)
            .collect()
    };
    match (named(&owners).as_slice(), named(&things).as_slice()) {
        ([], [at]) => Some(said(&owners, owners[*at])),
        ([at], []) if things.iter().all(|thing| mentions(question, thing)) => {
            Some(said(&things, things[*at]))
        }
        _ => None,
    }
}

/// The program's own options by name: `"A": anna == "book", "B": ben == "book"` are Anna and Ben. Nothing if they are not of
/// this form.
fn by_name(question: &str, program: &str, stdout: &str) -> Option<String> {
    static OPTION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#""([A-H])":\s*([A-Za-z]\w*)\s*==\s*("[^"]*")\s*[,}]"#).expect("fixed")
    });
    let last = program.rfind("options = {").map_or("", |at| &program[at..]);
    let found: Vec<[&str; 3]> = OPTION
        .captures_iter(last)
        .map(|found| found.extract().1)
        .collect();
    let is_one_thing = found.iter().all(|[_, _, thing]| *thing == found[0][2])
        && found
            .first()
            .is_some_and(|[_, _, thing]| mentions(question, thing.trim_matches('"')));
    let names: Vec<&str> = found
        .iter()
        .map(|[_, name, _]| as_written(question, name))
        .collect::<Option<_>>()?;
    let distinct: BTreeSet<_> = names.iter().collect();
    let letter = stdout
        .lines()
        .find_map(|line| line.strip_prefix("@holds "))?;
    let at = found.iter().position(|[known, ..]| *known == letter)?;
    (is_one_thing && distinct.len() == found.len()).then(|| said(&names, names[at]))
}

/// The words of the question that a program calls so: Anna for `anna`, map for `map_`, Mrs Hall for `mrs_hall`, plums for `plum`.
fn as_written<'a>(question: &'a str, name: &str) -> Option<&'a str> {
    let name = name.trim_end_matches('_').to_lowercase();
    if name.len() < 2 {
        return None;
    }
    let words = regex::escape(&name).replace('_', r"[ '-]+");
    let stem = words.strip_suffix('y').unwrap_or(&words);
    let whole = Regex::new(&format!(r"(?i)\b(?:{words}|{words}e?s|{stem}ies)\b")).ok()?;
    whole.find(question).map(|found| found.as_str())
}

#[cfg(test)]
mod tests;
