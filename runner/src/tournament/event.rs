use super::{MatchRules, Name};

/// The fewest bots that make a tournament.
pub const MIN_BOTS: usize = 2;
/// The most bots in an event.
pub const MAX_BOTS: usize = 256;
/// The most cycles in an event.
pub const MAX_CYCLES: u32 = 100_000;
/// The most matches in an event: each has a place in memory and a line in the results.
pub const MAX_MATCHES: u64 = 1_000_000;

/// A round robin: everything from which its schedule follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    name: Name,
    seed: u64,
    rules: MatchRules,
    bots: Vec<Name>,
    cycles: u32,
}

/// A bot's place in the list of an event, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BotIndex(pub(super) usize);

/// Why an event cannot be held.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEvent {
    /// There is nobody to play against.
    #[error("a tournament needs at least {MIN_BOTS} bots, not {0}")]
    TooFewBots(usize),
    /// There are too many bots.
    #[error("a tournament has at most {MAX_BOTS} bots, not {0}")]
    TooManyBots(usize),
    /// Two bots have the same name.
    #[error("two bots are called {0}")]
    DuplicateBot(Name),
    /// There are no cycles or too many.
    #[error("a tournament has 1 to {MAX_CYCLES} cycles, not {0}")]
    BadCycles(u32),
    /// There are too many matches.
    #[error(
        "{bots} bots and {cycles} cycles make {matches} matches; at most {MAX_MATCHES} are played"
    )]
    TooManyMatches {
        /// The number of bots.
        bots: usize,
        /// The number of cycles.
        cycles: u32,
        /// The number of matches.
        matches: u64,
    },
}

impl Event {
    /// A round robin of `bots`, in which every two meet in an encounter of two matches in each of
    /// the `cycles`.
    ///
    /// # Errors
    ///
    /// There are too few or too many bots, cycles or matches, or two bots have one name.
    pub fn new(
        name: Name,
        seed: u64,
        rules: MatchRules,
        bots: Vec<Name>,
        cycles: u32,
    ) -> Result<Self, InvalidEvent> {
        if bots.len() < MIN_BOTS {
            return Err(InvalidEvent::TooFewBots(bots.len()));
        }
        if bots.len() > MAX_BOTS {
            return Err(InvalidEvent::TooManyBots(bots.len()));
        }
        if let Some(twin) = first_duplicate(&bots) {
            return Err(InvalidEvent::DuplicateBot(bots[twin].clone()));
        }
        if !(1..=MAX_CYCLES).contains(&cycles) {
            return Err(InvalidEvent::BadCycles(cycles));
        }
        let event = Self {
            name,
            seed,
            rules,
            bots,
            cycles,
        };
        let (bots, matches) = (event.bots.len(), event.match_count());
        if matches > MAX_MATCHES {
            return Err(InvalidEvent::TooManyMatches {
                bots,
                cycles,
                matches,
            });
        }
        Ok(event)
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &Name {
        &self.name
    }

    /// The seed from which everything random in it follows.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// What every match is.
    #[must_use]
    pub const fn rules(&self) -> MatchRules {
        self.rules
    }

    /// The bots in the order of the event's list.
    #[must_use]
    pub fn bots(&self) -> &[Name] {
        &self.bots
    }

    /// The places of all bots, in order.
    pub fn bot_indices(&self) -> impl ExactSizeIterator<Item = BotIndex> + use<> {
        (0..self.bots.len()).map(BotIndex)
    }

    /// The name of a bot.
    ///
    /// # Panics
    ///
    /// If `bot` belongs to a larger event.
    #[must_use]
    pub fn bot(&self, bot: BotIndex) -> &Name {
        &self.bots[bot.0]
    }

    /// How often every two bots meet.
    #[must_use]
    pub const fn cycles(&self) -> u32 {
        self.cycles
    }

    /// The number of matches: two for every encounter of every two bots in every cycle.
    #[must_use]
    pub fn match_count(&self) -> u64 {
        let bots = self.bots.len() as u64;
        bots * (bots - 1) * u64::from(self.cycles)
    }
}

impl BotIndex {
    /// The place, from 0: an index into [`Event::bots`].
    #[must_use]
    pub const fn get(self) -> usize {
        self.0
    }
}

/// The place of the first name that stands earlier in the list already.
fn first_duplicate(names: &[Name]) -> Option<usize> {
    (1..names.len()).find(|i| names[..*i].contains(&names[*i]))
}
