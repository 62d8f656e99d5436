//! Rows about shapes: JSON, CSV, YAML and tables, titles, postscripts, quotation marks, parts, options.
use super::{Find, Place, ROW, Row, When};
use crate::check::{
    Requirement,
    list::{items, quotation},
    pattern::{MOST_MATCHES, patterns},
    quantity::number,
    rule::{Rule, Shape},
};

/// Data in a sentence about programs is what a program reads or writes.
const OF_PROGRAMS: &str = r"\b(code|script|parse[rs]?|parsing|convert(s|er)?|read(s|ing)?|load|file|schema|library|server
            |request|api|http|export|import|sav(e|es|ing)|function|program|dataset|excel|python|javascript)\b";
const NEGATED: &str = r"({not}|\b(avoid|without|no)) ([a-z]+ ){0,4}$";

pub(super) const ROWS: &[Row] = &[
    Row {
        id: "detectable_format:json_format",
        find: Find::Text(
            r"\b(in|as|into|using|with|of|a|an|the|one|single|valid) ((a|an|one|the|valid|single|proper
            |well-formed|pure|raw) )*json\b( (format|block|object|output|string|structure|form|array|code block
            |style|style))?|\b(output|response|answer|format(ted)?|wrap(ped)?|return|respond
            |reply)\b[^.?!\n]{0,60}\bjson\b|\bjson (format|block|object|output)\b",
        ),
        when: &[
            When::Asks,
            When::NotSentence(OF_PROGRAMS),
            When::NotBefore(NEGATED),
        ],
        once: true,
        make: |place, found| {
            // Words around the JSON are allowed where no sentence about JSON says that nothing else may be there.
            let mut mentions = place.prompt.open.match_indices("json").take(MOST_MATCHES);
            let only = mentions.any(|(at, _)| {
                NOTHING_ELSE.is_match(&place.prompt.open[place.prompt.sentence(at)])
            });
            shaped(
                place,
                found,
                if only { Shape::Json } else { Shape::JsonInside },
            );
        },
        asks: &[
            "Entire output should be wrapped in JSON format. You can use markdown ticks such as ```.",
            "Give the answer as valid JSON.",
            "Format your reply as a JSON object.",
            "Please respond in JSON.",
            "The output must be in JSON format only.",
            "Use JSON format for your entire response.",
        ],
        talks: &[
            "What is JSON?",
            "Write a python script that reads a JSON file.",
        ],
    },
    Row {
        id: "detectable_format:csv_format",
        find: Find::Text(
            r"\b(in|as|into|using) (a |the |valid )*(csv|comma[\s-]separated values?)( (format|file|form
            |table))?\b|\bgenerate csv data\b",
        ),
        when: &[
            When::Asks,
            When::NotSentence(OF_PROGRAMS),
            When::NotBefore(NEGATED),
        ],
        once: true,
        make: |place, found| shaped(place, found, Shape::Csv),
        asks: &["Give the list in CSV format."],
        talks: &["How do I save a sheet as CSV?"],
    },
    Row {
        id: "detectable_format:yaml_format",
        find: Find::Text(
            r"\b(in|as|into|using) (a |the |valid )*ya?ml( (format|file|form|block))?\b",
        ),
        when: &[
            When::Asks,
            When::NotSentence(OF_PROGRAMS),
            When::NotBefore(NEGATED),
        ],
        once: true,
        make: |place, found| shaped(place, found, Shape::Yaml),
        asks: &["Write it in YAML format."],
        talks: &["Do not write it in YAML."],
    },
    Row {
        id: "detectable_format:markdown_table",
        find: Find::Text(
            r"\b(in|as|into|using|with|include|create|make) (a |the )*(markdown table|table in markdown
            |table format|tabular (format|form))\b",
        ),
        when: &[
            When::Asks,
            When::NotSentence(OF_PROGRAMS),
            When::NotBefore(NEGATED),
        ],
        once: true,
        make: |place, found| shaped(place, found, Shape::Table),
        asks: &["Show it in a markdown table."],
        talks: &["What is a markdown table?"],
    },
    Row {
        id: "startend:quotation",
        find: Find::Text(r"\bdouble[\s-]+quot(e|ation)s?([\s-]+marks?)?|\bquotation marks\b"),
        when: &[
            When::Asks,
            When::Sentence(AROUND),
            When::Sentence(
                r"\b((entire|whole|full|complete|all of your|final) ([a-z]+ ){0,2}?({work}|thing|content)|(your|the) ({answer})
                  |everything|(wrap|put|enclose) (it|it all|all)\b)",
            ),
            When::NotBefore(NEGATED),
        ],
        once: true,
        make: |place, found| {
            let first = FIRST_AROUND
                .find(place.sentence())
                .map_or(0, |verb| verb.start());
            let first = place.prompt.sentence(place.span.start).start + first;
            let span = first.min(place.span.start)..place.span.end.max(first);
            place.add(found, span, Rule::Quoted);
        },
        asks: &[
            "Wrap your entire response with double quotation marks.",
            "Put your answer in double quotes.",
            "Your whole reply should be enclosed in double quotation marks.",
            "Start and end your response with double quotation marks.",
            "Please surround your entire output with double quotes.",
            "The entire essay should be wrapped in double quotation marks.",
            "Use double quotation marks around your whole answer.",
        ],
        talks: &["When do I use quotation marks?"],
    },
    Row {
        id: "detectable_format:title",
        find: Find::Text(
            r"<<[^<>\n]{1,80}>>|\bdouble angular brackets\b|\bdouble angle brackets\b",
        ),
        once: true,
        make: |place, found| {
            if place.prompt.asks(place.span.start) || ANGLED.is_match(place.near()) {
                place.add(found, place.span.clone(), Rule::Title);
            }
        },
        asks: &[
            "Your answer must contain a title, wrapped in double angular brackets, such as <<poem of joy>>.",
            "Give it a title in double angular brackets, e.g. <<my title>>.",
            "Wrap the headline in double angle brackets like <<headline>>.",
        ],
        talks: &["What does << x >> do in C?"],
        ..ROW
    },
    Row {
        id: "detectable_content:postscript",
        find: Find::Text(r"\bp\.\s?p\.\s?s\b\.?|\bpps\b|\bp\.\s?s\.|\bp\.s\b"),
        when: &[When::Sentence(PS_VERB)],
        once: true,
        make: |place, found| {
            let named = POSTSCRIPT.is_match(place.sentence());
            if named || place.prompt.asks(place.span.start) {
                let double = place.text().matches('p').count() > 1;
                let marker = if double { "P.P.S" } else { "P.S." };
                place.add(
                    found,
                    place.span.clone(),
                    Rule::Postscript(marker.to_owned()),
                );
            }
        },
        asks: &[
            "At the end of your response, please explicitly add a postscript starting with P.S.",
            "Add a postscript starting with P.P.S at the end.",
            "Finish the letter with a P.S. note.",
            "Include a P.P.S at the end of your answer",
            "Your answer must end with a postscript that begins with P.S.",
        ],
        talks: &["Explain the meaning of P.S. in letters."],
    },
    Row {
        id: "detectable_content:postscript",
        find: Find::Text(r"\bpost[\s-]?scripts?\b"),
        when: &[When::Asks, When::Before(PS_VERB)],
        once: true,
        make: |place, found| {
            if !found.iter().any(|one| one.id == place.id) {
                place.add(
                    found,
                    place.span.clone(),
                    Rule::Postscript("P.S.".to_owned()),
                );
            }
        },
        asks: &["Add a postscript to the letter."],
        talks: &["What is a postscript?"],
    },
    Row {
        id: "combination:two_responses",
        find: Find::Text(r"\*{6}|\b(six|6) (asterisks?|stars?)\b( (symbols?|marks?))?"),
        when: &[When::Near(
            r"separat|divid|split|delimit|between|format|look like|\n\*{6}",
        )],
        once: true,
        make: |place, found| {
            let named = HOW_MANY.captures(&place.prompt.open);
            let named = named.and_then(|found| number(found.name("n")?.as_str()));
            let rule = Rule::Parts {
                separator: "******".to_owned(),
                number: named.unwrap_or(2),
            };
            let id = match named {
                None | Some(2) => place.id,
                Some(_) => "combination:separated_responses",
            };
            place.add_as(id, found, place.span.clone(), rule);
        },
        asks: &[
            "Give two different responses. Responses and only responses should be separated by 6 asterisk symbols: ******.",
            "Provide exactly two different answers separated by ******.",
            "Write two versions of a slogan. Separate them with six asterisks.",
            "I want two different replies, with 6 asterisk symbols (******) between them.",
        ],
        talks: &["Six stars are in the sky tonight."],
    },
    Row {
        id: "detectable_format:constrained_response",
        find: Find::Text(
            r"\b((answer|respond|reply|choose|pick|select|say|state|contain|include|use|output
            |be)\w* [^.?!\n]{0,50}?\b(one|either) (of )?(the )?(following|these|below|from|between)?( (two|three
            |four|five|\d+|exact|possible|specific|given))*\s*(options?|phrases?|choices?|responses?|answers?
            |sentences?|words?|statements?|labels?|categories)?|(you )?(should|must|can|may) (just|only|either
            |simply) (say|answer|respond|reply|state|output)( with| either)?|(answer|respond|reply
            |choose) (with |from |only )*(the )?following( (options?|phrases?|choices?|list))?|(just|only
            |simply) (say|answer|respond|reply)( with)?|choose from)",
        ),
        once: true,
        make: options,
        asks: &[
            "Answer with one of the following options: ('My answer is yes.', 'My answer is no.', 'My answer is maybe.')",
            "Choose from: \"My answer is yes.\", \"My answer is no.\", \"My answer is maybe.\"",
            "Is the sky green? Answer with yes or no.",
            "Reply with only one of these phrases: \"I agree\", \"I disagree\".",
            "Your response should be either \"My answer is yes.\" or \"My answer is no.\".",
            "Please choose one of the following: \"My answer is yes.\", \"My answer is no.\", or \"My answer is maybe.\"",
        ],
        talks: &["Choose one of the ways and explain it."],
        ..ROW
    },
    Row {
        id: "detectable_format:constrained_response",
        find: Find::Text(
            r#"\b(answer|respond|reply) (to [^.?!\n]{1,30} )?(me )?(only |just |simply )?(with |by saying )?(only |just |either |a |a simple )*
               (?<options>{either}(yes|true|agree|correct)["'”’]?\s*(,|or|/)\s*({either}[a-z]{2,12}["'”’]?\s*,?\s*(or|/)\s*)?
               {either}(no|false|disagree|incorrect|maybe|unsure)["'”’]?)(\W|$)"#,
        ),
        when: &[When::Asks],
        once: true,
        make: |place, found| {
            let words = place.capture(&["options"]).unwrap_or_default();
            let words = SEPARATORS.split(words);
            let words = words.map(|word| {
                word.trim_matches(['"', '\'', ' ', '“', '”', '‘', '’'])
                    .to_owned()
            });
            let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
            if words.len() > 1 && !found.iter().any(|one| one.id == place.id) {
                place.add(found, place.span.clone(), Rule::Options(words));
            }
        },
        asks: &[
            "Is it late? Answer with yes or no.",
            "Is it so? Reply with “true” or “false”.",
        ],
        talks: &["Did they answer yes or no?"],
    },
    Row {
        id: "format:no_whitespace",
        find: Find::Text(
            r"({not} (contain|use|include|have)|\b(without|no)) (any )?white[\s-]?spaces?\b",
        ),
        when: &[When::Asks],
        once: true,
        make: |place, found| place.add(found, place.span.clone(), Rule::NoWhitespace),
        asks: &["The output should not contain any whitespace."],
        talks: &["Is there no whitespace?"],
    },
];

const PS_VERB: &str = r"\b(add|include|with|end|ending|start|starting|begin|beginning|put|contain|write|append|finish
            |conclude|have|at the end|postscript)\b";
const AROUND: &str = r"\b(wrap|wrapped|wrapping|put|putting|enclose|enclosed|enclosing|surround|surrounded|place|placed
            |around|start and end|begin and end|inside|in|within|contain(ed)?|between|use|with|add)\b";

