//! `reckon lab judge`: a model judges answers, one row a contest, in FastChat's form.
//!
//! Several contests are under way at a time. A row is written as soon as its judgment is there, in one write; what is in
//! the file already is not judged again, so a run that was killed goes on where it was. An endpoint that is busy is
//! asked again; one that stays away ends the run, and nothing is lost.
use super::{
    model::{self, Crew},
    now,
    report::judgments::JudgmentReport,
    sets,
};
use crate::{
    Context, Failure, assistant,
    cli::lab::{JudgeArgs, JudgeMode, Track},
};
use reckon::models::is_path;
use reckon::{Ask, CheckLevel, Finish, Message, Role, Sampling, TextModel, Toolbox, Tools};
use reckon_lab::{
    Journal, Question,
    fastchat::{
        Answers, Asked, Contest, Entries, Judge, Judgment, Mode, Pair, Prompts, Single, Winner,
        contests, dumps, rating, read_answers, read_judgments, read_prompts, rubric, winner,
    },
    read_questions,
};
use serde_json::{Number, Value};
use std::{
    collections::HashSet,
    io::{self, Write},
    ops::ControlFlow,
    path::Path,
    sync::Mutex,
};

/// Scores of answers that a check decides: FastChat's scale from end to end.
const RIGHT: u32 = 10;
const WRONG: u32 = 1;

/// Runs `reckon lab judge`.
pub(crate) fn run(args: &JudgeArgs, context: &Context) -> anyhow::Result<()> {
    if args.baseline.is_some() && args.mode == JudgeMode::Single {
        return Err(Failure::usage("--baseline needs --mode pair").into());
    }
    let given = JudgeFiles::read(args, context)?;
    let all = contests(&given.entries(args)).map_err(missing)?;
    if all.is_empty() {
        return Err(Failure::input("no answer to judge")
            .hint("the ids of answers and questions must be the same")
            .into());
    }
    let (journal, done) = Journal::open(&args.output)?;
    let mut judged = HashSet::new();
    for line in done {
        judged.insert(Key::of(&Judgment::of(line, &args.output)?));
    }
    let left = left(&all, &judged, args);
    if !left.is_empty() {
        judge(args, context, &left, journal)?;
    }
    let rows = read_judgments(&args.output)?;
    let report = JudgmentReport::of(&rows, &given.questions);
    write!(io::stdout().lock(), "{}", report.table())?;
    Ok(())
}

/// Judges what is left.
fn judge(
    args: &JudgeArgs,
    context: &Context,
    left: &[Left<'_>],
    journal: Journal,
) -> anyhow::Result<()> {
    let desk = JudgeRun {
        args,
        journal: Mutex::new(journal),
        crew: Crew::new(left.len(), "judgments")?,
    };
    let model = model::open(&args.answerer, context)?;
    let tools = || assistant::tools(context);
    let work = |left: &Left<'_>, tools: &mut Toolbox, model: &mut dyn TextModel| {
        desk.judge(left, model, tools)
    };
    if desk.crew.work(&model, args.parallel, left, tools, work)? {
        return Err(Failure::failed("stopped")
            .hint("the same command goes on from here")
            .into());
    }
    Ok(())
}

fn missing(why: String) -> Failure {
    match why.contains("reference") {
        true => Failure::input(why).hint("--references R.jsonl has them"),
        false => Failure::input(why),
    }
}

/// The files of the command line.
struct JudgeFiles {
    questions: Vec<Question>,
    answers: Vec<Answers>,
    references: Option<Answers>,
    prompts: Prompts,
}

impl JudgeFiles {
    /// A benchmark that is called by name has prompts and references of its own; questions without prompts are judged by
    /// our rubric.
    fn read(args: &JudgeArgs, context: &Context) -> anyhow::Result<Self> {
        let set = sets::find(&args.questions, context)?;
        let set = set.as_ref();
        let questions = set.map_or(&args.questions, |set| &set.questions);
        let prompts = args.prompts.as_ref().or(set.map(|set| &set.prompts));
        let references = args.references.as_ref().or(set.map(|set| &set.references));
        let mut answers = Vec::new();
        for path in &args.answers {
            answers.extend(read_answers(path)?);
        }
        Ok(Self {
            questions: read_questions(questions)?,
            answers,
            references: match references {
                Some(path) => read_answers(path)?.into_iter().next(),
                None => None,
            },
            prompts: prompts.map_or_else(rubric, |path| read_prompts(path))?,
        })
    }

