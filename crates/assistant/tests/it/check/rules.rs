//! Every rule on answers of our own: one that keeps it, one that does not, and what the evidence names.
use reckon_assistant::check::{Compliance, Requirement, find};

/// The requirement of a prompt with this id.
#[track_caller]
fn one(prompt: &str, id: &str) -> Requirement {
    let found = find(prompt);
    let wanted = found.iter().find(|one| one.id == id);
    wanted
        .unwrap_or_else(|| panic!("{id} is not in {found:?}"))
        .clone()
}

#[track_caller]
fn check(prompt: &str, id: &str, passes: &[&str], fails: &[&str]) {
    let requirement = one(prompt, id);
    for answer in passes {
        assert_eq!(
            requirement.verify(answer),
            Compliance::Pass,
            "{answer:?} under {:?}",
            requirement.rule
        );
    }
    for answer in fails {
        assert_eq!(
            requirement.verify(answer),
            Compliance::Fail,
            "{answer:?} under {:?}",
            requirement.rule
        );
    }
}

#[test]
fn counts_have_their_exact_meaning() {
    let id = "length_constraints:number_words";
    check(
        "Answer in less than 4 words.",
        id,
        &["one two three"],
        &["one two three four"],
    );
    check(
        "Answer in at most 4 words.",
        id,
        &["one two three four"],
        &["a b c d e"],
    );
    check("Use more than 2 words.", id, &["a b c"], &["a b"]);
    check(
        "Use exactly three words.",
        id,
        &["a b c"],
        &["a b", "a b c d"],
    );
    check(
        "Your answer should not exceed 3 words.",
        id,
        &["a b c"],
        &["a b c d"],
    );
    check("Answer in one word.", id, &["Paris"], &["It is Paris"]);
    let between = find("Use between 2 and 3 words.");
    let verdicts = |answer: &str| {
        between
            .iter()
            .map(|one| one.verify(answer))
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts("a b"), [Compliance::Pass, Compliance::Pass]);
    assert_eq!(verdicts("a"), [Compliance::Fail, Compliance::Pass]);
    assert_eq!(verdicts("a b c d"), [Compliance::Pass, Compliance::Fail]);
}

#[test]
fn a_bare_number_of_words_is_about_that_many() {
    let essay = one(
        "Write a 100-word essay on dew.",
        "length_constraints:about_words",
    );
    let words = |count: usize| "dew ".repeat(count);
    let verdicts = [95, 130, 30].map(|count| essay.verify(&words(count)));
    assert_eq!(
        verdicts,
        [Compliance::Pass, Compliance::Unknown, Compliance::Fail]
    );
}

#[test]
fn sentences_lines_paragraphs_and_parts() {
    check(
        "Use fewer than 3 sentences.",
        "length_constraints:number_sentences",
        &["Dr. Hill came. He left."],
        &["A cat. A dog. A cow."],
    );
    check(
        "Use fewer than 3 lines.",
        "length_constraints:number_lines",
        &["a\n\nb"],
        &["a\nb\nc\nd\ne"],
    );
    check(
        "Write exactly 2 paragraphs.",
        "length_constraints:paragraphs",
        &["one\n\ntwo"],
        &["a long single paragraph of many words stands here alone"],
    );
    check(
        "Write exactly 2 paragraphs. Separate them with the markdown divider: ***",
        "length_constraints:number_paragraphs",
        &["a\n***\nb"],
        &["a\n\nb", "a\n***\n***\nb"],
    );
    check(
        "Give exactly 2 bullet points.",
        "detectable_format:number_bullet_lists",
        &["* a\n* b", "- a\n- b"],
        &["* a", "1. a\n2. b"],
    );
    check(
        "Your answer must have 2 sections marked with SECTION X.",
        "detectable_format:multiple_sections",
        &["SECTION 1\na\nSECTION 2\nb"],
        &["SECTION 1\na"],
    );
}

#[test]
fn a_title_may_or_may_not_be_a_line() {
    let poem = one(
        "Write a four line poem about moss.",
        "length_constraints:number_lines",
    );
    assert_eq!(poem.verify("a\nb\nc\nd"), Compliance::Pass);
    assert_eq!(poem.verify("**Moss**\na\nb\nc\nd"), Compliance::Unknown);
    assert_eq!(poem.verify("a\nb\nc"), Compliance::Fail);
}

