use dragontooth_games::counted;

use super::Name;

/// Fewest bots in an event.
pub const MIN_BOTS: usize = 2;
/// Most bots in an event.
pub const MAX_BOTS: usize = 256;
/// Most matches in an event: each takes a place in memory and a line in the results.
pub const MAX_MATCHES: u64 = 1_000_000;
/// Most cycles in an event.
pub const MAX_CYCLES: u32 = 100_000;
/// Most rounds of a ladder.
pub const MAX_LADDER_ROUNDS: u32 = 10_000;
/// Greatest rating of an anchor in Elo, above or below 0.
pub const MAX_RATING: f64 = 10_000.0;
/// Most extra encounters after a drawn one in a knockout.
pub const MAX_EXTRA_ENCOUNTERS: u32 = 100;

/// The reason why an event is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEvent {
    /// There are fewer bots than the format needs.
    #[error("a tournament needs at least {least} bots, not {bots}")]
    TooFewBots {
        /// The number of bots.
        bots: usize,
        /// The least number.
        least: usize,
    },
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
    /// An anchor without a rating, or a limit of an arena that is 0.
    #[error("an arena has a rating within ± {MAX_RATING} for each bot, and limits of at least 1")]
    BadArena,
    /// There are too many matches.
    #[error("{bots} bots and {} make {matches} matches; the limit is {MAX_MATCHES}", counted(*cycles, "cycle"))]
    TooManyMatches {
        /// The number of bots.
        bots: usize,
        /// The number of cycles.
        cycles: u32,
        /// The number of matches.
        matches: u64,
    },
}
