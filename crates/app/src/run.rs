//! `reckon run`: a recipe on files, standard input or a watched folder.
//!
//! The recipe and its files are looked at before a model is loaded. Results go to stdout as they come, or to `--out`, which a
//! second run continues. One file that cannot be answered does not stop the others; the exit code is 1 then. Ctrl-C
//! stops between and within answers; of a recording it ends the recording, and what was heard is still noted.
use crate::{
    Context, Failure, assistant,
    cli::recipe::RunArgs,
    exit, input,
    interrupt::Interrupt,
    load, lock_check,
    markdown::Renderer,
    printable::{clean, one_line},
    recipe, screen,
};
use indicatif::{ProgressBar, ProgressStyle};
use reckon::{Chat, Event, Stop};
use reckon_recipe::{
    Answer, Error, Item, Live, OutFile, Output, Recipe, Rows, Runner, Sources, Watch, live,
};
use std::{
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    path::Path,
    thread,
    time::Duration,
};

/// Largest schema in bytes.
const SCHEMA: usize = 1 << 20;
/// How often a watched folder is looked at.
const LOOK: Duration = Duration::from_secs(2);
/// How soon Ctrl-C is heard meanwhile.
const NAP: Duration = Duration::from_millis(100);

/// What a recipe is run on.
enum Work {
    Files(Sources),
    Live(Live),
    Watch(Watch),
}

/// Runs `reckon run`.
pub(crate) fn run(args: &RunArgs, context: &Context) -> anyhow::Result<()> {
    let recipe = read(args, context)?;
    let work = work(args, &recipe)?;
    let out = args.out.as_deref().filter(|_| args.watch.is_none());
    let out = out.map(OutFile::open).transpose()?;
    let interrupt = Interrupt::install()?;
    // Of a recording the first Ctrl-C ends only the recording: what was heard is still answered.
    let stop = match &work {
        Work::Live(Live::Windows(_)) => Stop::default(),
        _ => interrupt.stop().clone(),
    };
    let chat = chat(args, &recipe, &stop, context)?;
    let output = if args.json {
        Output::Jsonl
    } else {
        recipe.output
    };
    let has_headings = match &work {
        Work::Files(sources) => sources.has_several(),
        Work::Live(Live::Mails(mails)) => mails.len() > 1,
        Work::Live(Live::Windows(_)) => true,
        _ => false,
    };
    let rows = Rows::new(&recipe, output, has_headings);
    let rows = if out.is_some() { rows.apart() } else { rows };
    let runner = Runner::new(recipe, chat)?;
    interrupt.begin();
    let mut run = Run {
        runner,
        rows,
        output,
        out,
        stop,
        is_begun: false,
        failed: 0,
        skipped: 0,
    };
    match work {
        Work::Files(sources) => run.files(sources),
        Work::Live(Live::Whole(item)) => run.files(std::iter::once(Ok(item))),
        Work::Live(Live::Mails(mails)) => run.files(mails.into_iter()),
        Work::Live(Live::Windows(windows)) => run.windows(windows),
        Work::Watch(watch) => run.watch(watch),
    }
}

/// The recipe with what was set.
fn read(args: &RunArgs, context: &Context) -> anyhow::Result<Recipe> {
    let found = recipe::find(&args.recipe, &recipe::collection(context))?;
    let mut recipe = Recipe::parse(&found.text, &args.recipe)?;
    for (key, value) in &args.settings {
        recipe.set(key, value)?;
    }
    if let Some(path) = &args.schema {
        recipe.set_schema(input::text(path, SCHEMA)?)?;
    }
    // Missing labels are said before anything is loaded.
    recipe.form()?;
    Ok(recipe)
}

fn work(args: &RunArgs, recipe: &Recipe) -> anyhow::Result<Work> {
    if let Some(folder) = &args.watch {
        return Ok(Work::Watch(Watch::new(folder, args.out.as_deref())?));
    }
    let is_stdin = args.files == [Path::new("-")];
    if is_stdin || (args.files.is_empty() && !io::stdin().is_terminal()) {
        return Ok(Work::Live(live(io::stdin(), recipe)?));
    }
    if args.files.iter().any(|path| path == Path::new("-")) {
        return Err(Failure::usage("- stands alone: files or standard input, not both").into());
    }
    if args.files.is_empty() {
        let failure = Failure::usage(format!("nothing to run {} on", recipe.name));
        let hint = format!(
            "name files, or pipe text into it; reckon recipe show {}",
            recipe.name
        );
        return Err(failure.hint(hint).into());
    }
    let sources = Sources::new(recipe, &args.files)?;
    match sources.found() {
        0 => Err(Failure::input("there are no files in it").into()),
        _ => Ok(Work::Files(sources)),
    }
}

