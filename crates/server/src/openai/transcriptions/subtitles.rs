//! The parts of a recording as subtitles: SubRip (`srt`) and WebVTT (`vtt`).
//!
//! A part is a window of at most 30 seconds, so a subtitle stands as long as that: finer times are not measured here.
use crate::query::Segment;
use std::time::Duration;

/// SubRip: numbered, with a comma in the times.
pub(super) fn srt(segments: &[Segment]) -> String {
    let cues = said(segments).enumerate().map(|(at, (segment, text))| {
        let (begin, end) = (time(segment.begin, ','), time(segment.end, ','));
        // Nothing else could end a cue; the format has no escapes.
        let text = text.replace("-->", "->");
        format!("{}\n{begin} --> {end}\n{text}\n\n", at + 1)
    });
    cues.collect()
}

/// WebVTT: with a head and a full stop in the times.
pub(super) fn vtt(segments: &[Segment]) -> String {
    let cues = said(segments).map(|(segment, text)| {
        let (begin, end) = (time(segment.begin, '.'), time(segment.end, '.'));
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let text = text.replace('>', "&gt;");
        format!("{begin} --> {end}\n{text}\n\n")
    });
    format!("WEBVTT\n\n{}", cues.collect::<String>())
}

/// Parts in which something is said, each in one line: an empty one ends a cue in both formats.
fn said(segments: &[Segment]) -> impl Iterator<Item = (&Segment, String)> {
    let lines = segments.iter().map(|segment| {
        let words: Vec<&str> = segment.text.split_whitespace().collect();
        (segment, words.join(" "))
    });
    lines.filter(|(_, text)| !text.is_empty())
}

fn time(since: Duration, point: char) -> String {
    let (seconds, ms) = (since.as_secs(), since.subsec_millis());
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}{point}{ms:03}", seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(begin: u64, end: u64, text: &str) -> Segment {
        Segment {
            begin: Duration::from_millis(begin),
            end: Duration::from_millis(end),
            text: text.into(),
        }
    }

    #[test]
    fn times_numbers_and_marks_are_those_of_the_formats() {
        let segments = [
            segment(0, 28_500, "one\n\n  two"),
            segment(28_500, 30_000, " "),
            segment(3_599_999, 3_661_001, "a --> b & <c>"),
        ];
        assert_eq!(
            srt(&segments),
            "1\n00:00:00,000 --> 00:00:28,500\none two\n\n\
             2\n00:59:59,999 --> 01:01:01,001\na -> b & <c>\n\n"
        );
        assert_eq!(
            vtt(&segments),
            "WEBVTT\n\n00:00:00.000 --> 00:00:28.500\none two\n\n\
             00:59:59.999 --> 01:01:01.001\na --&gt; b &amp; &lt;c&gt;\n\n"
        );
        assert_eq!((srt(&[]), vtt(&[])), (String::new(), "WEBVTT\n\n".into()));
    }
}
