//! Class 4, persona break: who the model was asked to be, and where its answer says that it is a machine.
//!
//! [`asked`] reads the prompt, [`leak`] the response; [`look`] wants both, and that is what the guard acts on. A leak
//! is the first person speaking of itself: "As an AI language model, I cannot …", "I'm just a computer program". Talk
//! about AI in the third person, quotations, code and "as an aikido teacher" are none.
//!
//! Two strengths. The disclaimer ("as an AI …", "I'm not a human") is a leak wherever it stands. Weaker
//! statements ("I'm an AI", "I was trained by …") are honest answers in most conversations, and are looked for only
//! where a persona was asked. A persona that is itself a machine cannot leak.
use super::{Finding, Mask, Side, pattern, sentence};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// The leak, where a persona was asked for that is not a machine.
pub fn look(prompt: &str, response: &str) -> Option<Finding> {
    asked(prompt)?;
    leak(response).or_else(|| statement(response))
}

/// Where the prompt asks for a persona: "act as a pirate", "imagine you are a tree". Not "you are a helpful assistant".
pub fn asked(prompt: &str) -> Option<Finding> {
    static ASK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"\b(?:",
            r"pretend(?:ing)? (?:yourself )?(?:to be|that you(?:['’]re| are)|you(?:['’]re| are)|as)",
            r"|act(?:ing)? (?:as|like) (?:if you(?:['’]re| are| were)\b|an?\b|the\b|my\b|your\b)",
            r"|(?-i:[Aa]ct(?:ing)? as [A-Z])",
            r"|(?:imagine|picture|envision|see|think of) yourself (?:as|to be|being|in)\b",
            r"|imagine (?:that )?you(?:['’]re| are| were) (?:an?|the|my)\b",
            r"|imagine being an?\b",
            r"|(?:assume|take on|take|adopt|play|embrace|embody|fill|fulfil+|step into) (?:the |an? |your )?(?:role
                |persona|identity|character|part|personality|shoes)\b",
            r"|role[- ]?play(?:ing)?\b",
            r"|(?:from|in) the (?:perspective|point of view|viewpoint|voice|shoes|character|persona) of\b",
            r"|(?:in|stay in|remain in) character\b",
            r"|(?:speak|talk|respond|reply|answer|write) (?:to me )?(?:as if you were|as though you were|like you(?:['’]re| are| were))\b",
            r"|(?:speak|talk|respond|reply) (?:to me )?as (?:an?|the|my)\b",
            r"|you (?:will|shall|should|must|are (?:now|going to)) (?:be (?:an?|the|my)|play|act as|become|pretend)\b",
            r"|you are now (?:an?|the)\b",
            r"|if you were (?:an?|the)\b",
            r"|as an? [\w -]{2,40}, how (?:would|do|did|have|can|will) you\b",
            r"|(?:be|you(?:['’]re| are)) my (?:grand|girl|boy|best|tutor|teacher|coach|therap|doctor|mother|father
                |friend|wife|husband|dungeon)\w*",
            r")|(?:^|[.!?\n:]\s*)(?:now,? |suppose |say |assume |from now on,? )?you(?:['’]re| are) (?:an?|the) \w+",
        ))
    });
    static MACHINE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:ai|a\.i\.|artificial intelligence|robots?|androids?|cyborgs?|chat ?bots?|bots?|machines?
                |computers?|language model|llm|assistant|gpt\S*|chatgpt|claude|gemini|siri|alexa|jarvis
                |j\.a\.r\.v\.i\.s\.?|hal 9000|skynet|software|program|terminal|interpreter|console|compiler|engine
                |database|linux|api)\b",
        )
    });
    let masked = Mask::new(prompt).blank(prompt);
    ASK.find_iter(&masked)
        .find(|ask| {
            // What follows on the same sentence is the persona.
            let sentence = sentence::around(&masked, ask.end().saturating_sub(1));
            let end = sentence.end.max(ask.end());
            let persona = masked[ask.start()..end].to_lowercase();
            let persona = persona
                .replace("machine learning", " ")
                .replace("computer science", " ");
            let persona: String = persona.chars().take(90).collect();
            !MACHINE.is_match(&persona)
        })
        .map(|ask| Finding::new(Side::Prompt, prompt, ask.range(), "persona asked"))
}

/// Most leaks of one response that are listed.
pub const MOST: usize = 16;

/// What may follow "as a": the machine's names for itself.
const MACHINE: &str = r"(?:(?-i:AI|A\.I\.|Ai|ai)|artificial intelligence|(?:\w+ )?language model|llm|machine learning model
    |(?-i:GPT-?\d\S*|ChatGPT)|chat ?bot|computer program|software program|(?:text
    |language)[- ](?:based )?(?:model|ai)\b)";

