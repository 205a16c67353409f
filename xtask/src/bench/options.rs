use crate::selection::{BadSelection, Selection};

/// Rounds unless the command line says otherwise: the fewest that have a median between two others.
const ROUNDS: usize = 3;

/// The words after `bench`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) selection: Selection,
    pub(super) rounds: usize,
    /// True for a run that only shows that everything can be measured.
    pub(super) quick: bool,
}

impl Options {
    /// Reads `--rounds N`, `--quick` and the options of a [`Selection`] of parts.
    ///
    /// # Errors
    ///
    /// An option or a part is unknown, no part is left, or N is not a number from 1.
    pub(super) fn parse(words: &[&str], parts: &[&str]) -> Result<Self, BadSelection> {
        let mut rounds = None;
        let mut quick = false;
        let mut others = Vec::new();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let number = match word.split_once('=') {
                Some(("--rounds", number)) => number,
                None if word == "--rounds" => words.next().unwrap_or_default(),
                _ => {
                    quick |= word == "--quick";
                    others.extend((word != "--quick").then_some(word));
                    continue;
                }
            };
            let number = number.parse().ok().filter(|number| *number > 0);
            rounds = Some(number.ok_or(BadSelection::Rounds)?);
        }
        Ok(Self {
            selection: Selection::parse(&others, parts)?,
            rounds: rounds.unwrap_or(if quick { 1 } else { ROUNDS }),
            quick,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, BadSelection> {
        Options::parse(words, &["plies", "python"])
    }

    #[test]
    fn reads_rounds_beside_a_selection() {
        let all = parse(&[]).unwrap();
        assert_eq!((all.rounds, all.quick), (3, false));
        assert_eq!(parse(&["--quick"]).unwrap().rounds, 1);
        for words in [
            &["--rounds", "5", "--only", "plies"],
            &["--only", "plies", "--rounds=5", "--quick"],
        ] {
            let options = parse(words).unwrap();
            assert_eq!(options.rounds, 5);
            assert!(options.selection.has("plies") && !options.selection.has("python"));
        }
    }

    #[test]
    fn refuses_unknown_words() {
        for words in [&["--rounds", "0"][..], &["--rounds"], &["--rounds=some"]] {
            assert_eq!(parse(words), Err(BadSelection::Rounds));
        }
        assert_eq!(
            parse(&["--fast"]),
            Err(BadSelection::Option("--fast".to_owned()))
        );
    }
}
