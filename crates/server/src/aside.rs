//! Work that blocks, on threads of its own.
//!
//! Tokio compiles a task with all its states anew for every closure that it is given, some 2,600 lines of LLVM's for each.
//! Boxed, the closures of this crate are one type, and their results another.
use std::any::Any;
use tokio::task::{JoinError, JoinHandle};

type Work = Box<dyn FnOnce() -> Box<dyn Any + Send> + Send>;

/// Begins the work at once, whether or not anybody waits for what it gives. An error says that it panicked.
pub(crate) fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, JoinError>> + Send {
    let begun = begin(Box::new(|| Box::new(work())));
    async move {
        let done = begun.await?;
        Ok(*done.downcast().expect("what the work gives"))
    }
}

fn begin(work: Work) -> JoinHandle<Box<dyn Any + Send>> {
    tokio::task::spawn_blocking(work)
}
