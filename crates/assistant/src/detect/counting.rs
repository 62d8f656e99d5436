//! Class 7, counting misidentification: a combinatorial count is asked for, and a known sequence is claimed for it.
//!
//! [`look`] flags; nothing is ever rewritten. [`claims`] reads what the response says about small cases, so that it
//! can be compared with a program that counts by trying everything: the name of the sequence or formula, values like
//! "for n = 3 there are 5", and a run of terms "1, 1, 2, 5, 14".
use super::{Finding, Mask, Side, pattern};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// What a response claims about a count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Name of the sequence or formula, as we call it: `catalan`, `fibonacci`, …
    pub sequence: Option<&'static str>,
    /// Where it is named.
    pub span: Option<Range<usize>>,
    /// Values claimed for sizes up to 12, in order, without repeats.
    pub values: Vec<(u32, u128)>,
    /// The longest run of at least four terms.
    pub terms: Vec<u128>,
}

impl Claims {
    /// Whether there is anything to compare.
    pub fn is_empty(&self) -> bool {
        self.sequence.is_none() && self.values.is_empty() && self.terms.is_empty()
    }
}

/// The question for a combinatorial count in the prompt.
pub fn look(prompt: &str, _response: &str) -> Option<Finding> {
    static OBJECT: &str = r"(?:ways|arrangements?|permutations?|combinations?|orderings?|sequences?|strings?|subsets?|paths?
        |trees?|bsts?|graphs?|tilings?|colou?rings?|partitions?|derangements?|matchings?|triangulations?
        |routes?|parenthesi[sz]ations?|parentheses|bracketings?|anagrams?|committees?|hands?|seatings?
        |lattice paths?|functions|relations|surjections|bijections|words|passwords|codes|outcomes|teams
        |handshakes|necklaces|assignments|configurations|dyck \w+|permutations)";
    static COUNT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            concat!(
                r"\b(?:how many|in how many|number of|count(?: all| the| the number of)?)\b(?: (?:\w+
                    |\d+)[- ]?){{0,2}}? (?:different|distinct|possible|valid|unique|binary|non-?isomorphic|labell?ed
                    |rooted|full|monotonic|structurally unique|\w+ (?:distinct|different|possible
                    |valid)) (?:[\w-]+ ){{0,3}}?{object}\b",
                r"|\bin how many (?:\w+ )?ways\b|\bhow many (?:\w+ )?ways (?:are there|can|could|to|is it possible)\b
                    |\bnumber of (?:\w+ )?ways\b",
                r"|\bhow many (?:[\w-]+ ){{0,3}}?(?:permutations|derangements|triangulations|subsets|lattice paths
                    |anagrams|tilings|binary (?:search )?trees|spanning trees|valid parenthes\w+|balanced parenthes\w+
                    |dyck \w+)\b",
                r"|\b(?:number|count) of (?:[\w-]+ ){{0,3}}?(?:permutations|derangements|triangulations|subsets
                    |lattice paths|anagrams|tilings|binary (?:search )?trees|spanning trees|(?:valid|balanced
                    |well-?formed) (?:\w+ )?(?:parenthes\w+|brackets)|dyck \w+)\b",
                r"|\bhow many (?:[\w-]+ ){{0,3}}?(?:integer|natural|positive
                    |non-?negative)?[^.?]{{0,20}}\bsolutions (?:are there|does|do|to|in)\b[^.?]*\b(?:integers?
                    |non-?negative|natural|positive)\b",
                r"|\b(?:catalan|bell|stirling|motzkin) numbers?\b[^.?]*\b(?:count|how many|number)",
            ),
            object = OBJECT
        ))
    });
    static RECIPE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bnumber of ways (?:to (?:improve|reduce|help|save|learn|make|get|increase)|(?:that )?(?:people
                |companies|we|you) )|\bhow many ways (?:to (?:say|cook|improve|help)|do you|are there to (?:say|cook
                |improve|help|make money|learn))",
        )
    });
    let masked = Mask::new(prompt).blank(prompt);
    let found = COUNT.find(&masked)?;
    (!RECIPE.is_match(&masked))
        .then(|| Finding::new(Side::Prompt, prompt, found.range(), "combinatorial count"))
}

/// What the response claims.
pub fn claims(response: &str) -> Claims {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"\b(?:(?P<catalan>catalan|A000108)|(?P<fibonacci>fibonacci|A000045)|(?P<bell>bell numbers?|A000110)
                |(?P<stirling>stirling numbers?)|(?P<motzkin>motzkin|A001006)",
            r"|(?P<derangement>derangements?|subfactorial|A000166)|(?P<schroeder>schr(?:ö|oe|o)der)
                |(?P<narayana>narayana)|(?P<delannoy>delannoy)|(?P<lucas>lucas numbers?)",
            r"|(?P<partition>partition (?:numbers?|function)|A000041)|(?P<cayley>cayley['’]s formula)
                |(?P<euler>eulerian numbers?)|(?P<binomial>binomial coefficients?|\\binom)",
            r"|(?P<factorial>factorials?|n!)|(?P<power>2\^n|powers? of two))",
        ))
    });
    const NAMES: [&str; 16] = [
        "catalan",
        "fibonacci",
        "bell",
        "stirling",
        "motzkin",
        "derangement",
        "schroeder",
        "narayana",
        "delannoy",
        "lucas",
        "partition",
        "cayley",
        "euler",
        "binomial",
        "factorial",
        "power",
    ];
    let masked = Mask::new(response).blank(response);
    let named = NAME.captures(&masked);
    let sequence = named
        .as_ref()
        .and_then(|found| NAMES.into_iter().find(|name| found.name(name).is_some()));
    Claims {
        sequence,
        span: named
            .and_then(|found| found.get(0))
            .map(|found| found.range()),
        values: values(&masked),
        terms: terms(&masked),
    }
}

/// "C_3 = 5", "f(3) = 5", "for n = 3, there are 5".
fn values(text: &str) -> Vec<(u32, u128)> {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b[a-z](?:_\{?|\()(?P<a>\d{1,2})\}?\)? ?(?:=|is|equals) ?(?P<x>\d[\d,]*)\b
                |\bn ?= ?(?P<b>\d{1,2})\b(?:[,:;→)]|->|=>|\s|is|there|are|we|have|get|the|answer|count|number|it
                |gives|so|which|exactly|only|=){1,12}?(?P<y>\d[\d,]*)\b",
        )
    });
    let mut found: Vec<(u32, u128)> = Vec::new();
    for hit in VALUE.captures_iter(text).take(200) {
        let pair = |n: &str, x: &str| {
            let size = hit.name(n)?.as_str().parse().ok()?;
            let value = hit.name(x)?.as_str().replace(',', "").parse().ok()?;
            Some((size, value))
        };
        if let Some(pair) = pair("a", "x").or_else(|| pair("b", "y"))
            && pair.0 <= 12
            && !found.contains(&pair)
        {
            found.push(pair);
        }
    }
    found
}

/// The longest run of four or more terms.
fn terms(text: &str) -> Vec<u128> {
    static RUN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b\d{1,15}(?:, ?\d{1,15}){3,30}\b"));
    RUN.find_iter(text)
        .take(200)
        .map(|run| {
            run.as_str()
                .split(',')
                .filter_map(|term| term.trim().parse().ok())
                .collect::<Vec<u128>>()
        })
        .max_by_key(Vec::len)
        .unwrap_or_default()
}
