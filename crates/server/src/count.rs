//! How many tokens a query's prompt has; loads the model if need be.
use crate::{
    error::Problem,
    query::{Prompt, Query},
    state::App,
};

pub(crate) async fn tokens(app: &App, query: Query) -> Result<usize, Problem> {
    let app = app.clone();
    let counted = tokio::task::spawn_blocking(move || {
        let held = app.pool.get(query.model.as_deref(), query.keep_alive)?;
        Ok(match &query.prompt {
            Prompt::Chat(messages) => held
                .model
                .count_with(messages, &crate::job::template(&query))?,
            Prompt::Text(text) => held.model.tokenize(text)?.len(),
            Prompt::Fill { before, after } => {
                held.model.tokenize(before)?.len() + held.model.tokenize(after)?.len()
            }
        })
    });
    counted
        .await
        .map_err(|_| Problem::internal("counting broke off"))?
}
