//! `reckon lab compare`: how two systems differ, on tapes or in judgments, and what the difference is worth.
use super::{print, recording};
use crate::{Context, Failure, cli::lab::CompareArgs, printable::one_line};
use reckon_lab::{
    compare::{Comparison, Flip},
    fastchat::read_judgments,
    figures, read_lines,
    report::{Rated, rated},
    statistics::{Paired, Scale},
};
use std::path::Path;

/// Runs `reckon lab compare`.
pub(crate) fn run(args: &CompareArgs, context: &Context) -> anyhow::Result<()> {
    let found = if is_judged(&args.first)? {
        judged(args)?
    } else {
        taped(args, context)?
    };
    if found.answers == 0 {
        return Err(Failure::input("no answer to compare")
            .hint("both must have answered the same questions")
            .into());
    }
    print(&found, args.json, || text(&found, args.flips))
}

/// Judgments have a score or a winner, tapes a text.
fn is_judged(path: &Path) -> anyhow::Result<bool> {
    let lines = read_lines(path)?;
    Ok(lines
        .first()
        .is_some_and(|line| line.value.get("score").is_some()))
}

fn taped(args: &CompareArgs, context: &Context) -> anyhow::Result<Comparison> {
    if !args.models.is_empty() {
        return Err(Failure::usage("--models is for files of judgments").into());
    }
    let questions = recording::questions(args.questions.as_ref(), context)?;
    let first = recording::read(&args.first, &questions, context)?;
    Ok(match &args.second {
        None => Comparison::of_tape(&first),
        Some(second) => {
            let second = recording::read(second, &questions, context)?;
            Comparison::of_tapes(&first, &second)
        }
    })
}

fn judged(args: &CompareArgs) -> anyhow::Result<Comparison> {
    let mut rows = read_judgments(&args.first)?;
    if let Some(second) = &args.second {
        rows.extend(read_judgments(second)?);
    }
    let judgments = rated(&rows);
    let (first, second) = match &args.models[..] {
        [first, second] => (first.clone(), second.clone()),
        _ => two(&judgments)?,
    };
    for name in [&first, &second] {
        if judgments.iter().all(|one| one.model != *name) {
            return Err(Failure::input(format!("no judgment of {name}"))
                .hint(format!("there are {}", names(&judgments).join(", ")))
                .into());
        }
    }
    Ok(Comparison::of_judgments(&judgments, &first, &second))
}

/// The only two models there are.
fn two(judgments: &[Rated]) -> anyhow::Result<(String, String)> {
    match &names(judgments)[..] {
        [first, second] => Ok(((*first).to_owned(), (*second).to_owned())),
        other => Err(
            Failure::usage(format!("{} models were judged", other.len()))
                .hint("--models A B names two of them")
                .into(),
        ),
    }
}

/// In the order in which they appear.
fn names(judgments: &[Rated]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for one in judgments {
        if names.len() < 64 && !names.contains(&&*one.model) {
            names.push(&one.model);
        }
    }
    names
}

fn text(found: &Comparison, list: bool) -> String {
    let (turns, questions) = (
        figures::count(found.answers, "turn"),
        figures::count(found.questions, "question"),
    );
    let mut text = format!("answers     {turns} of {questions}");
    if let Some(same) = found.same_bytes {
        text += &format!(", {same} of them the same bytes");
    }
    text.push('\n');
    match &found.scores {
        Some(scores) => scored(&mut text, found, scores),
        None => text += "scores      none: no turn of both can be checked\n",
    }
    for (guard, counts) in &found.guards {
        let counts = counts.iter().map(|(came, n)| format!("{came} {n}"));
        let counts: Vec<String> = counts.collect();
        text += &format!("{guard:<11} {}\n", counts.join(", "));
    }
    let flips = found.flips.iter().filter(|_| list);
    flips.fold(text, |text, flip| text + &line(flip, found.scale) + "\n")
}

fn scored(text: &mut String, found: &Comparison, scores: &Paired) {
    let (first, second, scale) = (&found.first, &found.second, found.scale);
    let (unit, right) = match scale {
        Scale::Share => (" points", " right"),
        Scale::Points => ("", ""),
    };
    let (turns, questions) = (
        figures::count(scores.n, "turn"),
        figures::count(scores.questions, "question"),
    );
    for (name, mean) in [(first, scores.first), (second, scores.second)] {
        let mean = figures::mean(mean, scale);
        *text += &format!("{name:<11} {mean}{right}, {turns} of {questions}\n");
    }
    let difference = |value| figures::difference(value, scale);
    let how_sure = match scores.interval {
        None => "too few questions for an interval".to_owned(),
        Some((low, high)) => {
            format!("95 % interval [{}, {}]", difference(low), difference(high))
        }
    };
    let (better, worse) = found.turned();
    *text += &format!(
        "difference  {}{unit}, {how_sure}: {}\n\
         questions   {} better, {} even, {} worse with {second}\n\
         flips       {better} better, {worse} worse\n\
         chance      {} (permutation of questions), {} (signs alone)\n",
        difference(scores.difference),
        scores.verdict.say(first, second),
        scores.wins,
        scores.ties,
        scores.losses,
        figures::chance(scores.p),
        figures::chance(scores.p_sign),
    );
    if let Some(least) = scores.detectable {
        let least = difference(least);
        let least = least.trim_start_matches('+');
        *text += &format!("detectable  {least}{unit} in 80 of 100 such comparisons\n");
    }
    if let Some(level) = &found.equal_length {
        *text += &format!(
            "at equal length  {}{unit}; {second} is {:.2} times as long\n",
            figures::signed(level.difference, level.interval, scale),
            level.ratio
        );
    }
}

fn line(flip: &Flip, scale: Scale) -> String {
    let is_better = flip.second > flip.first;
    let way = if is_better { "better" } else { "worse" };
    let scores = match scale {
        Scale::Share => String::new(),
        Scale::Points => format!("  {} → {}", flip.first, flip.second),
    };
    let place = format!("{}/{}", flip.id, flip.turn);
    let whole = format!("{way:<8}{place}{scores}  {}", flip.guards.join(", "));
    one_line(whole.trim_end())
}
