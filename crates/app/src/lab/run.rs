//! `reckon lab run`: each turn of each question is answered, raw and guarded; the tape keeps both texts.
//!
//! The guarded and the raw system hold a conversation each. Guards look after the model has spoken and change nothing
//! of its prompt, so the two are one, and answered once, until a guard replaces a text; from then on each goes its way.
//!
//! Several questions are under way at a time, each on a thread of its own. Rows are written in the order in which turns
//! end. Ctrl-C gives up the answers under way; what is on the tape stays, and the same command goes on from there.
use super::{
    export,
    model::{self, Crew},
    sets,
};
use crate::{Context, Failure, assistant, cli::lab::RunArgs, load};
use reckon::{
    Ask, Finish, Generation, Guards, Message, Model, Overrides, Receipt, Role, Sampling, Source,
    TextModel, Toolbox,
};
use reckon_lab::{Question, Row, Tape, Usage, control_questions, read_questions};
use std::{ops::ControlFlow, path::Path, sync::Mutex, time::Instant};

/// Runs `reckon lab run`.
pub(crate) fn run(args: &RunArgs, context: &Context) -> anyhow::Result<()> {
    let all = questions(&args.questions, context)?;
    let count = args.count.unwrap_or(usize::MAX);
    let tape = Tape::open(&args.tape)?;
    let fastchat = all.iter().any(|question| question.fastchat);
    let chosen = all.into_iter().skip(args.from).take(count);
    let left = |one: &Question| one.turns.len().saturating_sub(tape.said(&one.id).len());
    let questions: Vec<Question> = chosen.filter(|one| left(one) > 0).collect();
    if questions.is_empty() {
        let name = tape.receipt().map(|made| made.model.name.clone());
        drop(tape);
        return match name.filter(|_| fastchat) {
            Some(name) => export::write(&args.tape, &name),
            None => Ok(()),
        };
    }
    let crew = Crew::new(questions.iter().map(left).sum(), "turns")?;
    let model = model::open(&args.answerer, context)?;
    let source = model::source(&model, context)?;
    check_same(&tape, &source, args)?;
    let desk = TapeRun {
        args,
        guards: assistant::guards(args.raw, context)?,
        sampling: Overrides {
            // A run can be made again.
            seed: args.sampling.seed.or(Some(0)),
            ..load::overrides(&args.sampling)
        }
        .apply(model.info().sampling.clone()),
        model: &model,
        source,
        tape: Mutex::new(tape),
        crew,
    };
    if !args.raw {
        // Else the first question would seem to take longer than the others.
        model.prepare_grammars();
    }
    let tools = || Ok((assistant::tools(context)?, assistant::tools(context)?));
    let answer = |question: &Question, (tools, checks): &mut (_, _), model: &mut dyn TextModel| {
        let mut worker = Worker {
            tools,
            checks,
            model,
        };
        desk.answer(question, &mut worker)
    };
    let stopped = desk
        .crew
        .work(&model, args.parallel, &questions, tools, answer)?;
    if fastchat {
        export::write(&args.tape, &desk.source.name)?;
    }
    if stopped {
        return Err(Failure::failed("stopped")
            .hint("the same command goes on from here")
            .into());
    }
    Ok(())
}

/// The questions of a file or a set, or the built-in ones.
pub(super) fn questions(file: &Path, context: &Context) -> anyhow::Result<Vec<Question>> {
    if file == Path::new("control") {
        return Ok(control_questions());
    }
    match sets::find(file, context)? {
        Some(set) => Ok(read_questions(&set.questions)?),
        None => Ok(read_questions(file)?),
    }
}

/// A tape is of one model, asked in one way; anything else would be a mixture that nobody can compare.
fn check_same(tape: &Tape, source: &Source, args: &RunArgs) -> anyhow::Result<()> {
    let Some(before) = tape.receipt() else {
        return Ok(());
    };
    let what = if before.model != *source {
        "another model"
    } else if before.system != args.system {
        "another system text"
    } else if before.sampler.max_tokens != Some(args.max_tokens) {
        "another limit of tokens"
    } else {
        return Ok(());
    };
    let tape = args.tape.display();
    Err(Failure::input(format!("{tape} was made with {what}"))
        .hint("name another tape")
        .into())
}

/// What the workers share.
struct TapeRun<'a> {
    args: &'a RunArgs,
    guards: Guards,
    model: &'a Model,
    sampling: Sampling,
    source: Source,
    tape: Mutex<Tape>,
    crew: Crew,
}

/// What one of them has for itself.
struct Worker<'a> {
    /// For the guards.
    tools: &'a mut Toolbox,
    /// For checks, so that their programs do not wait for the guards'.
    checks: &'a mut Toolbox,
    model: &'a mut dyn TextModel,
}

