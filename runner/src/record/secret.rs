use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use dragontooth_runner_tournament::Name;
use dragontooth_service_client::Token;

use super::whole_file::{self, Readers};
use crate::draw_secret::derive;

/// The most bytes that are read as a secret.
const MAX_SECRET_BYTES: u64 = 1024;

/// The secret from which the tokens of a run follow, so that a continued run has the same players.
pub struct Secret(Vec<u8>);

/// The reason why a run has no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file cannot be read.
    #[error("{}: the secret, from which the tokens of the run follow, cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("{}: the secret cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds no secret.
    #[error("{}: this is no secret of a run", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
    },
}

impl Secret {
    /// Reads the secret from a file that only its owner may read, or creates the file with a new
    /// secret.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, or its content is not a secret.
    pub fn open(path: &Path) -> Result<Self, SecretError> {
        match Self::read(path) {
            Err(SecretError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Self::create(path)
            }
            read => read,
        }
    }

    /// Reads the secret from its file.
    ///
    /// # Errors
    ///
    /// The file is missing or cannot be read, or its content is not a secret.
    pub fn read(path: &Path) -> Result<Self, SecretError> {
        let unreadable = |source| SecretError::Read {
            path: path.to_owned(),
            source,
        };
        let size = fs::metadata(path).map_err(unreadable)?.len();
        let text = if size > MAX_SECRET_BYTES {
            String::new()
        } else {
            fs::read_to_string(path).map_err(unreadable)?
        };
        match Token::new(text.trim_end()) {
            Ok(_) => Ok(Self(text.trim_end().as_bytes().to_vec())),
            Err(_) => Err(SecretError::Malformed {
                path: path.to_owned(),
            }),
        }
    }

    /// One that is kept nowhere.
    #[must_use]
    pub fn passing() -> Self {
        Self(Token::random().reveal().as_bytes().to_vec())
    }

    /// The token with which the runner creates and watches the matches.
    #[must_use]
    pub fn runner_token(&self) -> Token {
        self.token("runner", "")
    }

    /// The token of a bot.
    #[must_use]
    pub fn bot_token(&self, bot: &Name) -> Token {
        self.token("bot", bot.as_str())
    }

    fn create(path: &Path) -> Result<Self, SecretError> {
        let secret = format!("{}{}", Token::random().reveal(), Token::random().reveal());
        whole_file::write(path, format!("{secret}\n").as_bytes(), Readers::Owner).map_err(
            |source| SecretError::Write {
                path: path.to_owned(),
                source,
            },
        )?;
        Ok(Self(secret.into_bytes()))
    }

    fn token(&self, purpose: &str, name: &str) -> Token {
        let digits = derive(&self.0, purpose, name);
        Token::new(digits).expect("64 hexadecimal digits are a token")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
