//! A recording on its way to text: each window of sound is a question of its own, in order.
//!
//! Runs on the thread of a job. Windows end where it is quiet, so a word is not cut in two; each is at most 30 seconds,
//! which is what an encoder takes. The model sees one window at a time and nothing of the others.
use crate::{
    error::Problem,
    job::{Job, whole},
    pool::Held,
    query::{Answered, Happening, Segment, Speech},
};
use reckon::{Ask, Finish, Generation, Message, SoundWindow, engine::Event};
use std::ops::ControlFlow;

/// Tokens for a second of speech, and for whatever else an answer begins with. People say some four words a second; a
/// model that goes round in circles is cut here.
const PER_SECOND: f64 = 8.0;
const AT_LEAST: usize = 32;

/// Writes down what is said.
pub(crate) fn write(job: &Job, held: &Held, speech: &Speech) -> Result<Answered, Problem> {
    speech.file.check(&held.model)?;
    let file = speech.file.open()?;
    let instruction = instruction(speech);
    let mut session = job.session(held);
    let mut all = Generation::default();
    let mut segments: Vec<Segment> = Vec::new();
    for window in file.windows(&held.model)? {
        if job.stop.is_set() {
            all.finish = Finish::Cancelled;
            break;
        }
        let window = window?;
        let ask = ask(job, held, &instruction, &window);
        let mut is_first = true;
        let on_event = &mut |event: Event<'_>| {
            let mut heard = true;
            if let Event::Text(text) = event {
                // Between windows there is a space, and none before the first.
                let text = match std::mem::take(&mut is_first) {
                    true if !segments.is_empty() => format!(" {}", text.trim_start()),
                    _ => text.to_owned(),
                };
                heard = job.say(Happening::Text(text));
            }
            match heard && !job.stop.is_set() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        let said = session.generate(&ask, on_event);
        let said = said.map_err(reckon::Error::from)?;
        all.add_cost(&said);
        let is_over = said.finish == Finish::Cancelled;
        segments.push(Segment {
            begin: window.begin,
            end: window.end,
            text: said.text.trim().to_owned(),
        });
        if is_over {
            all.finish = Finish::Cancelled;
            break;
        }
    }
    let texts: Vec<&str> = segments.iter().map(|one| one.text.as_str()).collect();
    all.text = texts.join(" ");
    Ok(Answered {
        segments,
        notes: file.sound_notes(),
        ..whole(held, all, Vec::new(), false)
    })
}

fn instruction(speech: &Speech) -> String {
    let mut text = "Transcribe the following speech segment in its original language.".to_owned();
    if let Some(language) = &speech.language {
        text = format!("Transcribe the following speech segment. Its language is \"{language}\".");
    }
    text += " Only output the transcription, with no newlines.";
    if !speech.hint.trim().is_empty() {
        text += &format!(
            "\nNames and words that may occur in it: {}",
            speech.hint.trim()
        );
    }
    text
}

fn ask(job: &Job, held: &Held, instruction: &str, window: &SoundWindow) -> Ask {
    let seconds = (window.end - window.begin).as_secs_f64();
    let message = Message::user(instruction).with_media(vec![window.media.clone()]);
    Ask {
        messages: vec![message],
        sampling: job.overrides().apply(held.model.info().sampling.clone()),
        max_tokens: Some(AT_LEAST + (seconds * PER_SECOND) as usize),
        ..Ask::default()
    }
}