/// Loads the model and sets up the conversation that all items are asked in.
fn chat(args: &RunArgs, recipe: &Recipe, stop: &Stop, context: &Context) -> anyhow::Result<Chat> {
    let guards = assistant::guards(args.raw, context)?;
    let model = load::open(&args.model, true, &args.machine, context)?;
    lock_check::tell(&model, guards.versions(), context);
    let check = args.check.map_or(recipe.check, Into::into);
    Ok(model
        .chat()
        .guards(guards)
        .tools(assistant::tools(context)?)
        .sampling(load::overrides(&args.sampling))
        .max_tokens(args.max_tokens.or(recipe.max_tokens))
        .check(check)
        .stop(stop))
}

/// A run under way.
struct Run {
    runner: Runner,
    rows: Rows,
    output: Output,
    out: Option<OutFile>,
    stop: Stop,
    /// Whether something was printed.
    is_begun: bool,
    failed: usize,
    skipped: usize,
}

impl Run {
    fn files(
        &mut self,
        items: impl Iterator<Item = reckon_recipe::Result<Item>>,
    ) -> anyhow::Result<()> {
        let (mut items, mut asked) = (items.peekable(), 0);
        while let Some(item) = items.next() {
            asked += 1;
            let name = item
                .as_ref()
                .map_or_else(|_| String::new(), |item| item.name.clone());
            match item.and_then(|item| self.one(&item)) {
                Ok(()) => {}
                Err(Error::Stopped) => return Err(self.stopped()),
                Err(error) if asked == 1 && items.peek().is_none() => return Err(ended(error)),
                Err(error) => self.failed(error, &name)?,
            }
        }
        self.end(asked)
    }

    /// Answers an item that has no row yet.
    fn one(&mut self, item: &Item) -> reckon_recipe::Result<()> {
        if self.stop.is_set() {
            return Err(Error::Stopped);
        }
        let key = item.key(self.runner.recipe());
        if self.out.as_ref().is_some_and(|out| out.is_done(&key)) {
            self.skipped += 1;
            return Ok(());
        }
        let answer = self.answer(item)?;
        self.put(&key, &answer)
    }

    fn answer(&mut self, item: &Item) -> reckon_recipe::Result<Answer> {
        let progress = Progress::new(&item.name, &self.stop);
        let answer = self
            .runner
            .answer(item, &mut |event| progress.go_on(&event));
        drop(progress);
        let answer = answer?;
        for note in &answer.notes {
            exit::notice(note);
        }
        Ok(answer)
    }

    /// Writes a row, to the file or to stdout.
    fn put(&mut self, key: &str, answer: &Answer) -> reckon_recipe::Result<()> {
        let (head, row) = (self.rows.head(), self.rows.row(answer));
        if let Some(out) = &mut self.out {
            return out.append(key, &head, &row);
        }
        let head = if self.is_begun { "" } else { &head };
        let shown = match screen::Output::of_stdout() {
            // Drawn as `ask` draws answers: lines end between words.
            screen::Output::Terminal(look) if self.output == Output::Text => {
                let mut renderer = Renderer::new(look);
                let gap = if self.is_begun { "\n" } else { "" };
                format!("{gap}{}{}", renderer.push(&row), renderer.finish())
            }
            _ => clean(&format!("{head}{row}")),
        };
        self.is_begun = true;
        let mut stdout = io::stdout().lock();
        let written = write!(stdout, "{shown}");
        written
            .and_then(|()| stdout.flush())
            .map_err(|why| Error::File {
                path: "standard output".into(),
                why,
            })
    }

    /// Windows of a recording or of lines, then what the recipe asks last.
    fn windows(
        &mut self,
        windows: impl IntoIterator<Item = reckon_recipe::Result<Item>>,
    ) -> anyhow::Result<()> {
        let (mut said, mut asked) = (Vec::new(), 0);
        for item in windows {
            asked += 1;
            let name = item
                .as_ref()
                .map_or_else(|_| String::new(), |item| item.name.clone());
            let answer = item.and_then(|item| {
                let answer = self.answer(&item)?;
                // The same words may be said twice: only the window's time makes it this one.
                self.put(
                    &format!("{} {asked}", item.key(self.runner.recipe())),
                    &answer,
                )?;
                Ok(answer)
            });
            match answer {
                Ok(answer) => said.push(answer.text),
                Err(error) => self.failed(error, &name)?,
            }
        }
        let progress = Progress::new("summary", &self.stop);
        let last = self
            .runner
            .last("Summary", &said, &mut |event| progress.go_on(&event));
        drop(progress);
        match last {
            Ok(Some(last)) => {
                let key = format!("last {}", said.len());
                self.put(&key, &last).map_err(ended)?;
            }
            Ok(None) => {}
            Err(error) => self.failed(error, "the summary")?,
        }
        self.end(asked)
    }

