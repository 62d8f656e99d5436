//! Runs a recipe on an item: reads its files, asks the model, checks the form of the answer.
//!
//! A long text is cut into the recipe's windows, or summarised part by part by `reckon::Documents`; what fits neither way
//! is an error with both numbers. Nothing is left out silently.
use crate::{
    error::{Error, Result},
    recipe::{Input, Recipe},
    source::{Item, today},
    span::{Pages, Span},
    template::Template,
    withhold::Withhold,
};
use reckon::{
    AttachedFile, Chat, Conversation, Documents, Event, Finish, Media, Reply, Schema,
    media::{Content, Document},
};
use serde_json::Value;
use std::{collections::BTreeMap, ops::ControlFlow, path::Path, time::Duration};

/// Hears what happens to an answer.
pub type OnEvent<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

/// Runs one recipe with one model.
#[derive(Debug)]
pub struct Runner {
    recipe: Recipe,
    chat: Chat,
}

/// What came of an item.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// What it is about.
    pub name: String,
    /// As text.
    pub text: String,
    /// The answer to a schema, fields or labels.
    pub value: Option<Value>,
    /// Where the strings of that stand in the input; nothing if the recipe does not ask.
    pub spans: BTreeMap<String, Option<Span>>,
    /// What a person should know: scans that were not read, a cut answer.
    pub notes: Vec<String>,
}

/// What is asked at a time.
struct Piece {
    text: String,
    media: Vec<Media>,
}

impl Runner {
    /// With a conversation that has its guards, tools and sampling; its schema becomes the recipe's.
    ///
    /// # Errors
    /// [`Error::Setting`] for labels or fields that were not set.
    pub fn new(recipe: Recipe, chat: Chat) -> Result<Self> {
        let form = recipe.form()?.map(Schema::new).transpose()?;
        Ok(Self {
            chat: chat.schema(form),
            recipe,
        })
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Answers one item.
    ///
    /// # Errors
    /// [`Error::Stopped`] if `on_event` breaks; what is wrong with the item or the answer.
    pub fn answer(&mut self, item: &Item, on_event: &mut OnEvent<'_>) -> Result<Answer> {
        let files = item.files.iter();
        let read = files.map(|file| AttachedFile::read(&file.name, file.bytes.clone(), None));
        let files: Vec<AttachedFile> = read.collect::<reckon::Result<_>>()?;
        self.check_kinds(&files)?;
        let name = self.name(item, &files);
        let mut answer = Answer {
            name,
            ..Answer::default()
        };
        let has_sound = files
            .iter()
            .any(|file| matches!(file.content(), Content::Sound(_)));
        let values = Values::new(item);
        if self.recipe.takes_text() || has_sound {
            let pieces = self.pieces(&files, &mut answer.notes)?;
            self.answer_pieces(pieces, &values, &mut answer, on_event)?;
        } else {
            let prompt = self.recipe.prompt.clone();
            answer.text = self.ask_about(&files, &prompt, &values, &mut answer.notes, on_event)?;
        }
        if self.recipe.form()?.is_some() {
            self.settle(&files, &mut answer)?;
        }
        Ok(answer)
    }

    /// What the recipe asks last, about the answers to windows; nothing if it asks nothing.
    ///
    /// # Errors
    /// As [`Runner::answer`].
    pub fn last(
        &mut self,
        name: &str,
        answers: &[String],
        on_event: &mut OnEvent<'_>,
    ) -> Result<Option<Answer>> {
        let Some(last) = self.recipe.last.clone() else {
            return Ok(None);
        };
        if answers.iter().all(|answer| answer.trim().is_empty()) {
            return Ok(None);
        }
        let item = Item::new(name, "");
        let values = Values::new(&item);
        let notes = answers.join("\n\n");
        let mut answer = Answer {
            name: name.to_owned(),
            ..Answer::default()
        };
        answer.text = match Template::has(&last, "input") {
            true => {
                let values = values.with(notes);
                self.ask(&last, &values, Vec::new(), &mut answer.notes, on_event)?
            }
            false => {
                let file = AttachedFile::read("notes.md", notes.into_bytes(), None)?;
                self.ask_about(&[file], &last, &values, &mut answer.notes, on_event)?
            }
        };
        Ok(Some(answer))
    }

    /// Sound and pictures only for recipes that take them.
    fn check_kinds(&self, files: &[AttachedFile]) -> Result<()> {
        let (input, recipe) = (self.recipe.input, &self.recipe.name);
        for file in files {
            let (fits, kind) = match file.content() {
                Content::Document(_) => (true, ""),
                Content::Sound(_) => (input == Input::Sound, "sound"),
                _ => (
                    matches!(input, Input::Documents | Input::Folder),
                    "a picture",
                ),
            };
            if !fits {
                let name = file.name();
                return Err(Error::Input(format!(
                    "{name} is {kind}, which {recipe} does not take"
                )));
            }
            file.check(self.chat.model())?;
        }
        Ok(())
    }

    /// Mails are called by their subject.
    fn name(&self, item: &Item, files: &[AttachedFile]) -> String {
        let text = files.first().and_then(document).map(text);
        let subject = text
            .as_deref()
            .filter(|_| self.recipe.input == Input::Mail)
            .and_then(|text| {
                let mut fields = text.lines().take_while(|line| !line.is_empty());
                fields.find_map(|line| line.strip_prefix("Subject: "))
            });
        match subject {
            Some(subject) => format!(
                "{} {}",
                item.name,
                subject.chars().take(80).collect::<String>()
            ),
            None => item.name.clone(),
        }
    }

    fn pieces(&self, files: &[AttachedFile], notes: &mut Vec<String>) -> Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        let (mut texts, mut media) = (Vec::new(), Vec::new());
        for file in files {
            if let Content::Sound(_) = file.content() {
                notes.extend(file.sound_notes());
                pieces.extend(self.sound(file)?);
                continue;
            }
            let read = file.for_model(self.chat.model())?;
            notes.extend(read.notes);
            media.extend(read.media);
            let text = document(file).map(text).unwrap_or_default();
            texts.push(match files.len() {
                1 => text,
                _ => format!("{}:\n{text}", file.name()),
            });
        }
        let text = texts.join("\n\n");
        let lines: Vec<&str> = text.lines().collect();
        let window = self.recipe.window.lines.unwrap_or(lines.len().max(1));
        let parts = lines.chunks(window).map(|lines| lines.join("\n"));
        let parts = parts.filter(|part| !part.trim().is_empty());
        pieces.extend(parts.map(|text| Piece {
            text,
            media: Vec::new(),
        }));
        match (pieces.first_mut(), media.is_empty()) {
            (Some(first), _) => first.media.extend(media),
            (None, false) => pieces.push(Piece {
                text: "(see the picture)".into(),
                media,
            }),
            (None, true) => return Err(Error::Input("there is no text in it".into())),
        }
        Ok(pieces)
    }

