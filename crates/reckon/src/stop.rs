//! Stopping an answer from elsewhere: another thread, a signal handler, a connection that closed.
use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Asks answers to stop. Clones are one and the same; it stays set until [`Stop::reset`], so that what has not begun yet
/// stops as well.
///
/// ```
/// let stop = reckon::Stop::default();
/// let elsewhere = stop.clone();
/// std::thread::spawn(move || elsewhere.set()).join().unwrap();
/// assert!(stop.is_set());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops, after the token that is being made.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Lets the next answer be made.
    pub fn reset(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Whether it was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Whether to go on after an event. A closure that returns nothing goes on; one that returns a [`ControlFlow`] decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow(ControlFlow<()>);

/// What a closure decided.
pub(crate) fn flow(decision: impl Into<Flow>) -> ControlFlow<()> {
    let Flow(flow) = decision.into();
    flow
}

impl From<()> for Flow {
    fn from((): ()) -> Self {
        Self(ControlFlow::Continue(()))
    }
}

impl From<ControlFlow<()>> for Flow {
    fn from(flow: ControlFlow<()>) -> Self {
        Self(flow)
    }
}
