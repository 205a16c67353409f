use std::fmt;
use std::str::FromStr;

/// What a token allows. No scope includes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// To take seats and to play on them.
    Play,
    /// To read matches.
    Watch,
    /// To create matches and to call them off.
    Create,
    /// To issue, list and revoke tokens, and to see private matches.
    Admin,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 4] = [Self::Play, Self::Watch, Self::Create, Self::Admin];
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Play => "play",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Admin => "admin",
        })
    }
}

/// A text that names no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no scope: there are play, watch, create and admin")]
pub struct UnknownScope(String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.to_string() == text)
            .ok_or_else(|| UnknownScope(text.chars().take(32).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for scope in Scope::ALL {
            assert_eq!(scope.to_string().parse(), Ok(scope));
        }
        for other in ["", "Play", "all", "play "] {
            assert!(other.parse::<Scope>().is_err(), "{other}");
        }
    }
}
