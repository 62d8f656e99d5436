//! FastChat's files: ours and theirs come to the same bytes and figures.
use crate::shared;
use reckon_lab::{
    Question,
    fastchat::{
        Answers, Entries, Fields, Judgment, Mode, Pair, Prompts, Single, Standing, Winner,
        contests, dumps, figures, rating, read_answers, read_judgments, read_prompts, standings,
        winner,
    },
    mt_bench, read_lines, read_questions,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join(name);
    fs::write(&path, text).expect("written");
    (dir, path)
}

fn refusal(text: &str) -> String {
    let (_dir, path) = file("j.jsonl", text);
    read_judgments(&path).expect_err("refused").to_string()
}

fn by_number(id: &str) -> Option<String> {
    mt_bench::category(id).map(str::to_owned)
}

#[test]
fn scores_are_numbers_or_texts_that_are_and_minus_one_is_dropped() {
    let (_dir, path) = file(
        "j.jsonl",
        "\u{feff}{\"question_id\":81,\"model\":\"m\",\"score\":\"8.5\",\"turn\":1}\r\n\r\n\
         {\"question_id\":\"81\",\"model\":\"m\",\"score\":7,\"turn\":2}\n\
         {\"question_id\":111,\"model\":\"m\",\"score\":-1,\"turn\":1}\n\
         {\"question_id\":111,\"model\":\"m\",\"score\":4,\"turn\":2}\n{\"question_id\":1",
    );
    let rows = read_judgments(&path).expect("read");
    let found = &figures(&rows, &by_number)[0];
    assert_eq!(found.score.first, Some(8.5));
    assert_eq!(found.score.second, Some(5.5));
    assert_eq!(found.score.average, Some(6.5));
    assert_eq!((found.score.n, found.failed), (3, 1));
    assert_eq!(found.categories["writing"], 7.75);
    assert_eq!(found.categories["math"], 4.0);
}

#[test]
fn what_is_no_judgment_is_refused_with_its_line() {
    let good = "{\"question_id\":81,\"model\":\"m\",\"score\":1,\"turn\":1}\n";
    for (bad, why) in [
        (
            "{\"question_id\":81,\"model\":\"m\",\"score\":\"good\",\"turn\":1}\n",
            "score",
        ),
        (
            "{\"question_id\":81,\"model\":\"m\",\"score\":\"nan\",\"turn\":1}\n",
            "score",
        ),
        ("{\"question_id\":81,\"model\":\"m\",\"turn\":1}\n", "score"),
        (
            "{\"question_id\":81,\"model\":\" \",\"score\":1,\"turn\":1}\n",
            "model",
        ),
        ("{\"question_id\":81,\"score\":1,\"turn\":1}\n", "model"),
        (
            "{\"question_id\":81,\"model\":\"m\",\"score\":1,\"turn\":3}\n",
            "turn 3",
        ),
        (
            "{\"question_id\":null,\"model\":\"m\",\"score\":1,\"turn\":1}\n",
            "question_id",
        ),
        (
            "{\"question_id\":81,\"model_1\":\"a\",\"model_2\":\"b\",\"g1_winner\":\"me\",\"g2_winner\":\"tie\",\"turn\":1}\n",
            "me",
        ),
        (
            "{\"question_id\":81,\"model_1\":\"a\",\"g1_winner\":\"tie\",\"g2_winner\":\"tie\",\"turn\":1}\n",
            "model_2",
        ),
        ("{oops}\n", "line 3"),
    ] {
        let said = refusal(&format!("{good}\n{bad}{good}"));
        assert!(
            said.contains("line 3") && said.contains(why),
            "{bad}: {said}"
        );
    }
}

