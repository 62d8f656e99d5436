//! `reckon memory`: added, listed, forgotten, exported, for the person at this machine.
use crate::place::Place;

#[test]
fn facts_come_and_go() {
    let place = Place::new();
    let said = |arguments: &[&str]| {
        let ended = place.reckon(arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.err);
        ended.out
    };
    assert_eq!(said(&["memory", "list"]), "nothing is remembered\n");
    assert!(
        !place.home().join("reckon.db").exists(),
        "looking makes no file"
    );
    assert_eq!(
        said(&["memory", "add", "I", "am a nurse."]),
        "remembered: I am a nurse.\n"
    );
    said(&["memory", "add", "I like tea."]);
    assert_eq!(
        said(&["memory", "list"]),
        " 1  I am a nurse.\n 2  I like tea.\n"
    );
    let exported: serde_json::Value = serde_json::from_str(&said(&["memory", "export"])).unwrap();
    assert_eq!(exported["memory"][1]["text"], "I like tea.");
    assert_eq!(
        said(&["memory", "list", "--json"]),
        said(&["memory", "export"])
    );
    let refused = |arguments: &[&str], part: &str| {
        let ended = place.reckon(arguments);
        assert_eq!(ended.code, Some(4), "{}", ended.err);
        assert!(ended.err.contains(part), "{}", ended.err);
    };
    refused(&["memory", "forget", "coffee"], "nothing like that");
    refused(&["memory", "forget", "i"], "that fits several: 1, 2");
    assert_eq!(
        said(&["memory", "forget", "TEA"]),
        "forgotten: I like tea.\n"
    );
    assert_eq!(
        said(&["memory", "forget", "1"]),
        "forgotten: I am a nurse.\n"
    );
    assert_eq!(said(&["memory", "forget", "--all"]), "0 forgotten\n");
}
