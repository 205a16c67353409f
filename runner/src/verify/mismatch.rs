use dragontooth_games::Seat;
use dragontooth_games::record::ReadError;
use dragontooth_games::verify::DrawFault;
use dragontooth_runner_tournament::{FaultKind, MovesDigest, Termination};

use crate::record::{MAX_LEFTOVERS, RecordError, TranscriptError};

/// Something that does not agree with the rest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A line of `results.jsonl` is no record of the run.
    #[error(transparent)]
    Result(RecordError),
    /// A line of `games.jsonl` is no record of what was played.
    #[error(transparent)]
    Transcript(TranscriptError),
    /// The record in a line of `games.jsonl` cannot be read.
    #[error("the record of what was played cannot be read: {0}")]
    Record(ReadError),
    /// What was played in a match is not recorded.
    #[error("there is no record of what was played")]
    NoTranscript,
    /// What was played is recorded more than once.
    #[error("there is more than one record of what was played")]
    TwoTranscripts,
    /// The result is one of an older runner, which did not record what was played.
    #[error("what was played was not recorded, so that nothing can be verified")]
    Unrecorded,
    /// The schedule has no such match.
    #[error("the schedule has no match {0:?}")]
    NoMatch(String),
    /// The record stands in another place than the result.
    #[error("the record of what was played stands after that of a later result")]
    Order,
    /// A record that belongs to no result.
    #[error("what was played has no result")]
    NoResult,
    /// Something else was played than when the result was recorded.
    #[error("the digest of what was played is {computed}; the result has {recorded}")]
    Digest {
        /// What the result says.
        recorded: MovesDigest,
        /// That of the record.
        computed: MovesDigest,
    },
    /// A header of the record says something else than the run.
    #[error("the record has {recorded:?} as its {header}; it has to be {expected:?}")]
    Header {
        /// The header.
        header: &'static str,
        /// What the record has.
        recorded: String,
        /// What it has to have.
        expected: String,
    },
    /// What was played is against the rules, or something was not drawn as it should be.
    #[error(transparent)]
    Draws(DrawFault),
    /// The result is not that of what was played.
    #[error("{field} is {recorded} in the results; by what was played it is {computed}")]
    Outcome {
        /// What of the result.
        field: &'static str,
        /// What the result says.
        recorded: String,
        /// What follows from the record.
        computed: String,
    },
    /// A bot cannot have had this fault in a match that ended so, or has two of them.
    #[error("the fault {kind} of {seat} is none of a match that ended by {termination}")]
    Fault {
        /// The bot's seat.
        seat: Seat,
        /// The fault.
        kind: FaultKind,
        /// How the match ended.
        termination: Termination,
    },
    /// The times of the decisions cannot be.
    #[error("the times of the decisions cannot be: {0}")]
    Times(String),
    /// There are more records without a result than an interruption leaves.
    #[error(
        "{count} records of what was played have no result, and an interruption leaves at most \
         {MAX_LEFTOVERS}: results are missing"
    )]
    Leftovers {
        /// How many.
        count: usize,
    },
    /// More matches were over than there are results.
    #[error(
        "by this {over} matches were over, and there are {results} results: results are missing"
    )]
    Missing {
        /// The matches that were over.
        over: u64,
        /// The results that are there.
        results: usize,
    },
    /// The tables are not those of what was played.
    #[error("the tables are not those that follow from what was played")]
    Tables,
}
