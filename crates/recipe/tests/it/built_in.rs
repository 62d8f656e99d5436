//! Each recipe of the program on a small example: what the model is asked, and what becomes of its answer.
use crate::script::{built_in, runner};
use reckon_recipe::{Answer, Collection, Error, Item, Output, Recipe, Rows};
use std::ops::ControlFlow;

fn answer(recipe: Recipe, item: &Item, say: &'static str) -> (Answer, String, String) {
    let (mut runner, asked) = runner(recipe, move |_| say.into());
    let answer = runner
        .answer(item, &mut |_| ControlFlow::Continue(()))
        .expect("an answer");
    let asked = asked.lock().expect("alone");
    let [system, user] = asked.last().expect("asked").as_slice() else {
        panic!("a system and a user message");
    };
    (answer, system.content.clone(), user.content.clone())
}

#[test]
fn all_parse_and_have_their_use_in_the_head() {
    let collection = Collection::new("no-such-folder");
    let names: Vec<String> = collection
        .list()
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names.len(), 11);
    for name in names {
        let found = collection.find(&name).expect("built in");
        let recipe = Recipe::parse(&found.text, &name).expect("a recipe");
        assert_eq!(recipe.name, name);
        assert!(found.text.starts_with("# "), "{name}");
        assert!(
            found.text.contains(&format!("reckon run {name} ")),
            "{name}"
        );
        // A line of `reckon recipe list`.
        assert!(recipe.about.len() <= 64, "{name}");
    }
}

#[test]
fn email_drafts_from_notes() {
    let mut recipe = built_in("email");
    recipe.set("tone", "formal").expect("set");
    let item = Item::new("notes.txt", "late until Friday\n");
    let (answer, system, user) = answer(recipe, &item, "Subject: Late\n\nDear Ann\n");
    assert_eq!(answer.text, "Subject: Late\n\nDear Ann");
    assert!(system.contains("Use only what the notes say"));
    assert!(
        user.contains("in a formal tone") && user.ends_with("Notes:\nlate until Friday"),
        "{user}"
    );
}

#[test]
fn translate_goes_window_by_window_and_leaves_nothing_out() {
    let mut recipe = built_in("translate");
    recipe.set("to", "German").expect("set");
    let lines: Vec<String> = (0..100).map(|n| format!("line {n} has {{file}}")).collect();
    let (mut runner, asked) = runner(recipe, |prompt| {
        prompt.lines().skip(2).collect::<Vec<_>>().join("\n")
    });
    let item = Item::new("long.txt", lines.join("\n"));
    let answer = runner
        .answer(&item, &mut |_| ControlFlow::Continue(()))
        .expect("an answer");
    // What the script says is its input, so all of the text comes back, and placeholders in it are text.
    assert_eq!(answer.text, lines.join("\n"));
    let asked = asked.lock().expect("alone");
    assert_eq!(asked.len(), 3);
    assert!(asked[0][0].content.contains("Translate into German"));
    assert!(
        asked[0][1]
            .content
            .starts_with("Translate into German:\n\nline 0 ")
    );
}

#[test]
fn review_shows_the_diff() {
    let item = Item::new(
        "change.patch",
        "--- a/x.rs\n+++ b/x.rs\n-let a = 1;\n+let a = 2;\n",
    );
    let (answer, _, user) = answer(built_in("review"), &item, "No defect.");
    assert_eq!(answer.text, "No defect.");
    assert!(user.starts_with("```diff\n--- a/x.rs"), "{user}");
}

#[test]
fn tutor_is_told_not_to_give_the_answer_away() {
    let item = Item::new("homework.txt", "3 * 4 = 13");
    let (_, system, user) = answer(built_in("tutor"), &item, "Look at the first step.");
    assert!(system.contains("Never give the right result"));
    assert!(user.starts_with("3 * 4 = 13"));
}

#[test]
fn journal_has_the_date() {
    let item = Item::new("standard input", "long walk");
    let (_, _, user) = answer(built_in("journal"), &item, "x");
    assert!(user.contains("The first line is \"20"), "{user}");
    assert!(user.ends_with("long walk"));
}

#[test]
fn documents_are_summarised_part_by_part_when_they_are_long() {
    let short = Item::new("short.txt", "The harbour has 12 cranes.");
    let (_, _, user) = answer(built_in("documents"), &short, "Cranes.");
    assert!(
        user.contains("The harbour has 12 cranes.") && user.contains("at most six sentences"),
        "{user}"
    );
    let text: String = (0..900)
        .map(|n| format!("Sentence number {n} is here.\n\n"))
        .collect();
    let (mut runner, asked) = runner(built_in("documents"), |_| "A note.".into());
    let answer = runner
        .answer(&Item::new("long.txt", text), &mut |_| {
            ControlFlow::Continue(())
        })
        .expect("an answer");
    assert_eq!(answer.text, "A note.");
    let asked = asked.lock().expect("alone");
    assert!(asked.len() > 3, "{} questions", asked.len());
    let all: String = asked
        .iter()
        .map(|one| one.last().expect("one").content.as_str())
        .collect();
    assert!(all.contains("Sentence number 0 ") && all.contains("Sentence number 899 "));
}

#[test]
fn what_fits_no_way_is_an_error_with_both_numbers() {
    let (mut runner, asked) = runner(built_in("tutor"), |_| "x".into());
    let item = Item::new("long.txt", "word ".repeat(5_000));
    let error = runner
        .answer(&item, &mut |_| ControlFlow::Continue(()))
        .expect_err("too long")
        .to_string();
    assert!(error.contains("50") && error.contains("1744"), "{error}");
    assert!(asked.lock().expect("alone").is_empty());
}

