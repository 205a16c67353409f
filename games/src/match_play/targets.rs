use std::fmt;
use std::ops::RangeInclusive;

use crate::counted;

/// The numbers of points a match may be played to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Targets {
    /// The usual targets, ascending; at least one.
    pub usual: &'static [u32],
    /// The greatest target, if every number from 1 to it is allowed. `None` means only the usual
    /// targets are.
    pub max: Option<u32>,
}

impl Targets {
    /// 1, 3, 7 or 15 points.
    pub const STANDARD: Self = Self {
        usual: &[1, 3, 7, 15],
        max: None,
    };

    /// Returns true if a match may be played to `points` points.
    #[must_use]
    pub fn allow(&self, points: u32) -> bool {
        self.usual.contains(&points) || self.max.is_some_and(|max| (1..=max).contains(&points))
    }

    /// Returns true if a match may be played to one of these numbers of points at least.
    #[must_use]
    pub fn allow_any(&self, points: RangeInclusive<u32>) -> bool {
        let lies_in = |max| *points.start() <= max && 1 <= *points.end() && !points.is_empty();
        self.usual.iter().any(|usual| points.contains(usual)) || self.max.is_some_and(lies_in)
    }
}

/// The numbers, and the word for them: `1, 3, 7 or 15 points`.
impl fmt::Display for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(max) = self.max {
            return write!(f, "any number of points from 1 to {max}");
        }
        let Some((last, before)) = self.usual.split_last() else {
            return Ok(());
        };
        for (place, points) in before.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{points}")?;
        }
        let or = if before.is_empty() { "" } else { " or " };
        write!(f, "{or}{}", counted(*last, "point"))
    }
}
