use dragontooth_games::Seat;
use dragontooth_games::record::ReadError;
use dragontooth_games::verify::DrawFault;
use dragontooth_runner_tournament::{Ending, FaultKind, MovesDigest};

use crate::record::{MAX_LEFTOVERS, RecordError, TranscriptError};

/// Something that does not agree with the rest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A line of `results.jsonl` is not a record of the run.
    #[error(transparent)]
    Result(RecordError),
    /// A line of `games.jsonl` is not a transcript.
    #[error(transparent)]
    Transcript(TranscriptError),
    /// The record in a line of `games.jsonl` cannot be read.
    #[error("the record of what was played cannot be read: {0}")]
    Record(ReadError),
    /// A transcript is missing.
    #[error("there is no record of what was played")]
    NoTranscript,
    /// A match has more than one transcript.
    #[error("there is more than one record of what was played")]
    TwoTranscripts,
    /// The result is from an older runner, which wrote no transcripts.
    #[error("what was played was not recorded, so that nothing can be verified")]
    Unrecorded,
    /// The schedule has no such match.
    #[error("the schedule has no match {0:?}")]
    NoMatch(String),
    /// The transcript is not at the place of the result.
    #[error("the record of what was played stands after that of a later result")]
    Order,
    /// A record that belongs to no result.
    #[error("what was played has no result")]
    NoResult,
    /// Something else was played than when the result was recorded.
    #[error("the digest of what was played is {computed}; the result has {recorded}")]
    Digest {
        /// The digest in the result.
        recorded: MovesDigest,
        /// That of the record.
        computed: MovesDigest,
    },
    /// A header of the record says something else than the run.
    #[error("the record has {recorded:?} as its {header}; it has to be {expected:?}")]
    Header {
        /// The header.
        header: &'static str,
        /// The recorded value.
        recorded: String,
        /// The expected value.
        expected: String,
    },
    /// The transcript breaks the rules, or its draws do not follow from the seed.
    #[error(transparent)]
    Draws(DrawFault),
    /// The result differs from that of the transcript.
    #[error("{field} is {recorded} in the results; by what was played it is {computed}")]
    Outcome {
        /// The field.
        field: &'static str,
        /// The value in the result.
        recorded: String,
        /// The value by the transcript.
        computed: String,
    },
    /// A bot cannot have had this fault in a match that ended so, or has two of them.
    #[error("the fault {kind} of {seat} is none of a match that ended by {termination}")]
    Fault {
        /// The bot's seat.
        seat: Seat,
        /// The fault.
        kind: FaultKind,
        /// The match's termination.
        termination: Ending,
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
        /// Their number.
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
    /// The tables do not follow from the transcripts.
    #[error("the tables are not those that follow from what was played")]
    Tables,
}