/// The two conversations about one question: without guards, and with them.
#[derive(Default)]
struct Talk {
    raw: Vec<Message>,
    guarded: Vec<Message>,
}

impl Talk {
    fn ask(&mut self, text: &str) {
        self.raw.push(say(Role::User, text));
        self.guarded.push(say(Role::User, text));
    }

    fn hear(&mut self, raw: &str, text: &str) {
        self.raw.push(say(Role::Assistant, raw));
        self.guarded.push(say(Role::Assistant, text));
    }
}

fn say(role: Role, text: &str) -> Message {
    Message::new(role, text)
}

impl TapeRun<'_> {
    /// Goes on with a question where the tape ends.
    fn answer(&self, question: &Question, worker: &mut Worker<'_>) -> anyhow::Result<()> {
        let system = self.args.system.iter().map(|text| say(Role::System, text));
        let system: Vec<Message> = system.collect();
        let mut talk = Talk {
            raw: system.clone(),
            guarded: system,
        };
        let said = self.tape()?.said(&question.id);
        for (at, prompt) in question.turns.iter().enumerate() {
            talk.ask(prompt);
            if let Some((raw, text)) = said.get(at) {
                talk.hear(raw, text);
                continue;
            }
            let Some(row) = self.turn(question, at + 1, &talk, worker)? else {
                return Ok(());
            };
            talk.hear(&row.raw, &row.text);
            self.tape()?.add(row)?;
            self.crew.step();
        }
        Ok(())
    }

    fn tape(&self) -> anyhow::Result<std::sync::MutexGuard<'_, Tape>> {
        let broken = |_| Failure::failed("a question could not be answered");
        Ok(self.tape.lock().map_err(broken)?)
    }

    /// The row of a turn; none if Ctrl-C came first.
    fn turn(
        &self,
        question: &Question,
        turn: usize,
        talk: &Talk,
        worker: &mut Worker<'_>,
    ) -> anyhow::Result<Option<Row>> {
        let ask = self.ask(question, &talk.guarded);
        let begin = Instant::now();
        let Worker {
            tools,
            checks,
            model,
        } = worker;
        let reply =
            assistant::reply_unseen(&self.guards, *model, *tools, &ask, &self.crew.interrupt)?;
        if reply.stopped || self.crew.interrupt.is_asked() {
            return Ok(None);
        }
        let raw = match talk.raw == talk.guarded {
            true => reply.generation.text.clone(),
            false => match self.without_guards(question, talk, *model)? {
                Some(said) => said.text,
                None => return Ok(None),
            },
        };
        let ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (raw_right, right) = question.grade(turn, &raw, &reply.text, *checks);
        Ok(Some(Row {
            id: question.id.clone(),
            turn,
            category: question.category.clone(),
            raw,
            raw_right,
            right,
            graded: question.graded_by(turn),
            finish: load::finish_name(reply.generation.finish).into(),
            usage: Usage {
                prompt: reply.generation.usage.prompt,
                completion: reply.generation.usage.completion,
            },
            ms,
            text: reply.text.clone(),
            receipt: self.receipt(&ask, reply.receipt),
        }))
    }

    /// The raw system's own answer, once its conversation is another one; none if Ctrl-C came first.
    fn without_guards(
        &self,
        question: &Question,
        talk: &Talk,
        model: &mut dyn TextModel,
    ) -> anyhow::Result<Option<Generation>> {
        let ask = self.ask(question, &talk.raw);
        let said = model.generate(&ask, &mut |_| match self.crew.interrupt.is_asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })?;
        Ok((said.finish != Finish::Cancelled).then_some(said))
    }

    fn ask(&self, question: &Question, messages: &[Message]) -> Ask {
        let args = &self.args.sampling;
        let chosen = args.greedy || args.temperature.is_some();
        let mut sampling = self.sampling.clone();
        if let Some(temperature) = question.temperature.filter(|_| !chosen) {
            sampling.temperature = temperature;
        }
        Ask {
            messages: messages.to_vec(),
            sampling,
            max_tokens: Some(self.args.max_tokens),
            check: self.args.check.into(),
            ..Ask::default()
        }
    }

    /// The receipt as tapes keep it: without the raw text, which is in the row, and without guards that saw nothing.
    fn receipt(&self, ask: &Ask, receipt: Receipt) -> Receipt {
        let mut receipt = self.model.sign(receipt, ask);
        receipt.model = self.source.clone();
        receipt.system.clone_from(&self.args.system);
        receipt.raw = None;
        receipt.guards.retain(|entry| !entry.outcome.is_idle());
        receipt
    }
}
