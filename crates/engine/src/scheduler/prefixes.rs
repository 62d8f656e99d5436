//! Prefix cache: states of earlier sequences, with their KV caches, for prompts that begin the same way.
//!
//! Called by `scheduler`: a sequence that ends leaves its state here; a new one looks for the state that shares the
//! longest prefix with its prompt, here and among the sequences under way. A copy shares the KV pages of the original.
//!
//! A state can step back to a shorter prefix as long as its sliding layers still hold the window before that point;
//! they keep the last few thousand positions only. So the rule is: the longest prefix that can still be stepped back to
//! is used. If some state shared more of the prompt but has moved on too far, that point is where sequences branch: the
//! new sequence, which has to read that part anyway, leaves a copy there as it passes, and the next one finds it.
//! Models without sliding layers never need that.
//!
//! Bounded by bytes, where what copies share counts for each; the state that was used least recently goes first. A
//! state goes at once if another can step back to all that it holds.

use crate::Prompt;
use crate::state::State;

/// Tokens of a prompt that are worth taking over, waiting for or keeping; fewer are as soon read again.
pub(super) const WORTH: usize = 16;

/// States that were kept.
#[derive(Debug)]
pub(super) struct Prefixes {
    /// Used least recently first.
    kept: Vec<State>,
    most_bytes: usize,
}

/// What is cached of a prompt.
#[derive(Debug)]
pub(super) struct PrefixMatch {
    /// A state of the first `held` tokens.
    pub(super) state: Option<State>,
    pub(super) held: usize,
    /// The longest prefix that any state shared with the prompt, whether it can step back to it or not.
    pub(super) shared: usize,
}

impl Prefixes {
    pub(super) const fn new(most_bytes: usize) -> Self {
        Self {
            kept: Vec::new(),
            most_bytes,
        }
    }

    /// The longest cached prefix of a prompt, here or among `others`. Never all of it: the last token's logits are
    /// needed.
    pub(super) fn find<'a>(
        &mut self,
        prompt: &Prompt,
        others: impl Iterator<Item = &'a State>,
    ) -> PrefixMatch {
        let mut found = PrefixMatch {
            state: None,
            held: 0,
            shared: 0,
        };
        let mut best = None;
        // Their lifetime is shortened to that of our own, so that both make one iterator.
        let others = others.map(|state: &State| state);
        for (i, state) in self.kept.iter().chain(others).enumerate() {
            let same = state.common(prompt).min(prompt.len() - 1);
            found.shared = found.shared.max(same);
            let held = state.reach(same);
            if held >= WORTH && held > found.held {
                found.held = held;
                best = Some((i, state));
            }
        }
        if let Some((i, state)) = best {
            found.state = Some(state.fork(found.held));
            if i < self.kept.len() {
                // Used last, so it goes last.
                self.kept[i..].rotate_left(1);
            }
        }
        found
    }

    /// Keeps a state, in place of those that it covers and, if need be, of those used least recently.
    pub(super) fn keep(&mut self, state: State) {
        // Too short to be worth a place: reading it again is as quick.
        if state.tokens().len() < WORTH {
            return;
        }
        // One that is already covered adds nothing; the one that covers it counts as used.
        if let Some(at) = self.kept.iter().position(|other| covers(other, &state)) {
            return self.kept[at..].rotate_left(1);
        }
        self.kept.retain(|other| !covers(&state, other));
        self.kept.push(state);
        let mut bytes: usize = self.kept.iter().map(State::held_bytes).sum();
        while bytes > self.most_bytes {
            bytes -= self.kept.remove(0).held_bytes();
        }
    }
}

/// Whether `a` can step back to all that `b` holds.
fn covers(a: &State, b: &State) -> bool {
    let len = b.tokens().len();
    a.common(b.read()) == len && a.holds(len)
}
