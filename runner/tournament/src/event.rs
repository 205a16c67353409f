use super::format::{MAX_CYCLES, MAX_EXTRA_ENCOUNTERS};
use super::{Format, MatchRules, Name};

/// The fewest bots that make a tournament.
pub const MIN_BOTS: usize = 2;
/// The most bots in an event.
pub const MAX_BOTS: usize = 256;
/// The most matches in an event: each has a place in memory and a line in the results.
pub const MAX_MATCHES: u64 = 1_000_000;

/// An event: everything from which its schedule follows, but for the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    name: Name,
    seed: u64,
    rules: MatchRules,
    bots: Vec<Name>,
    format: Format,
    named: Vec<BotIndex>,
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
    /// There are no rounds or too many.
    #[error("there are 1 to {most} rounds, not {rounds}")]
    BadRounds {
        /// The number of rounds.
        rounds: u32,
        /// The most that there can be.
        most: u32,
    },
    /// There are too many further encounters.
    #[error("a drawn encounter is followed by at most {MAX_EXTRA_ENCOUNTERS} more, not {0}")]
    TooManyExtraEncounters(u32),
    /// A gauntlet has nobody who challenges, or nobody who is challenged.
    #[error("of {bots} bots 1 to {} are challengers, not {challengers}", bots - 1)]
    BadChallengers {
        /// The number of challengers.
        challengers: usize,
        /// The number of bots.
        bots: usize,
    },
    /// A sequential test is one of two bots.
    #[error("a sequential test is one of 2 bots, not {0}")]
    NotTwoBots(usize),
    /// The model of a sequential test is one of single matches.
    #[error("a sequential test of an event takes encounters, not single matches")]
    TestOfMatches,
    /// A sequential test without an encounter.
    #[error("a sequential test has at least 1 encounter")]
    NoEncounters,
    /// The format names a bot that is not there.
    #[error("there is no bot {0}")]
    UnknownBot(Name),
    /// The format names a bot twice.
    #[error("{0} is named twice")]
    NamedTwice(Name),
    /// The order of the seeds lacks a bot.
    #[error("{0} has no seed: all bots must be named")]
    NoSeed(Name),
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
    /// An event of `bots`. When two of them meet they play an encounter of two matches.
    ///
    /// # Errors
    ///
    /// There are too few or too many bots or matches, two bots have one name, or the format is
    /// none for these bots.
    pub fn new(
        name: Name,
        seed: u64,
        rules: MatchRules,
        bots: Vec<Name>,
        format: Format,
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
        format.check(bots.len())?;
        let named = places(&format, &bots)?;
        let event = Self {
            name,
            seed,
            rules,
            bots,
            format,
            named,
        };
        let (bots, matches) = (event.bots.len(), event.most_matches());
        if matches > MAX_MATCHES {
            return Err(InvalidEvent::TooManyMatches {
                bots,
                cycles: event.format.cycles(),
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

    /// Who meets whom, and when it is over.
    #[must_use]
    pub const fn format(&self) -> &Format {
        &self.format
    }

    /// The bots that the format names: the challengers of a gauntlet, or all bots in the order of
    /// their seeds.
    #[must_use]
    pub fn named(&self) -> &[BotIndex] {
        &self.named
    }

    /// The number of matches; in a knockout and a sequential test the most that there may be.
    #[must_use]
    pub fn most_matches(&self) -> u64 {
        self.format.most_matches(self.bots.len())
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

/// The places of the bots that the format names.
fn places(format: &Format, bots: &[Name]) -> Result<Vec<BotIndex>, InvalidEvent> {
    let names = format.named();
    if let Some(twin) = first_duplicate(names) {
        return Err(InvalidEvent::NamedTwice(names[twin].clone()));
    }
    let place = |name: &Name| {
        let place = bots.iter().position(|bot| bot == name);
        place
            .map(BotIndex)
            .ok_or_else(|| InvalidEvent::UnknownBot(name.clone()))
    };
    let found: Vec<BotIndex> = names.iter().map(place).collect::<Result<_, _>>()?;
    let needs_all = match format {
        Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => true,
        Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Sprt { .. } => false,
    };
    let missing = bots.iter().find(|bot| !names.contains(bot));
    match missing {
        Some(bot) if needs_all => Err(InvalidEvent::NoSeed(bot.clone())),
        Some(_) | None => Ok(found),
    }
}
