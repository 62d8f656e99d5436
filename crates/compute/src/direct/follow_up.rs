//! Questions that lean on earlier ones: "And with 15% tip?", "Now add that to 240", "Make it 8", "And after 10?".
//!
//! Two ways, both only where they are certain. A replacement re-asks the earlier question with one value changed: the
//! kind of the new value decides which one, and there has to be exactly one of that kind (or one with the same noun
//! behind it). An operation works on the earlier result. The conversation is folded from its start, so chains work.

use super::{
    Computed, Outcome, alone,
    frame::whole,
    proportion::scaled,
    ratio::{Ratio, whole as number},
    show,
    text::{Item, Reading},
};
use crate::number::Value;
use num_traits::{One, Zero};

/// Earlier questions beyond these are not read.
const MOST_TURNS: usize = 12;

/// What the conversation has come to.
struct Turn {
    /// The question that stands alone and has this value, for a replacement; what an operation made has none.
    question: Option<String>,
    computed: Option<Computed>,
    /// The value of the question that was replaced last.
    place: Option<usize>,
}

impl Turn {
    const fn new(question: Option<String>, computed: Option<Computed>) -> Self {
        Self {
            question,
            computed,
            place: None,
        }
    }
}

/// See [`super::compute`].
pub(super) fn compute(earlier: &[&str], reading: &Reading) -> Option<Computed> {
    let mut turn: Option<Turn> = None;
    let skip = earlier.len().saturating_sub(MOST_TURNS);
    for question in &earlier[skip..] {
        turn = Some(match Reading::new(question) {
            Some(reading) => step(turn, &reading),
            None => Turn::new(None, None),
        });
    }
    step(turn, reading).computed
}

fn step(before: Option<Turn>, reading: &Reading) -> Turn {
    let own = || Turn::new(Some(reading.original.clone()), alone(reading));
    let Some(before) = before else {
        return own();
    };
    if let Some(computed) = operated(&before, reading) {
        return Turn::new(None, Some(computed));
    }
    if let Some(turn) = replaced(&before, reading) {
        return turn;
    }
    if let Some((question, computed)) = joined(&before, reading) {
        return Turn::new(Some(question), Some(computed));
    }
    // A question on its own: not one that points back.
    const BACK: &[&str] = &[
        "that", "it", "this", "instead", "those", "them", "result", "same", "also", "too", "again",
    ];
    const OPENINGS: &[&str] = &[
        "and ",
        "now ",
        "what if ",
        "what about ",
        "how about ",
        "then ",
        "but ",
        "or ",
    ];
    let opens = OPENINGS.iter().any(|word| reading.canon.starts_with(word));
    // "My car gets 32 mpg. What is that in …" points back to its own first sentence.
    let first = reading.canon.split(" . ").next().unwrap_or("");
    if opens || first.split(' ').any(|word| BACK.contains(&word)) && amount_of(&before) {
        return Turn::new(None, None);
    }
    own()
}

/// Whether there is an earlier result that "that" could mean.
fn amount_of(before: &Turn) -> bool {
    before.computed.is_some() || before.question.is_none()
}

/// The number that an operation works on, and how to write what it makes of it.
fn amount(computed: &Computed) -> Option<&Ratio> {
    match &computed.value {
        Outcome::Number {
            value: Value::Exact(value),
            ..
        }
        | Outcome::Money {
            value: Value::Exact(value),
            ..
        } => Some(value),
        _ => None,
    }
}

fn same_kind(
    computed: &Computed,
    reading: &Reading,
    value: Ratio,
    how: String,
) -> Option<Computed> {
    match &computed.value {
        Outcome::Money { currency, .. } => show::money_in(value, currency, how),
        Outcome::Number { unit, .. } if unit.is_empty() && reading.currency().is_some() => {
            show::money(reading, value, how)
        }
        Outcome::Number { unit, .. } => show::quantity(reading, value, unit, how),
        _ => None,
    }
}