/// The first disclaimer of the response, persona or not.
pub fn leak(response: &str) -> Option<Finding> {
    leaks(response).into_iter().next()
}

/// All disclaimers of the response, in order, at most [`MOST`]. Spelled-out and looser forms are statements: see above.
pub fn leaks(response: &str) -> Vec<Finding> {
    static AS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"\bas (?:just |only |merely |simply |being )?(?:an?|your|another|the) (?:[\w-]+,? ){0,3}?(?-i:AI|A\.I\.|Ai|ai)\b",
            r"|\bas (?:just |only |merely |simply |being )?(?:an?|your) (?:(?:large|small|big|text|text-based
                |neural|generative|simple|mere|trained|pre-?trained|conversational|machine[- ]learning
                |deep[- ]learning|AI-?\w*|ai),? ){0,3}?(?:language model|llm|chat ?bot|computer program
                |machine learning model)\b",
        ))
    });
    static NOT_HUMAN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bI(?:['’]m| am) (?:\w+ )?not (?:\w+ )?(?:a |an )?(?:actual |real |living |physical )?(?:human(?: being)?
                |person)\b|\bI(?:['’]m| am) (?:just |only |merely |simply |really |actually )*an? (?:computer |software )?program\b",
        )
    });
    let response = own(response);
    let masked = Mask::new(response).blank(response);
    let as_form = AS
        .find_iter(&masked)
        .filter(|found| of_itself(&masked, found.range()))
        .map(|found| (found.range(), "disclaimer"))
        .take(MOST);
    let not_human = NOT_HUMAN
        .find_iter(&masked)
        .filter(|found| alone(&masked, found.range()) && !quoted(&masked, found.range()))
        .map(|found| (found.range(), "not human"))
        .take(MOST);
    let mut found: Vec<_> = as_form.chain(not_human).collect();
    found.sort_by_key(|(span, _)| span.start);
    found
        .into_iter()
        .map(|(span, kind)| Finding::new(Side::Response, response, span, kind))
        .collect()
}

/// Weaker statements of identity: a leak only beside a persona.
fn statement(response: &str) -> Option<Finding> {
    static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            concat!(
                r"\bI(?:['’]m| am) (?:(?:just|only|merely|simply|actually|really|still|in fact
                    |afraid I['’]m) )*(?:an? )(?:[\w-]+,? ){{0,3}}?{machine}",
                r"|\bas (?:just |only )?an? (?:[\w-]+ ){{0,2}}?(?:artificial intelligence|virtual assistant
                    |digital assistant|machine|bot)\b",
                r"|\b(?:being|since I(?:['’]m| am)|because I(?:['’]m| am)) (?:just |only )?an? (?:[\w-]+ ){{0,2}}?{machine}",
                r"|\b(?:ai|language models?|chat ?bots?|ai assistants?) (?:\w+ ){{0,2}}?(?:like|such as) (?:me|myself)\b",
                r"|\bI (?:was|am|have been) (?:created|developed|trained|made|built|designed
                    |programmed) by (?-i:OpenAI|Anthropic|Google|Meta|Microsoft|Alibaba|DeepSeek|Mistral)\b",
                r"|\bmy (?:training data|knowledge cut-?off|programming (?:does|doesn['’]t|prevents|limits|forbids))",
                r"|\bI (?:don['’]t|do not) (?:actually |really )?(?:have|possess|experience) (?:a |any )?(?:physical |real |personal )*(?:body
                    |form|consciousness)\b",
            ),
            machine = MACHINE
        ))
    });
    let response = own(response);
    let masked = Mask::new(response).blank(response);
    STATEMENT
        .find_iter(&masked)
        .find(|found| alone(&masked, found.range()) && !quoted(&masked, found.range()))
        .map(|found| Finding::new(Side::Response, response, found.range(), "statement"))
}

/// The response up to where the model goes on with a turn of the person that nobody wrote.
fn own(response: &str) -> &str {
    static TURN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?m)^###? ?(?:human|user|instruction|input)s?:|<\|(?:im_start|user)\|>")
    });
    TURN.find(response)
        .map_or(response, |turn| &response[..turn.start()])
}

