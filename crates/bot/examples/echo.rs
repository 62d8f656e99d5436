//! A bot that says what it is told: `RECKON_TELEGRAM_TOKEN=… echo STORE [API_URL [ACCOUNT…]]`.
//!
//! Accounts need no approval. `tests/clients/run.sh` runs it against a server for tests of bots.
use reckon_bot::{Answer, Answerer, Ask, Bot, Config, Log, Progress, Stop, TOKEN_VARIABLE, Token};
use std::io::Write;
use std::{ops::ControlFlow, sync::Arc};

struct Echo;

impl Answerer for Echo {
    fn answer(
        &self,
        ask: &Ask,
        on_progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Answer, String> {
        let last = ask.turns.last().ok_or("nothing was asked")?;
        let text = format!("You said: {}", last.text);
        // Whether anybody still waits does not matter for an answer that is there.
        let _ = on_progress(Progress::Text(&text));
        Ok(Answer {
            text,
            ..Answer::default()
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let store = arguments
        .next()
        .ok_or("usage: echo STORE [API_URL [ACCOUNT…]]")?;
    let token = Token::find(None, std::env::var(TOKEN_VARIABLE).ok())?;
    let mut config = Config::new(store, token);
    if let Some(url) = arguments.next() {
        config.api_url = url;
    }
    config.allow = arguments
        .map(|account| account.parse())
        .collect::<Result<_, _>>()?;
    config.log = Log::new(|line| {
        // Nobody reads it any more if it cannot be written.
        let _ = writeln!(std::io::stderr(), "{line}");
    });
    Bot::run(config, Arc::new(Echo), &Stop::default())?;
    Ok(())
}
