//! A row in, its answer out: what `ask` does, on many threads that share one model.
use crate::{Failure, cli::batch::WorkArgs, input, load};
use reckon::{
    Ask, Asking, CheckLevel, Event, Guards, Message, Model, Peers, Role, Sampling, Shape, Toolbox,
    Toolboxes,
};
use reckon_batch::{Answered, Check, Failure as RowFailure, Request, Row};
use serde_json::{Map, Value, json};
use std::{ops::ControlFlow, path::Path};

/// Largest schema or list of checks, in bytes.
const LIMIT: usize = 1 << 20;

/// Answers rows.
pub(super) struct Answerer {
    model: Model,
    guards: Guards,
    toolboxes: Toolboxes,
    peers: Peers,
    /// Whose peers answer rows that name nobody.
    role: Option<String>,
    sampling: Sampling,
    system: Option<String>,
    max_tokens: Option<usize>,
    schema: Option<String>,
    checks: Vec<Value>,
    check: CheckLevel,
}

impl Answerer {
    pub(super) fn new(
        model: &Model,
        guards: Guards,
        toolboxes: Toolboxes,
        peers: Peers,
        work: &WorkArgs,
    ) -> anyhow::Result<Self> {
        let own = model.info().sampling.clone();
        let schema = work.schema.as_deref().map(text).transpose()?;
        if let Some(schema) = &schema {
            Shape::Schema(schema.clone())
                .check()
                .map_err(reckon::Error::from)?;
        }
        Ok(Self {
            model: model.shared(work.parallel)?.background(),
            guards,
            toolboxes,
            peers,
            role: work.role.clone(),
            sampling: load::overrides(&work.sampling).apply(own),
            system: work.system.clone(),
            max_tokens: work.max_tokens,
            schema,
            checks: work
                .checks
                .as_deref()
                .map(checks)
                .transpose()?
                .unwrap_or_default(),
            check: work.check.into(),
        })
    }

    /// Answers one row.
    pub(super) fn answer(&self, row: &Row) -> Result<Answered, RowFailure> {
        let request = row.request()?;
        let wanted = match row.url.as_deref() {
            None => request,
            Some("/v1/chat/completions") => self.read_openai(request)?,
            Some(url) => {
                return Err(RowFailure::for_good(format!(
                    "{url} is not served in a batch"
                )));
            }
        };
        let ask = self.ask(&wanted)?;
        self.toolboxes
            .with(|tools| self.run(row, &ask, &wanted, tools))
    }

