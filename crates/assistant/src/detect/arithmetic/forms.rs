//! Questions of one sentence that hold all they need: "20% off 80", "How long from 9:40 to 11:05?".
//!
//! A single question with numbers in it may ask for anything ("How long do I bake 12 muffins at 180 degrees?"). It is a
//! computation only in a form that says what to do with its numbers, and those forms are the rows below. Units are told
//! apart by what they measure ([`super::units`]), since "kg" and "pounds" convert and "kg" and "minutes" do not.
use super::super::{
    pattern,
    table::{Row, Table, row},
};
use regex::Regex;
use std::sync::LazyLock;

/// The form of a sentence that asks for a computation on its own numbers.
pub(super) fn find(sentence: &str) -> Option<&'static str> {
    static NUMBERS: LazyLock<Table> = LazyLock::new(|| Table::new(NUMBER_ROWS));
    static EVERYDAY: LazyLock<Table> = LazyLock::new(|| Table::new(EVERYDAY_ROWS));
    static CALENDAR: LazyLock<Table> = LazyLock::new(|| Table::new(CALENDAR_ROWS));
    // "How long does it take at 40?" is no price.
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\bhow (?:long|old|often|far|tall)\b"));
    let priced = |kind: &&str| *kind != "price" || !TIME.is_match(sentence);
    NUMBERS
        .find(sentence)
        .or_else(|| EVERYDAY.find(sentence).filter(priced))
        .or_else(|| CALENDAR.find(sentence))
}

