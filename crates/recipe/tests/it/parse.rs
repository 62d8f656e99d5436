//! What a recipe may say, and that everything else is refused with its reason.
use crate::script::built_in;
use reckon_recipe::{Collection, Error, MOST_BYTES, Recipe};

const SMALL: &str = "name = \"small\"\nabout = \"a test\"\nprompt = \"Count: {input}\"\n";

fn refused(text: &str, parts: &[&str]) {
    let error = Recipe::parse(text, "small.toml")
        .expect_err(text)
        .to_string();
    assert!(!error.contains('\n'), "more than one line: {error}");
    assert!(error.starts_with("small.toml: "), "{error}");
    for part in parts {
        assert!(error.contains(part), "no {part:?} in {error:?}");
    }
}

#[test]
fn a_wrong_recipe_is_refused_with_its_reason() {
    Recipe::parse(SMALL, "small.toml").expect("a recipe");
    refused(&format!("{SMALL}colour = \"red\"\n"), &["line 4", "colour"]);
    refused(&format!("{SMALL}output = \"xml\"\n"), &["line 4", "xml"]);
    refused("name = \"x\"", &["about"]);
    refused("name = [", &["line 1"]);
    for (more, parts) in [
        (
            "last = \"{inptu}\"",
            &["last", "{inptu}", "input, file, name"][..],
        ),
        ("system = \"{input}\"", &["system"]),
        ("last = \"a { brace\"", &["last", "{{"]),
        ("last = \"again\"", &["window"]),
        ("window = { lines = 0 }", &["window.lines"]),
        ("window = { seconds = 1 }", &["window.seconds"]),
        ("window = { minutes = 1 }", &["minutes"]),
        ("schema = \"{\"", &["schema"]),
        (
            "labels = [\"a\"]\nfields = [\"b\"]",
            &["exclude each other"],
        ),
        ("labels = [\"a\", \"a\"]", &["\"a\"", "twice"]),
        ("labels = [\"\"]", &["labels"]),
        ("quote = true", &["leave {input} out"]),
        ("check = \"much\"", &["much"]),
        ("[parameters]\ninput = \"x\"", &["\"input\""]),
        ("[parameters]\nTo = \"x\"", &["\"To\""]),
    ] {
        refused(&format!("{SMALL}{more}\n"), parts);
    }
    refused(
        "name = \"s\"\nabout = \"a\"\nprompt = \"no text\"\nlabels = [\"a\"]",
        &["must have {input}"],
    );
    let long = format!("{SMALL}# {}\n", "x".repeat(MOST_BYTES));
    refused(&long, &["longer than 65536 bytes"]);
}

#[test]
fn only_what_a_recipe_has_can_be_set() {
    let mut translate = built_in("translate");
    translate.set("to", "German").expect("set");
    assert_eq!(translate.parameters["to"], "German");
    let error = translate.set("too", "x").expect_err("unknown").to_string();
    assert_eq!(error, "translate has no setting \"too\"; it has to");
    let mut classify = built_in("classify");
    let error = classify.form().expect_err("no labels yet").to_string();
    assert_eq!(error, "classify needs labels: --set labels=one,another");
    classify.set("labels", "good, bad,").expect("set");
    assert_eq!(
        classify.form().expect("labels").as_deref(),
        Some(r#"{"enum":["good","bad"]}"#)
    );
    assert!(classify.set("labels", "good,good").is_err());
    classify
        .set_schema("{\"type\": \"integer\"}".into())
        .expect("a schema");
    assert!(classify.set_schema("{".into()).is_err());
}

#[test]
fn own_recipes_are_found_and_never_overwritten() {
    let home = tempfile::tempdir().expect("a folder");
    let collection = Collection::new(home.path().join("recipes"));
    assert!(collection.list().iter().all(|entry| entry.path.is_none()));
    let path = collection.create("minutes").expect("a new one");
    let text = std::fs::read_to_string(&path).expect("its text");
    let recipe = Recipe::parse(&text, "minutes").expect("the template is a recipe");
    assert_eq!(recipe.name, "minutes");
    std::fs::write(&path, "mine").expect("changed");
    assert!(matches!(
        collection.create("minutes"),
        Err(Error::Exists { .. })
    ));
    assert_eq!(std::fs::read_to_string(&path).expect("its text"), "mine");
    assert!(matches!(
        collection.create("translate"),
        Err(Error::Setting(_))
    ));
    assert!(matches!(collection.create("../up"), Err(Error::Setting(_))));

    // A broken one is listed with its reason, and does not hide the others.
    let list = collection.list();
    let minutes = list.last().expect("own ones come last");
    assert!(minutes.name == "minutes" && minutes.about.is_err());
    assert_eq!(list.len(), 12);

    // Goes before the built-in one, and says so.
    std::fs::write(path.with_file_name("translate.toml"), SMALL).expect("written");
    let found = collection.find("translate").expect("found");
    assert!(found.shadows && found.text == SMALL);
    assert!(!collection.find("tutor").expect("built in").shadows);
    let by_path = collection
        .find(path.to_str().expect("text"))
        .expect("by path");
    assert_eq!(by_path.text, "mine");
}

#[test]
fn an_unknown_name_gets_near_ones() {
    let collection = Collection::new("no-such-folder");
    let error = collection
        .find("tranlsate")
        .expect_err("unknown")
        .to_string();
    assert_eq!(
        error,
        "no recipe is called \"tranlsate\"; did you mean translate?"
    );
    let error = collection.find("zzz").expect_err("unknown").to_string();
    assert_eq!(error, "no recipe is called \"zzz\"");
    assert!(collection.find("missing.toml").is_err());
}