#[test]
fn doubles_count_twice_for_fastchat_and_once_for_us() {
    let row = |score: i64| {
        format!("{{\"question_id\":81,\"model\":\"m\",\"score\":{score},\"turn\":1}}\n")
    };
    let (_dir, path) = file("j.jsonl", &[row(2), row(8), row(-1)].concat());
    let rows = read_judgments(&path).expect("read");
    let found = &figures(&rows, &by_number)[0];
    assert_eq!((found.score.average, found.score.n), (Some(5.0), 2));
    // The last row that has a score.
    let once = found.deduplicated;
    assert_eq!((once.average, once.n), (Some(8.0), 1));
    assert_eq!(found.noise, None);
}

#[test]
fn repeats_are_no_doubles_and_give_the_noise_of_the_judge() {
    let row = |score: i64, repeat: &str| {
        format!("{{\"question_id\":81,\"model\":\"m\",\"score\":{score},\"turn\":1{repeat}}}\n")
    };
    let text = [row(4, ""), row(6, ",\"repeat\":2"), row(8, ",\"repeat\":3")].concat();
    let (_dir, path) = file("j.jsonl", &text);
    let found = &figures(&read_judgments(&path).expect("read"), &by_number)[0];
    assert_eq!(found.deduplicated.n, 3);
    assert_eq!(found.noise, Some(2.0));
}

#[test]
fn games_that_disagree_are_a_tie_and_errors_are_left_out() {
    let row = |one: &str, two: &str| {
        format!(
            "{{\"question_id\":81,\"model_1\":\"a\",\"model_2\":\"b\",\"g1_winner\":\"{one}\",\"g2_winner\":\"{two}\",\"turn\":1}}\n"
        )
    };
    let text = [
        row("model_1", "model_1"),
        row("model_1", "model_2"),
        row("tie", "model_1"),
        row("error", "model_1"),
    ];
    let (_dir, path) = file("j.jsonl", &text.concat());
    let rows = read_judgments(&path).expect("read");
    let all = standings(&rows, false);
    assert_eq!(all[0].model, "a");
    assert_eq!((all[0].win, all[0].loss, all[0].tie), (1, 0, 2));
    assert_eq!((all[1].win, all[1].loss, all[1].tie), (0, 1, 2));
    assert!((all[0].win_rate_adjusted - 2.0 / 3.0).abs() < 1e-12);
    let once = standings(&rows, true);
    assert_eq!((once[0].win, once[0].loss, once[0].tie), (0, 0, 1));
}

/// A prompt file of our own words, in FastChat's form.
fn prompts() -> (tempfile::TempDir, PathBuf) {
    let names = [
        ("single-v1", "single", "Q {question} A {answer} {{}}"),
        (
            "single-v1-multi-turn",
            "single",
            "{question_1} {answer_1} {question_2} {answer_2}",
        ),
        (
            "single-math-v1",
            "single",
            "{question} R {ref_answer_1} {answer}",
        ),
        (
            "single-math-v1-multi-turn",
            "single",
            "{ref_answer_1} {ref_answer_2} {answer_2}",
        ),
        (
            "pair-v2",
            "pairwise",
            "{question} A {answer_a} B {answer_b}",
        ),
        (
            "pair-v2-multi-turn",
            "pairwise",
            "{answer_a_1} {answer_a_2} {answer_b_1} {answer_b_2}",
        ),
        (
            "pair-math-v1",
            "pairwise",
            "R {ref_answer_1} A {answer_a} B {answer_b}",
        ),
        (
            "pair-math-v1-multi-turn",
            "pairwise",
            "{ref_answer_2} A {answer_a_2} B {answer_b_2}",
        ),
    ];
    let rows: Vec<String> = names
        .iter()
        .map(|(name, kind, template)| {
            let output = if *kind == "single" {
                "[[rating]]"
            } else {
                "[[A]]"
            };
            let row = serde_json::json!({
                "name": name, "type": kind, "system_prompt": "S", "prompt_template": template,
                "description": "", "category": "", "output_format": output,
            });
            format!("{row}\n")
        })
        .collect();
    file("judge_prompts.jsonl", &rows.concat())
}

