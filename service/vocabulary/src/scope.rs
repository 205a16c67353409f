use std::fmt;
use std::str::FromStr;

/// A permission of a token. No scope includes another.
///
/// ```
/// use dragontooth_service_vocabulary::{Scope, Scopes};
///
/// let scopes: Scopes = ["watch", "play"].iter().map(|name| name.parse::<Scope>()).collect::<Result<_, _>>()?;
/// assert!(scopes.has(Scope::Play) && !scopes.has(Scope::Admin));
/// assert_eq!(scopes.to_string(), "play,watch");
/// # Ok::<(), dragontooth_service_vocabulary::UnknownScope>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Takes seats and plays.
    Play,
    /// Reads matches.
    Watch,
    /// Creates matches and calls them off.
    Create,
    /// Issues, lists and revokes tokens, and reads every match.
    Admin,
}

impl Scope {
    /// All scopes, in their order.
    pub const ALL: [Self; 4] = [Self::Play, Self::Watch, Self::Create, Self::Admin];

    /// Its name: `play`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Admin => "admin",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::Play => 1,
            Self::Watch => 2,
            Self::Create => 4,
            Self::Admin => 8,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for a text that is not the name of a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a scope: there are play, watch, create and admin")]
pub struct UnknownScope(String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.name() == text)
            .ok_or_else(|| UnknownScope(text.chars().take(32).collect()))
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scopes(u8);

impl Scopes {
    /// No scope.
    pub const NONE: Self = Self(0);

    /// Returns true if the scope is among them.
    #[must_use]
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Returns true if there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes, in their order.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

/// The names with commas between them.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Scope::name).collect();
        f.pad(&names.join(","))
    }
}
