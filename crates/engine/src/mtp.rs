//! Gemma 4's drafter for multi-token prediction: a token and a hidden state in, guesses of the next tokens out.
//!
//! A small model of its own file (`gemma4-assistant`) that has no memory: its few layers make queries only and read the
//! keys and values of its target, those of the target's last sliding and last full layer that has any. A step joins the
//! target's embedding of the last token and a hidden state, runs the layers and gives scores of the vocabulary and the
//! hidden state for the next step. The first hidden state is the target's, after its last norm.
//!
//! Every step of a round stands at one place, that of the last chosen token, and sees the keys of all tokens before it.
//! Guesses are greedy. They change the speed of an answer, never the answer: the target checks each.
//!
//! Source: Hugging Face `transformers`, `models/gemma4_assistant` and `generation/candidate_generator.py`; names of keys
//! and tensors as in llama.cpp. Checked by `tests/it/mtp.rs`.

mod shortlist;

use crate::config::Config;
use crate::forward::{Forward, Scratch};
use crate::speculate::{Context, Drafter};
use crate::weights::{Weights, matrix};
use crate::{Error, Result, Token};
use reckon_gguf::File;
use reckon_kernels::{Activations, Forms, Isa, Matrix, Pool, Product, matmul};
use shortlist::Shortlist;

/// A drafter, checked against its target and ready to run; read-only.
#[derive(Debug)]
pub(crate) struct Mtp {
    file: File,
    config: Config,
    weights: Weights,
    /// From an embedding and a hidden state of the target to the drafter's stream.
    before: Matrix,
    /// From the drafter's last hidden state to the target's width.
    after: Matrix,
    shortlist: Option<Shortlist>,
}

/// Guesses for one sequence: all that moves meanwhile. Nothing in it outlives a round.
#[derive(Debug, Default)]
pub(crate) struct MtpDrafter {
    scratch: Scratch,
    input: Activations,
    x: Vec<f32>,
    /// `[n_embd]` of the target: goes into the next step.
    hidden: Vec<f32>,
    /// Scores of the tokens in `ids`, or of the whole vocabulary where that is empty.
    scores: Vec<f32>,
    ids: Vec<Token>,
}

/// One guess and how it came about.
#[derive(Clone, Copy, Debug)]
pub struct Guess<'a> {
    /// The token.
    pub token: Token,
    /// Scores of the tokens in `ids`, or of the whole vocabulary where that is empty.
    pub scores: &'a [f32],
    /// The tokens that were considered.
    pub ids: &'a [Token],
    /// The hidden state that the next guess goes on from.
    pub hidden: &'a [f32],
}

impl Mtp {
    /// Checks that the file is a drafter for `target` and packs its weights.
    pub(crate) fn load(file: File, target: &Config, pool: &Pool) -> Result<Self> {
        Self::read(file, target, pool).map_err(|error| match error {
            Error::Model(problem) => Error::Drafter(problem),
            other => other,
        })
    }

    fn read(file: File, target: &Config, pool: &Pool) -> Result<Self> {
        let config = Config::read_drafter(&file, target)?;
        let (n_embd, n_vocab, width) = (target.n_embd, target.n_vocab, config.n_embd);
        let key = format!("{}.embedding_length_out", config.architecture);
        let made_for = file.metadata().u32(&key)?;
        if usize::try_from(made_for) != Ok(n_embd) {
            return Err(Error::Model(format!(
                "it was made for a model of width {made_for}, this one's is {n_embd}"
            )));
        }
        if config.n_vocab != n_vocab {
            return Err(Error::Model(format!(
                "its vocabulary has {} entries, the model's {n_vocab}",
                config.n_vocab
            )));
        }
        let shortlist = Shortlist::load(&file, &config, pool)?;
        let head = match &shortlist {
            Some(shortlist) => (shortlist::CENTROIDS, shortlist.centroids()),
            None => ("token_embd.weight", n_vocab),
        };
        let weights = Weights::load_with_head(&file, &config, head, pool, &mut |_| ())?;
        let before = matrix(
            &file,
            pool,
            "nextn.pre_projection.weight",
            width,
            2 * n_embd,
        )?;
        let after = matrix(&file, pool, "nextn.post_projection.weight", n_embd, width)?;
        Ok(Self {
            file,
            config,
            weights,
            before,
            after,
            shortlist,
        })
    }

    /// Guesses at most `most` tokens; `each` hears them one by one and says whether to go on.
    pub(crate) fn guess(
        &self,
        context: &Context<'_>,
        drafter: &mut MtpDrafter,
        most: usize,
        mut each: impl FnMut(&Guess<'_>) -> bool,
    ) {
        drafter.hidden.clear();
        drafter.hidden.extend_from_slice(context.hidden);
        let mut token = context.next;
        for _ in 0..most {
            token = self.step(context, drafter, token);
            let go_on = each(&Guess {
                token,
                scores: &drafter.scores,
                ids: &drafter.ids,
                hidden: &drafter.hidden,
            });
            if !go_on {
                return;
            }
        }
    }

    /// The guess after `token`; leaves the hidden state for the next one.
    fn step(&self, context: &Context<'_>, drafter: &mut MtpDrafter, token: Token) -> Token {
        let target = context.model.forward();
        let (isa, pool) = (target.isa, target.pool);
        let n_embd = self.after.rows();
        let input = drafter.input.resize(1, 2 * n_embd);
        let (embedding, hidden) = input.split_at_mut(n_embd);
        target.look_up(embedding, &[token]);
        hidden.copy_from_slice(&drafter.hidden);
        let forms = Forms::of([&self.before]);
        drafter.input.quantize(isa, pool, forms);
        product(isa, pool, &drafter.input, &self.before, &mut drafter.x);
        let forward = Forward {
            file: &self.file,
            config: &self.config,
            weights: &self.weights,
            ..target
        };
        forward.run_beside(context.state, &mut drafter.scratch, &drafter.x);
        let output = drafter.scratch.output();
        product(isa, pool, output, &self.after, &mut drafter.hidden);
        match &self.shortlist {
            None => {
                std::mem::swap(&mut drafter.scores, &mut drafter.scratch.logits);
                drafter.ids.clear();
            }
            Some(shortlist) => {
                let found = (&mut drafter.ids, &mut drafter.scores);
                shortlist.score((isa, pool), output, &drafter.scratch.logits, found);
            }
        }
        best(&drafter.scores, &drafter.ids)
    }
}

impl Drafter for MtpDrafter {
    fn draft(&mut self, context: &Context<'_>, most: usize, out: &mut Vec<Token>) {
        let Some(mtp) = context.model.mtp() else {
            return;
        };
        mtp.guess(context, self, most, |guess| {
            out.push(guess.token);
            // Nothing follows the end of an answer.
            !context.model.tokenizer().is_end(guess.token)
        });
    }
}

fn product(isa: Isa, pool: &Pool, x: &Activations, weights: &Matrix, out: &mut Vec<f32>) {
    out.resize(weights.rows(), 0.0);
    matmul(isa, pool, x, &mut [Product { weights, out }]);
}

/// The token with the highest score; of equals, the lowest.
fn best(scores: &[f32], ids: &[Token]) -> Token {
    let id = |i: usize| ids.get(i).copied().unwrap_or(i as Token);
    let mut best = 0;
    for i in 1..scores.len() {
        let higher = scores[i] > scores[best];
        if higher || (scores[i] == scores[best] && id(i) < id(best)) {
            best = i;
        }
    }
    id(best)
}