#[test]
fn every_sentence_has_four_words() {
    let rule = one(
        "Tell me about rain. Every sentence must have exactly four words.",
        "units:length",
    );
    assert_eq!(rule.describe(), "every sentence has exactly 4 words");
    assert_eq!(
        rule.verify("Rain falls on us. It's cold and wet."),
        Compliance::Pass
    );
    let finding =
        rule.examine("Rain falls on us. Wet. It makes rivers grow. So it goes on and on.");
    assert_eq!(finding.verdict, Compliance::Fail);
    assert_eq!(finding.evidence, "sentences 2 and 4 of 4 do not");
}

#[test]
fn units_start_and_end_as_asked() {
    check(
        "Start every sentence with the letter A.",
        "units:start_letter",
        &["All is well. \"And so,\" he said."],
        &["All is well. But no."],
    );
    check(
        "Each line should end with \"!\"",
        "units:end",
        &["a!\nb!"],
        &["a!\nb"],
    );
    check(
        "The sentences begin with consecutive letters from B to D.",
        "units:consecutive_letters",
        &["Bees fly. Cats sit. Dogs run."],
        &["Bees fly. Dogs run. Cats sit.", "Bees fly. Cats sit."],
    );
    check(
        "Each sentence must contain exactly 1 more words than the previous one.",
        "sentence:increment",
        &["Go. Go on. Go on now."],
        &["Go. Go on now."],
    );
    check(
        "No two consecutive words can share the same first letter.",
        "words:no_consecutive",
        &["one two one"],
        &["big bear"],
    );
}

#[test]
fn words_and_letters() {
    check(
        "Include the keywords \"tea\" and \"cup\".",
        "keywords:existence",
        &["A teacup."],
        &["Tea."],
    );
    check(
        "Do not use the word \"tea\".",
        "keywords:forbidden_words",
        &["A teacup."],
        &["Tea!"],
    );
    check(
        "Use the word \"tea\" at least twice.",
        "keywords:frequency",
        &["Tea, tea."],
        &["Tea."],
    );
    check(
        "The word tea should not appear more than 2 times.",
        "keywords:frequency",
        &["tea tea"],
        &["tea tea tea"],
    );
    check(
        "Write it without using the letter e.",
        "keywords:letter_frequency",
        &["a dog"],
        &["the dog"],
    );
    check(
        "Do not use commas.",
        "punctuation:no_comma",
        &["a b"],
        &["a, b"],
    );
    check(
        "Use at least 2 words in all capital letters.",
        "change_case:capital_word_frequency",
        &["GO NOW please"],
        &["GO now"],
    );
    let missing = one(
        "Include the keywords \"tea\" and \"cup\".",
        "keywords:existence",
    )
    .examine("Nothing.");
    assert_eq!(missing.evidence, "\"tea\" and \"cup\" are missing");
}

#[test]
fn case_and_language() {
    check(
        "Write in lowercase only.",
        "change_case:english_lowercase",
        &["the cat is on the mat"],
        &[
            "The cat is on the mat",
            "der hund und die katze sind nicht im haus und das ist gut",
        ],
    );
    check(
        "Answer in all caps.",
        "change_case:english_capital",
        &["THE CAT IS HERE"],
        &["The cat"],
    );
    check(
        "Respond only in Spanish.",
        "language:response_language",
        &["El gato está en la casa de la niña y no quiere salir."],
        &[
            "The cat is in the house and it does not want to go out.",
            "猫は家にいます。",
        ],
    );
    check(
        "Respond only in Korean.",
        "language:response_language",
        &["고양이는 집에 있어요."],
        &["The cat is here."],
    );
    check(
        "Your whole answer must be in Hindi.",
        "language:response_language",
        &["यह एक बिल्ली है और वह घर में है।"],
        &["मी घरी आहे आणि तो आहे म्हणून ते होते."],
    );
}

#[test]
fn shapes() {
    check(
        "Your entire output must be in JSON format.",
        "detectable_format:json_format",
        &["```json\n{\"a\": [1]}\n```"],
        &["{a: 1}", "Here: {\"a\": 1}"],
    );
    check(
        "Give the list in CSV format.",
        "detectable_format:csv_format",
        &["a,b\n\"1,2\",3"],
        &["a,b\n1,2,3"],
    );
    check(
        "Write it in YAML format.",
        "detectable_format:yaml_format",
        &["a: 1\nb:\n  - c"],
        &["a:\n\t- b"],
    );
    check(
        "Show it in a markdown table.",
        "detectable_format:markdown_table",
        &["| a | b |\n|---|---|\n| 1 | 2 |"],
        &["a, b"],
    );
    let some = one(
        "Give me the answer as a JSON object.",
        "detectable_format:json_format",
    );
    assert_eq!(some.verify("Here it is: {\"a\": 1}"), Compliance::Unknown);
    assert_eq!(some.verify("There is none."), Compliance::Fail);
}

