//! `reckon tokenize`: a text in, token ids and pieces out.
//!
//! Only the vocabulary of the file is read, not the weights. The text is taken as a person's: what looks like a control
//! token stays text, and no BOS is put in front.
use crate::{Context, Failure, cli::TokenizeArgs};
use reckon::engine::Tokenizer;
use serde_json::json;
use std::{
    fmt::Write as _,
    io::{self, Read, Write},
};

/// Longer texts are refused; a hundred books fit.
const MOST: u64 = 64 << 20;

/// Runs `reckon tokenize`.
pub(crate) fn run(args: &TokenizeArgs, context: &Context) -> anyhow::Result<()> {
    let path = context.store.resolve(&args.model)?;
    let file = reckon::gguf::File::open(&path)?;
    let tokenizer = Tokenizer::from_gguf(&file)?;
    let input = match args.text.as_str() {
        "-" => read(&mut io::stdin().lock())?,
        text => text.to_owned(),
    };
    let ids = tokenizer.encode_text(&input);
    let pieces = ids
        .iter()
        .map(|id| piece(tokenizer.piece_with_control(*id)));
    // One lock and one buffer: a line per token may be millions of lines.
    let mut out = io::BufWriter::new(io::stdout().lock());
    if args.json {
        let pieces: Vec<_> = pieces.collect();
        writeln!(out, "{}", json!({ "ids": ids, "pieces": pieces }))?;
    } else {
        for (id, piece) in ids.iter().zip(pieces) {
            writeln!(out, "{id}\t{piece:?}")?;
        }
    }
    out.flush()?;
    Ok(())
}

fn read(input: &mut dyn Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    input
        .take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::input(format!("cannot read standard input: {error}")))?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::input(format!("the text is longer than {MOST} bytes")).into());
    }
    let wrong = |_| Failure::input("the text is not UTF-8");
    Ok(String::from_utf8(bytes).map_err(wrong)?)
}

/// The text of a piece; bytes that are only a part of a character are written as `<0xE2>`.
fn piece(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(text, "<0x{byte:02X}>").expect("a string takes everything");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_text_or_bytes() {
        assert_eq!(piece("é".as_bytes()), "é");
        assert_eq!(piece(b"a\xe2\x82b"), "a<0xE2><0x82>b");
        assert_eq!(piece(b""), "");
    }

    #[test]
    fn only_text_is_read() {
        assert_eq!(read(&mut "héllo".as_bytes()).unwrap(), "héllo");
        let refused = read(&mut b"\xff".as_slice()).unwrap_err();
        assert_eq!(crate::Kind::of(&refused), crate::Kind::Input);
    }
}