/// What can be done with the earlier result, and how people say it.
const OPERATIONS: &[(&str, &str)] = &[
    (
        "add",
        r"{then}(?:\? )?
          (?:
            add {it} to ([NM][0-9]+)|add ([NM][0-9]+)(?: to {it})?|(?:that |it )?plus ([NM][0-9]+)
          )",
    ),
    (
        "subtract",
        r"{then}(?:\? )?
          (?:
            (?:subtract|take|deduct|take away) ([NM][0-9]+)(?: (?:from|off|away from) {it})?|
            (?:that |it )?(?:minus|less) ([NM][0-9]+)
          )(?: off)?",
    ),
    (
        "from",
        r"{then}(?:subtract|take|deduct|take away) {it} from ([NM][0-9]+)",
    ),
    (
        "times",
        r"{then}(?:\? )?
          (?:
            multiply {it}?(?: by)? ?([NM][0-9]+)|
            (?:that |it )?(?:times|multiplied by|\*) ([NM][0-9]+)
          )",
    ),
    (
        "over",
        r"{then}(?:\? )?
          (?:how much is (?:that|it) |what is (?:that|it) |it |that |if we |if i |if it is )*
          (?:
            (?:split|divide|divided|share|shared|when split|if split)
              (?: that| it| this| result| bill)?(?: evenly| equally)?
              (?: between| among| amongst| by| in| into| with| for)? ?(?:us )?([NM][0-9]+)
              (?: people| persons| friends| ways| of us| parts| months| days)?(?: evenly| equally)?|
            per person for ([NM][0-9]+)(?: people)?
          )",
    ),
    (
        "percent off",
        r"{then}(?:\? )?
          (?:
            (?:take|subtract|deduct|with|minus|less|apply) ?(?:another |an extra |extra )?P
              (?: (?:off|discount|from))?
              (?: that| it| this| result| from that| from it| off that| to that| for that)?|
            (?:another |extra )?P (?:off|less|discount)(?: that| it| on that)?|
            (?:reduce|decrease|lower) (?:that|it|this) by P
          )",
    ),
    (
        "percent on",
        r"{then}(?:\? )?
          (?:
            add ?(?:another |an extra |extra )?P
              (?: (?:for [a-z]+|tax|vat|tip|sales tax|to that|to it|on top|on top of that|extra|more)
              )*|
            (?:that |it )?plus P(?: tax| vat| tip| sales tax)?|
            (?:increase|raise) (?:that|it|this) by P|
            with P (?:tax|vat|sales tax|more)(?: added| on top)?
          )",
    ),
    ("percent of", r"{then}(?:\? )?(?:how much is )?P of {it}"),
    ("double", r"{then}(?:\? )?(?:double|twice) {it}"),
    ("half", r"{then}(?:\? )?(?:half (?:of )?|halve ){it}"),
    ("triple", r"{then}(?:\? )?triple {it}"),
    (
        "square",
        r"{then}(?:\? )?(?:square {it}|(?:that|it) squared)",
    ),
];

/// An operation on the earlier result.
fn operated(before: &Turn, reading: &Reading) -> Option<Computed> {
    let computed = before.computed.as_ref()?;
    let value = amount(computed)?;
    let that = &reading.canon;
    for (name, pattern) in OPERATIONS {
        let Some(found) = whole(reading, pattern) else {
            continue;
        };
        let item = (1..6).find_map(|group| found.item(group));
        // A change of the earlier percentage, not one on top: "And with 15% off?" after "20% off 80".
        if name.starts_with("percent")
            && that.contains("with P")
            && !that.contains("extra")
            && !that.contains("another")
        {
            return None;
        }
        let by = item.map_or_else(Ratio::one, |item| item.value.clone());
        let share = &by / number(100);
        let shown = computed.text.clone();
        let (result, how) = match *name {
            "add" => (value + &by, format!("{shown} + {}", item?.written)),
            "subtract" => (value - &by, format!("{shown} - {}", item?.written)),
            "from" => (&by - value, format!("{} - {shown}", item?.written)),
            "times" => (value * &by, format!("{shown} × {}", item?.written)),
            "over" if !by.is_zero() => (value / &by, format!("{shown} / {}", item?.written)),
            "percent off" => (
                value * (Ratio::one() - share),
                format!("{shown} - {} %", item?.written),
            ),
            "percent on" => (
                value * (Ratio::one() + share),
                format!("{shown} + {} %", item?.written),
            ),
            "percent of" => (value * share, format!("{} % of {shown}", item?.written)),
            "double" => (value * number(2), format!("2 × {shown}")),
            "half" => (value / number(2), format!("half of {shown}")),
            "triple" => (value * number(3), format!("3 × {shown}")),
            "square" => (value * value, format!("({shown})²")),
            _ => return None,
        };
        return same_kind(computed, reading, result, how);
    }
    priced(before, reading)
}