fn answers(model: &str, turns: [&str; 2]) -> Answers {
    Answers {
        model: model.into(),
        turns: BTreeMap::from([("1".into(), turns.map(str::to_owned).to_vec())]),
    }
}

fn question(category: &str) -> (tempfile::TempDir, Vec<Question>) {
    let row =
        format!("{{\"question_id\":1,\"category\":\"{category}\",\"turns\":[\"q1\",\"q2\"]}}\n");
    let (dir, path) = file("question.jsonl", &row);
    let questions = read_questions(&path).expect("read");
    (dir, questions)
}

#[test]
fn contests_are_shown_in_both_orders() {
    let (_dir, path) = prompts();
    let prompts = read_prompts(&path).expect("read");
    let (_dir, questions) = question("writing");
    let all = [answers("x", ["{answer}", "x2"]), answers("y", ["y1", "y2"])];
    let mut entries = Entries {
        questions: &questions,
        answers: &all,
        references: None,
        prompts: &prompts,
        mode: Mode::Single,
        corrected: false,
    };
    let single = contests(&entries).expect("made");
    let users: Vec<&str> = single
        .iter()
        .map(|one| one.asked[0].user.as_str())
        .collect();
    assert_eq!(
        users,
        [
            "Q q1 A {answer} {}",
            "Q q1 A y1 {}",
            "q1 {answer} q2 x2",
            "q1 y1 q2 y2"
        ]
    );
    entries.mode = Mode::Pair {
        baseline: Some("x"),
    };
    let pair = contests(&entries).expect("made");
    assert_eq!((pair[0].first.model.as_str(), pair.len()), ("y", 2));
    assert_eq!(pair[0].asked[0].user, "q1 A y1 B {answer}");
    assert_eq!(pair[0].asked[1].user, "q1 A {answer} B y1");
    assert_eq!(pair[0].texts(), ["y1", "{answer}"]);
    entries.mode = Mode::Pair {
        baseline: Some("z"),
    };
    assert!(contests(&entries).expect_err("refused").contains('z'));
}

#[test]
fn a_guided_question_without_a_reference_is_refused() {
    let (_dir, path) = prompts();
    let prompts = read_prompts(&path).expect("read");
    let (_dir, questions) = question("math");
    let all = [answers("x", ["x1", "x2"])];
    let mut entries = Entries {
        questions: &questions,
        answers: &all,
        references: None,
        prompts: &prompts,
        mode: Mode::Single,
        corrected: false,
    };
    assert!(
        contests(&entries)
            .expect_err("refused")
            .contains("reference")
    );
    let references = answers("gpt-4", ["r1", "r2"]);
    entries.references = Some(&references);
    let made = contests(&entries).expect("made");
    assert_eq!(made[0].asked[0].user, "q1 R r1 x1");
    assert_eq!(made[1].asked[0].user, "r1 r2 x2");
    assert_eq!(made[1].asked[0].name, "single-math-v1-multi-turn");
}

#[test]
fn answers_are_called_what_their_file_is_called_and_the_last_row_counts() {
    let row = |text: &str| {
        format!(
            "{{\"question_id\":81,\"model_id\":\"other\",\"choices\":[{{\"turns\":[\"{text}\"]}}]}}\n"
        )
    };
    let (_dir, path) = file("my-model.jsonl", &[row("old"), row("new")].concat());
    let read = read_answers(&path).expect("read");
    assert_eq!(read[0].model, "my-model");
    assert_eq!(read[0].turns["81"], ["new"]);
    let (_dir, path) = file("m.jsonl", "{\"question_id\":81,\"choices\":[]}\n");
    assert!(
        read_answers(&path)
            .expect_err("refused")
            .to_string()
            .contains("line 1")
    );
}

// From here on: real files.

