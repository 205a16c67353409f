use std::fmt;

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
}

impl fmt::Display for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(max) = self.max {
            return write!(f, "any number from 1 to {max}");
        }
        let last = self.usual.len() - 1;
        for (place, points) in self.usual.iter().enumerate() {
            let before = match place {
                0 => "",
                _ if place == last => " or ",
                _ => ", ",
            };
            write!(f, "{before}{points}")?;
        }
        Ok(())
    }
}
