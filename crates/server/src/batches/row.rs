//! A row of a batch in, its answer out: what the call that it names would have said, in the background.
use super::BatchRecord;
use crate::{
    attachment,
    door::today,
    error::{Problem, ProblemKind},
    job,
    openai::{chat, completions, id, responses},
    query::{Answered, Query},
    state::App,
};
use reckon_batch::{Failure, Queue, Row};
use serde_json::{Map, Value, json};
use std::{
    thread,
    time::{Duration, Instant},
};
use tokio::runtime::Handle;

/// How long a row waits before it asks a full queue again, and how long in all: one that wants more answers than the queue
/// has places would wait for ever.
const PATIENCE: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(600);

/// Answers a row. Blocks.
pub(super) fn answer(
    app: &App,
    runtime: &Handle,
    queue: &Queue,
    row: &Row,
) -> Result<reckon_batch::Answered, Failure> {
    let record = record(app, queue, row).map_err(|problem| failure(&problem))?;
    within_budget(app, &record)?;
    let url = row.url.as_deref().unwrap_or_default();
    if url != record.endpoint {
        let what = format!(
            "this batch is for {}: a row has custom_id, url and body",
            record.endpoint
        );
        return Err(Failure::for_good(what));
    }
    let mut spent = 0;
    let answering = &mut |mut query: Query| {
        attachment::fetch(&app.files, &record.owner(), &mut query)?;
        let answers = collect(app, runtime, row, &query)?;
        let tokens = |one: &Answered| (one.usage.prompt + one.usage.completion) as u64;
        spent += answers.iter().map(tokens).sum::<u64>();
        Ok(answers)
    };
    let body = Value::Object(row.body.clone());
    let said = match url {
        "/v1/chat/completions" => chat::whole(body, answering),
        "/v1/completions" => completions::whole(body, answering),
        _ => responses::whole(app, body, answering),
    };
    if let Some(key) = record.key() {
        // An answer that was given is not taken back because it could not be counted.
        drop(app.store.spend(&key, today(), spent));
    }
    let said = said.map_err(|problem| match row.is_wanted() {
        true => failure(&problem),
        false => Failure::stopped(),
    })?;
    let response = json!({ "status_code": 200, "request_id": id("req_"), "body": said });
    Ok(reckon_batch::Answered {
        more: Map::from_iter([("response".to_owned(), response)]),
        ..reckon_batch::Answered::default()
    })
}

fn record(app: &App, queue: &Queue, row: &Row) -> Result<BatchRecord, Problem> {
    let batch = queue.batch(&row.batch)?;
    let name = batch.name.as_deref().and_then(|name| name.split_once('/'));
    let found = name.map(|(owner, id)| app.batches.find(owner, id));
    let found = found.transpose()?.flatten();
    found.ok_or_else(|| Problem::not_found("there is no such batch"))
}

/// A key that was revoked, or has spent what it may, gets no answers by night either.
fn within_budget(app: &App, record: &BatchRecord) -> Result<(), Failure> {
    let Some(id) = record.key() else {
        return Ok(());
    };
    let passing = |error: reckon_store::Error| Failure::passing(error.to_string());
    let keys = app.store.list_keys().map_err(passing)?;
    // Keys of a file are not in the store and have no budget.
    let Some(key) = keys.into_iter().find(|key| key.id == id) else {
        return Ok(());
    };
    if key.revoked.is_some() {
        return Err(Failure::for_good("the key of this batch was revoked"));
    }
    let Some(most) = key.limits.tokens_per_day else {
        return Ok(());
    };
    match app.store.spent(&id, today()).map_err(passing)? >= most {
        true => {
            let what = format!("the key of this batch has used its {most} tokens of the day");
            Err(Failure::for_good(what))
        }
        false => Ok(()),
    }
}

/// Asks, and waits for its turn as long as the row is wanted.
fn collect(
    app: &App,
    runtime: &Handle,
    row: &Row,
    query: &Query,
) -> Result<Vec<Answered>, Problem> {
    let begin = Instant::now();
    loop {
        let mut query = query.clone();
        query.background = true;
        match runtime.block_on(job::collect_while(app, query, || row.is_wanted())) {
            Err(problem)
                if problem.kind == ProblemKind::Busy
                    && row.is_wanted()
                    && begin.elapsed() < LONGEST =>
            {
                thread::sleep(PATIENCE);
            }
            answered => return answered,
        }
    }
}

/// What is wrong with a row will be wrong again; what is wrong with the server may not be.
fn failure(problem: &Problem) -> Failure {
    match problem.kind {
        ProblemKind::Internal | ProblemKind::Busy | ProblemKind::Elsewhere => {
            Failure::passing(&problem.message)
        }
        _ => Failure::for_good(&problem.message),
    }
}
