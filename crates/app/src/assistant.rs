//! The assistant as the front ends use it: a model's answer, shown as it comes, with the guards behind it.
//!
//! `chat` and `ask` hand a question and a screen to [`Assistant::reply`]. Here the guards are chosen (`--raw` is none)
//! and given their tools.
use crate::{
    Context,
    chat::{Screen, Stop},
    guard,
    lock_check::KnownGuards,
    solve::{self, solver},
};
use reckon_assistant::{
    Ask, Event, Guard, NoTools, Outcome, Pipeline, Reply, TextModel, Tools, guards,
};
use reckon_lab::lock::GuardVersions;
use reckon_solve::{
    Sandbox,
    logic::{self, Answer, Solver, Status},
};
use std::{
    io::{self, Write},
    ops::ControlFlow,
    sync::Arc,
};

/// The guards that look at answers and the solver that they may use; none of both is the raw model.
#[derive(Clone, Default)]
pub(crate) struct Guards {
    pipeline: Arc<Pipeline>,
    solver: Option<Solver>,
    /// The versions of the guards.
    versions: GuardVersions,
}

impl Guards {
    /// All guards and the packs that are installed, or none: then what the model says is what comes out.
    pub(crate) fn new(raw: bool, context: &Context) -> anyhow::Result<Self> {
        if raw {
            return Ok(Self::default());
        }
        // Patterns are compiled when they are first used; that can happen while the model loads.
        std::thread::spawn(guards::prepare);
        let packs = guard::versioned(context)?;
        let versions = KnownGuards::of(&packs).versions;
        let packs = packs
            .into_iter()
            .map(|(pack, _)| Box::new(pack) as Box<dyn Guard>);
        let all = guards::all().into_iter().chain(packs).collect();
        Ok(Self {
            pipeline: Arc::new(Pipeline::new(all)),
            solver: Some(solver::choose(None, context)?),
            versions,
        })
    }

    /// With tools of its own, for one thread.
    pub(crate) fn assistant(&self) -> Assistant {
        let bench = |solver: &Solver| Bench {
            sandbox: None,
            solver: solver.clone(),
        };
        Assistant {
            pipeline: self.pipeline.clone(),
            tools: match &self.solver {
                Some(solver) => Box::new(bench(solver)),
                None => Box::new(NoTools),
            },
            versions: self.versions.clone(),
        }
    }

    /// The versions of the guards; none of the raw model.
    pub(crate) fn versions(&self) -> &GuardVersions {
        &self.versions
    }
}

/// Guards and their tools.
pub(crate) struct Assistant {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) tools: Box<dyn Tools>,
    /// The versions of the guards; none of the raw model.
    pub(crate) versions: GuardVersions,
}

impl Assistant {
    /// The guards of [`Guards::new`], for a front end that answers one question at a time.
    pub(crate) fn new(raw: bool, context: &Context) -> anyhow::Result<Self> {
        Ok(Guards::new(raw, context)?.assistant())
    }

    /// Answers without showing anything.
    pub(crate) fn reply_unseen(
        &mut self,
        model: &mut dyn TextModel,
        ask: &Ask,
        stop: &Stop,
    ) -> anyhow::Result<Reply> {
        let go_on = &mut |_: Event<'_>| match stop.is_asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let tools = self.tools.as_mut();
        Ok(self.pipeline.answer(model, tools, ask, go_on)?)
    }

    /// Answers on the screen, if there is one; Ctrl-C stops it.
    pub(crate) fn reply(
        &mut self,
        model: &mut dyn TextModel,
        ask: &Ask,
        mut screen: Option<Screen<'_>>,
        stop: &Stop,
    ) -> anyhow::Result<Reply> {
        if let Some(screen) = screen.as_mut().filter(|screen| screen.is_plain())
            && ask.shape.is_none()
            && self.pipeline.may_revise(&ask.messages)
        {
            screen.hold();
        }
        let mut broken = None;
        stop.begin();
        let reply = self
            .pipeline
            .answer(model, self.tools.as_mut(), ask, &mut |event| {
                if let Some(screen) = &mut screen
                    && let Err(error) = screen.show(event)
                {
                    broken = Some(error);
                }
                if broken.is_some() || stop.is_asked() {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
        stop.end();
        let fixed = screen.as_ref().is_some_and(|screen| !screen.can_revise());
        if let Some(screen) = screen {
            screen.end()?;
        }
        if let Some(error) = broken {
            return Err(error.into());
        }
        let reply = reply?;
        let revised = reply
            .receipt
            .guards
            .iter()
            .find(|one| one.replaced.is_some());
        if let Some(entry) = revised.filter(|_| fixed) {
            let line = format!(
                "reckon: {} has a better text than the one written (hint: --json gives it)",
                entry.guard
            );
            writeln!(io::stderr(), "{line}")?;
        }
        Ok(reply)
    }
}

/// Tools that nobody shares.
pub(crate) fn tools(context: &Context) -> anyhow::Result<Box<dyn Tools>> {
    let solver = solver::choose(None, context)?;
    Ok(Box::new(Bench {
        sandbox: None,
        solver,
    }))
}

/// The sandbox, started when it is first needed, and a solver.
#[derive(Debug)]
struct Bench {
    sandbox: Option<Sandbox>,
    solver: Solver,
}

impl Bench {
    fn sandbox(&mut self) -> anyhow::Result<&mut Sandbox> {
        let sandbox = match self.sandbox.take() {
            Some(sandbox) => sandbox,
            None => solve::sandbox()?,
        };
        Ok(self.sandbox.insert(sandbox))
    }
}

impl Tools for Bench {
    fn python(&mut self, program: &str) -> Outcome {
        let sandbox = match self.sandbox() {
            Ok(sandbox) => sandbox,
            Err(error) => return failed(&error),
        };
        let run = sandbox.run(program, &mut |_, _| String::new());
        Outcome {
            value: run.value.filter(|_| run.ok),
            stdout: run.stdout,
            unique: None,
            error: run.error,
            ms: run.ms,
        }
    }

    fn logic(&mut self, program: &str) -> Outcome {
        let solver = self.solver.clone();
        let sandbox = match self.sandbox() {
            Ok(sandbox) => sandbox,
            Err(error) => return failed(&error),
        };
        let limits = logic::Limits::default();
        let mut answer = logic::solve(sandbox, program, &solver, &limits);
        if answer.status == Status::Unknown && solver != Solver::Embedded {
            // Where `z3` has no verdict, or went away, the embedded search goes through the possibilities.
            let search = logic::solve(sandbox, program, &Solver::Embedded, &limits);
            answer = Answer {
                ms: answer.ms + search.ms,
                ..search
            };
        }
        Outcome {
            value: None,
            stdout: answer.stdout,
            unique: answer.unique,
            error: answer.error,
            ms: answer.ms,
        }
    }
}

fn failed(error: &anyhow::Error) -> Outcome {
    Outcome {
        error: Some(format!("{error:#}")),
        ..Outcome::default()
    }
}
