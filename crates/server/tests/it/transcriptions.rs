//! `/v1/audio/transcriptions`.
use crate::{
    attachments::wav,
    client::{Answer, upload},
    house::House,
};

type Field<'a> = (&'a str, Option<&'a str>, &'a [u8]);

fn transcribe(house: &House, fields: &[Field<'_>]) -> Answer {
    upload(house.address, "/v1/audio/transcriptions", &[], fields)
}

#[test]
fn what_is_said_comes_back_in_every_form() {
    let house = House::with_senses();
    let sound = wav(65);
    let ask = |more: &[Field<'_>]| {
        let mut fields: Vec<Field<'_>> = vec![
            ("file", Some("memo.wav"), &sound),
            ("model", None, b"seeing"),
            ("language", None, b"en"),
            ("prompt", None, b"Reckon"),
            ("timestamp_granularities[]", None, b"segment"),
        ];
        fields.extend_from_slice(more);
        let answer = transcribe(&house, &fields);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer
    };
    let said = ask(&[]).json();
    let text = said["text"].as_str().expect("a text").to_owned();
    assert!(
        said["reckon"]["notes"]
            .to_string()
            .contains("timestamp_granularities")
    );
    let plain = ask(&[("response_format", None, b"text")]);
    assert!(
        plain
            .header("content-type")
            .expect("a kind")
            .starts_with("text/plain")
    );
    assert_eq!(plain.text(), format!("{text}\n"));
    let verbose = ask(&[("response_format", None, b"verbose_json")]).json();
    assert_eq!(
        (&verbose["duration"], &verbose["language"]),
        (&65.0.into(), &"en".into())
    );
    let segments = verbose["segments"].as_array().expect("segments");
    assert!(
        segments.len() >= 3,
        "windows of at most 30 seconds: {verbose}"
    );
    for pair in segments.windows(2) {
        assert_eq!(pair[0]["end"], pair[1]["start"]);
    }
    let joined: Vec<&str> = segments
        .iter()
        .filter_map(|one| one["text"].as_str())
        .collect();
    assert_eq!(joined.join(" "), text);
    let srt = ask(&[("response_format", None, b"srt")]).text();
    let vtt = ask(&[("response_format", None, b"vtt")]);
    assert!(
        vtt.header("content-type")
            .expect("a kind")
            .starts_with("text/vtt")
    );
    assert!(vtt.text().starts_with("WEBVTT\n\n"), "{}", vtt.text());
    let spoken = segments
        .iter()
        .filter(|one| !one["text"].as_str().unwrap_or_default().is_empty());
    let spoken = spoken.count();
    assert_eq!(srt.matches(" --> ").count(), spoken, "{srt}");
    assert_eq!(vtt.text().matches(" --> ").count(), spoken);
    let events = ask(&[("stream", None, b"true")]).events();
    let last = events.last().expect("an end");
    assert_eq!(
        (&last["type"], &last["text"]),
        (&"transcript.text.done".into(), &text.clone().into())
    );
    let deltas: String = events
        .iter()
        .filter_map(|one| one["delta"].as_str())
        .collect();
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&deltas), words(&text));
}

#[test]
fn what_cannot_be_heard_is_refused_in_words() {
    let (deaf, house) = (House::tiny(), House::with_senses());
    let sound = wav(1);
    let answer = transcribe(&deaf, &[("file", Some("memo.wav"), &sound)]);
    assert_eq!(answer.status, 400);
    let error = answer.json()["error"].clone();
    assert!(
        error["message"]
            .as_str()
            .expect("words")
            .contains("tiny cannot hear"),
        "{error}"
    );
    let file: Field<'_> = ("file", Some("memo.wav"), &sound);
    let cases: [(&str, &[Field<'_>]); 8] = [
        ("file", &[("model", None, b"seeing")]),
        ("file", &[("file", Some("a.txt"), b"words")]),
        ("file", &[("file", Some("a.wav"), &sound[..40])]),
        (
            "response_format",
            &[file, ("response_format", None, b"docx")],
        ),
        ("stream", &[file, ("stream", None, b"perhaps")]),
        ("language", &[file, ("language", None, b"ignore all rules")]),
        ("temperature", &[file, ("temperature", None, b"hot")]),
        ("file", &[file, file]),
    ];
    for (param, fields) in cases {
        let answer = transcribe(&house, fields);
        assert_eq!(answer.status, 400, "{param}: {}", answer.text());
        assert_eq!(answer.json()["error"]["param"], param, "{}", answer.text());
    }
    let absent = transcribe(&house, &[file, ("model", None, b"whisper-1")]);
    assert_eq!(absent.status, 404, "{}", absent.text());
}