    /// A recording in windows of at most the recipe's seconds.
    fn sound(&self, file: &AttachedFile) -> Result<Vec<Piece>> {
        let most = self
            .recipe
            .window
            .seconds
            .map(|seconds| Duration::from_secs(seconds.into()));
        let mut pieces: Vec<(Duration, Piece)> = Vec::new();
        for window in file.windows(self.chat.model())? {
            let window = window?;
            let joins = |begin: &Duration| {
                most.is_none_or(|most| window.end.saturating_sub(*begin) <= most)
            };
            match pieces.last_mut().filter(|(begin, _)| joins(begin)) {
                Some((_, piece)) => piece.media.push(window.media),
                None => pieces.push((
                    window.begin,
                    Piece {
                        text: "(the recording)".into(),
                        media: vec![window.media],
                    },
                )),
            }
        }
        Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
    }

    fn answer_pieces(
        &mut self,
        pieces: Vec<Piece>,
        values: &Values<'_>,
        answer: &mut Answer,
        on_event: &mut OnEvent<'_>,
    ) -> Result<()> {
        let prompt = self.recipe.prompt.clone();
        let pieces = self.fitting(pieces, &prompt, values)?;
        let (parts, mut said) = (pieces.len(), Vec::new());
        for (at, piece) in pieces.into_iter().enumerate() {
            if parts > 1
                && on_event(Event::Part {
                    part: at + 1,
                    parts,
                })
                .is_break()
            {
                return Err(Error::Stopped);
            }
            let withhold = self.recipe.withhold.then(|| Withhold::new(&piece.text));
            let values = values.with(piece.text);
            let text = self.ask(&prompt, &values, piece.media, &mut answer.notes, on_event)?;
            said.push(match withhold {
                Some(withhold) => withheld(&withhold, &text, &mut answer.notes)?,
                None => text,
            });
        }
        if self.recipe.form()?.is_some() {
            answer.value = Some(self.merged(&said)?);
            return Ok(());
        }
        if parts > 1
            && let Some(last) = self.last(&answer.name, &said, on_event)?
        {
            said.insert(0, last.text);
            answer.notes.extend(last.notes);
        }
        let glue = if self.recipe.last.is_some() {
            "\n\n"
        } else {
            "\n"
        };
        answer.text = said.join(glue);
        Ok(())
    }