    /// Looks at a folder until Ctrl-C.
    fn watch(&mut self, mut watch: Watch) -> anyhow::Result<()> {
        let ending = match self.output {
            Output::Text => "md",
            Output::Csv => "csv",
            Output::Jsonl => "jsonl",
        };
        let results = watch.results().display().to_string();
        exit::notice(&one_line(&format!("results are in {results}; Ctrl-C ends")));
        while !self.stop.is_set() {
            for path in watch.look()? {
                let sources = Sources::new(self.runner.recipe(), std::slice::from_ref(&path));
                match sources.and_then(|sources| self.together(sources)) {
                    Ok(text) => watch.finish(&path, ending, &text)?,
                    Err(Error::Stopped) => return Ok(()),
                    Err(error @ Error::File { .. }) => return Err(error.into()),
                    // Told once: the file will not get better by itself.
                    Err(error) => {
                        exit::notice(&one_line(&format!("{}: {error}", path.display())));
                        watch.finish(&path, "error.txt", &format!("{error}\n"))?
                    }
                };
            }
            self.nap();
        }
        Ok(())
    }

    /// All that one watched file gives; an mbox has many mails.
    fn together(&mut self, sources: Sources) -> reckon_recipe::Result<String> {
        let mut text = self.rows.head();
        for item in sources {
            if self.stop.is_set() {
                return Err(Error::Stopped);
            }
            let answer = self.answer(&item?)?;
            text.push_str(&self.rows.row(&answer));
        }
        Ok(text)
    }

    fn nap(&self) {
        let naps = LOOK.as_millis() / NAP.as_millis();
        for _ in 0..naps {
            if self.stop.is_set() {
                return;
            }
            thread::sleep(NAP);
        }
    }

    /// One of several items could not be answered: the others may be.
    fn failed(&mut self, error: Error, name: &str) -> anyhow::Result<()> {
        // Without a disk, a pipe or a server the next item fails as well.
        if matches!(
            error,
            Error::File { .. } | Error::Model(reckon::Error::Remote { .. })
        ) {
            return Err(ended(error));
        }
        self.failed += 1;
        let why = error.to_string();
        exit::notice(&one_line(&match why.contains(name) {
            true => why,
            false => format!("{name}: {why}"),
        }));
        Ok(())
    }

    fn end(&self, asked: usize) -> anyhow::Result<()> {
        if self.skipped > 0 {
            exit::notice(&format!("{} of {asked} were done before", self.skipped));
        }
        match self.failed {
            0 => Ok(()),
            failed => Err(Failure::failed(format!("{failed} of {asked} were not answered")).into()),
        }
    }

    fn stopped(&self) -> anyhow::Error {
        let failure = Failure::failed("stopped");
        match &self.out {
            Some(_) => failure.hint("the same command continues").into(),
            None => failure.into(),
        }
    }
}

/// What is being answered, on stderr while it lasts and if that is a terminal.
struct Progress<'a> {
    name: String,
    bar: ProgressBar,
    stop: &'a Stop,
}

impl<'a> Progress<'a> {
    fn new(name: &str, stop: &'a Stop) -> Self {
        let name = one_line(name);
        let style = ProgressStyle::with_template("{spinner} {msg}");
        let bar = ProgressBar::new_spinner().with_message(name.clone());
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Self { name, bar, stop }
    }

    fn go_on(&self, event: &Event<'_>) -> ControlFlow<()> {
        if let Event::Part { part, parts } = event {
            let message = format!("{}: part {part} of {parts}", self.name);
            self.bar.set_message(message);
        }
        self.bar.tick();
        match self.stop.is_set() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// An error as the command ends with it: hints and closed pipes are known by what is inside.
fn ended(error: Error) -> anyhow::Error {
    match error {
        Error::Model(error) => error.into(),
        Error::File { why, .. } if why.kind() == io::ErrorKind::BrokenPipe => why.into(),
        error => error.into(),
    }
}
