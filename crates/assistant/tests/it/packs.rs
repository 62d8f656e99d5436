//! Packs: the two that are shipped pass, and what is wrong with one is said with its line.
use reckon_assistant::pack::{Error, Pack, Wrong};

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
