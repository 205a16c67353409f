use std::fmt;

/// One breach of one rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, relative to the repository, or the crate.
    pub place: String,
    /// The line, from 1. `None` if the finding is about the whole file or crate.
    pub line: Option<usize>,
    /// The rule's short name.
    pub rule: &'static str,
    /// The fault and its remedy.
    pub message: String,
}

impl Finding {
    /// A finding about a whole file or crate.
    #[must_use]
    pub fn whole(place: &str, rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            place: place.to_owned(),
            line: None,
            rule,
            message: message.into(),
        }
    }

    /// A finding at a line, from 1.
    #[must_use]
    pub fn at(place: &str, line: usize, rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            place: place.to_owned(),
            line: Some(line),
            rule,
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {} [{}]", self.message, self.rule)
    }
}
