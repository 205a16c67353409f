use std::fmt;
use std::path::PathBuf;

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nowhere: the setting's default.
    Default,
    /// A variable that other programs share.
    UsualVariable(&'static str),
    /// The file.
    File(Place),
    /// A variable of the environment.
    Variable(String),
    /// The command line.
    Flag(&'static str),
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file.
    pub(crate) path: PathBuf,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column, from 1, in characters.
    pub(crate) column: usize,
}

impl Origin {
    /// Its rank: a value of an origin of higher rank takes precedence.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::UsualVariable(_) => 1,
            Self::File(_) => 2,
            Self::Variable(_) => 3,
            Self::Flag(_) => 4,
        }
    }
}

impl Place {
    /// The place of a byte of the file's text.
    pub(super) fn new(path: PathBuf, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            path,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::UsualVariable(name) => f.write_str(name),
            Self::File(place) => write!(f, "{}:{}", place.path.display(), place.line),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => write!(f, "--{name}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column } = self;
        write!(f, "{}:{line}:{column}", path.display())
    }
}
