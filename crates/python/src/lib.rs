//! Python for programs that a language model wrote: a small interpreter that can do nothing but calculate.
//!
//! ```
//! use reckon_python::{Host, Interpreter};
//!
//! let host = Host {
//!     write: Box::new(|_text, _shown| ()),
//!     call: Box::new(|_kind, _text| Err("nobody answers".into())),
//!     modules: &[],
//! };
//! let value = Interpreter::new(host, 1 << 20).run("x = 12 * 8\nx - 37", "memory").unwrap();
//! assert_eq!(value, "59");
//! ```
//! The language is that of CPython 3.11 without `async`, its results those of CPython; see docs/sandbox.md. There are no
//! files, no network, no environment, no clock that can be set, and no `unsafe` code. Time and memory are for the process
//! around it to limit.
mod ast;
mod builtins;
mod class;
mod code;
mod compile;
mod format;
mod lexer;
mod library;
mod mersenne;
mod modules;
mod number;
mod parser;
mod program;
mod real;
mod set_table;
mod table;
mod text;
mod value;
mod vm;

pub use program::{Call, Host, Interpreter, Write};
