use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::Timestamp;

/// The id of a match: a UUID, written in lower case with hyphens and read in any form of a UUID. Ids
/// of version 7 sort by their time of creation.
///
/// ```
/// use dragontooth_service_vocabulary::MatchId;
///
/// let id: MatchId = "01890A5DAC96774BBCCEB302099A8057".parse()?;
/// assert_eq!(id.to_string(), "01890a5d-ac96-774b-bcce-b302099a8057");
/// # Ok::<(), dragontooth_service_vocabulary::InvalidMatchId>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatchId([u8; 16]);

impl MatchId {
    /// The id with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The least id of a match that was created at `time` or later: ids of version 7 begin with the time of their
    /// creation, in whole milliseconds.
    ///
    /// ```
    /// use dragontooth_service_vocabulary::{MatchId, Timestamp};
    ///
    /// let id: MatchId = "01890a5d-ac96-774b-bcce-b302099a8057".parse()?;
    /// let created = Timestamp::from_micros(1_688_096_058_518_000);
    /// assert!(MatchId::first_at(created) < id);
    /// assert!(id < MatchId::first_at(Timestamp::from_micros(created.micros() + 1)));
    /// # Ok::<(), dragontooth_service_vocabulary::InvalidMatchId>(())
    /// ```
    #[must_use]
    pub fn first_at(time: Timestamp) -> Self {
        /// The milliseconds have 48 bits, enough until the year 10889.
        const MAX_MS: u64 = (1 << 48) - 1;
        let ms = time.micros().div_ceil(1000).min(MAX_MS);
        Self((u128::from(ms) << 80).to_be_bytes())
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

/// The error for a text that is not a match id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a match id is a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057")]
pub struct InvalidMatchId;

impl FromStr for MatchId {
    type Err = InvalidMatchId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::try_parse(text)
            .map(|uuid| Self(uuid.into_bytes()))
            .map_err(|_| InvalidMatchId)
    }
}

/// The id of a player, which is not secret: 32 hexadecimal digits, written in lower case.
///
/// ```
/// use dragontooth_service_vocabulary::PlayerId;
///
/// let id: PlayerId = "00112233445566778899AABBCCDDEEFF".parse()?;
/// assert_eq!(id.to_string(), "00112233445566778899aabbccddeeff");
/// # Ok::<(), dragontooth_service_vocabulary::InvalidPlayerId>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

impl fmt::Debug for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlayerId({self})")
    }
}

/// The error for a text that is not a player id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a player id is 32 hexadecimal digits")]
pub struct InvalidPlayerId;

impl FromStr for PlayerId {
    type Err = InvalidPlayerId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Of the forms of a UUID only the simple one has this length.
        if text.len() != 32 {
            return Err(InvalidPlayerId);
        }
        Uuid::try_parse(text)
            .map(|uuid| Self(uuid.into_bytes()))
            .map_err(|_| InvalidPlayerId)
    }
}