/// Numbers as such.
const NUMBER_ROWS: &[Row] = &[
    row(
        "percent",
        r"\d ?(?:%|percent|per cent) ?(?:of|off|on|from|more|less|tip|discount|tax|vat|interest|commission|markup
            |increase|decrease|raise|cheaper)\b[^?]*\d
            |\d[^?]*\b(?:of|off|minus|plus|less|at|by|with|is|take|add|to|and|for|increased|reduced|including
            |[-+]) (?:an? )?\d[\d.,]* ?(?:%|percent|per cent)",
        "12 percent of 90",
    ),
    row(
        "share",
        r"\b(?:percent\w*|fraction|share|proportion|ratio)\b[^?]*<d>[^?]*\b(?:of|out of|from|to|is|and|than)\b[^?]*<d>
            |<d> out of <d>|\b(?:ratio|percent\w*) of <d>",
        "what percentage of 60 is 15",
    ),
    row(
        "function",
        r"\b(?:double|triple|quadruple|half(?: of)?|halve|twice|thrice|(?:third|quarter|fifth|tenth) of|two thirds of
            |three quarters of|three fourths of|square of|cube of|square root|cube root|sqrt|(?:\d+(?:th|rd|nd)|fourth
            |fifth) root|root of|factorial|reciprocal|log(?:arithm)?\d*|ln|sin|cos|tan|sine|cosine|tangent|arcsin
            |arccos|arctan|absolute value)
            \b ?\(?(?: ?(?:of|base|an?|the|number|\d+)\b)*[ (]*[$€£√π-]?\d|√ ?\d",
        "square root of 50",
    ),
    row(
        "power",
        r"\d\)? ?(?:to the (?:power|\w+th\b)|squared\b|cubed\b|factorial\b|\*\*|\^|choose \d)|\d{1,4}!(?:\W|$)|\be\^-?\d
            |\b(?:square|cube) (?:the number )?\d",
        "7 to the power of 3",
    ),
    row(
        "operation",
        r"\d[\d,.]*[%)]?\s*(?:[*×÷^+]|[-−–] |/|\bplus\b|\bminus\b|\btimes\b|\bdivided by\b|\bmultiplied by\b
            |\bmod(?:ulo)?\b|\bover\b)\s*\(?[$€£]?-?\d|^\W*(?:what(?:['’]s| is) |how much is 
            |calculate )?\d[\d.,]* ?x ?\d[\d.,]*\W*$
            |\btake <d> (?:from|off|away)\b[^?]*\d|\b(?:add|multiply|divide|subtract|deduct)\b (?:up )?[$€£]?\d[^?]*\b(?:and|by|from|to|with
            |into)\b[^?]*\d
            |<d> (?:less|more|fewer|greater) than <d>|\bdifference between <d> and <d>(?:\W*$|[,.?])
            |\bproduct of <d>",
        "multiply 14 by 12",
    ),
    row(
        "divisibility",
        r"\d (?:evenly )?(?:divisible by|a multiple of|a factor of|a divisor of|go(?:es)? into|divides?) \d
            |\bremainder\b[^?]*\d[^?]*\d
            |\b(?:gcd|lcm|hcf|gcf|(?:greatest|largest|highest|least|lowest|smallest) common (?:divisor|factor|multiple
            |denominator))\b[^?]*\d
            |\b(?:factors|divisors|multiples) of <d>|\bhow many \d+s\b[^?]*\bin <d>",
        "Is 221 divisible by 13?",
    ),
    row(
        "kind of number",
        r"\d+(?: is)?(?: an?)? (?:prime|perfect square|perfect cube|palindrome|even|odd|leap year)\b
            |\bprime (?:numbers?|factors?|factori[sz]ation)\b[^?]*\d|\bprimes\b[^?]*\d|\b(?:factori[sz]e|factor) \d",
        "Was 1900 a leap year?",
    ),
    row(
        "list",
        r"\b(?:average|avg|mean|median|mode|sum|total|range|variance|standard deviation|product|max(?:imum)?
            |min(?:imum)?|largest|smallest|biggest|highest|lowest|greatest|add(?: up)?)
            \b:?(?: (?:value|of|for|the|these|this|following|numbers?|scores?|grades?|list|set|from|is|between|among
            |in|values|data|up|out|are|my|number|all|marks|prices|amounts|together|temperatures))*:? *[\[(]?<d> ?(?:,
            |and|or|;|\+|&| )\s*(?:and )?<d>
            |<d>, ?<d>[^?]*\b(?:ascending|descending|increasing|decreasing|in order|sorted|smallest to largest
            |largest to smallest)\b
            |\b(?:sort|order|ascending|descending|arrange|rank|increasing|decreasing|smallest to largest
            |largest to smallest)\b[^?]*<d>[,;]? *(?:and )?<d>[,;]? *(?:and )?<d>",
        "median of 4, 9 and 1",
    ),
    row(
        "sequence",
        r"^\W*next\b:? ?\d+, ?\d|\d, ?\d+,? next\W*$|\bsum (?:of )?(?:all |the )?(?:\w+ ){0,3}\d+ (?:to|through|until) \d|\b(?:comes? next
            |next (?:number|term|in)|missing (?:number|term)|continue)\b[^?]*\d, ?\d|\d, ?\d[^?]*\b(?:comes? next
            |next (?:number|term)|what(?:['’]s| is) next)\b
            |\b(?:\d+(?:th|st|nd|rd)|nth) (?:term|number|element|fibonacci|prime|digit|decimal|triangular)\b",
        "What comes next: 3, 6, 9?",
    ),
    row(
        "base",
        r"\b(?-i:[0-9A-F]{2,}) (?:in|to|as) (?:decimal|binary|octal)\b|\b(?:0x[0-9a-f]+|0b[01]+|[0-9][0-9a-f]*
            |(?-i:[IVXLCDM]+))\b (?:in|to|into|as|from) (?:an? |the )?(?:\w+ )?(?:hex\w*|binary|octal|decimal
            |base[- ]?\d+|roman|arabic|numbers?|numerals?|digits)\b
            |\b(?:hex(?:adecimal)?|binary|octal|base[- ]?\d+|roman(?: numerals?)?)(?: number| value)? (?:0x
            |0b)?(?:[0-9][0-9a-f]*|(?-i:[IVXLCDM]+|[0-9A-F]*\d[0-9A-F]*))\b[^?]*(?:\b(?:in|to|as|is|into)\b|\?|$)
            |\b(?:what|which) (?:number|year) (?:is|was|does) (?-i:[IVXLCDM]{2,})\b|\b(?-i:[IVXLCDM]{2,}) (?:stand
            |mean)s? (?:for|in)\b
            |\broman numerals? (?:for|of) (?:\d|(?-i:[IVXLCDM]))",
        "19 in binary",
    ),
    row(
        "comparison",
        r"\b(?:larger|bigger|greater|smaller|less|more|higher|lower|longer|heavier|closer)\b,?:? (?:of |than 
            |- )?<d>(?: ?<unit>\b)?,? (?:or|than|vs\.?|and) <d>
            |\b(?:is|are) <d>(?: ?<unit>\b)? (?:or|vs\.?|(?:larger|bigger|greater|smaller|less|more|higher|lower
            |longer|heavier) than|equal to|the same as) <d>
            |<n>[^?]{1,40} for <d>[^?]{0,20} or [^?]{0,20}<n>[^?]{1,40} for <d>|\b(?:compare|bigger number
            |larger number)\b:? <d>",
        "Is 5/8 or 7/12 larger?",
    ),
    row(
        "form",
        r"\b(?:round|simplify|reduce|truncate)\b (?:the (?:number|fraction) )?<d>|<d>(?: (?:in|to|as|into|written as
            |expressed as) (?:an? )?(?:simplest|lowest|decimals?|fractions?|percent\w*|mixed number
            |scientific notation|nearest))\b|\bsimplified\b[^?]*\d/\d|\d/\d+ simplified",
        "Round 2.71828 to 3 decimals",
    ),
    row(
        "equation",
        r"\b(?:inequality|equation|integers?|solutions?|roots)\b[^?]*\d[^?]*[<>=≤≥]|\b(?:inequality|equation|integers?
            |solutions?|roots)\b[^?]*[<>=≤≥][^?]*\d|[a-z\d] ?= ?[^?]*\b(?:express|solve|find)\b
            |\bsolve\b[^?]*[a-z\d] ?=|(?:^|[^a-z])\d* ?[xyzn](?:\^\d|²)? ?[-+*/=] ?[^?]*=? ?\d[^?]*\b(?:what|find
            |solve)\b|\b(?:what|find|solve|value)\b[^?]*\b\d*[xyzn](?:\^\d|²)? ?[-+*/=] ?[^?]*\d",
        "Solve 5x - 3 = 12",
    ),
];

