//! A jury of answers and programs: what it verifies, corrects and leaves in doubt, with scripted jurors.
use crate::script::{Model, Says, ask, go_on};
use reckon_assistant::{
    Ask, BatchEvent, CheckLevel, GuardOutcome, MarkState, OnBatch, OnEvent, Outcome, Pipeline,
    Reply, Result, TextModel, Tools, guards,
};
use reckon_engine::{Event, Finish, Generation, Message};
use std::ops::ControlFlow;

const QUESTION: &str = "Mia buys 4 pens at $3 each and 2 books at $11 each, and her brother pays $6 of it. \
                        How much does she pay in total?";

/// Writes answers and programs that come to these numbers, one after the other; the last one again and again.
struct Jurors {
    drafts: Vec<u32>,
    programs: Vec<u32>,
    asked: (usize, usize),
    /// Further answers begin with so many bytes before they say their number.
    rambling: usize,
}

impl Jurors {
    fn new(drafts: &[u32], programs: &[u32]) -> Self {
        Self {
            drafts: drafts.to_vec(),
            programs: programs.to_vec(),
            asked: (0, 0),
            rambling: 0,
        }
    }
}

impl TextModel for Jurors {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        Ok(messages.len())
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let next = |numbers: &[u32], at: &mut usize| {
            *at += 1;
            numbers[(*at - 1).min(numbers.len() - 1)]
        };
        let text = if ask.prefix.is_empty() {
            let number = next(&self.drafts, &mut self.asked.0);
            let is_further = self.asked.0 > 1;
            let before = "well ".repeat(if is_further { self.rambling / 5 } else { 0 });
            format!("{before}Mia pays ${number} in total.")
        } else {
            // Of literals that the question has, and one that the bench below reads.
            let number = next(&self.programs, &mut self.asked.1);
            format!(
                "    pens = 4 * 3\n    books = 2 * 11\n    return pens + books - 6 # {number}\n```"
            )
        };
        let is_stopped = on_event(Event::Text(&text)).is_break();
        Ok(Generation {
            text,
            tokens: vec![1; 3],
            finish: match is_stopped {
                true => Finish::Cancelled,
                false => Finish::Stop,
            },
            ..Generation::default()
        })
    }
}

/// What a program says that comes to nothing.
const NOTHING: u32 = 0;

/// Runs a program by reading what its comment says; so each program has a number of its own.
struct Bench(Vec<u32>);

impl Tools for Bench {
    fn python(&mut self, _: &str) -> Outcome {
        let number = if self.0.len() > 1 {
            self.0.remove(0)
        } else {
            self.0[0]
        };
        Outcome {
            value: (number != NOTHING).then(|| number.to_string()),
            ..Outcome::default()
        }
    }

    fn logic(&mut self, _: &str) -> Outcome {
        Outcome::default()
    }
}

fn judged(level: CheckLevel, drafts: &[u32], programs: &[u32]) -> (Reply, (usize, usize)) {
    judged_on(QUESTION, level, drafts, programs)
}

fn judged_on(
    question: &str,
    level: CheckLevel,
    drafts: &[u32],
    programs: &[u32],
) -> (Reply, (usize, usize)) {
    let (reply, model) = judged_by(Jurors::new(drafts, programs), question, level);
    (reply, model.asked)
}

fn judged_by(mut model: Jurors, question: &str, level: CheckLevel) -> (Reply, Jurors) {
    let ask = Ask {
        check: level,
        ..ask(question)
    };
    let mut tools = Bench(model.programs.clone());
    let reply = Pipeline::new(guards::all())
        .answer(&mut model, &mut tools, &ask, &mut go_on)
        .expect("an answer");
    (reply, model)
}

fn state(reply: &Reply) -> Option<MarkState> {
    reply.receipt.mark.as_ref().map(|mark| mark.state)
}

#[test]
fn two_programs_beside_the_answer_verify_it() {
    let (reply, asked) = judged(CheckLevel::Quick, &[28], &[28]);
    assert_eq!(reply.text, "Mia pays $28 in total.");
    assert_eq!(state(&reply), Some(MarkState::Verified));
    assert_eq!(asked, (1, 3), "one that differs could still take it back");
    let mark = reply.receipt.mark.expect("a mark");
    assert_eq!(mark.value.as_deref(), Some("28"));
    assert!(mark.votes > Some(1));
}

#[test]
fn programs_alone_never_overrule_an_answer_in_a_quick_check() {
    let (reply, _) = judged(CheckLevel::Quick, &[30], &[28]);
    assert_eq!(reply.text, "Mia pays $30 in total.");
    assert_eq!(state(&reply), Some(MarkState::Doubtful));
    let mark = reply.receipt.mark.expect("a mark");
    assert_eq!(mark.value.as_deref(), Some("30"));
    assert_eq!(mark.other.as_deref(), Some("28"));
}

#[test]
fn one_program_among_three_that_differ_verifies_nothing() {
    let (reply, _) = judged(CheckLevel::Quick, &[28], &[28, 27, 26]);
    assert_eq!(state(&reply), Some(MarkState::Doubtful));
}

