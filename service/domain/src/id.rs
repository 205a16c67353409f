use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The id of a match, written as a UUID in lower case and read in any form of one. Ids of version 7
/// sort by their time of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatchId([u8; 16]);

impl MatchId {
    /// The id with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Uuid::from_bytes(self.0).hyphenated(), f)
    }
}

/// A text that is no match id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a match id is a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057")]
pub struct ParseMatchIdError;

impl FromStr for MatchId {
    type Err = ParseMatchIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::try_parse(text)
            .map(|uuid| Self(uuid.into_bytes()))
            .map_err(|_| ParseMatchIdError)
    }
}

/// The id of a player, written as 32 hexadecimal digits in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId([u8; 16]);

impl PlayerId {
    /// The id with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Uuid::from_bytes(self.0).simple(), f)
    }
}

/// A text that is no player id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a player id is 32 hexadecimal digits")]
pub struct ParsePlayerIdError;

impl FromStr for PlayerId {
    type Err = ParsePlayerIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() != 32 {
            return Err(ParsePlayerIdError);
        }
        Uuid::try_parse(text)
            .map(|uuid| Self(uuid.into_bytes()))
            .map_err(|_| ParsePlayerIdError)
    }
}