/// Money, shapes, speeds, chances.
const EVERYDAY_ROWS: &[Row] = &[
    row(
        "price",
        r"<n>(?: [\w-]+){0,4} (?:at|@|for|costing|of) [$€£]? ?\d[\d.,]*(?: ?(?:euros?|dollars?|cents?|bucks|pounds|usd
            |eur))? ?(?:each|apiece|a piece|per|/|with\b|an? (?:piece|kilo|kg|litre|liter|pound|hour|day|night|month))
            |<n>(?: [\w-]+){0,3} (?:at|@) (?:[$€£] ?\d|\d+\.\d\d?\b|\d+ (?:euros?|dollars?|cents?|bucks|pounds|usd
            |eur)\b|\d+ ?[€$£?]|\d+\W*$)",
        "4 chairs at 35 each",
    ),
    row(
        "split",
        r"\b(?:split|divide|share|distribute)\b[^?]*<n>[^?]*\b(?:ways?|among|amongst|between|by|people|persons|friends
            |of us|into|equally|evenly|flatmates|parts)\b|\b<d>[^?]{0,30} (?:split|divided|shared)\b[^?]*\b(?:ways?
            |among|amongst|between|by|into|equally|evenly)\b",
        "Split 96 four ways",
    ),
    row(
        "afford",
        r"\b(?:afford|buy|pay|enough|cover)\b[^?]*\b(?:at|each|costing|apiece|cost)\b ?[$€£]?\d?[^?]*\d",
        "Can I buy 6 mugs at 8 with 50?",
    ),
    row(
        "loan",
        r"\b(?:monthly payment|instal?lments?|interest|mortgage|annuity|compound\w*|invest\w*)\b[^?]*<d>[^?]*\d ?(?:%
            |percent)|\b(?:monthly payment|interest|mortgage|loan)\b[^?]*<d>[^?]*<d>[^?]*<d>",
        "interest on 900 at 4% for 2 years",
    ),
    row(
        "pay",
        r"[$€£]?\d[\d.,]*(?: \w+)? ?(?:\b(?:per|an?|each|every) |/ ?)(?:hour|day|week|month|year|night|kg|kilo|km
            |lit(?:re|er)|person|piece|minute|second|mile|m|gallon|pound|h)\b[^?]*\b(?:for|in|over|after|of|times
            |x)\b[^?]*\d
            |\bchange\b[^?]*\b(?:from|of|for|out of)\b[^?]*\d[^?]*\d|\btip (?:on|for)\b[^?]*\d|\b<d> (?:usd|eur|gbp
            |chf|jpy|dollars?|euros?|yen|francs|pounds)\b[^?]*\bat (?:a rate of )?\d+\.\d+",
        "15 per hour for 38 hours",
    ),
    row(
        "speed",
        r"<d> ?(?:km|mi|miles?|m|met(?:er|re)s|kilomet(?:er|re)s)\b[^?]*\b(?:at|doing|with|of)\b[^?]*<d> ?(?:km/h|kmh
            |kph|mph|m/s|miles per hour|km per hour|kilomet(?:er|re)s per hour|knots|km an hour|miles an hour)
            |<d> ?(?:km/h|kmh|kph|mph|m/s|miles per hour|kilomet(?:er|re)s per hour|knots)\b[^?]*\b(?:for|in
            |over)\b[^?]*<n> ?(?:km|mi|miles?|h|hours?|min|minutes?|kilomet(?:er|re)s|seconds?|s)\b
            |<d> ?(?:km|k|mi|miles?|m|met(?:er|re)s)\b[^?]{0,15}\bin <d> ?(?:h|hours?|min|minutes?|s|sec|seconds?)\b
            |\bpace\b[^?]*<d>[^?]*<d>|\b(?:l|lit(?:re|er)s?)(?:/| per ) ?100 ?km\b[^?]*\d|\d ?mpg\b[^?]*\d",
        "How long for 90 km at 60 km/h?",
    ),
    row(
        "shape",
        r"\b(?:area|perimeter|circumference|volume|surface|diagonal|hypotenuse|radius|diameter)\b[^?]*\b(?:circle
            |squares?|rectang\w+|triang\w+|sphere|cube|cylinder|cone|room|garden|box|field|pool|tank|wall|floor|pizza
            |radius|diameter|sides?|by|x|legs|edges?|ball|prism|pyramid|hexagon|legs)\b[^?]*\d
            |\d[^?]*\b(?:by|x|radius|diameter|circle|square|rectangle|triangle|cube|sphere|sides?)\b[^?]*\b(?:area
            |perimeter|circumference|volume|surface|diagonal|hypotenuse)\b|\bhypotenuse\b[^?]*\d[^?]*\d",
        "area of a circle with radius 6",
    ),
    row(
        "chance",
        r"\b(?:probability|chances?|odds|likelihood|likely)\b[^?]*\b(?:dic?e|coins?|cards?|deck|roll\w*|flip\w*
            |toss\w*|heads|tails|marbles?|balls?|birthdays?|draw\w*|six(?:es)?|lottery|aces?|kings?|queens?|hearts
            |spades)\b",
        "probability of two heads in three coin flips",
    ),
    row(
        "legs",
        r"\bhow many (?:legs|wheels|eyes|feet|paws|sides|corners|ears|wings) (?:do|does|have|are there on
            |would)\b[^?]*<n>[^?]*",
        "How many wheels do 3 cars and 2 bicycles have?",
    ),
    row(
        "scale",
        r"\bfor <n> (?:people|persons|servings|guests|portions|kids|adults)?[^?]*\bfor <n>\b|\b(?:bmi
            |body mass index)\b[^?]*\d[^?]*\d|\b<n> dozen\b|\bdozens? (?:of )?\w+ at <d>|\b<d>[^?]{0,20} shared? (?:by
            |among|between) <n>",
        "How much rice for 6 people if it is 200 g for 2?",
    ),
    row(
        "letters",
        r#"\bhow many (?:times (?:does|is) |occurrences of )?(?:the )?(?:letters?|vowels|consonants
            |[a-z]['’]?s)\b[^?]*\b(?:in (?:the word )?["“'‘]?\w+["”'’]?\W*$|in (?:the )?(?:word|name)|appear|occur
            |has\b|have\b|does \w+ have)
            |\bhow (?:often|many times)\b[^?]*\b(?:letter|character)\b|\bspell\b[^?]*\b(?:backwards?|in reverse)\b
            |\b\w+ spelled backwards?|\breverse the (?:word|string|letters)\b|\bhow many (?:letters
            |characters) (?:are )?(?:there )?(?:in|does|has)\b"#,
        "How many letters does Tennessee have?",
    ),
];