    fn run(
        &self,
        row: &Row,
        ask: &Ask,
        wanted: &Request,
        tools: &mut Toolbox,
    ) -> Result<Answered, RowFailure> {
        let role = wanted.role.as_deref().or(self.role.as_deref());
        if let Some(role) = role.filter(|role| !self.peers.has_role(role)) {
            let role: String = role.chars().take(40).collect();
            return Err(RowFailure::for_good(format!(
                "no peer has the role {role:?}"
            )));
        }
        let mut session = self.model.session();
        let go_on = &mut |_: Event<'_>| match row.is_wanted() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let asking = Asking {
            model: &self.model,
            guards: &self.guards,
            ask,
        };
        let session = session.as_mut();
        let reply = self.peers.answer(role, &asking, session, tools, go_on);
        let reply = reply.map_err(|error| failure(&error))?;
        if reply.stopped || !row.is_wanted() {
            return Err(RowFailure::stopped());
        }
        let receipt = reply.receipt;
        let finish = load::finish_name(reply.generation.finish);
        let usage = json!({ "prompt": reply.generation.usage.prompt, "completion": reply.generation.usage.completion });
        let mut more = Map::new();
        more.insert("usage".into(), usage);
        if row.url.is_some() {
            more.insert(
                "response".into(),
                openai_response(&self.model, &reply.text, finish),
            );
        }
        Ok(Answered {
            checks: self.graded(wanted, &reply.text, tools)?,
            mark: receipt.mark.as_ref().map(|mark| json!(mark)),
            receipt: Some(json!(receipt)),
            text: reply.text,
            finish: Some(finish.to_owned()),
            more,
        })
    }

    fn ask(&self, wanted: &Request) -> Result<Ask, RowFailure> {
        let mut sampling = self.sampling.clone();
        sampling.temperature = wanted.temperature.unwrap_or(sampling.temperature);
        sampling.seed = wanted.seed.unwrap_or(sampling.seed);
        let schema = wanted.schema.as_ref().map(Value::to_string);
        Ok(Ask {
            messages: messages(wanted, self.system.as_deref())?,
            shape: schema.or_else(|| self.schema.clone()).map(Shape::Schema),
            sampling,
            max_tokens: wanted.max_tokens.map(|n| n as usize).or(self.max_tokens),
            check: self.check,
            ..Ask::default()
        })
    }

    /// OpenAI's names for what our rows call otherwise.
    fn read_openai(&self, mut request: Request) -> Result<Request, RowFailure> {
        let more = &mut request.more;
        if let Some(n) = more.remove("max_completion_tokens") {
            request.max_tokens = n.as_u64().and_then(|n| u32::try_from(n).ok());
        }
        let format = more.remove("response_format").unwrap_or_default();
        if let Some(schema) = format.pointer("/json_schema/schema") {
            request.schema = Some(schema.clone());
        }
        if more.contains_key("tools") {
            return Err(RowFailure::for_good("tools are not called in a batch"));
        }
        // As in the server, a role can stand where a model does; any other model is the batch's own.
        let model = more.get("model").and_then(Value::as_str);
        let role = model.filter(|name| self.peers.has_role(name));
        request.role = request.role.or_else(|| role.map(str::to_owned));
        Ok(request)
    }

    /// What the row and the command line want to have checked.
    fn graded(
        &self,
        wanted: &Request,
        text: &str,
        tools: &mut Toolbox,
    ) -> Result<Vec<Check>, RowFailure> {
        let own = wanted.more.get("checks").and_then(Value::as_array);
        let all: Vec<Value> = own
            .into_iter()
            .flatten()
            .chain(&self.checks)
            .cloned()
            .collect();
        let prompt = wanted.prompt.as_deref().unwrap_or_default();
        let all = reckon_lab::Check::parse(&all, prompt).map_err(RowFailure::for_good)?;
        let grade = |check: &reckon_lab::Check| {
            let holds = check.holds(text, tools);
            Check {
                name: check.name().to_owned(),
                passed: holds == Some(true),
                why: match holds {
                    None => "cannot be said".to_owned(),
                    Some(_) => String::new(),
                },
            }
        };
        Ok(all.iter().map(grade).collect())
    }
}

fn messages(wanted: &Request, system: Option<&str>) -> Result<Vec<Message>, RowFailure> {
    let mut messages = Vec::new();
    if let Some(system) = wanted.system.as_deref().or(system) {
        messages.push(Message::new(Role::System, system));
    }
    messages.extend(
        wanted
            .prompt
            .iter()
            .map(|text| Message::new(Role::User, text)),
    );
    for message in wanted.messages.iter().flatten() {
        let role = match message.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => Role::System,
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => {
                return Err(RowFailure::for_good(
                    "a message has a role that a batch does not know",
                ));
            }
        };
        let content = message.get("content").and_then(Value::as_str);
        let content = content.ok_or_else(|| RowFailure::for_good("a message has no text"))?;
        messages.push(Message::new(role, content));
    }
    Ok(messages)
}

fn openai_response(model: &Model, text: &str, finish: &str) -> Value {
    let finish = if finish == "stop" { "stop" } else { "length" };
    json!({ "status_code": 200, "body": {
        "object": "chat.completion",
        "model": model.info().name,
        "choices": [{ "index": 0, "finish_reason": finish, "message": { "role": "assistant", "content": text } }],
    } })
}

/// A model that is not there may come back; a row that it cannot take will not get better.
fn failure(error: &reckon::Error) -> RowFailure {
    match error {
        reckon::Error::Input(_) => RowFailure::for_good(error.to_string()),
        error => RowFailure::passing(error.to_string()),
    }
}

fn text(path: &Path) -> Result<String, Failure> {
    input::text(path, LIMIT)
}

fn checks(path: &Path) -> anyhow::Result<Vec<Value>> {
    let wrong = |why: String| Failure::input(format!("{}: {why}", path.display()));
    let list: Vec<Value> =
        serde_json::from_str(&text(path)?).map_err(|error| wrong(error.to_string()))?;
    reckon_lab::Check::parse(&list, "").map_err(wrong)?;
    Ok(list)
}
