//! Where things are and what is allowed: the environment, read once.
//!
//! Built by `run` and handed to every command; tests build their own. Nothing else reads environment variables, except for
//! keys of peers, whose names stand in their settings (`text`).
use crate::Failure;
use reckon::models::Store;
use std::{
    env,
    io::{self, IsTerminal},
};

/// The models and the permissions of one run.
#[derive(Clone, Debug)]
pub struct Context {
    /// Where models are and how they may be fetched; its home also holds the rest of our state.
    pub store: Store,
    /// `RECKON_ISA`: the instructions to use instead of the fastest.
    pub isa: Option<reckon::kernels::Isa>,
    /// `RECKON_API_KEY` or `OPENAI_API_KEY`, for models elsewhere.
    pub api_key: Option<String>,
    /// Whether long work shows how far it is, on stderr.
    pub progress: bool,
    /// Whether a person at the terminal is asked before the default model is fetched.
    pub ask_first: bool,
}

impl Context {
    /// Reads the environment; `offline` and `yes` are flags of the command line.
    pub fn from_env(offline: bool, yes: bool) -> anyhow::Result<Self> {
        let isa = isa()?;
        let mut store = Store::from_env(|name| env::var_os(name))?;
        store.offline |= offline;
        Ok(Self {
            store,
            isa,
            api_key: text("RECKON_API_KEY").or_else(|| text("OPENAI_API_KEY")),
            progress: true,
            ask_first: !yes && io::stdin().is_terminal() && io::stderr().is_terminal(),
        })
    }
}

/// An environment variable that is set and not empty; for those whose names stand in settings.
pub(crate) fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The instruction set that `RECKON_ISA` names; a name that this CPU lacks is an error, not a silent fallback.
fn isa() -> anyhow::Result<Option<reckon::kernels::Isa>> {
    let Some(name) = text("RECKON_ISA") else {
        return Ok(None);
    };
    let Some(isa) = reckon::kernels::Isa::named(&name) else {
        let have: Vec<_> = reckon::kernels::Isa::available()
            .iter()
            .map(|isa| isa.name())
            .collect();
        return Err(Failure::usage(format!(
            "RECKON_ISA={name}: this CPU has {}",
            have.join(", ")
        ))
        .into());
    };
    Ok(Some(isa))
}
