use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::origin::{Origin, Place};
use crate::UnsafeConfig;

/// The reason why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// The file cannot be read.
    #[error("{}: the file cannot be read", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The file is larger than any configuration needs.
    #[error("{}: the file has more than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    /// The file is no TOML.
    #[error("{place}: {message}")]
    NoToml { place: Place, message: String },
    /// The file has a key that is not a setting.
    #[error("{place}: {key}: unknown setting{hint}")]
    UnknownKey {
        place: Place,
        key: String,
        hint: String,
    },
    /// The value in the file is of another type.
    #[error("{place}: {key}: it must be {expected}, not {found}")]
    WrongType {
        place: Place,
        key: &'static str,
        expected: String,
        found: &'static str,
    },
    /// A value is not in its setting's range.
    #[error("{}: {why}; expected {expected}", named(key, origin))]
    BadValue {
        key: &'static str,
        origin: Origin,
        why: String,
        expected: String,
    },
    /// A variable holds something else than text.
    #[error("{name}: not valid UTF-8")]
    NoText { name: String },
    /// Nothing says where the event log is to be.
    #[error("no event log is configured: set --data FOLDER, --log ADDRESS or --in-memory")]
    NoStorage,
    /// Two ports at one address.
    #[error(
        "--{} and --{} are both {address}: each needs a separate address ({} and {})",
        flags[0], flags[1], origins[0], origins[1]
    )]
    OneAddress {
        address: SocketAddr,
        flags: [&'static str; 2],
        origins: Box<[Origin; 2]>,
    },
    /// A certificate without its key, or a key or clients' authorities without a certificate.
    #[error("{} needs {missing}", placed(set))]
    HalfTls {
        set: (&'static str, Origin),
        missing: &'static str,
    },
    /// The service would be open to more people than its operator may think.
    #[error(transparent)]
    Unsafe(#[from] UnsafeConfig),
    /// The event log cannot be in two places.
    #[error("{} and {} exclude each other", placed(first), placed(second))]
    TwoStorages {
        first: (&'static str, Origin),
        second: (&'static str, Origin),
    },
}

/// A flag, with the place of its value if that is elsewhere.
fn placed((flag, origin): &(&'static str, Origin)) -> String {
    match origin {
        Origin::Flag(_) => format!("--{flag}"),
        Origin::Default | Origin::UsualVariable(_) | Origin::File(_) | Origin::Variable(_) => {
            format!("--{flag} ({origin})")
        }
    }
}

/// A setting, after the place of its value. A flag has its name.
fn named(key: &str, origin: &Origin) -> String {
    match origin {
        Origin::Default => key.to_owned(),
        Origin::Flag(_) => origin.to_string(),
        Origin::File(place) => format!("{place}: {key}"),
        Origin::UsualVariable(_) | Origin::Variable(_) => format!("{origin}: {key}"),
    }
}

/// The mistakes in the settings, as many as can be found at once: at least one.
#[derive(Debug)]
pub(crate) struct Mistakes(Vec<SettingsError>);

impl Mistakes {
    /// Fails if any were found.
    pub(super) fn check(found: Vec<SettingsError>) -> Result<(), Self> {
        if found.is_empty() {
            Ok(())
        } else {
            Err(Self(found))
        }
    }

    /// All of them, those of the file first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SettingsError> {
        self.0.iter()
    }
}
