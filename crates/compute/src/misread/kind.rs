//! Misreadings of a list of things, some of which are not of the kind that is asked for.
//!
//! Called by `misreading`, with the question in lower case and its number words as digits. A thing that the table does
//! not know may be of the kind or not, so a sum with it stays in doubt.

use super::{Misreading, integer, values};
use crate::pattern::regex;
use num_rational::BigRational;
use num_traits::Zero;
use regex::Regex;
use std::sync::LazyLock;

/// Kinds that people ask for, by the beginning of their name, and things that are of them.
const KINDS: &[(&[&str], &[&str])] = &[
    (
        &["fruit"],
        &[
            "apple",
            "apricot",
            "banana",
            "blackberry",
            "blueberry",
            "cherry",
            "date",
            "fig",
            "grape",
            "grapefruit",
            "kiwi",
            "lemon",
            "lime",
            "mango",
            "melon",
            "nectarine",
            "orange",
            "papaya",
            "peach",
            "pear",
            "pineapple",
            "plum",
            "raspberry",
            "strawberry",
            "watermelon",
        ],
    ),
    (
        &["vegetable", "veggie"],
        &[
            "asparagus",
            "aubergine",
            "bean",
            "beet",
            "broccoli",
            "cabbage",
            "carrot",
            "cauliflower",
            "celery",
            "courgette",
            "cucumber",
            "eggplant",
            "garlic",
            "leek",
            "lettuce",
            "onion",
            "parsnip",
            "pea",
            "pepper",
            "potato",
            "pumpkin",
            "radish",
            "spinach",
            "turnip",
            "yam",
            "zucchini",
        ],
    ),
    (
        &["animal", "pet", "creature"],
        &[
            "bear", "bird", "bull", "calf", "camel", "cat", "chicken", "cow", "crab", "deer",
            "dog", "dolphin", "donkey", "duck", "elephant", "fish", "fox", "frog", "giraffe",
            "goat", "goldfish", "goose", "hamster", "hen", "horse", "kangaroo", "kitten", "lamb",
            "lion", "lizard", "monkey", "mouse", "mule", "owl", "panda", "parrot", "pig", "pigeon",
            "pony", "puppy", "rabbit", "rat", "rooster", "sheep", "snail", "snake", "tiger",
            "turkey", "turtle", "whale", "wolf", "zebra",
        ],
    ),
    (
        &["instrument", "musical"],
        &[
            "accordion",
            "bass",
            "cello",
            "clarinet",
            "drum",
            "fiddle",
            "flute",
            "guitar",
            "harmonica",
            "harp",
            "oboe",
            "organ",
            "piano",
            "recorder",
            "saxophone",
            "trombone",
            "trumpet",
            "tuba",
            "ukulele",
            "viola",
            "violin",
        ],
    ),
    (
        &["furniture", "pieces of furniture"],
        &[
            "armchair", "bed", "bench", "bookcase", "cabinet", "chair", "couch", "cupboard",
            "desk", "dresser", "shelf", "sofa", "stool", "table", "wardrobe",
        ],
    ),
    (
        &["vehicle"],
        &[
            "bicycle",
            "bike",
            "boat",
            "bus",
            "car",
            "lorry",
            "motorbike",
            "motorcycle",
            "scooter",
            "taxi",
            "tractor",
            "train",
            "tram",
            "truck",
            "van",
        ],
    ),
];

/// "2 apples, a pear and 4 forks. How many fruits are there?": not 7.
pub(super) fn find(text: &str, value: &BigRational) -> Option<Misreading> {
    static LIST: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?:\b(?:have|has|had|see|saw|own|owns|are|is|bought|packed|holds|contains|got|with)\b|:)\s+([^.?!:]*,[^.?!:]*)[.?!:]",
        )
    });
    static THING: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?:^|,|\band)\s*(?:and\s+)?(an?|[0-9]+)\s+([a-z' -]+?)\s*(?:$|,|\band\b)")
    });
    let (premise, asked) = text.rsplit_once("how many ")?;
    let (_, members) = KINDS
        .iter()
        .find(|(names, _)| names.iter().any(|name| asked.starts_with(name)))?;
    let (mut all, mut of_kind, mut things) = (BigRational::zero(), BigRational::zero(), 0);
    let listed = LIST.captures_iter(premise).map(|found| found[1].to_owned());
    for list in listed {
        // The comma behind a thing is also the one before the next.
        let spread = list.replace(',', ",,").replace(" and ", " and and ");
        for found in THING.captures_iter(&spread) {
            let count = values(&found[1]).pop().unwrap_or_else(|| integer(1));
            let is_member = found[2].split(' ').any(|word| is_named(members, word));
            if is_member {
                of_kind += &count;
            }
            all += count;
            things += 1;
        }
    }
    (things >= 3 && *value == all && of_kind != all).then_some(Misreading {
        why: "things of another kind may have been counted",
        other: None,
    })
}

/// Whether a word is one of these names, in the singular or the plural.
fn is_named(names: &[&str], word: &str) -> bool {
    let singular = [
        word,
        word.trim_end_matches('s'),
        word.trim_end_matches("es"),
    ];
    singular.iter().any(|word| names.contains(word))
        || word
            .strip_suffix("ies")
            .is_some_and(|stem| names.contains(&format!("{stem}y").as_str()))
}
