//! Finds shapes: JSON, CSV, YAML and tables, titles, postscripts, quotation marks, parts, options.
use super::{
    Requirement,
    list::{items, quotation},
    prompt::{MOST_MATCHES, Prompt, add, pattern},
    quantity::{NUMBER, number},
    rule::{Rule, Shape},
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn find(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    data(prompt, found);
    quoted(prompt, found);
    title(prompt, found);
    postscript(prompt, found);
    parts(prompt, found);
    options(prompt, found);
    whitespace(prompt, found);
}

/// JSON and its relatives as the shape of the whole answer.
fn data(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for (regex, id, shape) in [
        (&*JSON, "detectable_format:json_format", Shape::Json),
        (&*CSV, "detectable_format:csv_format", Shape::Csv),
        (&*YAML, "detectable_format:yaml_format", Shape::Yaml),
        (&*TABLE, "detectable_format:markdown_table", Shape::Table),
    ] {
        for whole in regex.find_iter(&prompt.open).take(MOST_MATCHES) {
            let start = whole.start();
            let sentence = &prompt.open[prompt.sentence(start)];
            let wide = shape == Shape::Json && !nothing_else(prompt);
            let shape = if wide { Shape::JsonInside } else { shape };
            if prompt.asks(start)
                && !OF_PROGRAMS.is_match(sentence)
                && !NEGATED.is_match(prompt.before(start))
            {
                add(found, prompt, id, whole.range(), Rule::Shape(shape));
                break;
            }
        }
    }
}

/// Whether a sentence about JSON says that nothing else may stand in the answer.
fn nothing_else(prompt: &Prompt<'_>) -> bool {
    let mut words = prompt.open.match_indices("json").take(MOST_MATCHES);
    words.any(|(at, _)| NOTHING_ELSE.is_match(&prompt.open[prompt.sentence(at)]))
}

fn quoted(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for whole in QUOTES.find_iter(&prompt.open).take(MOST_MATCHES) {
        let sentence = &prompt.open[prompt.sentence(whole.start())];
        let fits = AROUND.is_match(sentence) && WHOLE.is_match(sentence);
        if fits && prompt.asks(whole.start()) && !NEGATED.is_match(prompt.before(whole.start())) {
            let start = prompt.sentence(whole.start()).start;
            let first = AROUND
                .find(sentence)
                .map_or(whole.start(), |verb| start + verb.start());
            let span = first.min(whole.start())..whole.end().max(first);
            add(found, prompt, "startend:quotation", span, Rule::Quoted);
            return;
        }
    }
}

fn title(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for whole in ANGLES.find_iter(&prompt.open).take(MOST_MATCHES) {
        if prompt.asks(whole.start())
            || ANGLED.is_match(&prompt.open[prompt.neighbourhood(whole.start())])
        {
            add(
                found,
                prompt,
                "detectable_format:title",
                whole.range(),
                Rule::Title,
            );
            return;
        }
    }
}

fn postscript(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    const ID: &str = "detectable_content:postscript";
    for mark in PS.find_iter(&prompt.open).take(MOST_MATCHES) {
        let near = &prompt.open[prompt.sentence(mark.start())];
        let asked = POSTSCRIPT.is_match(near) || PS_VERB.is_match(near);
        if asked && (prompt.asks(mark.start()) || POSTSCRIPT.is_match(near)) {
            let double = mark.as_str().matches('p').count() > 1;
            let marker = if double { "P.P.S" } else { "P.S." };
            add(
                found,
                prompt,
                ID,
                mark.range(),
                Rule::Postscript(marker.to_owned()),
            );
            return;
        }
    }
    for word in POSTSCRIPT.find_iter(&prompt.open).take(MOST_MATCHES) {
        if prompt.asks(word.start()) && PS_VERB.is_match(prompt.before(word.start())) {
            add(
                found,
                prompt,
                ID,
                word.range(),
                Rule::Postscript("P.S.".to_owned()),
            );
            return;
        }
    }
}

/// "Give two different responses separated by ******."
fn parts(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    let mut stars = SIX_STARS.find_iter(&prompt.open).take(MOST_MATCHES);
    let Some(stars) =
        stars.find(|stars| SEPARATED.is_match(&prompt.open[prompt.neighbourhood(stars.start())]))
    else {
        return;
    };
    let named = HOW_MANY
        .captures(&prompt.open)
        .and_then(|captures| captures.name("n").map(|n| n.as_str().to_owned()));
    let count = named.and_then(|n| number(&n)).unwrap_or(2);
    let id = if count == 2 {
        "combination:two_responses"
    } else {
        "combination:separated_responses"
    };
    let separator = "******".to_owned();
    add(
        found,
        prompt,
        id,
        stars.range(),
        Rule::Parts {
            separator,
            number: count,
        },
    );
}

/// "Answer with one of the following options: …", "just say A or B".
fn options(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    const ID: &str = "detectable_format:constrained_response";
    for whole in ONE_OF.find_iter(&prompt.open).take(MOST_MATCHES) {
        let behind = &prompt.text[whole.end()..];
        let behind = &behind[..behind.floor_char_boundary(60)];
        let mark = behind.find(['"', '“', '”', '\'', '‘']);
        let near = mark.filter(|mark| !behind[..*mark].contains(['.', '?', '!']));
        let near = near.map(|mark| whole.end() + mark);
        let at = near.unwrap_or(whole.end());
        let (items, end) = items(prompt.text, at);
        let quoted = quotation(prompt.text, at).is_some();
        if items.len() > 1 && (quoted || prompt.text[whole.end()..].trim_start().starts_with(':')) {
            add(found, prompt, ID, whole.start()..end, Rule::Options(items));
            return;
        }
    }
    for captures in YES_OR_NO.captures_iter(&prompt.open).take(MOST_MATCHES) {
        let (Some(whole), Some(options)) = (captures.get(0), captures.name("options")) else {
            continue;
        };
        let items: Vec<String> = SEPARATORS
            .split(options.as_str())
            .map(|word| word.trim_matches(['"', '\'', ' ']).to_owned())
            .collect();
        let items: Vec<String> = items.into_iter().filter(|word| !word.is_empty()).collect();
        if items.len() > 1 {
            add(found, prompt, ID, whole.range(), Rule::Options(items));
            return;
        }
    }
}

fn whitespace(prompt: &Prompt<'_>, found: &mut Vec<Requirement>) {
    for whole in NO_SPACE.find_iter(&prompt.open).take(MOST_MATCHES) {
        if prompt.asks(whole.start()) {
            add(
                found,
                prompt,
                "format:no_whitespace",
                whole.range(),
                Rule::NoWhitespace,
            );
            return;
        }
    }
}

static JSON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:in|as|into|using|with|of|a|an|the|one|single|valid)\s+(?:(?:a|an|one|the|valid|single|proper|well-formed|pure|raw)\s+)*json\b(?:\s+(?:format|block|object|output|string|structure|form|array|code\s+block|style|style))?|\b(?:output|response|answer|format(?:ted)?|wrap(?:ped)?|return|respond|reply)\b[^.?!\n]{0,60}\bjson\b|\bjson\s+(?:format|block|object|output)\b",
    )
});
static NOTHING_ELSE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:entire|whole|everything|nothing\s+else|wrap|wrapped|all\s+words|only\s+(?:contains?|in|json|a|one|output|respond)|just\s+(?:contain|a|in)|(?:output|response|answer|reply)\s+(?:should|must)|in\s+json\s+only)\b",
    )
});
static CSV: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:in|as|into|using)\s+(?:a\s+|the\s+|valid\s+)*(?:csv|comma[\s-]separated\s+values?)(?:\s+(?:format|file|form|table))?\b|\bgenerate\s+csv\s+data\b",
    )
});
static YAML: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:in|as|into|using)\s+(?:a\s+|the\s+|valid\s+)*ya?ml(?:\s+(?:format|file|form|block))?\b",
    )
});
static TABLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:in|as|into|using|with|include|create|make)\s+(?:a\s+|the\s+)*(?:markdown\s+table|table\s+in\s+markdown|table\s+format|tabular\s+(?:format|form))\b",
    )
});
static OF_PROGRAMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:code|script|parse[rs]?|parsing|convert(?:s|er)?|read(?:s|ing)?|load|file|schema|library|server|request|api|http|export|import|sav(?:e|es|ing)|function|program|dataset|excel|python|javascript)\b",
    )
});
static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:\bnot|n[’']t|\bnever|\bavoid|\bwithout|\bno)\s+(?:[a-z]+\s+){0,4}$")
});
static QUOTES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\bdouble[\s-]+quot(?:e|ation)s?(?:[\s-]+marks?)?|\bquotation\s+marks\b")
});
static AROUND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:wrap|wrapped|wrapping|put|putting|enclose|enclosed|enclosing|surround|surrounded|place|placed|around|start\s+and\s+end|begin\s+and\s+end|inside|in|within|contain(?:ed)?|between|use|with|add)\b",
    )
});
static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(?:entire|whole|full|complete|all\s+of\s+your|final)\s+(?:[a-z]+\s+){0,2}?(?:response|answer|reply|output|text|poem|letter|essay|story|song|email|article|post|message|riddle|joke|summary|thing|rap|content|lyrics|tweet|haiku|limerick|itinerary|proposal|description|resume)|(?:your|the)\s+(?:response|answer|reply|output)|everything|(?:wrap|put|enclose)\s+(?:it|it\s+all|all)\b)",
    )
});
static ANGLES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"<<[^<>\n]{1,80}>>|\bdouble\s+angular\s+brackets\b|\bdouble\s+angle\s+brackets\b")
});
static ANGLED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:title|name|angular|brackets?|wrapped|put)\b"));
static PS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\bp\.\s?p\.\s?s\b\.?|\bpps\b|\bp\.\s?s\.|\bp\.s\b"));
static POSTSCRIPT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bpost[\s-]?scripts?\b"));
static PS_VERB: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:add|include|with|end|ending|start|starting|begin|beginning|put|contain|write|append|finish|conclude|have|at\s+the\s+end|postscript)\b",
    )
});
static SIX_STARS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\*{6}|\b(?:six|6)\s+(?:asterisks?|stars?)\b(?:\s+(?:symbols?|marks?))?")
});
static SEPARATED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"separat|divid|split|delimit|between|format|look\s+like|\n\*{6}"));
static HOW_MANY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:exactly\s+|give\s+|me\s+|provide\s+)(?P<n>{NUMBER})\s+(?:(?:different|separate|distinct|unique|alternative)\s+)?(?:responses|answers|versions|replies|outputs)\b"
    ))
});
static ONE_OF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(?:answer|respond|reply|choose|pick|select|say|state|contain|include|use|output|be)\w*\s+[^.?!\n]{0,50}?\b(?:one|either)\s+(?:of\s+)?(?:the\s+)?(?:following|these|below|from|between)?(?:\s+(?:two|three|four|five|\d+|exact|possible|specific|given))*\s*(?:options?|phrases?|choices?|responses?|answers?|sentences?|words?|statements?|labels?|categories)?|(?:you\s+)?(?:should|must|can|may)\s+(?:just|only|either|simply)\s+(?:say|answer|respond|reply|state|output)(?:\s+with|\s+either)?|(?:answer|respond|reply|choose)\s+(?:with\s+|from\s+|only\s+)*(?:the\s+)?following(?:\s+(?:options?|phrases?|choices?|list))?|(?:just|only|simply)\s+(?:say|answer|respond|reply)(?:\s+with)?|choose\s+from)",
    )
});
static YES_OR_NO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\b(?:answer|respond|reply)\s+(?:to\s+[^.?!\n]{1,30}\s+)?(?:me\s+)?(?:only\s+|just\s+|simply\s+)?(?:with\s+|by\s+saying\s+)?(?:only\s+|just\s+|either\s+|a\s+|a\s+simple\s+)*(?P<options>["']?(?:yes|true|agree|correct)["']?\s*(?:,|or|/)\s*(?:["']?[a-z]{2,12}["']?\s*,?\s*(?:or|/)\s*)?["']?(?:no|false|disagree|incorrect|maybe|unsure)["']?)(?:\W|$)"#,
    )
});
static SEPARATORS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\s*,\s*or\s+|\s*,\s*|\s+or\s+|\s*/\s*"));
static NO_SPACE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:not\s+(?:contain|use|include|have)|without|no)\s+(?:any\s+)?white[\s-]?spaces?\b",
    )
});