#[test]
fn averages_are_those_that_were_published() {
    let (Some(scores), Some(expected)) = (
        shared("mt_bench/gpt-4_single_scores.jsonl"),
        shared("mt_bench/expected_scores.json"),
    ) else {
        return;
    };
    let expected: BTreeMap<String, Value> =
        serde_json::from_slice(&fs::read(expected).expect("read")).expect("JSON");
    let found = figures(&read_judgments(&scores).expect("read"), &by_number);
    assert_eq!(found.len(), expected.len());
    let near = |a: Option<f64>, b: &Value| {
        (a.expect("a mean") - b.as_f64().expect("a number")).abs() < 1e-6
    };
    for one in &found {
        let want = &expected[&one.model];
        assert!(near(one.score.average, &want["average"]), "{one:?}");
        assert!(near(one.score.first, &want["turn1"]), "{one:?}");
        assert!(near(one.score.second, &want["turn2"]), "{one:?}");
        assert_eq!(want["n"], one.score.n, "{one:?}");
        for (category, value) in want["by_category"].as_object().expect("categories") {
            assert!(
                near(one.categories.get(category).copied(), value),
                "{one:?}"
            );
        }
    }
}

/// What judges were really asked and said.
struct Real {
    prompts: Prompts,
    questions: BTreeMap<String, Vec<String>>,
    guided: BTreeMap<String, bool>,
    references: Answers,
    answers: BTreeMap<String, Answers>,
    judgments: Vec<(PathBuf, Vec<Judgment>)>,
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

fn real() -> Option<Real> {
    let dir = shared("mt_bench")?;
    let questions = read_questions(&dir.join("question.jsonl")).expect("read");
    let guided = |category: &str| matches!(category, "math" | "reasoning" | "coding");
    let mut references = read_answers(&dir.join("reference_answer/gpt-4.jsonl")).expect("read");
    let folders = ["model_answer", "full_judgments/answers"];
    let answers = folders.iter().flat_map(|name| files(&dir.join(name)));
    let answers = answers.flat_map(|path| read_answers(&path).expect("read"));
    let judgments = files(&dir.join("full_judgments")).into_iter().map(|path| {
        let rows = read_judgments(&path).expect("read");
        (path, rows)
    });
    Some(Real {
        prompts: read_prompts(&dir.join("judge_prompts.jsonl")).expect("read"),
        guided: questions
            .iter()
            .map(|one| (one.id.clone(), one.category.as_deref().is_some_and(guided)))
            .collect(),
        questions: questions
            .into_iter()
            .map(|one| (one.id, one.turns))
            .collect(),
        references: references.remove(0),
        answers: answers.map(|one| (one.model.clone(), one)).collect(),
        judgments: judgments.collect(),
    })
}

impl Real {
    /// Renders what was asked; answers that are not in the data are taken out of the recorded prompt.
    fn agrees(&self, id: &str, turn: usize, models: &[&str], recorded: &str) -> Option<bool> {
        let known = || {
            let turns = |model: &&str| self.answers.get(*model)?.turns.get(id).cloned();
            models.iter().map(turns).collect::<Option<Vec<_>>>()
        };
        let (said, from_files) = match known() {
            Some(said) => (said, true),
            None => (self.taken_out(id, turn, models.len(), recorded)?, false),
        };
        (self.render(id, turn, &said)? == recorded).then_some(from_files)
    }

    fn render(&self, id: &str, turn: usize, said: &[Vec<String>]) -> Option<String> {
        let reference = match self.guided[id] {
            true => self.references.turns[id].as_slice(),
            false => &[],
        };
        let fields = Fields {
            question: &self.questions[id],
            reference,
            first: &said[0],
            second: said.get(1).map_or(&[], Vec::as_slice),
        };
        let asked = self.prompts.ask(turn, &fields).ok()?;
        Some(asked.user)
    }

