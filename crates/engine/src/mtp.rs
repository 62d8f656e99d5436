//! Gemma 4's drafter for multi-token prediction (MTP): guesses the next tokens from the target's hidden state.
//!
//! A separate module with one door: `Model::with_drafter` loads an [`Mtp`], and from then on `Model::drafter` gives
//! every sequence an [`MtpDrafter`], a `Drafter` like any other. The rest of the engine knows of it only
//! `Forward::run_drafter`. Answers are the same with and without: the target checks each guess.
//!
//! The drafter is a small model in a file of its own (`gemma4-assistant`) without a KV cache: its few layers make
//! queries only and attend to the KV cache of the target's last sliding and last full layer that owns one. A step
//! concatenates the target's embedding of the last token and a hidden state, runs the layers, and gives scores over the
//! vocabulary and the hidden state for the next step. The first hidden state is the target's, after its last norm.
//! Every step of a round stands at one position, that of the last chosen token, and sees the keys of all tokens before
//! it. Guesses are greedy.
//!
//! Source: Hugging Face `transformers`, `models/gemma4_assistant` and `generation/candidate_generator.py`; names of
//! keys and tensors as in llama.cpp. Checked by `tests/it/mtp.rs`.

mod shortlist;

use crate::config::{Config, DRAFTER, GEMMA};
use crate::forward::{Forward, Scratch};
use crate::speculate::{DraftContext, Drafter};
use crate::weights::{Weights, matrix};
use crate::{Error, Result, Token};
use reckon_gguf::File;
use reckon_kernels::{Activations, Cpu, InputFormats, Matrix, Pool, Product, matmul};
use shortlist::Shortlist;

/// A drafter, checked against its target and ready to run; read-only.
#[derive(Debug)]
pub(crate) struct Mtp {
    file: File,
    config: Config,
    weights: Weights,
    /// From an embedding and a hidden state of the target to the drafter's residual stream.
    pre_projection: Matrix,
    /// From the drafter's last hidden state to the target's width.
    post_projection: Matrix,
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
        let config = drafter_config(&file, target)?;
        let (n_embd, n_vocab, width) = (target.n_embd, target.n_vocab, config.n_embd);
        let key = format!("{}.embedding_length_out", config.architecture);
        // Width and vocabulary of the target are what a drafter's projections and ids are made for.
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
        let pre_projection = matrix(
            &file,
            pool,
            "nextn.pre_projection.weight",
            width,
            2 * n_embd,
        )?;
        let post_projection = matrix(&file, pool, "nextn.post_projection.weight", n_embd, width)?;
        Ok(Self {
            file,
            config,
            weights,
            pre_projection,
            post_projection,
            shortlist,
        })
    }

    /// Guesses at most `most` tokens; `each` hears them one by one and says whether to go on.
    pub(crate) fn guess(
        &self,
        context: &DraftContext<'_>,
        drafter: &mut MtpDrafter,
        most: usize,
        mut each: impl FnMut(&Guess<'_>) -> bool,
    ) {
        // Each round starts from the target's own hidden state; nothing of the last round is carried over.
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
    fn step(&self, context: &DraftContext<'_>, drafter: &mut MtpDrafter, token: Token) -> Token {
        let target = context.model.forward();
        let cpu = target.cpu;
        let n_embd = self.post_projection.rows();
        let input = drafter.input.resize(1, 2 * n_embd);
        let (embedding, hidden) = input.split_at_mut(n_embd);
        target.embed_tokens(embedding, &[token]);
        hidden.copy_from_slice(&drafter.hidden);
        let formats = InputFormats::of([&self.pre_projection]);
        drafter.input.quantize(cpu, formats);
        product(cpu, &drafter.input, &self.pre_projection, &mut drafter.x);
        // The target's pass machinery with the drafter's weights: same kernels, same CPU.
        let forward = Forward {
            file: &self.file,
            config: &self.config,
            weights: &self.weights,
            ..target
        };
        forward.run_drafter(context.state, &mut drafter.scratch, &drafter.x);
        let output = drafter.scratch.output();
        product(cpu, output, &self.post_projection, &mut drafter.hidden);
        match &self.shortlist {
            None => {
                std::mem::swap(&mut drafter.scores, &mut drafter.scratch.logits);
                drafter.ids.clear();
            }
            Some(shortlist) => {
                let found = (&mut drafter.ids, &mut drafter.scores);
                shortlist.score(cpu, output, &drafter.scratch.logits, found);
            }
        }
        best(&drafter.scores, &drafter.ids)
    }
}

/// The config of a drafter, whose layers attend to the KV caches of `target`.
fn drafter_config(file: &File, target: &Config) -> Result<Config> {
    let architecture = file.metadata().str("general.architecture")?;
    if architecture != DRAFTER {
        return Err(Error::Model(format!(
            "its architecture is '{architecture}', expected {DRAFTER}"
        )));
    }
    let mut config = Config::of_family(file, DRAFTER, &GEMMA, Some(target))?;
    if config.n_embd_per_layer.take().is_some() {
        return Err(Error::Model("a drafter has no per-layer embedding".into()));
    }
    // Drafters apply no softcap, whatever their files say.
    config.softcap = None;
    for layer in &mut config.layers {
        let Some(window) = layer.window else { continue };
        let kept = target.layers[layer.kv_source].window.unwrap_or(window);
        if window > kept {
            return Err(Error::Model(format!(
                "its window is {window} positions, its target's {kept}"
            )));
        }
        // A draft has no key of its own in the KV cache that it reads: it stands after the last key, and sees as
        // far behind that key as its window is wide.
        layer.window = Some(window + 1);
    }
    Ok(config)
}

impl Drafter for MtpDrafter {
    fn draft(&mut self, context: &DraftContext<'_>, most: usize, out: &mut Vec<Token>) {
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

fn product(cpu: &Cpu, x: &Activations, weights: &Matrix, out: &mut Vec<f32>) {
    out.resize(weights.rows(), 0.0);
    matmul(cpu, x, &mut [Product { weights, out }]);
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
