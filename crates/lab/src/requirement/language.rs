//! Which language a text is in, told by its script, by letters that only one language has, and by its small words.

/// Whether a text is in the language of this code; nothing if either is not known here.
pub(super) fn is_in(text: &str, code: &str) -> Option<bool> {
    let found = of(text)?;
    let known = SCRIPTS.iter().any(|(_, codes)| codes.contains(&code));
    known.then_some(found == code)
}

/// The code of the language; nothing if it cannot be told.
pub(super) fn of(text: &str) -> Option<&'static str> {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    let all = letters().take(LONGEST).count();
    let share = |range: &Script| letters().take(LONGEST).filter(|c| range.has(*c)).count();
    // Kana are few among the Han characters of Japanese, so they decide alone.
    let (script, codes) = SCRIPTS.iter().find(|(script, _)| match script {
        Script::Kana => all > 0 && 10 * share(script) > all,
        _ => 2 * share(script) > all,
    })?;
    match codes {
        [one] => Some(one),
        _ if *script == Script::Latin && all < FEWEST => None,
        codes => likeliest(text, codes),
    }
}

/// Letters that are looked at.
const LONGEST: usize = 20_000;
/// Letters below which small words say little.
const FEWEST: usize = 20;

/// The one whose small words and letters occur most often, if that is clear.
fn likeliest(text: &str, codes: &[&'static str]) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || c.is_ascii_punctuation() || "।“”„«»…".contains(c))
        .filter(|word| !word.is_empty())
        .take(LONGEST)
        .collect();
    let score = |code: &str| {
        let marks = MARKS.iter().filter(|(of, _, _)| *of == code);
        let one = |(_, small, own): &(&str, &str, &str)| {
            let small = words
                .iter()
                .filter(|word| small.split(' ').any(|one| one == **word));
            let own = lower.chars().take(LONGEST).filter(|c| own.contains(*c));
            small.count() + own.count()
        };
        marks.map(one).sum::<usize>()
    };
    let mut scores: Vec<(usize, &'static str)> =
        codes.iter().map(|code| (score(code), *code)).collect();
    scores.sort_by(|one, other| other.cmp(one));
    match scores[..] {
        [(best, code), (next, _), ..] if best > 0 && 5 * best > 6 * next => Some(code),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Range(u32, u32),
    Kana,
    Latin,
}

impl Script {
    fn has(&self, c: char) -> bool {
        let at = c as u32;
        match self {
            Self::Range(first, last) => (*first..=*last).contains(&at),
            Self::Kana => (0x3040..=0x30ff).contains(&at),
            Self::Latin => at < 0x250 || (0x1e00..=0x1eff).contains(&at),
        }
    }
}

/// Scripts and the languages that are told apart in each.
const SCRIPTS: [(Script, &[&str]); 18] = [
    (Script::Kana, &["ja"]),
    (Script::Range(0xac00, 0xd7af), &["ko"]),
    (Script::Range(0x4e00, 0x9fff), &["zh"]),
    (Script::Range(0x0400, 0x04ff), &["ru", "bg", "uk"]),
    (Script::Range(0x0900, 0x097f), &["hi", "mr", "ne"]),
    (Script::Range(0x0980, 0x09ff), &["bn"]),
    (Script::Range(0x0a00, 0x0a7f), &["pa"]),
    (Script::Range(0x0a80, 0x0aff), &["gu"]),
    (Script::Range(0x0b80, 0x0bff), &["ta"]),
    (Script::Range(0x0c00, 0x0c7f), &["te"]),
    (Script::Range(0x0c80, 0x0cff), &["kn"]),
    (Script::Range(0x0d00, 0x0d7f), &["ml"]),
    (Script::Range(0x0600, 0x06ff), &["ar", "fa", "ur"]),
    (Script::Range(0x0590, 0x05ff), &["he"]),
    (Script::Range(0x0e00, 0x0e7f), &["th"]),
    (Script::Range(0x0370, 0x03ff), &["el"]),
    (Script::Range(0x10a0, 0x10ff), &["ka"]),
    (
        Script::Latin,
        &[
            "en", "de", "fr", "es", "pt", "it", "nl", "vi", "sw", "fi", "pl", "tr", "sv",
        ],
    ),
];

/// A language, its small words, and letters that its neighbours do not have.
const MARKS: [(&str, &str, &str); 22] = [
    (
        "en",
        "the of and to in is that it for was with as are this you i be on",
        "",
    ),
    (
        "de",
        "der die das und ist nicht ein eine zu den mit von im auf für sich ich sie es",
        "ß",
    ),
    (
        "fr",
        "le la les des et est une un du que qui dans pour pas sur il je au avec",
        "œ",
    ),
    (
        "es",
        "el la los las de y que en un una es por con para se del no su",
        "ñ¿¡",
    ),
    (
        "pt",
        "o a os as de e que em um uma é não por com para se do da no na",
        "ãõ",
    ),
    (
        "it",
        "il la di e che un una per non con del sono è gli le si da in",
        "",
    ),
    (
        "nl",
        "de het een en van is niet dat op te zijn voor met aan er",
        "",
    ),
    (
        "vi",
        "và là của không một có cho được tôi người",
        "ăđơưạảấầẩậắặẹẻẽếềểệịọỏốồổộớờởợụủứừửữựỳỵỷỹ",
    ),
    ("sw", "na ya wa kwa ni la katika za kuwa cha hii kama", ""),
    ("fi", "ja on ei se että oli hän mutta ovat kun niin", ""),
    ("pl", "i w nie na się z jest że do to jak", "łęąśżźć"),
    ("tr", "ve bir bu da de için ile çok ne gibi", "ışğ"),
    ("sv", "och att det i en som är på av för med inte", "å"),
    ("ru", "и в не на что с как я он это по но", "ыэё"),
    ("bg", "и в не на да е за се от са с по", "ъ"),
    ("uk", "і в не на що та з як є до у", "іїєґ"),
    ("hi", "है और के में की से को का हैं पर यह एक", ""),
    ("mr", "आहे आणि आहेत एक हे या मी तर होते करा व ते", "ळ"),
    ("ne", "छ र को मा छन् गर्न एक यो हुन् भने पनि लाई", ""),
    ("ar", "في من على إلى أن هذا التي عن مع", "ةىإأ"),
    ("fa", "و در به از که این را با است برای", "پچژگی"),
    ("ur", "اور کے میں کی ہے سے کا کو نے یہ", "ٹڈڑےہںک"),
];
