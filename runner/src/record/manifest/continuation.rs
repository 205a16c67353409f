use super::{Difference, Manifest};
use crate::record::format_line::FormatLine;

/// The relation of the event of a file to that of a run directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::record) enum Continuation {
    /// They are the same.
    Same,
    /// The file has the same event with more matches after those of the directory.
    Longer,
    /// It is another event.
    Other {
        /// The keys that differ, without a length that might differ.
        differences: Vec<Difference>,
        /// The reason why the matches of the directory cannot count, if it is not plain from the
        /// differences.
        reason: Option<&'static str>,
    },
}

const SHORTER: &str = "it can be raised, but not lowered";
const EXTRA_ENCOUNTERS: &str = "the course of a knockout depends on it";
const JOINING: &str = "bots can join a gauntlet of one challenger and one cycle, at the end of the list; elsewhere the \
                       pairings depend on the number of bots: play the new bot in a gauntlet with another name, and \
                       give the folders of both to `stats ratings`";

impl Manifest {
    /// Compares the event of a run directory, which this is, with that of a file.
    ///
    /// The matches of both are in the same order, so that a longer event begins with those of the shorter
    /// one, where the number of cycles, rounds or encounters alone differs, or where a gauntlet of one
    /// challenger and one cycle has more bots in the end.
    pub(in crate::record) fn continuation(&self, file: &Self) -> Continuation {
        let differences = self.differences(file);
        if differences.is_empty() {
            return Continuation::Same;
        }
        let mut as_long = file.clone();
        let lengths = self.length().zip(as_long.length_mut());
        let is_longer = lengths.map(|(here, there)| {
            let is_longer = here < *there;
            *there = here;
            is_longer
        });
        let reason = if is_longer.is_some() && self.differences(&as_long).is_empty() {
            if is_longer == Some(true) {
                return Continuation::Longer;
            }
            Some(SHORTER)
        } else if self.has_joining_bots(file) {
            if self.lets_bots_join() {
                return Continuation::Longer;
            }
            Some(JOINING)
        } else if is_longer == Some(true) {
            return Continuation::Other {
                differences: self.differences(&as_long),
                reason: None,
            };
        } else {
            let is_alone = differences.len() == 1;
            let is_extra = differences[0].key == "event.extra_encounters";
            (is_alone && is_extra).then_some(EXTRA_ENCOUNTERS)
        };
        Continuation::Other {
            differences,
            reason,
        }
    }

    /// The number of cycles or rounds, or the most encounters of a test; `None` for a knockout, whose length
    /// follows from its bots, and for an arena, which has no end.
    fn length(&self) -> Option<u32> {
        match &self.tournament {
            None => self.cycles,
            Some(FormatLine::Gauntlet { cycles, .. }) => Some(*cycles),
            Some(FormatLine::Swiss { rounds, .. } | FormatLine::Ladder { rounds, .. }) => {
                Some(*rounds)
            }
            Some(FormatLine::Sprt(line)) => Some(line.max_encounters),
            Some(FormatLine::Knockout { .. } | FormatLine::Arena { .. }) => None,
        }
    }

    fn length_mut(&mut self) -> Option<&mut u32> {
        match &mut self.tournament {
            None => self.cycles.as_mut(),
            Some(FormatLine::Gauntlet { cycles, .. }) => Some(cycles),
            Some(FormatLine::Swiss { rounds, .. } | FormatLine::Ladder { rounds, .. }) => {
                Some(rounds)
            }
            Some(FormatLine::Sprt(line)) => Some(&mut line.max_encounters),
            Some(FormatLine::Knockout { .. } | FormatLine::Arena { .. }) => None,
        }
    }

    /// Returns true if all that the file has more is bots after those of the run directory.
    fn has_joining_bots(&self, file: &Self) -> bool {
        let mut fewer = file.clone();
        fewer.bots.truncate(self.bots.len());
        fewer.bots.len() < file.bots.len() && self.differences(&fewer).is_empty()
    }

    /// Returns true if the matches of a bot at the end of the list come after all others.
    fn lets_bots_join(&self) -> bool {
        match &self.tournament {
            Some(FormatLine::Gauntlet {
                challengers,
                cycles: 1,
            }) => challengers.len() == 1,
            Some(_) | None => false,
        }
    }
}
