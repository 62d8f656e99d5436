//! The summary and its page.
use crate::input::queue;
use reckon_batch::{Answered, Check, Failure, Reason, Row, Summary, Worker, WorkerOptions};
use serde_json::json;
use std::sync::atomic::AtomicBool;

const HOSTILE: &str = "</pre><script>alert('x')</script><img src=x onerror=alert(1)>\u{1b}[31m";

fn answer(row: &Row) -> Result<Answered, Failure> {
    let mut answered = Answered {
        text: HOSTILE.into(),
        ..Answered::default()
    };
    answered.finish = Some(if row.line == 4 { "length" } else { "stop" }.into());
    answered.mark = match row.line {
        1 => Some(json!({"state": "doubtful", "why": HOSTILE})),
        2 => Some(json!({"state": "corrected", "why": "the model said 41"})),
        3 => Some(json!({"state": "verified", "why": "computed"})),
        6 => return Err(Failure::for_good(HOSTILE)),
        _ => None,
    };
    if row.line == 5 {
        let check = |name: &str, passed| Check {
            name: name.into(),
            passed,
            why: "6 of 5".into(),
        };
        answered.checks = vec![check("words", false), check("language", true)];
    }
    Ok(answered)
}

fn summary() -> Summary {
    let (_folder, queue) = queue();
    let mut input: String = (1..8)
        .map(|n| format!("{{\"id\":\"<b>{n}\",\"prompt\":\"question {n}\"}}\n"))
        .collect();
    input += "no row\n";
    let batch = queue
        .submit(Some("<i>my & batch</i>"), input.as_bytes())
        .unwrap()
        .batch;
    Worker::new(&queue, WorkerOptions::default())
        .run(Some(&batch), &AtomicBool::new(false), answer, |_| ())
        .unwrap();
    queue.summary(&batch).unwrap()
}

#[test]
fn what_needs_a_look_comes_first() {
    let summary = summary();
    assert_eq!(
        (
            summary.progress.done,
            summary.progress.failed,
            summary.refused
        ),
        (6, 1, 1)
    );
    let marks = [
        ("corrected", 1),
        ("doubtful", 1),
        ("none", 3),
        ("verified", 1),
    ];
    assert!(
        summary
            .marks
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .eq(marks)
    );
    let finishes = [("length", 1), ("stop", 5)];
    assert!(
        summary
            .finishes
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .eq(finishes)
    );
    let looks: Vec<_> = summary
        .attention
        .iter()
        .map(|kind| (kind.reason, kind.count, kind.rows[0].line))
        .collect();
    let expected = [
        (Reason::Doubtful, 1, 1),
        (Reason::Corrected, 1, 2),
        (Reason::FailedCheck, 1, 5),
        (Reason::Failed, 1, 6),
        (Reason::Cut, 1, 4),
    ];
    assert_eq!(looks, expected);
    assert_eq!(summary.attention[2].rows[0].why, "words: 6 of 5");
    assert_eq!(summary.refused_lines[0].line, 8);
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["attention"][2]["reason"], "failed_check");
}

#[test]
fn the_page_stands_alone_and_escapes_everything() {
    let page = summary().to_html();
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("width=device-width"));
    for forbidden in [
        "<script", "<img", "<b>", "<i>", "http://", "https://", "url(", "\u{1b}",
    ] {
        assert!(!page.contains(forbidden), "{forbidden:?}");
    }
    assert!(page.contains("<title>&lt;i&gt;my &amp; batch&lt;/i&gt;</title>"));
    assert!(page.contains("line 8: not JSON, column 2"));
    // Every tag that is opened is closed, in order.
    let mut open = Vec::new();
    let body = page.split_once("</style>").unwrap().1;
    for tag in body
        .split('<')
        .skip(1)
        .map(|rest| rest.split_once('>').unwrap().0)
    {
        match tag.strip_prefix('/') {
            Some("head" | "html") => {}
            Some(name) => assert_eq!(open.pop(), Some(name), "{tag}"),
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
