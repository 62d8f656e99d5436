//! Scores in words, tables and drawings: what checks say, and what judges say.

use super::{
    super::{
        Report,
        block::{Block, Cell, Table, head},
        checked::Checked,
        judged::{Judged, System},
        plot::{self, Axis, Group, Series, Whisker},
    },
    MOST,
};
use crate::{
    figures::{self, count},
    statistics::{Estimate, Scale, Verdict},
};

/// What guards changed, in a sentence.
pub(super) fn sentence(found: &Checked) -> String {
    let difference = &found.difference;
    if difference.wins + difference.losses == 0 && found.fixed.is_empty() {
        return format!(
            "Of {} that can be checked, {} are right, with guards and without.",
            count(difference.n, "turn"),
            figures::mean(difference.first, Scale::Share),
        );
    }
    let verdict = match difference.verdict {
        Verdict::Neither => "the two are not distinguishable".into(),
        other => other.say("without guards it", "with guards it"),
    };
    format!(
        "Of {} that can be checked, {} are right without guards and {} with them: {} points, {verdict}.",
        count(difference.n, "turn"),
        figures::mean(difference.first, Scale::Share),
        figures::mean(difference.second, Scale::Share),
        figures::paired(difference, Scale::Share),
    )
}

/// Who is ahead, in a sentence.
pub(super) fn judged_sentence(judged: &Judged) -> String {
    let same = judged.systems.iter().filter(|one| {
        one.against
            .is_some_and(|against| against.verdict == Verdict::Neither)
    });
    let of = judged
        .systems
        .iter()
        .find(|one| one.model == judged.reference);
    let (others, same) = (judged.systems.len().saturating_sub(1), same.count());
    let are = if same == 1 { "is" } else { "are" };
    format!(
        "Judged: {}. {} scores {}; of the other {others}, {same} {are} not distinguishable from it.",
        count(judged.systems.len(), "system"),
        judged.reference,
        of.map_or(String::new(), |one| figures::estimate(
            &one.all,
            Scale::Points
        )),
    )
}

/// Right and wrong.
pub(super) fn checked(page: &mut Vec<Block>, report: &Report) {
    if report.checked.is_empty() {
        return;
    }
    page.push(Block::Section("Right and wrong, by checks".into()));
    for found in &report.checked {
        if report.checked.len() > 1 {
            page.push(Block::Heading(found.name.clone()));
        }
        page.push(Block::Text(sentence(found)));
        page.push(Block::Figure {
            svg: plot::legend("raw", "guarded") + &drawing(found),
            caption: format!(
                "{}: share of right answers with 95 % intervals, without guards and with them",
                found.name
            ),
        });
        page.push(Block::Table(table(found)));
        page.push(Block::Text(flips(found)));
        page.push(Block::Text(graders(found)));
    }
}

fn drawing(found: &Checked) -> String {
    let group = |label: &str, raw: &Estimate, guarded: &Estimate| Group {
        label: label.to_owned(),
        figures: format!(
            "{} → {}",
            figures::mean(raw.mean, Scale::Share),
            figures::mean(guarded.mean, Scale::Share)
        ),
        whiskers: [(Series::First, raw), (Series::Second, guarded)]
            .map(|(kind, one)| Whisker {
                kind,
                value: one.mean,
                interval: one.interval,
            })
            .into(),
    };
    let mut groups = vec![group("all", &found.raw, &found.guarded)];
    let categories = found.categories.iter().take(MOST);
    groups.extend(categories.map(|one| group(&one.category, &one.raw, &one.guarded)));
    plot::whiskers("Share of right answers", &groups, &Axis::shares())
}

fn table(found: &Checked) -> Table {
    let row = |name: &str, raw: &Estimate, guarded: &Estimate| {
        vec![
            Cell::words(name),
            Cell::figure(raw.questions),
            Cell::figure(raw.n),
            Cell::Figure(figures::estimate(raw, Scale::Share)),
            Cell::Figure(figures::estimate(guarded, Scale::Share)),
            Cell::Figure(figures::difference(guarded.mean - raw.mean, Scale::Share)),
        ]
    };
    let categories = found.categories.iter().take(MOST);
    let mut rows: Vec<_> = categories
        .map(|one| row(&one.category, &one.raw, &one.guarded))
        .collect();
    rows.push(row("all", &found.raw, &found.guarded));
    Table {
        caption: format!(
            "{}: right answers by category, with 95 % intervals",
            found.name
        ),
        head: head(&[
            "Category",
            "Questions",
            "Turns",
            "Raw",
            "Guarded",
            "Difference",
        ]),
        rows,
    }
}