    /// Windows that leave room for an answer of their length: lines may be long. Without a window a text is asked about
    /// as a whole.
    fn fitting(
        &mut self,
        pieces: Vec<Piece>,
        prompt: &str,
        values: &Values<'_>,
    ) -> Result<Vec<Piece>> {
        let n_ctx = self.chat.info().n_ctx;
        let Some(n_ctx) = n_ctx.filter(|_| self.recipe.window.lines.is_some()) else {
            return Ok(pieces);
        };
        let (mut open, mut fit) = (pieces, Vec::new());
        open.reverse();
        while let Some(piece) = open.pop() {
            let asked = self.begin(prompt, &values.with(piece.text.clone()))?;
            let fits = self
                .chat
                .room(&asked)?
                .is_none_or(|room| room >= n_ctx * 3 / 5);
            match halves(&piece.text).filter(|_| !fits && piece.media.is_empty()) {
                Some((first, second)) => open.extend([second, first].map(|text| Piece {
                    text: text.to_owned(),
                    media: Vec::new(),
                })),
                None => fit.push(piece),
            }
        }
        Ok(fit)
    }

    /// One value of the answers to all windows: lists are put together, of anything else there can be only one.
    fn merged(&self, said: &[String]) -> Result<Value> {
        let read = |text: &String| {
            serde_json::from_str(text)
                .map_err(|error| Error::Answer(format!("the answer is no JSON: {error}")))
        };
        let mut values = said
            .iter()
            .map(read)
            .collect::<Result<Vec<Value>>>()?
            .into_iter();
        let mut merged = values.next().unwrap_or_default();
        for value in values {
            if !append(&mut merged, value) {
                let why = "of a text in several windows only lists can be put together";
                return Err(Error::Answer(why.into()));
            }
        }
        Ok(merged)
    }

    /// Asks about documents as `reckon ask -f` does.
    fn ask_about(
        &mut self,
        files: &[AttachedFile],
        prompt: &str,
        values: &Values<'_>,
        notes: &mut Vec<String>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<String> {
        let read = Documents::read(files, self.chat.model())?;
        notes.extend(read.notes);
        let prompt = self.begin(prompt, values)?;
        self.chat.attach(read.media);
        let prepared = self.chat.prepare(&read.documents, &prompt)?;
        if prepared.is_direct() {
            self.chat.plan(prepared.prompt())?;
        }
        let reply = self
            .chat
            .ask_prepared(&read.documents, &prepared, &mut *on_event)?;
        self.taken(reply, notes)
    }

    fn ask(
        &mut self,
        prompt: &str,
        values: &Values<'_>,
        media: Vec<Media>,
        notes: &mut Vec<String>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<String> {
        let prompt = self.begin(prompt, values)?;
        self.chat.attach(media);
        // Too long is said before anything is read, with both numbers.
        self.chat.plan(&prompt)?;
        let reply = self.chat.ask(&prompt, &mut *on_event)?;
        self.taken(reply, notes)
    }

    /// A conversation of its own for each question; what it asks.
    fn begin(&mut self, prompt: &str, values: &Values<'_>) -> Result<String> {
        let render = |text: &str| -> Result<String> {
            let wrong = |why| Error::Setting(format!("{}: {why}", self.recipe.name));
            let template = Template::parse(text).map_err(wrong)?;
            Ok(template.render(|name| values.of(name, &self.recipe)))
        };
        let system = self.recipe.system.as_deref().map(render).transpose()?;
        let prompt = render(prompt)?.trim().to_owned();
        *self.chat.conversation_mut() = Conversation::new(system);
        Ok(prompt)
    }

    fn taken(&self, reply: Reply, notes: &mut Vec<String>) -> Result<String> {
        if reply.stopped {
            return Err(Error::Stopped);
        }
        let is_cut = matches!(reply.generation.finish, Finish::Length | Finish::Context);
        if is_cut && self.recipe.form()?.is_some() {
            let what = "the answer is cut: its JSON is not complete (--max-tokens N or --ctx N allows more)";
            return Err(Error::Answer(what.into()));
        }
        if is_cut {
            notes.push("the answer is cut: there is no room for more".into());
        }
        Ok(reply.text.trim().to_owned())
    }

    /// Holds an answer against labels and the input.
    fn settle(&self, files: &[AttachedFile], answer: &mut Answer) -> Result<()> {
        let value = answer.value.take().unwrap_or_default();
        if let Some(labels) = &self.recipe.labels {
            // A server elsewhere may follow no schema.
            let label = value.as_str().unwrap_or_default();
            if !labels.iter().any(|one| one == label) {
                let said = value.to_string().chars().take(60).collect::<String>();
                return Err(Error::Answer(format!("{said} is none of the labels")));
            }
            answer.text = label.to_owned();
        } else if self.recipe.quote {
            answer.spans = Pages::of(files).find_all(&value);
            answer.text = quoted(&value, &answer.spans);
        } else {
            answer.text = value.to_string();
        }
        answer.value = Some(value);
        Ok(())
    }
}

/// What placeholders stand for.
struct Values<'a> {
    input: String,
    file: &'a str,
    date: String,
}

impl<'a> Values<'a> {
    /// The date is that of the question: a watched folder may be watched for days.
    fn new(item: &'a Item) -> Self {
        Self {
            input: String::new(),
            file: &item.name,
            date: today(),
        }
    }

