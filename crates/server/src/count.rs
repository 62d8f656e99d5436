//! How many tokens a query's prompt has; loads the model if need be.
use crate::{
    aside::aside,
    attachment,
    error::Problem,
    query::{Prompt, Query},
    state::App,
};

pub(crate) async fn tokens(app: &App, query: Query) -> Result<usize, Problem> {
    let app = app.clone();
    let counted = aside(move || {
        let held = app.pool.get(query.model.as_deref(), query.keep_alive)?;
        Ok(match &query.prompt {
            Prompt::Chat(turns) => {
                let read = attachment::read(&held, turns, || true)?;
                let template = crate::job::template(&query);
                held.model.count_with(&read.messages, &template)?
            }
            Prompt::Text(text) => held.model.tokenize(text)?.len(),
            // Nobody asks: no call that counts takes sound.
            Prompt::Speech(_) => 0,
            Prompt::Fill { before, after } => {
                held.model.tokenize(before)?.len() + held.model.tokenize(after)?.len()
            }
        })
    });
    counted
        .await
        .map_err(|_| Problem::internal("counting broke off"))?
}
