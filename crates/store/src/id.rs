//! Names of things: random ids, and the owner that everything belongs to.
//!
//! An id is 16 random bytes as 32 lower-case hexadecimal characters: nobody can guess one, and it needs no quoting in an
//! address, a file name or SQL.
use crate::error::{Error, Result};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Random bytes in an id: with 128 bits two of them never meet.
const ID_BYTES: usize = 16;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub(crate) fn random() -> Result<Self> {
                Ok(Self(hex(&random::<ID_BYTES>()?)))
            }

            /// The 32 characters.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                if is_hex(text, 2 * ID_BYTES) {
                    Ok(Self(text.into()))
                } else {
                    Err(Error::Invalid("an id has 32 characters, 0 to 9 and a to f".into()))
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(text: String) -> Result<Self> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(|error| FromSqlError::Other(Box::new(error)))
            }
        }
    };
}

id! {
    /// Names a conversation.
    ConversationId
}
id! {
    /// Names a message, which is a question or an answer.
    MessageId
}
id! {
    /// Names something that a person had remembered.
    FactId
}
id! {
    /// Names a key. It is no secret.
    KeyId
}

id! {
    /// Names a person whom a bot answers.
    PersonId
}

/// Whose a thing is: of the person at this machine, of whoever holds a key, or of a person whom a bot answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Owner(String);

const LOCAL: &str = "local";

impl Owner {
    /// The person at this machine.
    pub fn local() -> Self {
        Self(LOCAL.into())
    }

    /// `local`, or the id of a key or a person.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&KeyId> for Owner {
    fn from(key: &KeyId) -> Self {
        Self(key.0.clone())
    }
}

impl From<&PersonId> for Owner {
    fn from(person: &PersonId) -> Self {
        Self(person.0.clone())
    }
}

impl ToSql for Owner {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for Owner {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        if value.as_str()? == LOCAL {
            return Ok(Self::local());
        }
        KeyId::column_result(value).map(|key| Self::from(&key))
    }
}

/// Bytes from the system's generator.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::Internal(format!("no random numbers: {error}")))?;
    Ok(bytes)
}

/// Lower-case hexadecimal characters, two for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// Whether `text` has exactly `len` lower-case hexadecimal characters.
pub(crate) fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
