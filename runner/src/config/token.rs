use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use dragontooth_service_client::{InvalidToken, Token};

use super::field::Field;
use super::section::Section;

/// The most bytes that are read of the file of a token.
const MAX_TOKEN_FILE_BYTES: u64 = 1024;

/// The source of an issued token when a run begins. The secret is never in the file of the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSource {
    key: String,
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Variable(String),
    File(PathBuf),
}

/// The reason why a source gives no token. The secret is not in it.
#[derive(Debug, thiserror::Error)]
pub enum NoToken {
    /// The environment variable is not set.
    #[error("{key}: the environment variable {variable} is not set")]
    Unset {
        /// The key that names it.
        key: String,
        /// The variable.
        variable: String,
    },
    /// The file cannot be read.
    #[error("{key}: the file {} cannot be read", path.display())]
    Unreadable {
        /// The key that names it.
        key: String,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The text found there is not a token.
    #[error("{key}: what is found there is no token")]
    Invalid {
        /// The key that names the place.
        key: String,
        /// Why.
        source: InvalidToken,
    },
}

impl TokenSource {
    /// The key of the event's file, with the tables around it: `bot[2].token_env`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Reads the token; white space at the end of a file is no part of it.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn read(&self) -> Result<Token, NoToken> {
        let key = || self.key.clone();
        let text = match &self.place {
            Place::Variable(variable) => env::var_os(variable)
                .map(|text| text.to_string_lossy().into_owned())
                .ok_or_else(|| NoToken::Unset {
                    key: key(),
                    variable: variable.clone(),
                }),
            Place::File(path) => read_file(path).map_err(|source| NoToken::Unreadable {
                key: key(),
                path: path.clone(),
                source,
            }),
        }?;
        Token::new(text).map_err(|source| NoToken::Invalid { key: key(), source })
    }
}

fn read_file(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_TOKEN_FILE_BYTES)
        .read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned())
}

/// The keys of a table that tell where a token is.
pub(super) fn fields<'a>(section: &Section<'a>) -> [Option<Field<'a>>; 2] {
    ["token_env", "token_file"].map(|key| section.get(key))
}

/// Returns the source that the fields name; `None` if they name none or one is wrong.
pub(super) fn source(fields: &[Option<Field<'_>>; 2]) -> Option<TokenSource> {
    let (field, place) = match fields {
        [None, None] => return None,
        [Some(_), Some(file)] => {
            file.report("the token is in a variable or in a file, not in both");
            return None;
        }
        [Some(field), None] => (field, Place::Variable(variable(field)?)),
        [None, Some(field)] => (field, Place::File(file(field)?)),
    };
    Some(TokenSource {
        key: field.key().to_owned(),
        place,
    })
}

fn variable(field: &Field<'_>) -> Option<String> {
    let name = field.text()?;
    if name.is_empty() || name.contains(['=', '\0']) {
        field.report("must name an environment variable");
        return None;
    }
    Some(name.to_owned())
}

fn file(field: &Field<'_>) -> Option<PathBuf> {
    let name = field.text()?;
    if name.is_empty() {
        field.report("must name a file");
        return None;
    }
    Some(name.into())
}
