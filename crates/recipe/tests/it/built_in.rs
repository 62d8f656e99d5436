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
    assert!(system.contains("The notes are all you know"));
    assert!(
        user.contains("in a formal tone") && user.starts_with("Notes:\nlate until Friday\n\n"),
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
    assert!(user.starts_with("Notes:\nlong walk\n\n"), "{user}");
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

/// What is left of what a tutor says.
fn tutored(say: &'static str) -> Result<Answer, Error> {
    let homework =
        "Solve 3(x - 2) + 4 = 19.\n1) 3x - 6 + 4 = 19\n2) 3x - 10 = 19\n3) 3x = 29\n4) x = 29/3\n";
    let (mut runner, _) = runner(built_in("tutor"), move |_| say.into());
    runner.answer(&Item::new("homework.txt", homework), &mut |_| {
        ControlFlow::Continue(())
    })
}

#[test]
fn tutor_leaves_out_what_gives_the_answer_away() {
    // As a model of 1.5 billion parameters said it, though told not to.
    let answer = tutored(
        "1. **Step 1:** 3x - 6 + 4 = 19\n   - This step is correct.\n\n\
         There is an error in step 2. What is -6 + 4?\nStep 2 should be:\n3x - 2 = 19\n3x = 21\nx = 7\n\
         So x is seven. Try `3x - 10 = 19` again (3x - 6 + 4 = 19).",
    )
    .expect("an answer");
    assert_eq!(
        answer.text,
        "1. **Step 1:** 3x - 6 + 4 = 19\n   - This step is correct.\n\n\
         There is an error in step 2. What is -6 + 4?\n\
         Try `3x - 10 = 19` again (3x - 6 + 4 = 19)."
    );
    assert_eq!(
        answer.notes,
        ["4 sentences with new numbers left out: they could give the result away"]
    );
}

#[test]
fn tutor_hides_results_made_of_numbers_that_the_homework_has() {
    for say in [
        "x = 2.",
        "It is 3x - 2.",
        "3x - 2 = 19",
        "The answer is 4/3.",
        "\\( x = 19 \\)",
        "It comes to fourteen.",
        "Then x is ninety.",
    ] {
        let error = tutored(say).expect_err(say).to_string();
        assert!(error.contains("gave the result away"), "{say}: {error}");
    }
    for say in [
        "Why -10 in step 2?",
        "In line 5 you stop - why?",
        "**2)** does not follow from 1).",
        "Good - go on!",
    ] {
        let answer = tutored(say).expect(say);
        assert_eq!((answer.text.as_str(), answer.notes.len()), (say, 0));
    }
}

#[test]
fn windows_of_long_lines_are_cut_to_what_the_context_has_room_for() {
    // 40 lines of 100 words each do not fit in 2,000 words together with their translation.
    let lines: Vec<String> = (0..40)
        .map(|n| format!("line {n} {}", "word ".repeat(98).trim_end()))
        .collect();
    let (mut runner, asked) = runner(built_in("translate"), |prompt| {
        prompt.lines().skip(2).collect::<Vec<_>>().join("\n")
    });
    let item = Item::new("long.txt", lines.join("\n"));
    let answer = runner
        .answer(&item, &mut |_| ControlFlow::Continue(()))
        .expect("an answer");
    assert_eq!(answer.text, lines.join("\n"), "nothing is left out");
    let asked = asked.lock().expect("alone");
    let longest = asked.iter().map(|messages| {
        let words = |text: &str| text.split_whitespace().count();
        messages
            .iter()
            .map(|one| words(&one.content))
            .sum::<usize>()
    });
    assert!(longest.max().is_some_and(|words| words <= 800));
    // A single line is cut between words.
    let one = Item::new("one.txt", "word ".repeat(3_000));
    drop(asked);
    let answer = runner
        .answer(&one, &mut |_| ControlFlow::Continue(()))
        .expect("an answer");
    assert_eq!(answer.text.split_whitespace().count(), 3_000);
}

#[test]
fn a_field_that_a_schema_does_not_require_leaves_an_empty_cell() {
    let mut recipe = built_in("extract");
    let schema = r#"{"type": "object", "properties": {"vendor": {"type": "string"}, "iban": {"type": "string"}}}"#;
    recipe.set_schema(schema.into()).expect("set");
    let rows = Rows::new(&recipe, recipe.output, false);
    let say = r#"{"vendor": "Ann"}"#;
    let (answer, _, _) = answer(recipe, &Item::new("a.txt", "By Ann"), say);
    assert_eq!(rows.row(&answer), "a.txt,Ann,1:3-6,,\n");
}

#[test]
fn the_same_notes_on_another_day_are_another_entry() {
    let item = Item::new("standard input", "slept badly");
    let key = |name, day| item.key_on(&built_in(name), day);
    assert_ne!(key("journal", "2026-01-02"), key("journal", "2026-01-03"));
    assert_eq!(
        key("translate", "2026-01-02"),
        key("translate", "2026-01-03"),
        "a run over night is resumed after midnight"
    );
}

#[test]
fn entries_of_a_file_have_an_empty_line_between_them() {
    let recipe = built_in("journal");
    let rows = Rows::new(&recipe, recipe.output, false).apart();
    let item = Item::new("standard input", "long walk");
    let (answer, _, _) = answer(recipe, &item, "2026-01-02\n\nI walked.");
    assert_eq!(rows.row(&answer), "2026-01-02\n\nI walked.\n\n");
}
