use std::collections::HashMap;

use anyhow::{Context as _, Result, ensure};

/// A measured value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) value: f64,
    pub(super) unit: String,
}

/// The figures that a bench prints, by their names.
#[derive(Debug, Default)]
pub(super) struct Figures(HashMap<String, Figure>);

impl Figures {
    /// Reads the lines `figure NAME VALUE UNIT` of a bench's output and leaves out the others.
    ///
    /// # Errors
    ///
    /// A figure is not of this form or is there twice.
    pub(super) fn read(output: &str) -> Result<Self> {
        let mut all = HashMap::new();
        for line in output.lines() {
            let Some(figure) = line.strip_prefix("figure ") else {
                continue;
            };
            let (name, figure) = read_figure(figure).with_context(|| format!("{line:?}"))?;
            let known = all.insert(name, figure);
            ensure!(known.is_none(), "{line:?}: the figure is there twice");
        }
        Ok(Self(all))
    }

    /// Adds a figure that no bench prints.
    pub(super) fn add(&mut self, name: String, value: f64, unit: String) {
        self.0.insert(name, Figure { value, unit });
    }

    /// The figure of this name.
    ///
    /// # Errors
    ///
    /// The bench has not printed it.
    pub(super) fn get(&self, name: &str) -> Result<&Figure> {
        let figure = self.0.get(name);
        figure.with_context(|| format!("the bench prints no figure {name}"))
    }
}

fn read_figure(text: &str) -> Result<(String, Figure)> {
    let words: Vec<&str> = text.split(' ').collect();
    let [name, value, unit] = words[..] else {
        anyhow::bail!("expected a name, a value and a unit");
    };
    // A run that is too short for anything to happen may give 0 or infinity.
    let value: f64 = value.parse()?;
    let unit = unit.to_owned();
    Ok((name.to_owned(), Figure { value, unit }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(output: &str) -> String {
        format!("{:#}", Figures::read(output).unwrap_err())
    }

    #[test]
    fn reads_the_lines_that_are_figures() {
        let figures =
            Figures::read("a table\nfigure speed/one 12.5 1/s\nfigures follow\n").unwrap();
        let figure = figures.get("speed/one").unwrap();
        assert_eq!((figure.value, &*figure.unit), (12.5, "1/s"));
        let missing = figures.get("follow").unwrap_err();
        assert_eq!(missing.to_string(), "the bench prints no figure follow");
    }

    #[test]
    fn refuses_what_is_no_figure() {
        for (line, reason) in [
            ("figure speed 12", "expected a name, a value and a unit"),
            (
                "figure speed of one 12 s",
                "expected a name, a value and a unit",
            ),
            ("figure speed fast 1/s", "invalid float literal"),
        ] {
            assert_eq!(refused(line), format!("{line:?}: {reason}"));
        }
        let twice = refused("figure speed 1 s\nfigure speed 2 s\n");
        assert!(twice.ends_with("the figure is there twice"), "{twice}");
    }
}
