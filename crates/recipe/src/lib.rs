//! Recipes: a prompt, what it takes and the form of its answer in one TOML file, run on texts, files, mail and sound.
//!
//! ```
//! use reckon_recipe::{Collection, Recipe};
//!
//! let collection = Collection::new("no-folder-of-my-own");
//! let found = collection.find("translate")?;
//! let mut recipe = Recipe::parse(&found.text, "translate")?;
//! recipe.set("to", "German")?;
//! assert!(recipe.set("too", "German").is_err());
//! # Ok::<(), reckon_recipe::Error>(())
//! ```
//!
//! A [`Collection`] finds a [`Recipe`]; [`Sources`] or [`live`] turn paths or standard input into [`Item`]s; a [`Runner`]
//! answers each with a conversation of `reckon`; [`Rows`] writes the [`Answer`]s. An [`OutFile`] remembers what is done,
//! a [`Watch`] which files of a folder were.
//!
//! Left out on purpose: fetching recipes from elsewhere, recipes that run programs or call other recipes.
mod collection;
mod error;
mod mail;
mod out_file;
mod recipe;
mod row;
mod runner;
mod source;
mod span;
mod stream;
mod template;
mod watch;
mod withhold;

pub use collection::{Collection, Entry, Found};
pub use error::{Error, Result};
pub use mail::{MOST_MAIL, Mbox};
pub use out_file::OutFile;
pub use recipe::{Each, Input, MOST_BYTES, Output, PLACEHOLDERS, Recipe, Window};
pub use row::Rows;
pub use runner::{Answer, OnEvent, Runner};
pub use source::{Item, NamedFile, Sources};
pub use span::{Pages, Span};
pub use stream::{Live, live};
pub use watch::Watch;
