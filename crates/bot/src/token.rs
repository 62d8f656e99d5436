//! The bot's token: whoever has it is the bot, so it is read from few places and printed nowhere.
use crate::error::{Error, Result};
use std::fmt;
use std::io::Read;
use std::path::Path;

/// The variable that has the token.
pub const TOKEN_VARIABLE: &str = "RECKON_TELEGRAM_TOKEN";
/// Characters of a token; Telegram's have about 46.
const LONGEST: usize = 256;

/// A token of @BotFather. Its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Takes a token as it is, without its line end.
    pub fn new(text: &str) -> Result<Self> {
        let text = text.trim();
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
        if text.is_empty() || text.len() > LONGEST || !text.chars().all(known) {
            let why = "this is no token: @BotFather gives one such as 123456:ABC-DEF";
            return Err(Error::Token(why.into()));
        }
        Ok(Self(text.into()))
    }

    /// Reads the token from a file that nobody else can read.
    pub fn from_file(path: &Path) -> Result<Self> {
        let fault = |why: String| Error::Token(format!("{}: {why}", path.display()));
        let mut file = std::fs::File::open(path).map_err(|error| fault(error.to_string()))?;
        // Of the open file: another one could take its place between a look at the path and the reading.
        private(&file).map_err(fault)?;
        let mut text = String::new();
        file.by_ref()
            .take(4 * LONGEST as u64)
            .read_to_string(&mut text)
            .map_err(|error| fault(error.to_string()))?;
        Self::new(&text)
    }

    /// Takes the token from the file if one is named, else from the environment's variable.
    pub fn find(file: Option<&Path>, variable: Option<String>) -> Result<Self> {
        match (file, variable) {
            (Some(path), _) => Self::from_file(path),
            (None, Some(text)) => Self::new(&text),
            (None, None) => Err(Error::Token(format!(
                "there is no token: set {TOKEN_VARIABLE} or name a file with --token-file"
            ))),
        }
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Text without the token, should it be in there.
    pub(crate) fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, "***")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

#[cfg(unix)]
fn private(file: &std::fs::File) -> std::result::Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("this is no file".into());
    }
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!("others can read it (mode {mode:03o}): chmod 600"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn private(_: &std::fs::File) -> std::result::Result<(), String> {
    Ok(())
}