/// "Laminate costs 23.50 per square metre. What do I pay?" after an area.
fn priced(before: &Turn, reading: &Reading) -> Option<Computed> {
    let computed = before.computed.as_ref()?;
    let value = amount(computed)?;
    let Outcome::Number { unit, .. } = &computed.value else {
        return None;
    };
    let found = whole(
        reading,
        r"(?:and |now |ok |so )*(?:if )?(?:[a-z]+ ){0,3}
          (?:costs?|is|at|price is|for) X per ([a-z0-9]+) ?[.,]? ?(?:\? )?
          (?:
            what (?:do|does|will|would) (?:i|it|that|everything|we|they|tiles|all) (?:pay|cost)|
            how much (?:do|does|will|would|is) (?:i|it|that|everything|we|they|all)? ?
              (?:pay|cost|in total)?|
            total cost|total price|total|what does that cost|cost|what will it cost
          )(?: in total| altogether)?",
    )?;
    let named = super::unit::Unit::named(found.word(2)?)?;
    (named.symbol == unit).then(|| {
        show::money(
            reading,
            value * found.value(1)?,
            format!(
                "{} × {}",
                computed.text,
                found.item(1).map_or("", |item| item.written.as_str())
            ),
        )
    })?
}

/// The earlier question with one value changed.
fn replaced(before: &Turn, reading: &Reading) -> Option<Turn> {
    const REPLACE: &[&str] = &[
        r"(?:and |now |then |ok |so |but |, |or )*
          (?:what if |what about |how about |what would it be |how much |what )?
          (?:is |does |would |will )?(?:it |that |there |we |i |rate |price |bill |tip |they )?
          (?:
            were |was |is |be |are |had |with |for |in |at |after |on |to |from |make |make it |
            if |if it is |if it was |if it were |change it to |use |instead of |only |only had |
            by |over |of |take |drive |go |pay |invest |save |tip |leave |earn |put |run |work |
            walk |just |it takes |takes |costs )*
          ([NMPTLWVSAFCD][0-9]+)((?: [a-z]+){0,2}?)(?: instead| then| now| please)*",
        r"(?:and |now |then |ok |so )*
          (?:make (?:it|that)|change (?:it|that) to|let us make it|better make it|try) ([NMPTLWVSAFCD][0-9]+)
          ((?: [a-z]+){0,2}?)(?: instead| then| now)*",
        r"(?:and |same |now )*(?:same )?(?:but )?(?:with|for|at|in) ([NMPTLWVSAFCD][0-9]+)
          ((?: [a-z]+){0,2}?)(?: instead)?",
    ];
    let question = before.question.as_ref()?;
    before.computed.as_ref()?;
    let found = REPLACE.iter().find_map(|pattern| whole(reading, pattern))?;
    let (new, noun) = (
        found.item(1)?,
        found
            .word(2)
            .unwrap_or("")
            .trim()
            .trim_end_matches(" instead")
            .trim_end_matches(" then")
            .trim_end_matches("instead")
            .trim(),
    );
    let old = Reading::new(question)?;
    let bare = whole(
        reading,
        r"(?:and |what about |how about |or )+N(?: instead)?",
    )
    .is_some();
    let place = match before
        .place
        .filter(|place| bare && *place < old.items.len())
    {
        Some(place) => place,
        None => place_of(&old, new, noun, bare)?,
    };
    let target = &old.items[place];
    let text = substituted(question, &old, place, new)?;
    let again = Reading::new(&text)?;
    // The new question has the same form; only the one value differs.
    let mark = |item: &Item| item.kind;
    let same = again.items.len() == old.items.len()
        && again.items.iter().map(mark).eq(old.items.iter().map(mark));
    if !same || again.canon != old.canon || again.items[place].value == target.value {
        return None;
    }
    let computed = alone(&again)?;
    Some(Turn {
        question: Some(text),
        computed: Some(computed),
        place: Some(place),
    })
}

