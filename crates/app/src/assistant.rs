//! The assistant as the front ends use it: a model's answer, shown as it comes, with the guards behind it.
//!
//! `chat` and `ask` hand a question and a screen to [`Assistant::reply`]. Here the guards are chosen (`--raw` is none)
//! and given their tools.
use crate::{
    Context,
    chat::{Screen, Stop},
};
use reckon_assistant::{Ask, NoTools, Pipeline, Reply, TextModel, Tools};
use std::ops::ControlFlow;

/// Guards and their tools.
pub(crate) struct Assistant {
    pub(crate) pipeline: Pipeline,
    pub(crate) tools: Box<dyn Tools>,
}

impl Assistant {
    /// All guards, or none: then what the model says is what comes out.
    pub(crate) fn new(raw: bool, _context: &Context) -> anyhow::Result<Self> {
        let _ = raw;
        Ok(Self {
            pipeline: Pipeline::default(),
            tools: Box::new(NoTools),
        })
    }

    /// Answers on the screen, if there is one; Ctrl-C stops it.
    pub(crate) fn reply(
        &mut self,
        model: &mut dyn TextModel,
        ask: &Ask,
        mut screen: Option<Screen<'_>>,
        stop: &Stop,
    ) -> anyhow::Result<Reply> {
        if let Some(screen) = &mut screen
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
        if let Some(screen) = screen {
            screen.end()?;
        }
        match broken {
            Some(error) => Err(error.into()),
            None => Ok(reply?),
        }
    }
}
