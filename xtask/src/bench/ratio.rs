use std::fmt;

use anyhow::{Result, ensure};

use super::figures::Figures;

/// A line of the table: a figure, and the one beside it in the same run of a bench.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    pub(super) about: &'static str,
    /// The figure that is divided.
    pub(super) of: &'static str,
    /// The figure that it is divided by.
    pub(super) by: &'static str,
}

/// A [`Ratio`] over all rounds.
#[derive(Debug)]
pub(super) struct Row {
    about: &'static str,
    ratio: Spread,
    of: (f64, String),
    by: (f64, String),
}

/// The least, the middle and the greatest of some values.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    min: f64,
    median: f64,
    max: f64,
}

impl Ratio {
    /// The line, from the figures of each round.
    ///
    /// # Errors
    ///
    /// A round lacks one of the figures, or they have different units.
    pub(super) fn over(self, rounds: &[Figures]) -> Result<Row> {
        let (mut ofs, mut bys, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let mut unit = String::new();
        for figures in rounds {
            let (of, by) = (figures.get(self.of)?, figures.get(self.by)?);
            ensure!(
                of.unit == by.unit,
                "{} and {} differ in their units",
                self.of,
                self.by
            );
            ofs.push(of.value);
            bys.push(by.value);
            ratios.push(of.value / by.value);
            unit.clone_from(&of.unit);
        }
        Ok(Row {
            about: self.about,
            ratio: Spread::of(ratios),
            of: (Spread::of(ofs).median, unit.clone()),
            by: (Spread::of(bys).median, unit),
        })
    }
}

impl Row {
    /// The words above the columns.
    pub(super) const HEAD: &'static str =
        "   min  median     max   medians of both, and what is compared";
}

impl Spread {
    /// Panics if there are no values. Of an even number, the upper one in the middle is the median.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self {
            min: values[0],
            median: values[values.len() / 2],
            max: values[values.len() - 1],
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread { min, median, max } = self.ratio;
        let side = |(value, unit): &(f64, String)| {
            // Three digits say all that a bench can know.
            let decimals = if *value < 10.0 { 2 } else { 0 };
            format!("{value:.decimals$} {unit}")
        };
        write!(f, "{min:>6.2}  {median:>6.2}  {max:>6.2}   ")?;
        write!(f, "{} / {}: {}", side(&self.of), side(&self.by), self.about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATIO: Ratio = Ratio {
        about: "ours, of theirs",
        of: "ours",
        by: "theirs",
    };

    #[test]
    fn compares_within_a_round() {
        let rounds = ["2000 4000", "3000 4000", "1000 5000"].map(|values| {
            let (ours, theirs) = values.split_once(' ').unwrap();
            Figures::read(&format!(
                "figure ours {ours} 1/s\nfigure theirs {theirs} 1/s"
            ))
            .unwrap()
        });
        assert_eq!(
            RATIO.over(&rounds).unwrap().to_string(),
            "  0.20    0.50    0.75   2000 1/s / 4000 1/s: ours, of theirs"
        );
    }

    #[test]
    fn refuses_units_that_differ() {
        let figures = Figures::read("figure ours 1 s\nfigure theirs 1 ms").unwrap();
        let refused = RATIO.over(&[figures]).unwrap_err();
        assert_eq!(refused.to_string(), "ours and theirs differ in their units");
    }
}