fn shaped(place: &Place<'_>, found: &mut Vec<Requirement>, shape: Shape) {
    place.add(found, place.span.clone(), Rule::Shape(shape));
}

/// "Answer with one of the following options: …", "just say A or B".
fn options(place: &Place<'_>, found: &mut Vec<Requirement>) {
    let (text, end) = (place.prompt.text, place.span.end);
    let behind = &text[end..];
    let behind = &behind[..behind.floor_char_boundary(60)];
    let mark = behind.find(['"', '“', '”', '\'', '‘']);
    let mark = mark.filter(|mark| !behind[..*mark].contains(['.', '?', '!']));
    let at = end + mark.unwrap_or(0);
    let (items, list_end) = items(text, at);
    let listed = quotation(text, at).is_some() || text[end..].trim_start().starts_with(':');
    if items.len() > 1 && listed {
        place.add(found, place.span.start..list_end, Rule::Options(items));
    }
}

patterns! {
    NOTHING_ELSE = r"\b(entire|whole|everything|nothing else|wrap|wrapped|all words|only (contains?|in|json|a|one|output
            |respond)|just (contain|a|in)|(output|response|answer|reply) (should|must)|in json only)\b";
    FIRST_AROUND = AROUND;
    ANGLED = r"\b(title|name|angular|brackets?|wrapped|put)\b";
    POSTSCRIPT = r"\bpost[\s-]?scripts?\b";
    HOW_MANY = r"\b(exactly |give |me |provide )(?<n>{number}) ((different|separate|distinct|unique
            |alternative) )?(responses|answers|versions|replies|outputs)\b";
    SEPARATORS = r"\s*,\s*or |\s*,\s*| or |\s*/\s*";
}
