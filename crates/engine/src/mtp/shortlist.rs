//! An output head that scores only part of the vocabulary: the tokens of the best few centroids.
//!
//! Each centroid owns an equal share of the vocabulary. A step scores the centroids, takes the best, and scores only
//! their tokens: for Gemma 4 E2B 2048 + 32 · 128 rows of a matrix instead of 262,144. The rows of a centroid's tokens
//! are packed as a matrix of their own, so that they stream.
//!
//! Called by `mtp`. A file without centroids has no shortlist, and its whole head is used.

use crate::config::{Config, floats, shaped};
use crate::{Error, Result, Token};
use reckon_gguf::File;
use reckon_kernels::{Activations, Cpu, Matrix, MatrixSource, Pool, Product, matmul};

/// The matrix that scores the centroids.
pub(super) const CENTROIDS: &str = "masked_embd_centroids.weight";
const ORDERING: &str = "masked_embd_ordering";

/// Centroids that are looked into, where the file does not say.
const TOP: u32 = 32;

/// Most centroids that a file may have.
const MOST_CENTROIDS: usize = 1 << 14;

/// The vocabulary by centroids.
#[derive(Debug)]
pub(super) struct Shortlist {
    /// For each centroid, the head's rows of its tokens.
    shares: Vec<Matrix>,
    /// The tokens, those of the first centroid first.
    tokens: Vec<Token>,
    /// Centroids that are looked into.
    top: usize,
}

impl Shortlist {
    /// The shortlist of a file, if it has one.
    pub(super) fn load(file: &File, config: &Config, pool: &Pool) -> Result<Option<Self>> {
        let Some(centroids) = file.opt_tensor(CENTROIDS) else {
            return Ok(None);
        };
        let (n_vocab, count) = (config.n_vocab, centroids.rows());
        if count > MOST_CENTROIDS || !n_vocab.is_multiple_of(count) {
            return Err(Error::Model(format!(
                "{n_vocab} tokens cannot be shared out to {count} centroids"
            )));
        }
        let key = format!("{}.masked_embedding.top_k", config.architecture);
        let top = file.metadata().opt_u32(&key)?.unwrap_or(TOP) as usize;
        if top == 0 {
            return Err(Error::Model(format!("{key} is 0")));
        }
        let tokens = ordering(file, n_vocab)?;
        let head = file.tensor("token_embd.weight")?;
        shaped(&head, n_vocab, config.n_embd)?;
        // Every row where it belongs, for as long as packing takes.
        let rows = tokens.iter().map(|&token| head.row(token as usize));
        let data = rows.collect::<Vec<_>>().concat();
        let source = |data| MatrixSource {
            format: head.info.format,
            rows: n_vocab / count,
            cols: config.n_embd,
            data,
        };
        let sources: Vec<_> = data.chunks_exact(data.len() / count).map(source).collect();
        let shares = Matrix::pack_all(pool, &sources, |_, _| ());
        file.release(&head);
        Ok(Some(Self {
            shares,
            tokens,
            top: top.min(count),
        }))
    }

    /// How many centroids there are.
    pub(super) fn centroids(&self) -> usize {
        self.shares.len()
    }

    /// The tokens of the best centroids and, for the hidden state `x`, their scores.
    pub(super) fn score(
        &self,
        cpu: &Cpu,
        x: &Activations,
        centroids: &[f32],
        (ids, scores): (&mut Vec<Token>, &mut Vec<f32>),
    ) {
        let share = self.tokens.len() / self.shares.len();
        let mut order: Vec<usize> = (0..centroids.len()).collect();
        // The best first; of equals, the one with the lower number.
        let better = |&a: &usize, &b: &usize| centroids[b].total_cmp(&centroids[a]).then(a.cmp(&b));
        // Only which are the best matters, not their order: scores are compared by token id in the end.
        order.select_nth_unstable_by(self.top - 1, better);
        order.truncate(self.top);
        ids.clear();
        for &i in &order {
            ids.extend_from_slice(&self.tokens[i * share..][..share]);
        }
        scores.resize(ids.len(), 0.0);
        let parts = order.iter().zip(scores.chunks_exact_mut(share));
        let mut products: Vec<_> = parts
            .map(|(&i, out)| Product {
                weights: &self.shares[i],
                out,
            })
            .collect();
        matmul(cpu, x, &mut products);
    }
}

/// The tokens in the order of their centroids: integers, or, as some converters write them, floats.
fn ordering(file: &File, n_vocab: usize) -> Result<Vec<Token>> {
    let numbers: Vec<i64> = match file.opt_integers(ORDERING) {
        Some(integers) => integers
            .iter()
            .map(|value| value.integer().and_then(|n| i64::try_from(n).ok()))
            .map(|number| number.unwrap_or(-1))
            .collect(),
        // A float holds every id below 2^24 exactly; others are refused below.
        None => floats(file, ORDERING, n_vocab)?
            .into_iter()
            .map(|x| if x.fract() == 0.0 { x as i64 } else { -1 })
            .collect(),
    };
    // Every token exactly once: an id twice would leave another out, and an id beyond the table would be read.
    let mut seen = vec![false; n_vocab];
    let mut tokens = Vec::with_capacity(n_vocab);
    for number in numbers {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        match seen.get_mut(at) {
            Some(seen) if !*seen => *seen = true,
            _ => {
                return Err(Error::Model(format!(
                    "{ORDERING} holds {number} twice, or it is no token"
                )));
            }
        }
        tokens.push(at as Token);
    }
    if tokens.len() != n_vocab {
        let found = tokens.len();
        return Err(Error::Model(format!(
            "{ORDERING} holds {found} tokens, expected {n_vocab}"
        )));
    }
    Ok(tokens)
}