#[test]
fn right_programs_correct_answers_that_are_wrong_each_in_another_way() {
    let drafts = [30, 31, 32, 33, 34, 35];
    let (reply, _) = judged(CheckLevel::Full, &drafts, &[28]);
    assert_eq!(state(&reply), Some(MarkState::Corrected));
    assert!(reply.text.contains("**28**"), "{}", reply.text);
    let entry = reply.receipt.acted().next().expect("an entry");
    assert_eq!(entry.outcome, GuardOutcome::Revised);
    assert_eq!(entry.replaced.as_deref(), Some("Mia pays $30 in total."));
    let mark = reply.receipt.mark.expect("a mark");
    assert_eq!(mark.other.as_deref(), Some("30"));
}

#[test]
fn programs_that_are_wrong_in_the_same_way_change_nothing_and_verify_nothing() {
    let (reply, _) = judged(CheckLevel::Full, &[28], &[30]);
    assert_eq!(reply.text, "Mia pays $28 in total.");
    assert_eq!(state(&reply), Some(MarkState::Doubtful));
}

#[test]
fn answers_and_programs_together_correct_the_first_answer() {
    let (reply, _) = judged(CheckLevel::Full, &[30, 28], &[28]);
    assert_eq!(state(&reply), Some(MarkState::Corrected));
    assert_eq!(
        reply.text, "Mia pays $28 in total.",
        "an answer in words where there is one"
    );
}

#[test]
fn a_full_check_asks_nobody_else_where_a_quick_one_verifies() {
    let (reply, asked) = judged(CheckLevel::Full, &[28], &[28]);
    assert_eq!(state(&reply), Some(MarkState::Verified));
    assert_eq!(asked, (1, 3));
    let mark = reply.receipt.mark.expect("a mark");
    assert_eq!((mark.votes, mark.cast), (Some(4), Some(4)));
}

#[test]
fn a_jury_ends_when_no_vote_can_change_its_outcome() {
    let programs = [NOTHING, NOTHING, 28, 28, 28, 28];
    let (reply, asked) = judged(CheckLevel::Full, &[28], &programs);
    assert_eq!(state(&reply), Some(MarkState::Verified));
    assert_eq!(
        asked,
        (2, 6),
        "four answers more could not outvote these six"
    );
}

/// Says when the fifth text, a program, may begin: its programs end in their order while the answer is being written.
struct Interleaved {
    programs: Vec<u32>,
    began_after: Option<usize>,
}

impl TextModel for Interleaved {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        Ok(messages.len())
    }

    fn generate(&mut self, _: &Ask, _: &mut OnEvent<'_>) -> Result<Generation> {
        unreachable!("everything is asked for in one batch")
    }

    fn batch(&mut self, asks: &[Ask], on_event: &mut OnBatch<'_>) {
        let mut jurors = Jurors::new(&[28], &self.programs);
        for at in 0..4 {
            assert!(on_event(at, BatchEvent::Begin).is_continue(), "{at}");
        }
        let programs = asks.iter().enumerate().skip(1);
        for (ended, ask) in programs.take(self.programs.len()) {
            assert!(on_event(4, BatchEvent::Begin).is_break());
            let program = jurors.generate(ask, &mut |_| ControlFlow::Continue(()));
            let text = program.as_ref().unwrap().text.clone();
            let _ = on_event(ended, BatchEvent::Writing(Event::Text(&text)));
            let _ = on_event(ended, BatchEvent::Ended(program));
            if on_event(4, BatchEvent::Begin).is_continue() {
                self.began_after = Some(ended);
                break;
            }
        }
        let answer = jurors.generate(&asks[0], &mut |_| ControlFlow::Continue(()));
        let _ = on_event(0, BatchEvent::Ended(answer));
    }
}

#[test]
fn a_full_check_begins_its_other_texts_once_the_first_programs_cannot_verify() {
    let began_after = |programs: &[u32]| {
        let mut model = Interleaved {
            programs: programs.to_vec(),
            began_after: None,
        };
        let ask = Ask {
            check: CheckLevel::Full,
            ..ask(QUESTION)
        };
        let mut tools = Bench(programs.to_vec());
        Pipeline::new(guards::all())
            .answer(&mut model, &mut tools, &ask, &mut go_on)
            .expect("an answer");
        model.began_after
    };
    assert_eq!(
        began_after(&[28, 28, 28]),
        None,
        "the answer may say it too"
    );
    assert_eq!(began_after(&[28, 26, 28]), Some(2));
    assert_eq!(began_after(&[28, 28, 26]), Some(3));
    assert_eq!(began_after(&[28]), None);
}

#[test]
fn few_programs_verify_an_answer_only_with_a_second_one() {
    let programs = [NOTHING, NOTHING, 28, 28, 28, NOTHING];
    let (reply, _) = judged(CheckLevel::Full, &[28, 31, 32, 33, 34, 35], &programs);
    assert_eq!(state(&reply), Some(MarkState::Doubtful));
    let (reply, asked) = judged(CheckLevel::Full, &[28, 28, 28, 28, 28], &programs);
    assert_eq!(state(&reply), Some(MarkState::Verified));
    assert!(asked.0 > 1, "{asked:?}");
}

