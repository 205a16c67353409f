use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The id of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatchId(Uuid);

/// A text that is no id of a match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no match id; one looks like 0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b")]
pub struct InvalidMatchId(String);

impl FromStr for MatchId {
    type Err = InvalidMatchId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Uuid::try_parse(text) {
            Ok(id) if text.len() == uuid::fmt::Hyphenated::LENGTH => Ok(Self(id)),
            Ok(_) | Err(_) => Err(InvalidMatchId(text.chars().take(64).collect())),
        }
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        let text = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b";
        let id: MatchId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(text.to_uppercase().parse(), Ok(id));
    }

    #[test]
    fn refuses_other_texts() {
        for text in ["", "1", "0190f5fe7c3a7d2e9f5b3c1d2e4f5a6b", &"x".repeat(36)] {
            assert!(text.parse::<MatchId>().is_err(), "{text}");
        }
    }
}
