//! What a person had remembered: `reckon memory`, and what `/remember` and `/forget` do in the chat and the bot.
//!
//! Nothing is remembered that was not said to be. What a model is told of it is in the receipt.
use crate::{
    Context, Failure,
    cli::memory::{MemoryArgs, MemoryCommand},
    doctor::processor,
    exit, printable, serve,
};
use reckon::{Chat, Given, Model, Peers};
use reckon_store::{Fact, Owner, Store};
use serde_json::json;
use std::{
    io::{self, Write},
    path::PathBuf,
};

/// Runs `reckon memory`.
pub(crate) fn run(args: &MemoryArgs, context: &Context) -> anyhow::Result<()> {
    let memory = Memory::local(context);
    let mut out = io::stdout().lock();
    match &args.command {
        MemoryCommand::List { json: true } | MemoryCommand::Export => {
            let facts = memory.facts()?;
            writeln!(out, "{}", json!({ "memory": facts }))?;
        }
        MemoryCommand::List { json: false } => writeln!(out, "{}", memory.list()?)?,
        MemoryCommand::Add { text, json } => {
            let fact = memory.store()?.remember(&memory.owner, &text.join(" "))?;
            match json {
                true => writeln!(out, "{}", json!(fact))?,
                false => writeln!(out, "remembered: {}", printable::one_line(&fact.text))?,
            }
        }
        MemoryCommand::Forget { all: true, .. } => {
            let facts = memory.facts()?;
            for fact in &facts {
                memory.store()?.forget(&memory.owner, &fact.id)?;
            }
            writeln!(out, "{} forgotten", facts.len())?;
        }
        MemoryCommand::Forget { what, .. } => match memory.find(&what.join(" "))? {
            Found::One(fact) => writeln!(out, "{}", memory.remove(&fact)?)?,
            Found::None => {
                let failure = Failure::input("nothing like that is remembered");
                return Err(failure.hint("reckon memory list shows it").into());
            }
            Found::Many(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                let failure = Failure::input(format!("that fits several: {}", numbers.join(", ")));
                return Err(failure
                    .hint("reckon memory list shows them; say the number")
                    .into());
            }
        },
    }
    Ok(())
}

/// The facts of one person.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    place: Place,
    owner: Owner,
}

/// Where they are.
#[derive(Clone, Debug)]
enum Place {
    /// In a file that is opened when it is needed: asking a question must not make one.
    File(PathBuf),
    Store(Store),
}

/// What a number or words point at.
enum Found {
    None,
    One(Fact),
    /// The numbers of those that fit.
    Many(Vec<usize>),
}

impl Memory {
    /// Of the person at this machine.
    pub(crate) fn local(context: &Context) -> Self {
        Self {
            place: Place::File(serve::database(context)),
            owner: Owner::local(),
        }
    }

    /// Of this owner in a store.
    pub(crate) fn of(store: Store, owner: Owner) -> Self {
        let place = Place::Store(store);
        Self { place, owner }
    }

    fn store(&self) -> anyhow::Result<Store> {
        match &self.place {
            Place::File(path) => Ok(Store::open(path)?),
            Place::Store(store) => Ok(store.clone()),
        }
    }

    /// The texts that a model is told.
    pub(crate) fn texts(&self) -> anyhow::Result<Vec<String>> {
        Ok(self.facts()?.into_iter().map(|fact| fact.text).collect())
    }

    /// Remembers something; what to tell the person.
    pub(crate) fn remember(&self, text: &str) -> anyhow::Result<String> {
        let fact = self.store()?.remember(&self.owner, text)?;
        let text = printable::one_line(&fact.text);
        Ok(format!("remembered: {text}; /forget shows and forgets"))
    }

    /// Forgets something, by number or words, or shows everything; what to tell the person.
    pub(crate) fn forget(&self, what: &str) -> anyhow::Result<String> {
        if what.trim().is_empty() {
            return self.list();
        }
        match self.find(what)? {
            Found::None => Ok("nothing like that is remembered; /forget shows all".into()),
            Found::One(fact) => self.remove(&fact),
            Found::Many(_) => Ok(format!(
                "that fits several; say the number:\n{}",
                self.list()?
            )),
        }
    }

    fn facts(&self) -> anyhow::Result<Vec<Fact>> {
        if matches!(&self.place, Place::File(path) if !path.exists()) {
            return Ok(Vec::new());
        }
        Ok(self.store()?.facts(&self.owner)?)
    }

    fn list(&self) -> anyhow::Result<String> {
        let facts = self.facts()?;
        if facts.is_empty() {
            return Ok("nothing is remembered".into());
        }
        let lines: Vec<String> = facts.iter().enumerate().map(line).collect();
        Ok(lines.join("\n"))
    }

    fn find(&self, what: &str) -> anyhow::Result<Found> {
        let facts = self.facts()?;
        if let Ok(number) = what.trim().parse::<usize>() {
            let fact = number.checked_sub(1).and_then(|at| facts.get(at));
            return Ok(fact.cloned().map_or(Found::None, Found::One));
        }
        let what = what.to_lowercase();
        let fits = |fact: &Fact| {
            let text = fact.text.to_lowercase();
            what.split_whitespace().all(|word| text.contains(word))
        };
        let found: Vec<usize> = (0..facts.len()).filter(|&at| fits(&facts[at])).collect();
        Ok(match found.as_slice() {
            [] => Found::None,
            [one] => Found::One(facts[*one].clone()),
            many => Found::Many(many.iter().map(|at| at + 1).collect()),
        })
    }

    fn remove(&self, fact: &Fact) -> anyhow::Result<String> {
        let fact = self.store()?.forget(&self.owner, &fact.id)?;
        Ok(format!("forgotten: {}", printable::one_line(&fact.text)))
    }
}

fn line((at, fact): (usize, &Fact)) -> String {
    format!("{:>2}  {}", at + 1, printable::one_line(&fact.text))
}

/// What the model of `chat` or `ask` is told besides its instructions. A memory that cannot be read costs a note, not
/// the answer.
pub(crate) fn given(chat: &Chat, memory: bool, about_self: bool, context: &Context) -> Given {
    let texts = match memory.then(|| Memory::local(context).texts()).transpose() {
        Ok(texts) => texts.unwrap_or_default(),
        Err(error) => {
            exit::notice(&format!("the memory cannot be read: {error}"));
            Vec::new()
        }
    };
    Given {
        memory: texts,
        about_self: about_self.then(|| about(chat.model(), None, chat.peers())),
    }
}

/// The line about a model on this machine.
pub(crate) fn about(model: &Model, through: Option<&str>, peers: &Peers) -> String {
    Given::about(model, processor::name().as_deref(), through, peers)
}