/// Which value of the old question the new one replaces.
fn place_of(old: &Reading, new: &Item, noun: &str, bare: bool) -> Option<usize> {
    let behind = |place: usize| {
        let mark = format!("{}{place}", old.items[place].kind);
        let mut words = old
            .canon
            .split(' ')
            .skip_while(|word| *word != mark)
            .skip(1);
        words.next().unwrap_or("").to_owned()
    };
    let stem = |word: &str| word.trim_end_matches('s').to_owned();
    let noun = noun.split(' ').next().unwrap_or("");
    // "And 60?": a number without its unit or currency, where only one value can be meant.
    let kin = |item: &Item| item.kind == new.kind || bare && !"PCDHZO".contains(item.kind);
    let mut places: Vec<usize> = (0..old.items.len())
        .filter(|place| old.items[*place].kind == new.kind)
        .collect();
    if places.is_empty() {
        places = (0..old.items.len())
            .filter(|place| kin(&old.items[*place]))
            .collect();
    }
    if !noun.is_empty() {
        let named: Vec<usize> = places
            .iter()
            .copied()
            .filter(|place| stem(&behind(*place)) == stem(noun))
            .collect();
        if named.len() == 1 {
            return named.first().copied();
        }
        let general = [
            "tip", "people", "persons", "year", "years", "percent", "discount", "off", "month",
            "months",
        ]
        .contains(&noun);
        if !general || places.len() != 1 || noun != "tip" && noun != "people" && noun != "persons" {
            return None;
        }
    }
    if let [only] = places.as_slice() {
        return Some(*only);
    }
    // "How much for 5 people?" then "make it 8": the value of the asking sentence.
    let asking = old.canon.rsplit(['.', '?']).next()?;
    let asked: Vec<usize> = places
        .iter()
        .copied()
        .filter(|place| {
            asking
                .split(' ')
                .any(|word| word == format!("{}{place}", old.items[*place].kind))
        })
        .collect();
    match asked.as_slice() {
        [only] if noun.is_empty() => Some(*only),
        _ => None,
    }
}

/// The old question with the written form of one value exchanged.
fn substituted(question: &str, old: &Reading, place: usize, new: &Item) -> Option<String> {
    let target = &old.items[place];
    let digits = |item: &Item| item.written.split(' ').next().unwrap_or("").to_owned();
    let (from, to) = (digits(target), digits(new));
    if target.unit != new.unit && new.unit.is_some() {
        return None;
    }
    let lower = question.to_lowercase();
    // Number words are not found again in the text; then there is no answer.
    let places: Vec<usize> = lower
        .match_indices(from.as_str())
        .map(|(at, _)| at)
        .filter(|at| {
            let before = lower[..*at].chars().next_back();
            let after = lower[at + from.len()..].chars().next();
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let point = |c: Option<char>| c == Some('.') || c == Some(',');
            let after_point = lower[at + from.len()..].chars().nth(1);
            !(digit(before) || point(before) || digit(after) || point(after) && digit(after_point))
        })
        .collect();
    let same_before = old.items[..place]
        .iter()
        .filter(|item| digits(item) == from)
        .count();
    let same_all = old.items.iter().filter(|item| digits(item) == from).count();
    if places.len() != same_all || lower.len() != question.len() {
        return None;
    }
    let at = *places.get(same_before)?;
    Some(format!(
        "{}{to}{}",
        &question[..at],
        &question[at + from.len()..]
    ))
}

/// The facts of the earlier question with a new ask: "A recipe for 2 needs 300 g flour …" then "And how many eggs if
/// it was 1 egg for 2 people?" keeps the number of people.
fn joined(before: &Turn, reading: &Reading) -> Option<(String, Computed)> {
    let question = before.question.as_ref()?;
    let computed = before.computed.as_ref()?;
    let found = whole(
        reading,
        r"(?:and |now )*how (?:many|much) ([a-z]+)
          (?: do i need| are needed| is needed)? (?:if|when) (?:
            it was|it is|there are|recipe (?:says|has|needs)|i need|it takes|it needs|you need|
            we need
          ) ([NWV][0-9]+)(?: of)? ([a-z]+) (?:for|per) N(?: people| persons| servings)?",
    )?;
    let old = Reading::new(question)?;
    let asking = whole(
        &old,
        r".* (?:how (?:much|many)) .*(?:for|serve|feed) N
          (?: people| persons| servings| guests| of us)?",
    )?;
    let (target, item, servings) = (asking.value(1)?, found.item(2)?, found.value(4)?);
    let same = found.word(1)?.trim_end_matches('s') == found.word(3)?.trim_end_matches('s');
    if !same || servings.is_zero() || !computed.how.contains('×') {
        return None;
    }
    let (value, how) = scaled(item, &target, &servings);
    let unit = item.unit.map_or(found.word(1)?, |unit| unit.symbol);
    Some((question.clone(), show::quantity(reading, value, unit, how)?))
}
