//! `reckon debug`: what the model computes, for comparison with other programs.
//!
//! `logits` writes every position's logits as a NumPy file, row by row, so that memory
//! stays small. `perplexity` follows llama.cpp: the text is cut into chunks of `--ctx`
//! tokens, each begins with the start token if the model has one, and the second half of
//! each chunk is scored. `media` writes what the encoders of pictures and sound are given and give.

mod media;
mod npy;

use crate::cli::{
    MachineArgs,
    debug::{DebugArgs, DebugCommand, LogitsArgs, PerplexityArgs},
};
use crate::load;
use crate::{Context, Failure};
use reckon::Model;
use reckon::engine::{Session, Token};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// The largest text that is scored.
const MOST_TEXT: u64 = 256 << 20;

/// Runs `reckon debug`.
pub(crate) fn run(args: &DebugArgs, context: &Context) -> anyhow::Result<()> {
    match &args.command {
        DebugCommand::Logits(args) => logits(args, context),
        DebugCommand::Perplexity(args) => perplexity(args, context),
        DebugCommand::Media(args) => media::run(args, context),
    }
}

fn open(model: &str, machine: MachineArgs, context: &Context) -> anyhow::Result<Model> {
    let path = load::find(Some(model), context)?;
    load::load(&path, Some(model), &machine, context)
}

fn logits(args: &LogitsArgs, context: &Context) -> anyhow::Result<()> {
    let loaded = open(
        &args.model,
        MachineArgs {
            threads: args.threads,
            ctx: Some(args.tokens.len()),
            ..MachineArgs::default()
        },
        context,
    )?;
    let model = load::engine(&loaded)?;
    // Everything that can be refused is refused before a file is made, or one that is there is emptied.
    if let Some(&token) = args.tokens.iter().find(|t| **t as usize >= model.n_vocab()) {
        let n_vocab = model.n_vocab();
        return Err(reckon::engine::Error::Token { token, n_vocab }.into());
    }
    let path = loaded.info().path.as_deref();
    if path.is_some_and(|path| is_same(&args.out, path)) {
        let shown = args.out.display();
        return Err(Failure::usage(format!("--out {shown} would overwrite the model")).into());
    }
    let from = if args.last { args.tokens.len() - 1 } else { 0 };
    let failed = |error: std::io::Error| {
        Failure::failed(format!("cannot write {}: {error}", args.out.display()))
    };
    let mut out = BufWriter::new(File::create(&args.out).map_err(failed)?);
    out.write_all(&npy::header(&[args.tokens.len() - from, model.n_vocab()]))
        .map_err(failed)?;
    let mut written = Ok(());
    Session::new(model.clone()).logits(&args.tokens, from, |_, row| {
        if written.is_ok() {
            let bytes: Vec<u8> = row.iter().flat_map(|x| x.to_le_bytes()).collect();
            written = out.write_all(&bytes);
        }
    })?;
    written.and_then(|()| out.flush()).map_err(failed)?;
    Ok(())
}

/// Whether both paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn perplexity(args: &PerplexityArgs, context: &Context) -> anyhow::Result<()> {
    let text = read_text(&args.file)?;
    let machine = MachineArgs {
        threads: args.threads,
        ctx: Some(args.ctx),
        kv: args.kv,
        mmproj: None,
    };
    let model = load::engine(&open(&args.model, machine, context)?)?;
    let mut session = Session::new(model.clone());
    let tokenizer = model.tokenizer();
    let mut tokens: Vec<Token> = tokenizer.begin().into_iter().collect();
    tokens.extend(tokenizer.encode_text(&text));
    if args.ctx < 4 || tokens.len() < args.ctx {
        let (have, need) = (tokens.len(), args.ctx.max(4));
        return Err(Failure::input(format!(
            "{have} tokens of text are too few for chunks of {need}"
        ))
        .into());
    }
    let (mut loss, mut count) = (0.0, 0usize);
    let chunks = tokens.len() / args.ctx;
    for chunk in tokens.chunks_exact(args.ctx) {
        loss += chunk_loss(&mut session, chunk)?;
        count += args.ctx - 1 - args.ctx / 2;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let mean = loss / count as f64;
    if args.json {
        let result = serde_json::json!({
            "perplexity": mean.exp(), "nll": mean, "tokens": tokens.len(), "scored": count, "chunks": chunks, "ctx": args.ctx,
        });
        writeln!(std::io::stdout(), "{result}")?;
    } else {
        writeln!(
            std::io::stdout(),
            "perplexity {:.4} over {count} tokens of {chunks} chunks",
            mean.exp()
        )?;
    }
    Ok(())
}

/// Minus the log-likelihood of the second half of a chunk.
fn chunk_loss(session: &mut Session, chunk: &[Token]) -> anyhow::Result<f64> {
    let mut chunk = chunk.to_vec();
    if let Some(begin) = session.model().tokenizer().begin() {
        chunk[0] = begin;
    }
    let first = chunk.len() / 2;
    let mut loss = 0.0;
    session.logits(&chunk, first, |position, logits| {
        if let Some(&next) = chunk.get(position + 1) {
            loss -= log_probability(logits, next);
        }
    })?;
    Ok(loss)
}

fn log_probability(logits: &[f32], token: Token) -> f64 {
    let largest = f64::from(logits.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let total: f64 = logits.iter().map(|&x| (f64::from(x) - largest).exp()).sum();
    f64::from(logits[token as usize]) - largest - total.ln()
}

fn read_text(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let refused = |error: std::io::Error| Failure::input(format!("cannot read {shown}: {error}"));
    let metadata = std::fs::metadata(path).map_err(refused)?;
    // A pipe or a device has no length and may have no end.
    if !metadata.is_file() {
        return Err(Failure::input(format!("cannot read {shown}: not a file")).into());
    }
    let length = metadata.len();
    if length > MOST_TEXT {
        return Err(Failure::input(format!(
            "{shown} has {length} bytes, {MOST_TEXT} are allowed"
        ))
        .into());
    }
    let mut text = String::new();
    let file = File::open(path).map_err(refused)?;
    file.take(MOST_TEXT)
        .read_to_string(&mut text)
        .map_err(refused)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_probability_is_that_of_softmax() {
        let logits = [0.3f32.ln(), 0.2f32.ln(), 0.5f32.ln()];
        assert!((log_probability(&logits, 1) - 0.2f64.ln()).abs() < 1e-6);
    }
}
