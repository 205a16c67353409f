//! Tournaments as pure functions: pairings, schedules, standings and ratings.
//!
//! There is no I/O, clock or randomness here: a schedule follows from the [`Event`] and the results
//! so far, and the tables from the schedule and the set of results, in whatever order they came.

mod adjudication;
pub mod arena;
mod audit;
mod berger;
mod crosstable;
mod encounter;
mod event;
mod format;
mod gauntlet;
mod ids;
mod invalid_event;
mod knockout;
mod ladder;
mod luck_adjusted;
mod moves_digest;
mod name;
mod opening_scores;
mod parse_word_error;
mod points;
mod points_per_game;
mod repeats;
mod result;
mod results;
mod round;
mod rules;
mod schedule;
mod scheduled_match;
mod sequential;
mod slot;
mod standings;
pub mod statistics;
mod swiss;
mod tally;

pub use adjudication::{
    AUDIT_OF_ALL, Adjudication, Call, CallRule, DrawRule, MAX_AGREEING_PLIES, ValueRule,
};
pub use audit::{CallAudit, call_audits};
pub use berger::{Pairing, berger_rounds};
pub use crosstable::Crosstable;
pub use event::{BotIndex, Event};
pub use format::{Format, most_swiss_rounds};
pub use ids::bot_seed;
pub use invalid_event::{
    InvalidEvent, MAX_BOTS, MAX_CYCLES, MAX_EXTRA_ENCOUNTERS, MAX_LADDER_ROUNDS, MAX_MATCHES,
    MAX_RATING, MIN_BOTS,
};
pub use luck_adjusted::{DiceLuck, LuckAdjusted, RawAndAdjusted, luck_adjusted};
pub use moves_digest::{MovesDigest, ParseDigestError};
pub use name::{InvalidName, MAX_NAME_BYTES, Name};
pub use opening_scores::{OpeningScore, opening_scores};
pub use parse_word_error::ParseWordError;
pub use points::{Points, SonnebornBerger};
pub use points_per_game::points_per_game;
pub use repeats::{Repeat, repeats};
pub use result::{Ending, Fault, FaultKind, GameCounts, MatchResult, Verdict};
pub use results::{AlreadyRecorded, Results};
use round::Round;
pub use rules::{InvalidRules, MAX_PLIES, MatchRules};
pub use schedule::Schedule;
pub use scheduled_match::ScheduledMatch;
pub use sequential::Sequential;
pub use slot::{Leg, MatchNumber, Slot};
pub use standings::{Place, Standing, standings};
pub use swiss::{Entrant, Float, SwissRound, swiss_round};
pub use tally::Tally;