    /// The answers of a recorded prompt: what stands between the fixed texts around them.
    fn taken_out(
        &self,
        id: &str,
        turn: usize,
        models: usize,
        recorded: &str,
    ) -> Option<Vec<Vec<String>>> {
        let mark = |model: usize, turn: usize| format!("\u{1}{model}{turn}\u{2}");
        let marks: Vec<Vec<String>> = (0..models)
            .map(|model| (0..2).map(|turn| mark(model, turn)).collect())
            .collect();
        let pattern = self.render(id, turn, &marks)?;
        let mut said = vec![vec![String::new(); 2]; models];
        let mut pieces = pattern.split('\u{1}');
        let mut rest = recorded.strip_prefix(pieces.next()?)?;
        let mut places = Vec::new();
        for piece in pieces {
            let (name, fixed) = piece.split_once('\u{2}')?;
            places.push((name.to_owned(), fixed.to_owned()));
        }
        let last = places.len() - 1;
        for (i, (name, fixed)) in places.iter().enumerate() {
            let end = match i == last {
                true => rest.len() - rest.strip_suffix(fixed.as_str()).map(|_| fixed.len())?,
                false => rest.find(fixed.as_str())?,
            };
            let digit = |at: usize| usize::from(name.as_bytes()[at] - b'0');
            said[digit(0)][digit(1)] = rest[..end].to_owned();
            rest = &rest[end + fixed.len()..];
        }
        Some(said)
    }
}

#[test]
fn prompts_are_those_that_judges_were_really_given() {
    let Some(real) = real() else {
        return;
    };
    let (mut files, mut recovered) = (0, 0);
    let mut wrong = Vec::new();
    for (path, rows) in &real.judgments {
        for row in rows {
            for (id, turn, models, recorded) in games(row) {
                match real.agrees(&id, turn, &models, recorded) {
                    Some(true) => files += 1,
                    Some(false) => recovered += 1,
                    None => wrong.push(format!("{path:?} {id} {turn} {models:?}")),
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}: {:#?}",
        wrong.len(),
        files + recovered,
        &wrong[..wrong.len().min(9)]
    );
    let games = real
        .judgments
        .iter()
        .flat_map(|(_, rows)| rows)
        .flat_map(games);
    assert_eq!(files + recovered, games.count());
    // Some judgments have their answers beside them.
    assert!(files > 0 && recovered > 0, "{files} {recovered}");
}

/// Each game of a row: question, turn, models in the order shown, and what was asked.
fn games(row: &Judgment) -> Vec<(String, usize, Vec<&str>, &str)> {
    match row {
        Judgment::Single(row) => {
            let asked = row.user_prompt.as_deref().expect("a prompt");
            vec![(
                row.question_id.to_string(),
                row.turn,
                vec![&row.model],
                asked,
            )]
        }
        Judgment::Pair(row) => {
            let (one, two) = (row.model_1.as_str(), row.model_2.as_str());
            let asked = |text: &'_ Option<String>| text.is_some();
            assert!(asked(&row.g1_user_prompt) && asked(&row.g2_user_prompt));
            let id = row.question_id.to_string();
            let first = row.g1_user_prompt.as_deref().unwrap_or_default();
            let second = row.g2_user_prompt.as_deref().unwrap_or_default();
            vec![
                (id.clone(), row.turn, vec![one, two], first),
                (id, row.turn, vec![two, one], second),
            ]
        }
    }
}

#[test]
fn every_recorded_score_and_winner_is_read_again() {
    let Some(real) = real() else {
        return;
    };
    let (mut scores, mut winners) = (0, 0);
    for row in real.judgments.iter().flat_map(|(_, rows)| rows) {
        match row {
            Judgment::Single(Single {
                judgment, score, ..
            }) => {
                let read = rating(judgment.as_deref().expect("a judgment"));
                assert_eq!(read.as_f64(), score.as_f64());
                scores += 1;
            }
            Judgment::Pair(Pair {
                g1_judgment,
                g2_judgment,
                g1_winner,
                g2_winner,
                ..
            }) => {
                let read = |text: &Option<String>| winner(text.as_deref().expect("a judgment"));
                assert_eq!(read(g1_judgment), *g1_winner);
                assert_eq!(read(g2_judgment).swapped(), *g2_winner);
                winners += 2;
            }
        }
    }
    assert!(scores > 0 && winners > 0);
}

#[test]
fn rows_that_are_written_are_those_that_were_read() {
    let Some(real) = real() else {
        return;
    };
    let mut same = 0;
    for (path, rows) in &real.judgments {
        let raw = raw_lines(path);
        assert_eq!(raw.len(), rows.len());
        for (raw, row) in raw.iter().zip(rows) {
            let written = dumps(row).expect("written");
            let written = String::from_utf8_lossy(&written);
            // Reading a time keeps 16 of its 17 digits.
            let cut = |row: &str| row.split_once("\"tstamp\"").map(|(row, _)| row.to_owned());
            assert!(cut(&written).is_some());
            assert_eq!(cut(&written), cut(raw));
            same += 1;
        }
    }
    assert!(same > 0);
}

/// The lines of a packed file as they are.
fn raw_lines(path: &Path) -> Vec<String> {
    let mut text = String::new();
    let file = fs::File::open(path).expect("opened");
    let mut unpacked = flate2::read::MultiGzDecoder::new(file);
    std::io::Read::read_to_string(&mut unpacked, &mut text).expect("unpacked");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_rerun_that_was_appended_is_seen() {
    let Some(real) = real() else {
        return;
    };
    for (path, rows) in &real.judgments {
        let lines = read_lines(path).expect("read");
        let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        let mut last: BTreeMap<(String, String, u64), f64> = BTreeMap::new();
        // An independent count over plain JSON.
        for line in &lines {
            let value = &line.value;
            let (Some(model), Some(score)) = (value["model"].as_str(), value["score"].as_f64())
            else {
                continue;
            };
            if score != -1.0 {
                let sum = sums.entry(model.to_owned()).or_default();
                *sum = (sum.0 + score, sum.1 + 1);
                let key = (
                    model.to_owned(),
                    value["question_id"].to_string(),
                    value["turn"].as_u64().expect("a turn"),
                );
                last.insert(key, score);
            }
        }
        for one in figures(rows, &by_number) {
            let (sum, n) = sums[&one.model];
            assert!((one.score.average.expect("a mean") - sum / n as f64).abs() < 1e-9);
            let ours: Vec<f64> = last
                .iter()
                .filter(|(key, _)| key.0 == one.model)
                .map(|(_, score)| *score)
                .collect();
            assert_eq!(one.deduplicated.n, ours.len());
            let mean = ours.iter().sum::<f64>() / ours.len() as f64;
            assert!((one.deduplicated.average.expect("a mean") - mean).abs() < 1e-9);
        }
    }
}

#[test]
fn winners_of_real_pairs_add_up() {
    let Some(real) = real() else {
        return;
    };
    let rows: Vec<Judgment> = real
        .judgments
        .into_iter()
        .flat_map(|(_, rows)| rows)
        .collect();
    let pairs = rows.iter().filter_map(|row| match row {
        Judgment::Pair(row) => Some(row),
        Judgment::Single(_) => None,
    });
    let (mut ties, mut decided) = (0, 0);
    for row in pairs {
        let games = [row.g1_winner, row.g2_winner];
        if !games.contains(&Winner::Error) {
            decided += 1;
            ties += usize::from(games[0] == Winner::Tie || games[0] != games[1]);
        }
    }
    let all = standings(&rows, false);
    let sum = |count: fn(&Standing) -> usize| all.iter().map(count).sum::<usize>();
    assert!(decided > 0);
    assert_eq!(sum(|one| one.win), sum(|one| one.loss));
    assert_eq!(sum(|one| one.tie), 2 * ties);
    assert_eq!(sum(|one| one.win + one.loss + one.tie), 2 * decided);
}