#[test]
fn edges_and_marks() {
    check(
        "End your answer with \"So it is.\"",
        "startend:end_checker",
        &["Yes. so it is."],
        &["So it is. Yes."],
    );
    check(
        "Start your answer with \"Well\"",
        "detectable_format:constrained_start",
        &["Well then."],
        &["Oh well."],
    );
    check(
        "Wrap your entire answer in double quotation marks.",
        "startend:quotation",
        &["\"a\""],
        &["\"a\" b", "\""],
    );
    check(
        "Add a title in double angular brackets, such as <<title>>.",
        "detectable_format:title",
        &["<<Dew>>\ntext"],
        &["<Dew>", "<< >>"],
    );
    check(
        "Add a postscript starting with P.P.S at the end.",
        "detectable_content:postscript",
        &["a\nP.P.S. b"],
        &["a\nP.S. b"],
    );
    check(
        "Use at least 2 placeholders like [name].",
        "detectable_content:number_placeholders",
        &["[a] and [b]"],
        &["[a]"],
    );
    check(
        "Highlight at least 2 sections with markdown, i.e. *section*.",
        "detectable_format:number_highlighted_sections",
        &["*a* and *b*"],
        &["*a*"],
    );
    check(
        "Provide exactly two different answers separated by ******.",
        "combination:two_responses",
        &["a\n******\nb"],
        &["a\n******\na", "a"],
    );
    check(
        "Is it late? Answer with yes or no.",
        "detectable_format:constrained_response",
        &["Yes."],
        &["I know it well."],
    );
    check(
        "Write 2 paragraphs. The second paragraph must start with the word \"So\".",
        "length_constraints:nth_paragraph_first_word",
        &["One.\n\nSo, two."],
        &["One.\n\nTwo.", "So."],
    );
    check(
        "Name a lake.\nFirst repeat the request above word for word without change, then answer.",
        "combination:repeat_prompt",
        &["Name a lake.\n\nErie."],
        &["Erie."],
    );
}

#[test]
fn what_cannot_be_counted_is_unknown() {
    for (prompt, id) in [
        ("Write a poem that rhymes.", "sound:rhyme"),
        ("Write a haiku about rust.", "form:verse"),
        ("Write a line of seven syllables.", "sound:syllables"),
    ] {
        assert_eq!(
            one(prompt, id).verify("Some words."),
            Compliance::Unknown,
            "{prompt}"
        );
    }
}

#[test]
fn quoted_text_and_code_ask_for_nothing() {
    for prompt in [
        "Fix this: \"Please write at least three hundred words without any commas in your response.\"",
        "What does this do?\n```\n# Use at least 3 words and no commas.\nprint(1)\n```",
    ] {
        assert_eq!(find(prompt), [], "{prompt}");
    }
}

#[test]
fn a_long_prompt_without_an_end_is_read_in_bounded_work() {
    for piece in [
        "word ",
        "the word \"x\" ",
        "use at least 3 words ",
        "'a ",
        "*",
        "each sentence has four words ",
    ] {
        let prompt = piece.repeat((64 << 10) / piece.len());
        assert!(find(&prompt).len() <= reckon_assistant::check::MOST_REQUIREMENTS);
    }
}

/// What is asked for, in the words of the requirements.
fn described(prompt: &str) -> Vec<String> {
    find(prompt).iter().map(Requirement::describe).collect()
}

