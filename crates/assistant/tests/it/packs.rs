//! Packs: the two that are shipped pass, and what is wrong with one is said with its line.
use crate::script::{Bench, Model, Says, ask, go_on};
use reckon_assistant::{
    Pipeline,
    pack::{Error, Pack, Wrong},
};

const SIGN_OFF: &str = include_str!("../../../../packs/sign-off.toml");
const ELIDED: &str = include_str!("../../../../packs/elided-code.toml");

/// A small pack with something replaced.
fn small(from: &str, to: &str) -> Result<Pack, Error> {
    let text = r#"
class = "shout"
summary = "Cuts a shout."
action = "strip"
[trigger]
response = ['^HEY!+\s*$']
[[triggered]]
response = "hello\nhey!"
text = "hello"
[[triggered]]
response = "HEY!!\nhello"
text = "hello"
[[control]]
response = "they said hey! to me"
[[control]]
response = "hello"
"#;
    assert!(text.contains(from), "{from}");
    Pack::parse(&text.replacen(from, to, 1))
}

fn refused(from: &str, to: &str) -> String {
    small(from, to).unwrap_err().to_string()
}

#[test]
fn shipped_packs_pass_their_examples() {
    for text in [SIGN_OFF, ELIDED] {
        let pack = Pack::parse(text).unwrap();
        let report = pack.test();
        assert!(report.passed(), "{}: {:?}", pack.class, report.wrong);
        assert!(report.triggered >= 3 && report.control >= 3);
    }
}

#[test]
fn a_strip_pack_cuts_only_its_match() {
    let pack = Pack::parse(SIGN_OFF).unwrap();
    assert_eq!(
        pack.strip("Why?", "Because.\n\nI hope this helps!")
            .as_deref(),
        Some("Because.")
    );
    assert_eq!(pack.strip("Why?", "Because."), None);
    assert_eq!(
        pack.strip("Why?", "I hope this helps!"),
        None,
        "nothing would be left"
    );
    assert_eq!(
        pack.strip("Write an e-mail.", "Hi.\n\nI hope this helps!"),
        None
    );
    let pack = small("", "").unwrap();
    assert_eq!(pack.strip("", "a\nhey!\nb").as_deref(), Some("a\n\nb"));
}

#[test]
fn examples_that_do_not_hold_are_named() {
    let report = small("they said hey! to me", "HEY!").unwrap().test();
    assert_eq!(
        report.wrong,
        [Wrong::Fired {
            control: 1,
            evidence: "HEY!".to_owned()
        }]
    );
    let report = small("hello\\nhey!", "hello\\nho!").unwrap().test();
    assert_eq!(report.wrong, [Wrong::Missed(1)]);
    let report = small("text = \"hello\"", "text = \"bye\"").unwrap().test();
    assert_eq!(report.wrong.len(), 1);
    assert_eq!(
        report.wrong[0].to_string(),
        "triggered example 1: leaves \"hello\""
    );
}

#[test]
fn strict() {
    assert!(
        refused("summary", "sumary").starts_with("line "),
        "{}",
        refused("summary", "sumary")
    );
    let unknown = refused("action = \"strip\"", "action = \"strip\"\nlevel = 3");
    assert!(unknown.starts_with("line 5: unknown field"), "{unknown}");
    assert!(refused("\"strip\"", "\"explode\"").starts_with("line 4: "));
    assert!(refused("'^HEY!+\\s*$'", "'HEY!+'").contains("not anchored"));
    assert!(refused("'^HEY!+\\s*$'", "'^(HEY'").contains("no pattern"));
    assert!(refused("'^HEY!+\\s*$'", "'^(?:HEY)*$'").contains("empty text"));
    assert!(
        refused("'^HEY!+\\s*$'", "'^(?:a{1000}){1000}'").contains("no pattern"),
        "too large"
    );
    assert!(refused("\"strip\"", "\"regenerate\"").contains("anchor"));
    assert!(refused("response = [", "prompt = [").contains("strip"));
    assert!(refused("\"shout\"", "\"persona\"").contains("built-in"));
    assert!(refused("\"shout\"", "\"Shout It\"").contains("lowercase"));
    assert!(refused("[[control]]\nresponse = \"hello\"\n", "").contains("2 to 256"));
    let long = format!("# {}\n", "x".repeat(300 << 10));
    assert!(refused("\nclass", &format!("\n{long}class")).contains("longer than"));
    assert!(matches!(
        small("class = \"shout\"", "class = shout"),
        Err(Error::Syntax { line: 2, .. })
    ));
}

