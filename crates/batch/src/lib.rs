//! A durable queue of questions: a file of rows in, a file of answers out, each exactly once, whatever is killed.
//!
//! ```
//! use reckon_batch::{Answered, Ended, Run};
//! use std::sync::atomic::AtomicBool;
//!
//! let folder = tempfile::tempdir()?;
//! let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
//! std::fs::write(&input, "{\"id\":1,\"prompt\":\"6 × 7?\"}\n{\"id\":2,\"prompt\":\"6 × 7?\"}\n")?;
//!
//! let run = Run::new(&input, &output);
//! let stop = AtomicBool::new(false); // set by Ctrl-C
//! let answer = |row: &reckon_batch::Row| {
//!     let request = row.request()?;
//!     let text = format!("asked: {}", request.prompt.unwrap_or_default());
//!     Ok(Answered { text, ..Answered::default() })
//! };
//! let report = run.start(&stop, answer, |progress| eprintln!("{} rows left", progress.left()))?;
//!
//! assert_eq!(report.ended, Ended::Finished);
//! assert!(std::fs::read_to_string(&output)?.starts_with("{\"id\":1,\"text\":\"asked: 6 × 7?\""));
//! std::fs::write(folder.path().join("summary.html"), run.queue()?.summary(&report.batch)?.to_html())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Run`] is a batch from file to file; calling it again continues it. Below it are a [`Queue`], which is one SQLite
//! file or a PostgreSQL database with any number of batches, and a [`Worker`], which answers rows of a queue with
//! whatever function it is given; workers on several machines may share a queue on PostgreSQL.
//!
//! What holds, and why: a result is stored in the same transaction that ends its row, and only from the worker whose
//! ticket is on the row (`lease.rs`). The output is a copy of what the queue says, compared before it is continued
//! (`output.rs`). So a kill at any moment loses at most the answers that were being generated, which are generated again.
//!
//! All calls block, and must not be made from inside an async runtime. Nothing is printed and no environment is read.
mod database;
mod error;
mod hours;
mod lease;
mod output;
mod patience;
mod queue;
mod results;
mod row;
mod run;
mod schema;
mod submit;
mod summary;
mod worker;

pub use error::{Error, Result};
pub use hours::Hours;
pub use output::Output;
pub use queue::{Batch, BatchState, Limits, Progress, Queue, WorkerInfo};
pub use results::{Fate, Outcome};
pub use row::{Answered, Check, Failure, Request, Row};
pub use run::{Report, Run};
pub use submit::{Refused, Submitted};
pub use summary::{Attention, Listed, Reason, Summary};
pub use worker::{Ended, Worker, WorkerOptions};
