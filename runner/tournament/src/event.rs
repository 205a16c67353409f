use super::format::{MAX_CYCLES, MAX_EXTRA_ENCOUNTERS};
use super::{Format, MatchRules, Name};

/// Fewest bots in a tournament.
pub const MIN_BOTS: usize = 2;
/// Most bots in an event.
pub const MAX_BOTS: usize = 256;
/// Most matches in an event: each takes a place in memory and a line in the results.
pub const MAX_MATCHES: u64 = 1_000_000;

/// An event: everything that determines its schedule except the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    name: Name,
    seed: u64,
    rules: MatchRules,
    bots: Vec<Name>,
    format: Format,
    named: Vec<BotIndex>,
}

/// A bot's index in the list of an event, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BotIndex(pub(super) usize);

/// The reason why an event is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEvent {
    /// There are fewer than two bots.
    #[error("a tournament needs at least {MIN_BOTS} bots, not {0}")]
    TooFewBots(usize),
    /// There are too many bots.
    #[error("a tournament takes at most {MAX_BOTS} bots, not {0}")]
    TooManyBots(usize),
    /// Two bots have the same name.
    #[error("two bots are named {0}")]
    DuplicateBot(Name),
    /// The number of cycles is 0 or too large.
    #[error("the number of cycles is from 1 to {MAX_CYCLES}, not {0}")]
    BadCycles(u32),
    /// The number of rounds is 0 or too large.
    #[error("the number of rounds is from 1 to {most}, not {rounds}")]
    BadRounds {
        /// The number of rounds.
        rounds: u32,
        /// The largest possible number.
        most: u32,
    },
    /// Too many extra encounters.
    #[error("a drawn encounter is followed by at most {MAX_EXTRA_ENCOUNTERS} more, not {0}")]
    TooManyExtraEncounters(u32),
    /// A gauntlet without challengers or without opponents.
    #[error("a gauntlet of {bots} bots has 1 to {} challengers, not {challengers}", bots - 1)]
    BadChallengers {
        /// The number of challengers.
        challengers: usize,
        /// The number of bots.
        bots: usize,
    },
    /// A sequential test compares exactly two bots.
    #[error("a sequential test compares 2 bots, not {0}")]
    NotTwoBots(usize),
    /// The model of the sequential test counts single matches.
    #[error("the sequential test of an event counts encounters, not single matches")]
    TestOfMatches,
    /// A sequential test without encounters.
    #[error("a sequential test needs at least 1 encounter")]
    NoEncounters,
    /// The format names an unknown bot.
    #[error("there is no bot {0}")]
    UnknownBot(Name),
    /// The format names a bot twice.
    #[error("{0} is named twice")]
    NamedTwice(Name),
    /// A bot is missing in the order of the seeds.
    #[error("{0} has no seed: name all bots")]
    NoSeed(Name),
    /// There are too many matches.
    #[error("{bots} bots and {cycles} cycles make {matches} matches; the limit is {MAX_MATCHES}")]
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
    /// Creates an event of `bots`. Whenever two of them meet they play an encounter of two matches.
    ///
    /// # Errors
    ///
    /// The number of bots or matches is too small or too large, two bots have one name, or the
    /// format does not fit these bots.
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

    /// The seed that determines everything random in it.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The game, variant and target of every match.
    #[must_use]
    pub const fn rules(&self) -> MatchRules {
        self.rules
    }

    /// The bots in the order of the event's list.
    #[must_use]
    pub fn bots(&self) -> &[Name] {
        &self.bots
    }

    /// The indices of all bots, in order.
    pub fn bot_indices(&self) -> impl ExactSizeIterator<Item = BotIndex> + use<> {
        (0..self.bots.len()).map(BotIndex)
    }

    /// Returns the name of a bot.
    ///
    /// # Panics
    ///
    /// If `bot` belongs to a larger event.
    #[must_use]
    pub fn bot(&self, bot: BotIndex) -> &Name {
        &self.bots[bot.0]
    }

    /// The format: the pairing system and its length.
    #[must_use]
    pub const fn format(&self) -> &Format {
        &self.format
    }

    /// The bots named by the format: the challengers of a gauntlet, or all bots in the order of
    /// their seeds.
    #[must_use]
    pub fn named(&self) -> &[BotIndex] {
        &self.named
    }

    /// The number of matches; for a knockout or a sequential test the largest possible number.
    #[must_use]
    pub fn most_matches(&self) -> u64 {
        self.format.most_matches(self.bots.len())
    }
}

impl BotIndex {
    /// The index, from 0, into [`Event::bots`].
    #[must_use]
    pub const fn get(self) -> usize {
        self.0
    }
}

/// Returns the index of the first name that occurs earlier in the list.
fn first_duplicate(names: &[Name]) -> Option<usize> {
    (1..names.len()).find(|i| names[..*i].contains(&names[*i]))
}

/// Returns the indices of the bots named by the format.
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
