//! Recipes through the public functions of the crate, with a model that says what it is told to.
mod built_in;
mod files;
mod mail;
mod parse;
mod script;
mod stream;
