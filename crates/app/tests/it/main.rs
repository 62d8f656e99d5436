//! Integration tests of the app.
mod markdown;