/// Times and dates.
const CALENDAR_ROWS: &[Row] = &[
    row(
        "time",
        r"\bhow (?:long|many (?:hours|minutes|mins))\b[^?]*<clock>[^?]*<clock>|<clock>[^?]*<clock>[^?]*\bhow (?:long
            |many (?:hours|minutes))\b|<clock> ?(?:plus|minus|\+|-|[–−]) ?(?:<n>|an?) ?(?:h|min|hour)
            |(?:<n>|half an hour|an hour|h|min) ?(?:h|hrs?|hours?|min|mins|minutes?)?(?: and <n> ?\w+)? (?:after
            |before|from|past|later than|earlier than) <clock>|<clock>[^?]{0,12}\b(?:plus|minus|add|subtract)\b[^?]*\d
            |\butc ?[-+−] ?\d[^?]*\butc ?[-+−] ?\d|<clock> (?:to|until|till) <clock>(?: in (?:hours|minutes))?\W*$
            |\bwhat time\b[^?]*<clock>[^?]*<d> ?(?:h|hours?|min|minutes?)\b|\bwhat time\b[^?]*<d> ?(?:h|hours?|min
            |minutes?)\b[^?]*<clock>",
        "9:20 plus 3 hours",
    ),
    row(
        "weekday",
        r"\b(?:what|which) (?:day|weekday)(?: of the week)? (?:is|was|will|does|did|falls?|were)\b[^?]*(?:<date>|\d)
            |\b(?:weekday|day of the week)\b[^?]*(?:<date>|\d{4})|<date>(?:,? \d{4})?[^?]*\b(?:what|which) (?:day
            |weekday)\b",
        "What weekday was 12 March 1938?",
    ),
    row(
        "days",
        r"\bhow many (?:more )?(?:\w+ )?(?:days|weeks|months|years|weekdays|workdays|working days|weekends|nights
            |hours|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)\b[^?]*\b(?:between|from|until|till
            |to|since|before|after|and)\b[^?]*<date>
            |\b(?:days|weeks|months|weekdays|nights) (?:until|till|to|between|from|before|since|after)\b[^?]*<date>
            |<date>[^?]* (?:to|until|till|and|[-–]) <date>[^?]*\b(?:how many|days|weeks)\b
            |\bhow many (?:days|weeks|weekdays|workdays|working days|weekends|mondays|tuesdays|wednesdays|thursdays
            |fridays|saturdays|sundays|hours|minutes|seconds)(?: \([^)]*\))?(?: (?:are|were|does|do|will|there|be|in
            |has|have|the|month|year|of|a))* (?:<month>|\d{4}\b|leap year)",
        "How many days from 3 May to 20 June?",
    ),
    row(
        "date",
        r"\b(?:what|which) (?:date|day|month|year)\b[^?]*(?:<n>) (?:\w+ )?(?:days|weeks|months|years) (?:after|before
            |from|later|earlier|prior)|<n> (?:\w+ )?(?:days|weeks|months|years) (?:after|before|from|prior to
            |later than) (?:<date>|\d{4})|<date>(?:,? \d{4})? (?:plus|minus|\+|-) <n> (?:days|weeks|months|years)
            |\byears?\b[^?]*\b(?:between|from)\b \d{4} (?:and|to) \d{4}|\b(?:born|birthday)\b[^?]*\d{4}[^?]*\d{4}
            |\b(?:age|old)\b[^?]*\d{4}[^?]*\bborn\b[^?]*\d{4}|\bborn\b[^?]*<date>[^?]*(?:<date>|\d{4})",
        "what year was 40 years before 1999",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_knows_its_example() {
        for rows in [NUMBER_ROWS, EVERYDAY_ROWS, CALENDAR_ROWS] {
            assert_eq!(Table::new(rows).strangers(), [""; 0]);
        }
    }
}