    fn with(&self, input: String) -> Self {
        Self {
            input,
            file: self.file,
            date: self.date.clone(),
        }
    }

    fn of(&self, name: &str, recipe: &Recipe) -> String {
        let list = |names: &Option<Vec<String>>| names.as_deref().unwrap_or_default().join(", ");
        match name {
            "input" => self.input.clone(),
            "file" => self.file.to_owned(),
            "name" => {
                let stem = Path::new(self.file).file_stem().unwrap_or_default();
                stem.to_string_lossy().into_owned()
            }
            "date" => self.date.clone(),
            "labels" => list(&recipe.labels),
            "fields" => list(&recipe.fields),
            name => recipe.parameters.get(name).cloned().unwrap_or_default(),
        }
    }
}

/// An answer without what gives the result away.
fn withheld(withhold: &Withhold, text: &str, notes: &mut Vec<String>) -> Result<String> {
    let (kept, left_out) = withhold.apply(text);
    if left_out > 0 && kept.is_empty() {
        let what = "all of the answer gave the result away (another --seed may do better)";
        return Err(Error::Answer(what.into()));
    }
    if left_out > 0 {
        let s = if left_out == 1 { "" } else { "s" };
        notes.push(format!(
            "{left_out} sentence{s} with new numbers left out: they could give the result away"
        ));
    }
    Ok(kept)
}

/// A text in two, cut between lines, else between sentences, else between words, as near to the middle as can be; `None`
/// if it has none of them.
fn halves(text: &str) -> Option<(&str, &str)> {
    let middle = text.len() / 2;
    ["\n", ". ", " "].iter().find_map(|mark| {
        let ends = text.match_indices(mark).map(|(at, _)| at + mark.len());
        let is_inner = |at: &usize| {
            let (first, second) = text.split_at(*at);
            !first.trim().is_empty() && !second.trim().is_empty()
        };
        let at = ends.filter(is_inner).min_by_key(|at| at.abs_diff(middle))?;
        Some((text[..at].trim_end(), &text[at..]))
    })
}

/// The pages of a file that has some.
pub(crate) fn document(file: &AttachedFile) -> Option<&Document> {
    match file.content() {
        Content::Document(document) => Some(document),
        _ => None,
    }
}

/// The text of all pages.
fn text(document: &Document) -> String {
    let pages = document.pages.iter();
    let texts: Vec<&str> = pages
        .map(|page| page.text.trim_start_matches('\u{feff}'))
        .collect();
    texts.join("\n")
}

/// Adds the lists of one value to those of another; whether that can be done.
fn append(all: &mut Value, more: Value) -> bool {
    match (all, more) {
        (Value::Array(all), Value::Array(more)) => {
            all.extend(more);
            true
        }
        (Value::Object(all), Value::Object(more)) => more.into_iter().all(|(key, value)| {
            let Some(known) = all.get_mut(&key) else {
                all.insert(key, value);
                return true;
            };
            append(known, value)
        }),
        (all, more) => *all == more,
    }
}

/// An answer as text: of lists a point for each, with the quotation as it stands on its page.
fn quoted(value: &Value, spans: &BTreeMap<String, Option<Span>>) -> String {
    let mut lines = Vec::new();
    for (key, list) in value.as_object().into_iter().flatten() {
        for (at, one) in list.as_array().into_iter().flatten().enumerate() {
            let Some(point) = one.get("point").and_then(Value::as_str) else {
                continue;
            };
            lines.push(format!("- {point}"));
            lines.push(match spans.get(&format!("{key}[{at}].quote")) {
                Some(Some(span)) => {
                    let text = span.text.split_whitespace().collect::<Vec<_>>().join(" ");
                    format!("  “{text}” — {}, page {}", span.file, span.page)
                }
                _ => "  (no quotation: it is not in the text)".into(),
            });
        }
    }
    match lines.is_empty() {
        true => value.to_string(),
        false => lines.join("\n"),
    }
}