#[test]
fn a_program_that_differs_is_not_outvoted_by_a_full_check() {
    let (reply, _) = judged(CheckLevel::Full, &[28], &[26, 28, 28, 28, 28, 28]);
    assert_eq!(state(&reply), Some(MarkState::Doubtful));
}

/// All programs are in, and five of them agree; six would correct an answer that no other repeats, but no answer is a program.
#[test]
fn answers_that_are_out_do_not_count_as_programs() {
    let programs = [28, 28, 28, 28, 28, 26];
    let (reply, asked) = judged(CheckLevel::Full, &[30, 31, 32, 33, 34, 35], &programs);
    assert_eq!(state(&reply), Some(MarkState::Doubtful));
    assert_eq!(asked, (4, 6), "two answers more would not make eight votes");
}

#[test]
fn nobody_waits_for_an_answer_that_runs_on() {
    let rambling = |bytes| {
        let jurors = Jurors {
            rambling: bytes,
            ..Jurors::new(&[30, 28], &[28, 28, 28, 26, 25, 24])
        };
        let (reply, _) = judged_by(jurors, QUESTION, CheckLevel::Full);
        let entry = reply.receipt.acted().next().expect("an entry").clone();
        let cut = entry.votes.iter().filter(|vote| vote.void.is_some());
        (state(&reply), cut.count())
    };
    assert_eq!(rambling(150), (Some(MarkState::Corrected), 0));
    // After three of five the others cannot overrule the answer any more.
    assert_eq!(rambling(400), (Some(MarkState::Doubtful), 3));
}

/// The model misreads it every time, so that all its votes agree.
#[test]
fn agreement_on_a_known_misreading_verifies_nothing() {
    let question = "Mia pays $22 for 2 books at $11 each and $12 for 4 pens at $3 each; her brother adds $6. \
                    How much more do the books cost than the pens?";
    for level in [CheckLevel::Quick, CheckLevel::Full] {
        let (reply, _) = judged_on(question, level, &[22], &[22]);
        assert_eq!(state(&reply), Some(MarkState::Doubtful), "{level:?}");
        let (reply, _) = judged_on(question, level, &[10], &[10]);
        assert_eq!(state(&reply), Some(MarkState::Verified), "{level:?}");
    }
}

#[test]
fn agreement_on_a_known_misreading_corrects_nothing() {
    let question = "Mia pays $22 for 2 books at $11 each and $12 for 4 pens at $3 each; her brother adds $6. \
                    How much more do the books cost than the pens?";
    let drafts = [10, 22];
    let (reply, _) = judged_on(question, CheckLevel::Full, &drafts, &[22]);
    assert_eq!(state(&reply), Some(MarkState::Doubtful));
    assert_eq!(reply.text, "Mia pays $10 in total.");
    let mark = reply.receipt.mark.expect("a mark");
    assert_eq!(mark.value.as_deref(), Some("10"));
    assert_eq!(mark.other.as_deref(), Some("22"));
}

#[test]
fn what_an_answers_own_steps_come_to_corrects_it_only_if_most_programs_agree() {
    let said = "Pens: 4 * 3 = 12. Books: 2 * 11 = 22. In total 12 + 22 - 6 = 38, so Mia pays $38.";
    let program = "    pens = 4 * 3\n    books = 2 * 11\n    return pens + books - 6\n```";
    let judged = |programs: &[u32]| {
        let mut says = vec![Says::Text(said)];
        says.extend(vec![Says::Text(program); 6]);
        says.push(Says::Text(said));
        let ask = Ask {
            check: CheckLevel::Full,
            ..ask(QUESTION)
        };
        let mut tools = Bench(programs.to_vec());
        let reply = Pipeline::new(guards::all())
            .answer(&mut Model::new(says), &mut tools, &ask, &mut go_on)
            .expect("an answer");
        reply.receipt.mark.expect("a mark")
    };
    let mark = judged(&[28]);
    assert_eq!(mark.state, MarkState::Corrected, "{mark}");
    assert_eq!(mark.value.as_deref(), Some("28"));
    // Four of six; the last one again and again.
    let mark = judged(&[28, 28, 28, 28, 31]);
    assert_eq!(mark.state, MarkState::Corrected, "{mark}");
    for programs in [&[28, 31][..], &[28, 28, 28, 31]] {
        let mark = judged(programs);
        assert_eq!(mark.state, MarkState::Doubtful, "{mark}");
    }
}

#[test]
fn without_a_jury_the_mark_says_why_nobody_checked() {
    for (level, why) in [
        (CheckLevel::Off, "off"),
        (CheckLevel::Direct, "closed form"),
    ] {
        let (reply, asked) = judged(level, &[28], &[28]);
        assert_eq!(asked, (1, 0));
        let mark = reply.receipt.mark.expect("a mark");
        assert_eq!(mark.state, MarkState::Unchecked);
        assert!(mark.why.contains(why), "{}", mark.why);
    }
}