#[test]
fn meeting_notes_each_window_and_sums_up_first() {
    let lines: Vec<String> = (0..200).map(|n| format!("Ann: point {n}")).collect();
    let (mut runner, asked) = runner(built_in("meeting"), |prompt| {
        if prompt.contains("Summarise these notes") {
            "The summary."
        } else {
            "- Action: Ann calls"
        }
        .into()
    });
    let item = Item::new("transcript.txt", lines.join("\n"));
    let answer = runner
        .answer(&item, &mut |_| ControlFlow::Continue(()))
        .expect("an answer");
    assert_eq!(
        answer.text,
        "The summary.\n\n- Action: Ann calls\n\n- Action: Ann calls"
    );
    let asked = asked.lock().expect("alone");
    assert_eq!(asked.len(), 3);
    assert!(
        asked[2][1].content.contains("- Action: Ann calls"),
        "{}",
        asked[2][1].content
    );
}

#[test]
fn research_prints_only_quotations_that_are_there() {
    let text = "Harbour rules\n\nThe harbour has 12 cranes and\n3 tugs. Dogs are welcome.\n";
    let say = r#"{"points": [{"point": "Cranes.", "quote": "The harbour has 12 cranes and 3 tugs."},
        {"point": "Cats.", "quote": "Cats are welcome."}]}"#;
    let (answer, _, user) = answer(built_in("research"), &Item::new("rules.txt", text), say);
    assert!(user.contains("its main question and findings"));
    assert_eq!(
        answer.text,
        "- Cranes.\n  “The harbour has 12 cranes and 3 tugs.” — rules.txt, page 1\n\
         - Cats.\n  (no quotation: it is not in the text)"
    );
    assert!(
        !answer.text.contains("Cats are welcome"),
        "a model's own words are no quotation"
    );
}

#[test]
fn extract_says_where_each_string_stands_or_that_it_does_not() {
    let mut recipe = built_in("extract");
    recipe.set("fields", "vendor,total,year,iban").expect("set");
    let text = "Invoice of 2012\nVendor: Müller,\n  Söhne\nTotal: 40,00 EUR\n";
    let say = r#"{"vendor": "Müller, Söhne", "total": "41,00 EUR", "year": "12", "iban": null}"#;
    let rows = Rows::new(&recipe, recipe.output, true);
    let (answer, _, _) = answer(recipe, &Item::new("a.txt", text), say);
    let span = answer.spans["vendor"].as_ref().expect("found");
    assert_eq!((span.page, span.start, span.end), (1, 24, 39));
    assert_eq!(span.text, "Müller,\n  Söhne");
    assert_eq!(answer.spans["total"], None);
    assert_eq!(
        answer.spans["year"], None,
        "a part of a number is another number"
    );
    assert_eq!(
        rows.head(),
        "name,vendor,vendor.span,total,total.span,year,year.span,iban,iban.span\n"
    );
    assert_eq!(
        rows.row(&answer),
        "a.txt,\"Müller, Söhne\",1:24-39,\"41,00 EUR\",not found,12,not found,,\n"
    );
}

#[test]
fn extract_as_json_has_the_spans() {
    let mut recipe = built_in("extract");
    recipe.set("fields", "total").expect("set");
    let rows = Rows::new(&recipe, Output::Jsonl, true);
    let (answer, _, _) = answer(
        recipe,
        &Item::new("a.txt", "Total: 40"),
        r#"{"total": "40"}"#,
    );
    assert_eq!(
        rows.row(&answer),
        "{\"name\":\"a.txt\",\"value\":{\"total\":\"40\"},\"spans\":{\"total\":{\"file\":\"a.txt\",\"page\":1,\"start\":7,\"end\":9}}}\n"
    );
}

#[test]
fn classify_gives_one_of_the_labels_or_an_error() {
    let mut recipe = built_in("classify");
    recipe.set("labels", "praise,complaint").expect("set");
    let rows = Rows::new(&recipe, recipe.output, false);
    let item = Item::new("review.txt", "The box was empty.");
    let (found, _, user) = answer(recipe.clone(), &item, "\"complaint\"");
    assert_eq!(found.text, "complaint");
    assert!(user.ends_with("praise, complaint?"), "{user}");
    assert_eq!(
        rows.head() + &rows.row(&found),
        "name,label\nreview.txt,complaint\n"
    );
    // A server that follows no schema may say anything.
    for say in [
        "\"refund\"",
        "complaint, I think",
        "{\"label\": \"praise\"}",
    ] {
        let (mut runner, _) = runner(recipe.clone(), move |_| say.into());
        let error = runner.answer(&item, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(error, Err(Error::Answer(_))), "{say}");
    }
}

#[test]
fn mail_routing_reads_the_mail_and_names_it_by_its_subject() {
    let mut item = Item::new(
        "inbox 1",
        "From: a@b.c\nTo: d@e.f\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\n\nHello\n",
    );
    item.files[0].name = "mail.eml".into();
    let (answer, _, user) = answer(built_in("mail-routing"), &item, "\"personal\"");
    assert_eq!(
        (answer.name.as_str(), answer.text.as_str()),
        ("inbox 1 Grüße", "personal")
    );
    assert!(user.contains("Hello"), "{user}");
}

#[test]
fn sound_is_for_recipes_that_take_it() {
    let mut wav = b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\x08\0\0\0".to_vec();
    wav.extend([0; 8]);
    let (mut runner, _) = runner(built_in("translate"), |_| "x".into());
    let item = Item::new("memo.wav", wav);
    let error = runner
        .answer(&item, &mut |_| ControlFlow::Continue(()))
        .expect_err("sound")
        .to_string();
    assert_eq!(error, "memo.wav is sound, which translate does not take");
}