/// Which checks decided, so that nobody has to guess whether a guard graded itself.
fn graders(found: &Checked) -> String {
    let one = |(name, n): (&String, &usize)| match name.as_str() {
        "" => format!("{}, the tape does not say by what", count(*n, "turn")),
        name => format!("{}, {name}", count(*n, "turn")),
    };
    let all: Vec<String> = found.graded.iter().map(one).collect();
    let own = match found.graded.contains_key("") {
        true => "",
        false => " No guard graded itself.",
    };
    format!("Graded by: {}.{own}", all.join("; "))
}

fn flips(found: &Checked) -> String {
    let list = |turns: &[(String, usize)]| {
        let names = turns
            .iter()
            .take(40)
            .map(|(id, turn)| format!("{id}/{turn}"));
        let names: Vec<String> = names.collect();
        let more = turns.len().saturating_sub(40);
        match (names.is_empty(), more) {
            (true, _) => "none".to_owned(),
            (false, 0) => names.join(", "),
            (false, more) => format!("{} and {more} more", names.join(", ")),
        }
    };
    let difference = &found.difference;
    let detectable = difference.detectable.map_or(String::new(), |least| {
        format!(
            " So many questions show a difference of {} points in 80 of 100 cases.",
            figures::mean(least, Scale::Share).trim_end_matches(" %")
        )
    });
    format!(
        "Wrong before and right after (question/turn): {}. Right before and wrong after: {}. Chance of a difference as \
         large: {}.{detectable}",
        list(&found.fixed),
        list(&found.broken),
        figures::chance(difference.p),
    )
}

/// What judges said.
pub(super) fn judged(page: &mut Vec<Block>, report: &Report) {
    let Some(judged) = &report.judged else {
        return;
    };
    page.push(Block::Section("Judged scores".into()));
    page.push(Block::Text(judged_sentence(judged)));
    let systems = &judged.systems[..judged.systems.len().min(MOST)];
    let groups: Vec<Group> = systems
        .iter()
        .map(|one| Group {
            label: one.model.clone(),
            figures: figures::estimate(&one.all, Scale::Points),
            whiskers: vec![Whisker {
                kind: if one.model == judged.reference {
                    Series::Second
                } else {
                    Series::First
                },
                value: one.all.mean,
                interval: one.all.interval,
            }],
        })
        .collect();
    let caption = format!(
        "Mean score with 95 % intervals; {} is marked",
        judged.reference
    );
    page.push(Block::Figure {
        svg: plot::whiskers(&caption, &groups, &Axis::points()),
        caption,
    });
    page.push(Block::Table(Table {
        caption: format!(
            "Systems by mean score, with 95 % intervals over questions; the last columns hold each against {}",
            judged.reference
        ),
        head: head(&[
            "System", "Score", "First turn", "Second turn", "Turns", "Difference", "Chance", "Verdict",
        ]),
        rows: systems.iter().map(|one| system(one, &judged.reference)).collect(),
    }));
    page.push(Block::Table(by_category(systems)));
}

fn system(one: &System, reference: &str) -> Vec<Cell> {
    let turn = |found: &Option<Estimate>| {
        let mean = found.map(|found| figures::mean(found.mean, Scale::Points));
        Cell::Figure(mean.unwrap_or_default())
    };
    let (difference, chance, verdict) = match &one.against {
        _ if one.model == reference => (String::new(), String::new(), "the reference".into()),
        None => (String::new(), String::new(), "not comparable".into()),
        Some(against) => (
            figures::paired(against, Scale::Points),
            figures::chance(against.p),
            match against.verdict {
                Verdict::First => "worse".to_owned(),
                Verdict::Second => "better".to_owned(),
                Verdict::Neither => "not distinguishable".to_owned(),
            },
        ),
    };
    vec![
        Cell::words(&one.model),
        Cell::Figure(figures::estimate(&one.all, Scale::Points)),
        turn(&one.first),
        turn(&one.second),
        Cell::figure(one.all.n),
        Cell::Figure(difference),
        Cell::Figure(chance),
        Cell::Words(verdict),
    ]
}

/// A row a system, a column a category.
fn by_category(systems: &[System]) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for (category, _) in systems.iter().flat_map(|one| &one.categories) {
        if names.len() < CATEGORIES && !names.contains(&&**category) {
            names.push(category);
        }
    }
    let row = |one: &System| {
        let mut row = vec![Cell::words(&one.model)];
        row.extend(names.iter().map(|name| {
            let found = one.categories.iter().find(|(category, _)| category == name);
            let text = found.map(|(_, found)| figures::estimate(found, Scale::Points));
            Cell::Figure(text.unwrap_or_default())
        }));
        row
    };
    Table {
        caption: "The same by category, over both turns".into(),
        head: [head(&["System"]), head(&names)].concat(),
        rows: systems.iter().map(row).collect(),
    }
}

/// Most columns of categories.
const CATEGORIES: usize = 24;
