//! Whether an answer says what was computed.

use reckon_compute::direct::compute;

fn said(question: &str, answer: &str) -> Option<bool> {
    compute(&[], question)
        .expect(question)
        .is_said(question, answer)
}

#[track_caller]
fn check(question: &str, rows: &[(&str, Option<bool>)]) {
    for (answer, expected) in rows {
        assert_eq!(said(question, answer), *expected, "{question} / {answer}");
    }
}

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

#[test]
fn numbers_and_their_roundings() {
    check(
        "What is 18% of 250?",
        &[
            ("18% of 250 is 45.", YES),
            ("It is **46**.", NO),
            ("Let me think.", None),
            ("That is 45 or 46.", None),
        ],
    );
    check(
        "10 miles in km",
        &[
            ("10 miles are about 16.09 km.", YES),
            ("roughly 16.1 km", YES),
            ("about 16 km", None),
            ("17.5 km", NO),
            ("16,093.44 m", YES),
        ],
    );
    check(
        "What is 123456 * 654321?",
        &[
            ("80,779,853,376", YES),
            ("80,779,853,377", NO),
            ("about 80.8 billion", NO),
        ],
    );
    check(
        "What is 7 - 12?",
        &[("7 - 12 = -5", YES), ("The answer is 5.", NO)],
    );
}

#[test]
fn money_may_be_a_loss() {
    let question = "I bought 40 shares at 21.50 and sold them at 18. What was my profit or loss?";
    check(
        question,
        &[
            ("You made a loss of $140.", YES),
            ("Your profit is -140.", YES),
            ("You made a profit of $140.", NO),
            ("A loss of $130.", NO),
        ],
    );
    check(
        "What's a 15% tip on $44?",
        &[
            ("$6.60", YES),
            ("The tip is $6.6.", YES),
            ("It is $6.70.", NO),
        ],
    );
}

#[test]
fn times_durations_and_dates() {
    let question = "A film starts at 15:10 and lasts 75 minutes. When does it end?";
    check(
        question,
        &[
            ("It ends at 16:25.", YES),
            ("At 4:25 pm.", YES),
            ("At 4:25 in the afternoon.", YES),
            ("At 16:35.", NO),
            ("At 4:25.", None),
        ],
    );
    let question = "How long does it take to drive 280 km at 80 km/h?";
    check(
        question,
        &[
            ("3.5 hours", YES),
            ("It takes 3 hours and 30 minutes.", YES),
            ("210 minutes", YES),
            ("3 h 20 min", NO),
            ("About 4 hours.", None),
        ],
    );
    let question = "What date is 30 days after January 10, 2025?";
    check(
        question,
        &[
            ("It is February 9, 2025.", YES),
            ("9 February", YES),
            ("It is February 10, 2025.", NO),
        ],
    );
    check(
        "What day of the week was May 8, 1945?",
        &[
            ("It was a Tuesday.", YES),
            ("Wednesday", NO),
            ("Tuesday or Wednesday", None),
        ],
    );
}

#[test]
fn shares_in_any_notation() {
    let question = "What is the chance of rolling a six with one die?";
    check(
        question,
        &[
            ("1/6", YES),
            ("about 16.67%", YES),
            ("0.167", YES),
            ("16.7 %", YES),
            ("1 in 6", YES),
            ("1/5", NO),
            ("20%", NO),
        ],
    );
    check(
        "27 is what percent of 60?",
        &[("45%", YES), ("It is 45 percent.", YES), ("54 %", NO)],
    );
}

#[test]
fn words_lists_choices_and_yes_or_no() {
    check(
        "What is 300 in hex?",
        &[
            ("0x12C", YES),
            ("300 is 12c in hexadecimal.", YES),
            ("12D", NO),
        ],
    );
    check(
        "Spell pencil backwards",
        &[("licnep", YES), ("l-i-c-n-e-p", YES), ("licenp", NO)],
    );
    check(
        "Is 221 divisible by 13?",
        &[
            ("Yes, 13 × 17 = 221.", YES),
            ("No.", NO),
            ("It might be.", None),
        ],
    );
    check(
        "Sort ascending: 9, 4, 6",
        &[("4, 6, 9", YES), ("4, 9, 6", NO)],
    );
    check(
        "Is 4/9 or 3/7 bigger?",
        &[
            ("4/9 is bigger than 3/7.", YES),
            ("3/7 is bigger.", NO),
            ("They are close.", None),
        ],
    );
    check(
        "Solve x^2 - 7x + 10 = 0",
        &[
            ("x = 2 or x = 5", YES),
            ("x = 1 and x = 10", NO),
            ("x = 3, x = 4", NO),
        ],
    );
}

#[test]
fn hours_may_be_said_with_minutes() {
    check(
        "how many hours from 9:40am to 4:15pm",
        &[
            ("That is 6 hours and 35 minutes.", YES),
            ("It is 6 hours 25 minutes.", NO),
            ("The answer is 7. Counting: 6 hours and 35 minutes.", None),
            ("About 6.58 hours.", YES),
        ],
    );
}

#[test]
fn a_question_repeated_is_no_answer() {
    check(
        "What is 0 + 0?",
        &[
            ("0 + 0 is an old question.", None),
            ("You asked: 0 + 0", None),
            ("0 + 0 = 0", YES),
            ("0 + 0 is 0.", YES),
            ("0", YES),
        ],
    );
    check(
        "What is 2 * 0?",
        &[("Let us work out 2 * 0.", None), ("The product is 0.", YES)],
    );
}

#[test]
fn fractions_and_mixed_numbers() {
    check(
        "0.375 as a fraction",
        &[
            ("It is 3/8.", YES),
            ("0.375 = 375/1000 = 3/8", YES),
            ("2/5", NO),
            // The same, in other terms.
            ("6/16", None),
        ],
    );
    check(
        "29/6 as a mixed number",
        &[("29/6 = 4 5/6", YES), ("4 1/6", NO)],
    );
}
