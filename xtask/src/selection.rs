//! The steps of a run that are chosen on the command line.

use std::fmt;

/// The names that may be misspelt: at least this similar, from 0 to 1.
const SIMILAR_MIN: f64 = 0.7;

/// The steps of a run that were chosen on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The steps to run; empty means all.
    only: Vec<String>,
    /// The steps to leave out.
    skip: Vec<String>,
    /// True if the steps are only to be listed.
    pub list: bool,
}

/// The words after `ci`, `nightly` or `bench` are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadSelection {
    /// There is no such option.
    Option(String),
    /// The option needs the name of a step after it.
    NoStep(String),
    /// There is no step of this name.
    Step {
        /// The name.
        name: String,
        /// The step that was probably meant.
        meant: Option<String>,
    },
    /// `--rounds` needs a number from 1 after it.
    Rounds,
    /// `--only` and `--skip` leave no step.
    Nothing,
}

impl Selection {
    /// Reads `--only STEP` and `--skip STEP`, which may be repeated, and `--list`. `steps` are the
    /// names of the steps.
    ///
    /// # Errors
    ///
    /// An option or a step is unknown, or no step is left.
    pub fn parse(words: &[&str], steps: &[&str]) -> Result<Self, BadSelection> {
        let mut selection = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (*word, None),
            };
            let names = match option {
                "--list" if value.is_none() => {
                    selection.list = true;
                    continue;
                }
                "--only" => &mut selection.only,
                "--skip" => &mut selection.skip,
                _ => return Err(BadSelection::Option((*word).to_owned())),
            };
            let name = value.or_else(|| words.next().copied());
            let name = name.ok_or_else(|| BadSelection::NoStep(option.to_owned()))?;
            if !steps.contains(&name) {
                return Err(BadSelection::Step {
                    name: name.to_owned(),
                    meant: closest(name, steps).map(str::to_owned),
                });
            }
            names.push(name.to_owned());
        }
        if !steps.iter().any(|step| selection.has(step)) {
            return Err(BadSelection::Nothing);
        }
        Ok(selection)
    }

    /// Returns true if the step is to be run.
    #[must_use]
    pub fn has(&self, step: &str) -> bool {
        let is_in = |names: &[String]| names.iter().any(|name| name == step);
        (self.only.is_empty() || is_in(&self.only)) && !is_in(&self.skip)
    }
}

/// The name that is most similar to a misspelt one, if any is similar.
#[must_use]
pub fn closest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let similar = names.iter().map(|known| {
        let similarity = if known.starts_with(name) {
            1.0
        } else {
            strsim::jaro_winkler(name, known)
        };
        (similarity, *known)
    });
    similar
        .filter(|(similarity, _)| *similarity >= SIMILAR_MIN)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

impl fmt::Display for BadSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option(word) => {
                write!(
                    f,
                    "unknown option {word:?}: expected --only STEP, --skip STEP or --list"
                )
            }
            Self::NoStep(option) => write!(f, "{option} needs the name of a step: see --list"),
            Self::Step { name, meant } => {
                write!(f, "unknown step {name:?}: ")?;
                match meant {
                    Some(meant) => write!(f, "did you mean {meant}?"),
                    None => f.write_str("see --list"),
                }
            }
            Self::Rounds => f.write_str("--rounds needs a number from 1"),
            Self::Nothing => f.write_str("--only and --skip leave no step"),
        }
    }
}

impl std::error::Error for BadSelection {}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[&str] = &["format", "clippy", "tests", "python", "python-lint"];

    fn chosen(words: &[&str]) -> Vec<&'static str> {
        let selection = Selection::parse(words, STEPS).unwrap();
        let steps = STEPS.iter().copied();
        steps.filter(|step| selection.has(step)).collect()
    }

    fn refused(words: &[&str]) -> String {
        Selection::parse(words, STEPS).unwrap_err().to_string()
    }

    #[test]
    fn chooses_steps() {
        assert_eq!(chosen(&[]), STEPS);
        assert_eq!(
            chosen(&["--only", "tests", "--only=format"]),
            ["format", "tests"]
        );
        assert_eq!(
            chosen(&["--skip", "clippy", "--skip", "tests"]),
            ["format", "python", "python-lint"]
        );
        assert_eq!(
            chosen(&["--only", "tests", "--only", "clippy", "--skip", "tests"]),
            ["clippy"]
        );
    }

    #[test]
    fn refuses_unknown_words() {
        assert_eq!(
            refused(&["--only", "clipy"]),
            "unknown step \"clipy\": did you mean clippy?"
        );
        assert_eq!(
            refused(&["--skip=pyth"]),
            "unknown step \"pyth\": did you mean python-lint?"
        );
        assert_eq!(
            refused(&["--only", "xyz"]),
            "unknown step \"xyz\": see --list"
        );
        assert_eq!(
            refused(&["tests"]),
            "unknown option \"tests\": expected --only STEP, --skip STEP or --list"
        );
        assert_eq!(
            refused(&["--only"]),
            "--only needs the name of a step: see --list"
        );
        assert_eq!(
            refused(&["--only", "tests", "--skip", "tests"]),
            "--only and --skip leave no step"
        );
    }
}
