use std::fmt;
use std::str::FromStr;

/// The id of a player: what a token stands for, and no secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId(u128);

/// A text that is no id of a player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no player id: that is 32 hexadecimal digits in lower case")]
pub struct InvalidPlayerId(String);

impl FromStr for PlayerId {
    type Err = InvalidPlayerId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        match u128::from_str_radix(text, 16) {
            Ok(id) if digits && text.len() == 32 => Ok(Self(id)),
            Ok(_) | Err(_) => Err(InvalidPlayerId(text.chars().take(64).collect())),
        }
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlayerId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        let text = "00112233445566778899aabbccddeeff";
        assert_eq!(text.parse::<PlayerId>().unwrap().to_string(), text);
    }

    #[test]
    fn refuses_other_texts() {
        for text in [
            "",
            "0011",
            "+0112233445566778899aabbccddeeff",
            "0123456789ABCDEF0123456789ABCDEF",
        ] {
            assert!(text.parse::<PlayerId>().is_err(), "{text}");
        }
    }
}
