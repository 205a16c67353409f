use std::fmt;
use std::str::FromStr;

use super::Fingerprint;

/// The service on which a match was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServiceKind {
    /// None: the match was played in the runner's process, and its events are kept nowhere.
    #[default]
    Direct,
    /// The runner's own, whose event log is in the run directory.
    Embedded,
    /// Another one, which keeps the event log.
    Remote,
}

/// The text names no kind of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be \"direct\", \"embedded\" or \"remote\"")]
pub struct InvalidServiceKind;

/// The place where a match was played, and the hash of its events there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The service.
    pub service: ServiceKind,
    /// The hash over all events of the match, as the store chains them; `None` if a remote service
    /// does not give it.
    pub head_hash: Option<Fingerprint>,
}

impl fmt::Display for ServiceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "direct",
            Self::Embedded => "embedded",
            Self::Remote => "remote",
        })
    }
}

impl FromStr for ServiceKind {
    type Err = InvalidServiceKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "direct" => Ok(Self::Direct),
            "embedded" => Ok(Self::Embedded),
            "remote" => Ok(Self::Remote),
            _ => Err(InvalidServiceKind),
        }
    }
}