/// The text that ships, and how often the model was asked.
fn shipped(pack: &str, says: Vec<Says>) -> (String, usize) {
    let mut model = Model::new(says);
    let pipeline = Pipeline::new(vec![Box::new(Pack::parse(pack).unwrap())]);
    let question = ask("How do I count lines?");
    let reply = pipeline
        .answer(&mut model, &mut Bench::default(), &question, &mut go_on)
        .unwrap();
    (reply.text, model.asked.len())
}

#[test]
fn a_pack_is_a_guard() {
    let cut = shipped(SIGN_OFF, vec![Says::Text("With wc.\n\nI hope this helps!")]);
    assert_eq!(cut, ("With wc.".to_owned(), 1));
    let elided = "```c\nint n;\n// rest of the code\n```";
    let whole = "```c\nint n;\nn = count();\n```";
    let mended = shipped(ELIDED, vec![Says::Text(elided), Says::Text(whole)]);
    assert_eq!(mended, (whole.to_owned(), 2));
    for second in [
        Says::Text(elided),
        Says::Text("no"),
        Says::Error,
        Says::Cut(whole),
    ] {
        let kept = shipped(ELIDED, vec![Says::Text(elided), second]);
        assert_eq!(kept, (elided.to_owned(), 2), "the raw answer ships");
    }
    assert_eq!(
        shipped(ELIDED, vec![Says::Text(whole)]),
        (whole.to_owned(), 1)
    );
}

/// The small pack with this list of response patterns.
fn with_patterns(patterns: &str) -> Result<Pack, Error> {
    small(
        "response = ['^HEY!+\\s*$']",
        &format!("response = [{patterns}]"),
    )
}

#[test]
fn hostile_packs_are_refused_before_they_cost_anything() {
    let refused = |patterns: &str| with_patterns(patterns).unwrap_err().to_string();
    for large in [
        "'^(a{1000}){1000}'",
        "'^((((a{10}){10}){10}){10}){10}'",
        r"'^(\pL{500}|x){500}'",
        r"'^[\w\W]{9999}'",
        r"'^(?:\w{50}){50}'",
    ] {
        assert!(refused(large).contains("no pattern"), "{large}");
    }
    let deep = format!("'^{}a{}'", "(".repeat(300), ")".repeat(300));
    assert!(refused(&deep).contains("no pattern"), "deep groups");
    assert!(refused(&format!("'^{}'", "a".repeat(3000))).contains("longer than"));
    assert!(refused(&"'^a',".repeat(40_000)).contains("more than 64 patterns"));
    assert!(refused(&"'^a',".repeat(100_000)).contains("longer than"));
    let split = format!(
        "{}]\nunless-response = [{}",
        "'^a',".repeat(40),
        "'^b',".repeat(40)
    );
    assert!(
        refused(&split).contains("more than 64 patterns"),
        "all lists together"
    );
    let many = r"'^a[^\n.]{0,150}',".repeat(64);
    assert!(refused(&many).contains("too large together"));
    // The parser of TOML has a limit of its own.
    let nested = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    assert!(with_patterns(&nested).is_err());
    let tables = format!("[{}]\nx = 1\n", vec!["a"; 5000].join("."));
    assert!(small("[trigger]", &format!("{tables}[trigger]")).is_err());
}

#[test]
fn what_packs_need_fits() {
    let words = vec!["sincerely yours"; 100].join("|");
    let patterns = format!(r"'\b(?:{words})\b',").repeat(64);
    let error = with_patterns(&patterns).map(|_| ()).err();
    assert_eq!(error, None);
}