    fn entries<'a>(&'a self, args: &'a JudgeArgs) -> Entries<'a> {
        Entries {
            questions: &self.questions,
            answers: &self.answers,
            references: self.references.as_ref(),
            prompts: &self.prompts,
            mode: match args.mode {
                JudgeMode::Single => Mode::Single,
                JudgeMode::Pair => Mode::Pair {
                    baseline: args.baseline.as_deref(),
                },
            },
            corrected: args.track == Track::Corrected,
        }
    }
}

/// What a row is about; two rows with one key are the same judgment.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    id: String,
    turn: usize,
    models: (String, Option<String>),
    /// Who judged; nobody where a check did.
    judge: Option<String>,
    repeat: usize,
    corrected: bool,
}

/// The name of a judge that is a check.
const CHECK: &str = "check";

impl Key {
    fn of(row: &Judgment) -> Self {
        let id = |id: &Value| match id {
            Value::String(id) => id.clone(),
            other => other.to_string(),
        };
        let name = |judge: &Option<Judge>| {
            let name = judge.as_ref().map(|(name, _)| name.clone());
            name.filter(|name| name != CHECK)
        };
        match row {
            Judgment::Single(row) => Self {
                id: id(&row.question_id),
                turn: row.turn,
                models: (row.model.clone(), None),
                judge: name(&row.judge),
                repeat: row.repeat.unwrap_or(1),
                corrected: row.track.is_some(),
            },
            Judgment::Pair(row) => Self {
                id: id(&row.question_id),
                turn: row.turn,
                models: (row.model_1.clone(), Some(row.model_2.clone())),
                judge: name(&row.judge),
                repeat: row.repeat.unwrap_or(1),
                corrected: row.track.is_some(),
            },
        }
    }
}

/// What rows call the judge: the model as it was named, or its file without the folder.
fn judge_name(args: &JudgeArgs) -> String {
    let Some(model) = &args.answerer.model else {
        return "default".into();
    };
    let is_file = args.answerer.endpoint.is_none() && is_path(model);
    match Path::new(model).file_stem().filter(|_| is_file) {
        Some(stem) => stem.to_string_lossy().into_owned(),
        None => model.clone(),
    }
}

/// A contest that is to be judged, for the how-many-th time.
struct Left<'a> {
    contest: &'a Contest<'a>,
    repeat: usize,
}

fn left<'a>(all: &'a [Contest<'a>], judged: &HashSet<Key>, args: &JudgeArgs) -> Vec<Left<'a>> {
    let judge = judge_name(args);
    let is_judged = |contest: &Contest<'_>, judge: Option<&str>, repeat: usize| {
        judged.contains(&Key {
            id: contest.question.id.clone(),
            turn: contest.turn,
            models: (
                contest.first.model.clone(),
                contest.second.map(|second| second.model.clone()),
            ),
            judge: judge.map(str::to_owned),
            repeat,
            corrected: args.track == Track::Corrected,
        })
    };
    let mut left = Vec::new();
    for repeat in 1..=args.repeats {
        for contest in all {
            // What a check has decided once it has decided for good.
            if !is_judged(contest, Some(&judge), repeat) && !is_judged(contest, None, 1) {
                left.push(Left { contest, repeat });
            }
        }
    }
    left
}

/// What the workers share.
struct JudgeRun<'a> {
    args: &'a JudgeArgs,
    journal: Mutex<Journal>,
    crew: Crew,
}

