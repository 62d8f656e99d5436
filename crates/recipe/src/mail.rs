//! Mails of an mbox file or a Maildir, one at a time and each of bounded size.
//!
//! A mail is bytes here: what is in it is read by `reckon::AttachedFile`, in a locked child.
use crate::{
    error::{Error, Result},
    source::files_in,
};
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

/// Most bytes of one mail.
pub const MOST_MAIL: usize = 16 << 20;
/// Bytes that are read at a time: a line may be longer.
const PIECE: u64 = 64 << 10;
/// Mails in a folder of a Maildir.
const MOST_MAILS: usize = 100_000;

/// Whether a file is an mbox: it begins with the line that begins each of its mails.
pub(crate) fn is_mbox(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut input = BufReader::new(file);
    input
        .fill_buf()
        .is_ok_and(|head| head.starts_with(b"From "))
}

/// The files of a Maildir, new and read ones; `None` if the folder is none.
pub(crate) fn maildir(folder: &Path) -> Result<Option<Vec<PathBuf>>> {
    let folders = [folder.join("new"), folder.join("cur")];
    if !folders.iter().all(|one| one.is_dir()) {
        return Ok(None);
    }
    let mut paths = Vec::new();
    for one in folders {
        paths.extend(files_in(&one, MOST_MAILS)?);
    }
    // Their names begin with the time at which they came.
    paths.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    Ok(Some(paths))
}

/// The mails of an mbox, in order.
#[derive(Debug)]
pub struct Mbox<R> {
    input: R,
    /// Whether a mail's first line was read.
    is_inside: bool,
    number: usize,
    /// After an error of the system nothing more is read.
    is_broken: bool,
}

impl<R: BufRead> Mbox<R> {
    /// Of anything that begins with `From `.
    pub fn new(input: R) -> Self {
        Self {
            input,
            is_inside: false,
            number: 0,
            is_broken: false,
        }
    }

    /// The next piece of a line, at most [`PIECE`] bytes; empty at the end.
    fn piece(&mut self) -> Result<Vec<u8>> {
        let mut piece = Vec::new();
        let mut limited = std::io::Read::take(&mut self.input, PIECE);
        match limited.read_until(b'\n', &mut piece) {
            Ok(_) => Ok(piece),
            Err(why) => {
                self.is_broken = true;
                Err(Error::Input(format!("the mbox cannot be read: {why}")))
            }
        }
    }

    fn mail(&mut self) -> Result<Option<Vec<u8>>> {
        let mut mail = Vec::new();
        let (mut at_start, mut after_blank) = (true, !self.is_inside);
        let (mut is_long, mut is_first_line) = (false, false);
        loop {
            let piece = self.piece()?;
            if piece.is_empty() {
                if !std::mem::take(&mut self.is_inside) {
                    return Ok(None);
                }
                break;
            }
            let begins = at_start && after_blank && piece.starts_with(b"From ");
            if begins && self.is_inside {
                break;
            }
            // What does not begin as an mbox does is a mail all the same.
            self.is_inside = true;
            // The first line is no part of the mail, however long.
            is_first_line = begins || (is_first_line && !at_start);
            if is_first_line {
                at_start = piece.ends_with(b"\n");
                continue;
            }
            after_blank = at_start && matches!(piece.as_slice(), b"\n" | b"\r\n");
            let line = if at_start { unescape(&piece) } else { &piece };
            at_start = piece.ends_with(b"\n");
            is_long |= mail.len() + line.len() > MOST_MAIL;
            if !is_long {
                mail.extend_from_slice(line);
            }
        }
        self.number += 1;
        match is_long {
            true => {
                let (number, most) = (self.number, MOST_MAIL >> 20);
                Err(Error::Input(format!(
                    "mail {number} is larger than {most} MiB"
                )))
            }
            false => Ok(Some(mail)),
        }
    }
}

impl<R: BufRead> Iterator for Mbox<R> {
    type Item = Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.is_broken {
            true => None,
            false => self.mail().transpose(),
        }
    }
}

/// A line that begins like a mail has `>` before it in an mbox.
fn unescape(line: &[u8]) -> &[u8] {
    let arrows = line.iter().take_while(|byte| **byte == b'>').count();
    match arrows > 0 && line[arrows..].starts_with(b"From ") {
        true => &line[1..],
        false => line,
    }
}
