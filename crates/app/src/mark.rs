//! The line below an answer that says whether its number was checked.
//!
//! On a terminal it follows the answer; where stdout is a pipe it goes to stderr, so that what is piped is the answer and
//! nothing else.
use crate::screen::Output;
use reckon::{Mark, MarkState};
use std::io::{self, Write};

/// The mark as one line.
pub(crate) fn line(mark: &Mark, output: Output) -> String {
    let sign = match mark.state {
        MarkState::Verified => "✓",
        MarkState::Corrected => "✎",
        MarkState::Doubtful => "?",
        MarkState::Unchecked => "·",
    };
    let text = format!("{sign} {mark}");
    match mark.state {
        // A doubt is not a footnote.
        MarkState::Corrected | MarkState::Doubtful => output.strong(&text),
        MarkState::Verified | MarkState::Unchecked => output.note(&text),
    }
}

/// Prints it where people see it and pipes do not.
pub(crate) fn print(mark: &Mark, output: Output) -> io::Result<()> {
    let line = line(mark, output);
    match output {
        Output::Plain => writeln!(io::stderr(), "{line}"),
        Output::Terminal(_) => writeln!(io::stdout(), "{line}"),
    }
}