impl JudgeRun<'_> {
    /// Judges one contest and keeps the row.
    fn judge(
        &self,
        left: &Left<'_>,
        model: &mut dyn TextModel,
        tools: &mut dyn Tools,
    ) -> anyhow::Result<()> {
        let made = self.row(left, model, tools);
        if made.is_err() {
            // The others need not go on: what ended this one will end them.
            self.crew.give_up();
        }
        if let Some(row) = made? {
            let line = dumps(&row)?;
            let broken = |_| Failure::failed("a judgment could not be written");
            self.journal.lock().map_err(broken)?.add_line(line)?;
        }
        self.crew.step();
        Ok(())
    }

    /// The row of a contest; none if Ctrl-C came first, or if a check decides it, which it does only once.
    fn row(
        &self,
        left: &Left<'_>,
        model: &mut dyn TextModel,
        tools: &mut dyn Tools,
    ) -> anyhow::Result<Option<Judgment>> {
        let contest = left.contest;
        let verdicts = verdicts(contest, tools);
        if contest.decisive
            && let Some(verdicts) = verdicts.iter().copied().collect::<Option<Vec<bool>>>()
        {
            return Ok((left.repeat == 1).then(|| self.decided(left, &verdicts)));
        }
        let mut said = Vec::new();
        for asked in &contest.asked {
            match self.ask(asked, left.repeat, model)? {
                Some(text) => said.push(text),
                None => return Ok(None),
            }
        }
        Ok(Some(self.judged(
            left,
            said,
            verdicts.first().copied().flatten(),
        )))
    }

    /// What the judge says; nothing if Ctrl-C came first.
    fn ask(
        &self,
        asked: &Asked,
        repeat: usize,
        model: &mut dyn TextModel,
    ) -> anyhow::Result<Option<String>> {
        let say = |role, text: &str| Message::new(role, text);
        let ask = Ask {
            messages: vec![
                say(Role::System, &asked.system),
                say(Role::User, &asked.user),
            ],
            sampling: Sampling {
                temperature: self.args.temperature,
                seed: repeat as u64 - 1,
                ..Sampling::default()
            },
            max_tokens: Some(self.args.max_tokens),
            check: CheckLevel::Off,
            ..Ask::default()
        };
        let said = model.generate(&ask, &mut |_| match self.crew.interrupt.is_asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })?;
        Ok((said.finish != Finish::Cancelled).then_some(said.text))
    }

    /// A row that no judge was asked for.
    fn decided(&self, left: &Left<'_>, verdicts: &[bool]) -> Judgment {
        let winner = match verdicts {
            [true, false] => Winner::First,
            [false, true] => Winner::Second,
            _ => Winner::Tie,
        };
        let judge = (CHECK.to_owned(), "mt_bench".to_owned());
        let right = verdicts.first().copied();
        let score = if right == Some(true) { RIGHT } else { WRONG };
        self.fill(
            left,
            judge,
            Number::from(score),
            [winner; 2],
            Vec::new(),
            right,
        )
    }

    /// A row of what the judge said.
    fn judged(&self, left: &Left<'_>, said: Vec<String>, check: Option<bool>) -> Judgment {
        let prompt = left.contest.asked.first().map(|asked| asked.name.clone());
        let judge = (judge_name(self.args), prompt.unwrap_or_default());
        let score = rating(said.first().map_or("", String::as_str));
        let winners = [
            said.first().map_or(Winner::Error, |text| winner(text)),
            said.get(1)
                .map_or(Winner::Error, |text| winner(text).swapped()),
        ];
        self.fill(left, judge, score, winners, said, check)
    }

    fn fill(
        &self,
        left: &Left<'_>,
        judge: Judge,
        score: Number,
        [g1_winner, g2_winner]: [Winner; 2],
        said: Vec<String>,
        check: Option<bool>,
    ) -> Judgment {
        let contest = left.contest;
        let id = &contest.question.id;
        let question_id = id
            .parse::<u64>()
            .map_or(Value::from(id.as_str()), Value::from);
        let prompt = |game: usize| {
            let asked = contest.asked.get(game).filter(|_| !said.is_empty());
            asked.map(|asked| asked.user.clone())
        };
        let repeat = Some(left.repeat).filter(|repeat| *repeat > 1);
        let corrected = self.args.track == Track::Corrected;
        let track = corrected.then(|| "corrected".to_owned());
        let tstamp = Some(now());
        let model = contest.first.model.clone();
        match contest.second {
            None => Judgment::Single(Single {
                question_id,
                model,
                judge: Some(judge),
                user_prompt: prompt(0),
                judgment: said.first().cloned(),
                score,
                turn: contest.turn,
                tstamp,
                repeat,
                track,
                check,
            }),
            Some(second) => Judgment::Pair(Pair {
                question_id,
                model_1: model,
                model_2: second.model.clone(),
                g1_winner,
                g2_winner,
                judge: Some(judge),
                g1_user_prompt: prompt(0),
                g1_judgment: said.first().cloned(),
                g2_user_prompt: prompt(1),
                g2_judgment: said.get(1).cloned(),
                turn: contest.turn,
                tstamp,
                repeat,
                track,
            }),
        }
    }
}

/// What the checks say about each answer; without the corrected track they are not asked.
fn verdicts(contest: &Contest<'_>, tools: &mut dyn Tools) -> Vec<Option<bool>> {
    if !contest.decisive {
        return Vec::new();
    }
    let is_right = |text| contest.question.is_right(contest.turn, text, tools);
    contest.texts().into_iter().map(is_right).collect()
}
