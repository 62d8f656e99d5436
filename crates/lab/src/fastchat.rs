//! FastChat's MT-Bench files, read and written as its own scripts do: judge prompts, answers, references, judgments.
//!
//! `prompt.rs` turns a prompt file, questions and answers into what a judge is asked, `rating.rs` what the judge says
//! into a score or a winner, `judgment.rs` rows into judgments and back, `average.rs` judgments into the figures of
//! `show_result.py`, `contest.rs` answers into everything that is to be judged. `export.rs` writes
//! answers. `python.rs` has the two things of Python
//! that decide bytes: `str.format` and `json.dumps`.
//!
//! Files may be packed with gzip. Bytes that are written are those that FastChat would write.
//! Source: lm-sys/FastChat `fastchat/llm_judge`, checked by `tests/it/fastchat.rs` on real judgments.

mod answer;
mod average;
mod contest;
mod export;
mod judgment;
mod prompt;
mod python;
mod rating;

pub use answer::{Answers, file_name, read_answers};
pub use average::{Figures, MeanScores, Standing, figures, standings};
pub use contest::{Contest, Entries, Mode, contests};
pub use export::answer_file;
pub use judgment::{Judge, Judgment, Pair, Single, read_judgments};
pub use prompt::{Asked, Fields, Prompt, Prompts, read_prompts, rubric, wants_reference};
pub use python::{Template, dumps};
pub use rating::{Winner, rating, winner};
