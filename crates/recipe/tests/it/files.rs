//! Files of results that are resumed, and folders that are watched.
use crate::script::built_in;
use reckon_recipe::{Error, Item, OutFile, Recipe, Sources, Watch};
use std::fs;

#[test]
fn results_are_resumed_and_a_cut_row_is_made_anew() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("out.csv");
    let mut out = OutFile::open(&path).expect("new");
    out.append("a", "head\n", "row a\n").expect("written");
    out.append("b", "head\n", "row b\n").expect("written");
    assert!(
        matches!(OutFile::open(&path), Err(Error::Exists { .. })),
        "one writer at a time"
    );
    drop(out);
    // A crash in the middle of a row.
    let journal = root.path().join("out.csv.done");
    let mut notes = fs::read_to_string(&journal).expect("notes");
    notes.push_str("+ 17 c\n");
    fs::write(&journal, notes).expect("written");
    fs::write(&path, "head\nrow a\nrow b\nrow").expect("written");
    let mut out = OutFile::open(&path).expect("resumed");
    assert!(out.is_done("a") && out.is_done("b") && !out.is_done("c"));
    assert_eq!(out.done(), 2);
    out.append("c", "head\n", "row c\n").expect("written");
    assert_eq!(
        fs::read_to_string(&path).expect("text"),
        "head\nrow a\nrow b\nrow c\n"
    );
}

#[test]
fn a_file_of_somebody_else_is_not_touched() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("mine.txt");
    fs::write(&path, "precious").expect("written");
    let error = OutFile::open(&path).expect_err("refused").to_string();
    assert!(
        error.ends_with("exists, and no recipe wrote it: choose another file"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&path).expect("text"), "precious");
    assert!(!root.path().join("mine.txt.done").exists());
}

#[test]
fn another_text_setting_or_name_is_another_item() {
    let mut recipe = built_in("translate");
    let key = Item::new("a.txt", "x").key(&recipe);
    assert_eq!(Item::new("a.txt", "x").key(&recipe), key);
    assert_ne!(Item::new("a.txt", "y").key(&recipe), key);
    assert_ne!(Item::new("b.txt", "x").key(&recipe), key);
    recipe.set("to", "German").expect("set");
    assert_ne!(Item::new("a.txt", "x").key(&recipe), key);
}

#[test]
fn a_watched_file_comes_once_when_it_is_finished() {
    let root = tempfile::tempdir().expect("a folder");
    let file = root.path().join("a.txt");
    let mut watch = Watch::new(root.path(), None).expect("a watch");
    let (none, one): (&[std::path::PathBuf], _) = (&[], [file.clone()]);
    fs::write(&file, "half").expect("written");
    fs::write(root.path().join(".hidden"), "x").expect("written");
    assert_eq!(
        watch.look().expect("looked"),
        none,
        "it may still be written"
    );
    fs::write(&file, "half and half").expect("written");
    assert_eq!(watch.look().expect("looked"), none, "it is");
    assert_eq!(watch.look().expect("looked"), one);
    assert_eq!(watch.look().expect("looked"), one, "until it is answered");
    let result = watch.finish(&file, "md", "answer").expect("finished");
    assert_eq!(fs::read_to_string(result).expect("a result"), "answer");
    assert_eq!(watch.look().expect("looked"), none);

    let mut again = Watch::new(root.path(), None).expect("a restart");
    for _ in 0..3 {
        assert_eq!(
            again.look().expect("looked"),
            none,
            "answered before the restart"
        );
    }
    fs::write(&file, "a new version of it").expect("written");
    assert_eq!(again.look().expect("looked"), none);
    assert_eq!(again.look().expect("looked"), [file]);
    assert!(Watch::new(&root.path().join("absent"), None).is_err());
    assert!(
        Watch::new(root.path(), Some(root.path())).is_err(),
        "results would be answered without end"
    );
}

#[test]
fn a_watch_survives_a_cut_line_of_what_it_remembers() {
    let root = tempfile::tempdir().expect("a folder");
    let file = root.path().join("a.txt");
    fs::write(&file, "x").expect("written");
    let done = root.path().join("results/.reckon-done.jsonl");
    fs::create_dir(root.path().join("results")).expect("made");
    fs::write(&done, "{\"file\":\"a.t").expect("written");
    let mut watch = Watch::new(root.path(), None).expect("a watch");
    watch.look().expect("looked");
    watch.look().expect("looked");
    watch.finish(&file, "md", "answer").expect("finished");
    let mut again = Watch::new(root.path(), None).expect("a restart");
    again.look().expect("looked");
    assert!(again.look().expect("looked").is_empty());
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_are_left_out() {
    let root = tempfile::tempdir().expect("a folder");
    let secret = tempfile::NamedTempFile::new().expect("a file");
    std::os::unix::fs::symlink(secret.path(), root.path().join("link.txt")).expect("linked");
    let mut watch = Watch::new(root.path(), None).expect("a watch");
    for _ in 0..2 {
        assert!(watch.look().expect("looked").is_empty());
    }
}

#[test]
fn all_files_together_are_one_item() {
    let root = tempfile::tempdir().expect("a folder");
    for name in ["a.txt", "b.txt"] {
        fs::write(root.path().join(name), name).expect("written");
    }
    let text = "name = \"both\"\nabout = \"x\"\neach = \"all\"\nprompt = \"Compare: {input}\"";
    let recipe = Recipe::parse(text, "both").expect("a recipe");
    let sources = Sources::new(&recipe, &[root.path().to_owned()]).expect("sources");
    let items: Vec<_> = sources.map(|item| item.expect("an item")).collect();
    assert_eq!(items.len(), 1);
    assert_eq!(
        (items[0].name.as_str(), items[0].files.len()),
        ("2 files", 2)
    );
}
