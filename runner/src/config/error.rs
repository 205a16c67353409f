use std::fmt;
use std::io;
use std::path::PathBuf;

/// The reason why a file describes no event.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It cannot be read.
    #[error("{}: the file cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is larger than any event needs.
    #[error("{}: the file has more than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most bytes that a file may have.
        limit: u64,
    },
    /// Something in it is wrong: all that was found, in the order of the file.
    #[error("{}", lines(path, problems))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The problems, at least one.
        problems: Vec<Problem>,
    },
}

/// One thing that is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, if it is not the one that was to be read but one that it extends.
    pub file: Option<PathBuf>,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The key, with those of the tables around it: `bot[2].options.nodes`; empty where the text is
    /// no TOML.
    pub key: String,
    /// The problem.
    pub message: String,
}

impl Problem {
    /// Creates a problem at a byte offset of `text`, the content of the file.
    pub(super) fn at(text: &str, offset: usize, key: String, message: String) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        Self {
            file: None,
            line,
            column,
            key,
            message,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

fn lines(path: &std::path::Path, problems: &[Problem]) -> String {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| {
            let file = problem.file.as_deref().unwrap_or(path);
            format!("{}:{problem}", file.display())
        })
        .collect();
    lines.join("\n")
}