/// Whether "as an AI …" is said by the writer about itself: by what follows it, else by what stands before it.
fn of_itself(text: &str, found: Range<usize>) -> bool {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:such|well|same|so far|soon|long|much|known|used|described|defined|regarded|seen|viewed|served?
                |serves|serving|acts?|acting|works?|working|functions?|functioning|considered|treated|marketed
                |developed|designed|operat\w+|see|view|treat|regard|describe|consider|think of it|disguised|posing
                |posed|perceived|understood|referred to|classified|identified|labeled|labelled|launched|introduced
                |started|began|built|portrayed|depicted|it|him|her|them|itself|himself|herself)\s+$",
        )
    });
    static SELF: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:I|my|me|myself|I['’](?:m|ve|d|ll))\b"));
    if !alone(text, found.clone())
        || BEFORE.is_match(&text[clause(text, found.start)..found.start])
        || quoted(text, found.clone())
    {
        return false;
    }
    let sentence = sentence::around(text, found.start);
    let after = &text[found.end..sentence.end.max(found.end)];
    let rest = after.trim_end_matches(['.', '!', '?', ' ', '*', '"']);
    match subject(rest) {
        Subject::Itself => true,
        Subject::Other => false,
        // "I do not have feelings as an AI system": the speaker stands before it.
        Subject::None => {
            SELF.is_match(&text[sentence.start.min(found.start)..found.start])
                || sentence.start == found.start && rest.trim_matches([',', ' ']).is_empty()
        }
    }
}

enum Subject {
    Itself,
    Other,
    None,
}

/// Who does what is said after "as an AI language model".
fn subject(rest: &str) -> Subject {
    static CLAUSE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"^(?P<noun>[^!?,;:\n(]{0,100}?)\s*(?P<stop>[,;:(—–]|\s-\s|$)[\s"“*_]*(?P<next>[\w'’-]+)?"#,
        )
    });
    static ITSELF: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?:i|i['’]\w+|my|me|myself|we|our|it|it['’]s|there|here|please|unfortunately|while|although|though
                |if|however|sorry|but|and)$",
        )
    });
    // No comma: "As an AI language model I cannot".
    static INSIDE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:I|I['’](?:m|ve|d|ll)|my)\b"));
    let Some(found) = CLAUSE.captures(rest) else {
        return Subject::None;
    };
    if INSIDE.is_match(&found["noun"]) {
        return Subject::Itself;
    }
    match (found.name("next"), found["stop"].is_empty()) {
        (Some(next), false) if ITSELF.is_match(next.as_str()) => Subject::Itself,
        // "…, such as GPT-4, I …": a second clause may still have the speaker.
        (Some(next), false) => {
            let later = &rest[next.end()..];
            if found["noun"].split_whitespace().count() <= 3
                && !next.as_str().starts_with(char::is_uppercase)
                && !matches!(
                    next.as_str(),
                    "you" | "your" | "the" | "this" | "that" | "they" | "he" | "she"
                )
                && INSIDE.is_match(later)
            {
                Subject::Itself
            } else {
                Subject::Other
            }
        }
        _ => Subject::None,
    }
}

/// Whether the machine's name stands by itself: not "AI-powered", not "an AI researcher".
fn alone(text: &str, found: Range<usize>) -> bool {
    static AFTER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?:[-/]\w|['’]s\b|[\s-](?:\w+ )?(?:researcher|engineer|expert|scientist|developer|enthusiast
                |specialist|professional|company|startup|start-up|consultant|artist|practitioner|student|professor
                |ethicist|lab|investor|architect|trainer|writer|author|teacher|educator|journalist|lawyer|policy
                |safety|hobbyist|user|strateg\w+|leader|pioneer|product manager|analyst)s?\b)",
        )
    });
    !AFTER.is_match(&text[found.end..])
}

/// Where the clause that holds `at` begins; at most 60 bytes before.
fn clause(text: &str, at: usize) -> usize {
    let mut from = at.saturating_sub(60);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..at]
        .rfind(['.', '!', '?', '\n', ';', ':'])
        .map_or(from, |stop| from + stop + 1)
}

/// Whether the words are somebody else's: between quotation marks of one line, unless the whole line is one
/// quotation or a part with the name of its speaker ("Tony Stark: "…"").
fn quoted(text: &str, found: Range<usize>) -> bool {
    static LABEL: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^[\W\d]*(?:[\w.'’-]+ ?){0,4}[:>]?[\s*_]*$"));
    static SAYS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:says?|said|repl(?:y|ies|ied)|wr[io]te|writes|respond\w*|answer\w*|like|phrases?|e\.g|example)\b",
        )
    });
    let line = line_start(text, found.start);
    let before = &text[line..found.start];
    let Some(open) = before.rfind(['"', '“', '”']) else {
        return false;
    };
    let straight = before[open..].starts_with('"');
    if before[open..].starts_with('”') || straight && before.matches('"').count().is_multiple_of(2)
    {
        return false;
    }
    let end = text[found.end..]
        .find('\n')
        .map_or(text.len(), |end| found.end + end);
    if !text[found.end..end].contains(['"', '”']) {
        return false;
    }
    let lead = &before[..open];
    SAYS.is_match(lead) || !LABEL.is_match(lead)
}

/// The first byte of the line that holds `at`, or 1,000 bytes before it.
fn line_start(text: &str, at: usize) -> usize {
    let mut from = at.saturating_sub(1000);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..at]
        .rfind('\n')
        .map_or(from, |found| from + found + 1)
}
