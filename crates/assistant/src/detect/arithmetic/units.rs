//! Units by what they measure: a question from one unit to another of the same kind needs nothing but its numbers.
//!
//! "How many km are 12 miles?" and "90 minutes in hours" convert. "How many minutes for 2 kg of potatoes?" does not: a
//! program cannot know. Cups of flour in grams are left out for the same reason.
use super::super::{pattern, table::DIGITS};
use regex::Regex;
use std::sync::LazyLock;

/// Names of units, by what they measure.
const KINDS: [(&str, &str); 9] = [
    (
        "length",
        r"mm|cm|dm|km|m|mi|ft|yds?|in|inch|inches|foot|feet|yards?|miles?|(?:kilo|centi|milli)?met(?:er|re)s?
            |nautical miles?|light[- ]years?",
    ),
    (
        "mass",
        r"mg|g|kg|kgs|oz|lbs?|(?:kilo|milli)?grams?|kilos?|ounces?|pounds?|tons?|tonnes?|stones?",
    ),
    (
        "volume",
        r"ml|cl|dl|l|(?:milli|centi)?lit(?:er|re)s?|(?:us )?cups?|tablespoons?|tbsp|teaspoons?|tsp|(?:us )?gallons?
            |pints?|quarts?|fl\.? ?oz|fluid ounces?",
    ),
    (
        "time",
        r"ms|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|decades?|centuries|century",
    ),
    (
        "temperature",
        r"°? ?[cfk]|degrees? (?:celsius|fahrenheit|centigrade|c|f)|celsius|fahrenheit|kelvin|centigrade|degrees",
    ),
    (
        "area",
        r"m²|km²|cm²|ft²|m2|sqm|sq\.? ?(?:m|ft|km|meters?|feet|miles?)|square (?:met(?:er|re)s?|feet|foot|kilomet(?:er
            |re)s?|miles?|yards?|inches|centimet(?:er|re)s?)|acres?|hectares?|ha",
    ),
    (
        "speed",
        r"km/h|kmh|kph|mph|m/s|knots?|(?:miles|kilomet(?:er|re)s|km|met(?:er|re)s) per (?:hour|second)|mpg|l/100 ?km
            |lit(?:er|re)s per 100 ?km|miles per gallon",
    ),
    (
        "data",
        r"[kmgtp]i?b|bytes?|bits?|(?:kilo|mega|giga|tera|peta)(?:byte|bit)s?|[kmg]bps|[kmg]b/s",
    ),
    (
        "count",
        r"cents?|dollars?|quarters?|dimes?|nickels?|penn(?:y|ies)|dozens?|degrees?|radians?|rad|joules?|kj|kilojoules?
            |kcal|k?wh|watts?|kw|hp|horsepower|bar|psi|pascals?",
    ),
];

/// Whether a sentence asks how much a given measure is in another unit of the same kind.
pub(super) fn converts(sentence: &str) -> bool {
    CONVERSIONS
        .iter()
        .any(|conversion| conversion.is_match(sentence))
}

static CONVERSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    // What a measure may be given with: a number, "a", "half a".
    let number = format!(
        r"(?:{DIGITS}|\b(?:an?|one|two|three|four|five|six|ten|half an?|a million|a billion
            |a quarter of an?)\b)(?: (?:hundred|thousand|million|billion))?"
    );
    KINDS
        .iter()
        .map(|(_, unit)| {
            let measure = format!(r"{number}[ -]?(?:{unit})(?: (?:and )?{DIGITS} ?(?:{unit})|')?");
            let filler = r"(?:is|are|in|make|makes|equals?|there|do|does|fit in|fit into|of|go into|=|would be|has
                |have|it|\?)";
            pattern(&[
                // "How many km is 26 miles", "how many 250 ml glasses from 2 litres"
                format!(r"\bhow (?:many|much) (?:{unit})(?: {filler})+ (?:the )?(?:{measure})(?:\W|$)"),
                format!(r"\bhow (?:many|much) (?:{measure})(?:\W[^?]*)?[^\w.,$]{number}[ -]?(?:{unit})(?:\W|$)"),
                // "10 miles in km", "what is 38°C in Fahrenheit", "convert 3 cups to ml"
                format!(r"{measure}(?: [\w.]+)?[ ,]+(?:in|to|into|as|is how many|are how many|equals? how many
                    |=) ?(?:an? |the |how many )?(?:{unit})\W*$"),
                format!(r"\b(?:convert|change|express)\b[^?]*{measure}[^?]*\b(?:in|to|into|as)\b (?:{unit})(?:\W|$)"),
                format!(r"\bwhat(?:['’]s| is)\b[^?]*{measure}[^?]{{0,20}}\b(?:in|to|into)\b (?:{unit})(?:\W|$)"),
            ].join("|"))
        })
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_kinds_convert_and_others_do_not() {
        let yes = [
            "12 miles in km",
            "How many km are 12 miles?",
            "how many seconds are in a day?",
            "What is 38°C in Fahrenheit?",
            "150 lbs to kg",
            "5 feet 9 in cm",
            "How many 200 ml glasses can I fill from 3 litres?",
            "convert 2 cups to ml",
            "3.5 hours in minutes",
            "2 GB in MB",
        ];
        for text in yes {
            assert!(converts(text), "{text}");
        }
        let no = [
            "How many minutes for 2 kg of potatoes?",
            "How many kg is a 3 year old child?",
            "How many hours of battery does the model 12 have?",
            "How many cups is 500 g of flour?",
            "What is 5 in French?",
        ];
        for text in no {
            assert!(!converts(text), "{text}");
        }
    }
}
