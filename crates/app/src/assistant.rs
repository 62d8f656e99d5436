//! The library as the commands use it: guards and tools of this machine's settings, and an answer on the screen.
use crate::{Context, guard, interrupt::Interrupt, screen::Screen, solve::solver};
use reckon::{
    Ask, Chat, Documents, Event, Guards, Prepared, Reply, TextModel, Toolbox, Toolboxes, Tools,
    guards,
};
use std::{
    io::{self, Write},
    ops::ControlFlow,
};

/// All guards and the packs that are installed, or none: then what the model says is what comes out.
pub(crate) fn guards(raw: bool, context: &Context) -> anyhow::Result<Guards> {
    if raw {
        return Ok(Guards::default());
    }
    // Patterns are compiled when they are first used; that can happen while the model loads.
    std::thread::spawn(guards::prepare);
    Ok(Guards::with_packs(guard::versioned(context)?))
}

/// Tools for one thread, with the best solver of this machine.
pub(crate) fn tools(context: &Context) -> anyhow::Result<Toolbox> {
    Ok(Toolbox::new(solver::choose(None, context)?))
}

/// Tools for any number of threads.
pub(crate) fn toolboxes(context: &Context) -> anyhow::Result<Toolboxes> {
    Ok(Toolboxes::new(solver::choose(None, context)?))
}

/// Answers without showing anything; Ctrl-C stops it.
pub(crate) fn reply_unseen(
    guards: &Guards,
    model: &mut dyn TextModel,
    tools: &mut dyn Tools,
    ask: &Ask,
    interrupt: &Interrupt,
) -> reckon::Result<Reply> {
    let go_on = &mut |_: reckon::Event<'_>| match interrupt.is_asked() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    Ok(guards.pipeline().answer(model, tools, ask, go_on)?)
}

/// Answers on the screen, if there is one; Ctrl-C stops it.
pub(crate) fn reply(
    chat: &mut Chat,
    text: &str,
    screen: Option<Screen<'_>>,
    interrupt: &Interrupt,
) -> anyhow::Result<Reply> {
    let is_plain = screen.as_ref().is_some_and(Screen::is_plain);
    let may_revise = is_plain && chat.may_revise(text);
    on_screen(screen, interrupt, may_revise, |on_event| {
        chat.ask(text, on_event)
    })
}

/// The same for a message about documents.
pub(crate) fn reply_about(
    chat: &mut Chat,
    documents: &Documents,
    prepared: &Prepared,
    screen: Option<Screen<'_>>,
    interrupt: &Interrupt,
) -> anyhow::Result<Reply> {
    if prepared.is_direct() {
        return reply(chat, prepared.prompt(), screen, interrupt);
    }
    on_screen(screen, interrupt, prepared.may_revise(), |on_event| {
        chat.ask_prepared(documents, prepared, on_event)
    })
}

/// Hears what happens to an answer.
type Listener<'a> = &'a mut dyn FnMut(Event<'_>) -> ControlFlow<()>;

fn on_screen(
    mut screen: Option<Screen<'_>>,
    interrupt: &Interrupt,
    may_revise: bool,
    ask: impl FnOnce(Listener<'_>) -> reckon::Result<Reply>,
) -> anyhow::Result<Reply> {
    if let Some(screen) = screen.as_mut().filter(|screen| screen.is_plain())
        && may_revise
    {
        screen.hold();
    }
    let mut broken = None;
    interrupt.begin();
    let reply = ask(&mut |event| {
        if let Some(screen) = &mut screen
            && let Err(error) = screen.show(event)
        {
            broken = Some(error);
        }
        match broken.is_some() || interrupt.is_asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    interrupt.end();
    let is_out = screen.as_ref().is_some_and(|screen| !screen.can_revise());
    if let Some(screen) = screen {
        screen.end()?;
    }
    if let Some(error) = broken {
        return Err(error.into());
    }
    let reply = reply?;
    let mut entries = reply.receipt.guards.iter();
    let revised = entries.find(|entry| entry.replaced.is_some());
    if let Some(entry) = revised.filter(|_| is_out) {
        let guard = &entry.guard;
        let line = format!(
            "reckon: {guard} revised this answer after it was printed; --json has the new text"
        );
        writeln!(io::stderr(), "{line}")?;
    }
    Ok(reply)
}