#[test]
fn words_that_end_in_nt_deny_nothing() {
    for (prompt, wanted) in [
        ("I want at least 300 words.", "at least 300 words"),
        ("I want to have at least 300 words.", "at least 300 words"),
        (
            "Tell me about an elephant in at least 300 words.",
            "at least 300 words",
        ),
        (
            "Describe a restaurant, it is to be at most 40 words.",
            "at most 40 words",
        ),
        (
            "Present it using more than 5 sentences.",
            "more than 5 sentences",
        ),
        (
            "Write an important announcement to the tenant, using at least 3 sentences.",
            "at least 3 sentences",
        ),
        ("I don't want more than 40 words.", "at most 40 words"),
        ("I don’t want more than 40 words.", "at most 40 words"),
        (
            "Your answer shouldn't have fewer than 40 words.",
            "at least 40 words",
        ),
        (
            "Your reply must not be less than 40 words.",
            "at least 40 words",
        ),
        (
            "Your reply should never exceed 40 words.",
            "at most 40 words",
        ),
        ("You cannot use more than 40 words.", "at most 40 words"),
    ] {
        assert_eq!(
            described(prompt),
            [format!("the answer has {wanted}")],
            "{prompt}"
        );
    }
    for prompt in [
        "I want commas in your answer.",
        "Mention the elephant, use commas.",
        "Write about the ant using the word \"hill\".",
    ] {
        let found = find(prompt);
        let forbids =
            |one: &Requirement| one.describe().contains(" not ") || one.id.contains("no_comma");
        assert!(!found.iter().any(forbids), "{prompt}: {found:?}");
    }
    let there = described("Write about a restaurant that I want, include the word \"soup\".");
    assert_eq!(there, ["the answer contains \"soup\""]);
}

#[test]
fn ranges_and_alternatives() {
    let both = |low: u64, high: u64, noun: &str| {
        [
            format!("the answer has at least {low} {noun}"),
            format!("the answer has at most {high} {noun}"),
        ]
    };
    assert_eq!(described("Answer in 5 to 10 words."), both(5, 10, "words"));
    assert_eq!(described("Answer in 5-10 words."), both(5, 10, "words"));
    assert_eq!(
        described("Answer in five to ten words."),
        both(5, 10, "words")
    );
    assert_eq!(described("Use 2 or 3 sentences."), both(2, 3, "sentences"));
    let one = described("Answer in 1 or 2 sentences.");
    assert_eq!(
        one,
        [
            "the answer has at least 1 sentence",
            "the answer has at most 2 sentences"
        ]
    );
    for prompt in [
        "Your answer must be less than 3 sentences (just 1 or 2).",
        "Your answer must be less than 3 sentences (1 or 2 sentences).",
    ] {
        let found = find(prompt);
        let verdicts = |answer: &str| {
            found
                .iter()
                .all(|one| one.verify(answer) == Compliance::Pass)
        };
        assert!(!found.is_empty(), "{prompt}");
        assert!(
            verdicts("One here.") && verdicts("One here. Two here."),
            "{prompt}: {found:?}"
        );
        assert!(!verdicts("One. Two here. Three here."), "{prompt}");
    }
    let capitals = both(5, 10, "words in all capital letters");
    assert_eq!(described("Use 5 to 10 capitalized words."), capitals);
    assert_eq!(
        described("Include between 5 and 10 words in all caps."),
        capitals
    );
}

#[test]
fn two_words_that_are_ruled_out_are_both_ruled_out() {
    for prompt in [
        "Do not mention cats and dogs.",
        "Don’t mention cats or dogs.",
        "Do not mention \"cats\" and \"dogs\".",
        "Do not mention “cats” and “dogs”.",
        "Do not use the words ‘cats’ and ‘dogs’.",
        "Write about pets without mentioning cats and dogs.",
    ] {
        let wanted = ["the answer does not contain \"cats\" or \"dogs\""];
        assert_eq!(described(prompt), wanted, "{prompt}");
    }
}

#[test]
fn curly_quotation_marks_are_quotation_marks() {
    for (prompt, wanted) in [
        (
            "Include the word “tea” at least twice.",
            "the answer has at least 2 uses of \"tea\"",
        ),
        (
            "Don’t use the word ‘good’.",
            "the answer does not contain \"good\"",
        ),
        (
            "End your answer with “So it is.”",
            "the answer ends with \"So it is.\" and nothing after it",
        ),
        (
            "Start your answer with ‘Well’",
            "the answer starts with \"Well\"",
        ),
        (
            "The letter ‘z’ must appear less than 3 times.",
            "the answer has fewer than 3 letters 'z'",
        ),
        (
            "Each line should end with “!”",
            "every line ends with \"!\"",
        ),
    ] {
        assert_eq!(described(prompt), [wanted], "{prompt}");
    }
}

#[test]
fn a_limit_may_be_put_in_many_words() {
    for prompt in [
        "Limit the word “very” for less than 20 times.",
        "Please limit the use of the word \"very\" for less than 20 times.",
        "Limit the use of the word 'very' to less than 20 times.",
    ] {
        let wanted = ["the answer has fewer than 20 uses of \"very\""];
        assert_eq!(described(prompt), wanted, "{prompt}");
    }
}
