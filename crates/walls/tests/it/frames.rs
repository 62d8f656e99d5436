//! A child that somebody has taken over says what it likes; the parent is not harmed by any of it.
use crate::run_with;
use reckon_walls::{Error, Limits};

const DONE: u8 = 6;

fn frame(kind: u8, length: u32, payload: &[u8]) -> Vec<u8> {
    [&[kind], &length.to_le_bytes()[..], payload].concat()
}

fn whole(kind: u8, payload: &[u8]) -> Vec<u8> {
    frame(kind, payload.len() as u32, payload)
}

fn said(bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    let limits = Limits {
        // A child that says half a frame and waits is noticed by the clock.
        wall: 1,
        output: 100,
        ..Limits::default()
    };
    run_with("raw", bytes, &limits)
}

#[test]
fn honest_frames_are_understood() {
    assert_eq!(said(whole(DONE, b"fine")).unwrap(), b"fine");
    let printed = [whole(4, b"text"), whole(DONE, b"")].concat();
    assert_eq!(said(printed).unwrap(), b"");
}

#[test]
fn lengths_and_kinds_that_cannot_be_end_the_conversation() {
    let mut no_frames = vec![
        frame(DONE, u32::MAX, b""),
        frame(DONE, 101, &[b'x'; 101]),
        frame(4, (4 << 20) + 1, b"x"),
        frame(7, 1 << 20, b"x"),
        frame(0, 0, b""),
        frame(255, 1, b"x"),
        b"\xff".repeat(50_000),
        b"printed by mistake".to_vec(),
    ];
    no_frames.push([b"[".repeat(100_000), b"]".repeat(100_000)].concat());
    for bytes in no_frames {
        // At once, although the child lives on.
        let said = said(bytes).unwrap_err().to_string();
        assert_eq!(said, "the sandbox said something that is no frame");
    }
    let attacks = [
        whole(5, b"no JSON"),
        whole(5, b"[\"only one\"]"),
        whole(5, b"[1, 2]"),
        // Frames that only the parent sends, or that were already said.
        whole(1, b"an input"),
        whole(2, b"an answer"),
        whole(3, b"{}"),
        whole(5, &b"[".repeat(100_000)),
    ];
    for bytes in attacks {
        let start = bytes[..bytes.len().min(20)].to_vec();
        let result = said(bytes);
        assert!(
            matches!(result, Err(Error::Crash(_) | Error::Limit(_))),
            "{start:?}: {result:?}"
        );
    }
}

#[test]
fn half_a_frame_is_a_timeout() {
    for bytes in [vec![DONE], frame(DONE, 50, b"half")] {
        let result = said(bytes);
        assert!(
            matches!(&result, Err(Error::Limit(line)) if line.starts_with("timeout:")),
            "{result:?}"
        );
    }
}

#[test]
fn printed_text_is_cut_at_the_limit_outside_too() {
    let result = said(whole(4, &[b'x'; 101]));
    assert!(
        matches!(&result, Err(Error::Limit(line)) if line.starts_with("output:")),
        "{result:?}"
    );
}

#[test]
fn lines_about_failures_are_made_fit_for_a_terminal() {
    for kind in [7, 8] {
        let line = said(whole(kind, b"a\n\x1b[2Jb\xff"))
            .unwrap_err()
            .to_string();
        assert_eq!(line, "a  [2Jb\u{fffd}");
    }
}
