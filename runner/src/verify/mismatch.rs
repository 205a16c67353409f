use dragontooth_games::record::RecordReadError;
use dragontooth_games::verify::DrawFault;
use dragontooth_games::{Seat, counted};
use dragontooth_runner_tournament::{Ending, FaultKind, MovesDigest};
use dragontooth_service_vocabulary::MatchId;

use crate::record::{
    Fingerprint, MAX_LEFTOVERS, PublishedFault, RecordError, SealFault, TranscriptError,
};

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
    Record(RecordReadError),
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
        /// The digest of the record.
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
    /// The text of the record is another one than the runner writes for the same match.
    #[error("the record is not written as the runner writes it: line {line} is {text:?}")]
    Form {
        /// The first line that differs, from 1.
        line: usize,
        /// Its beginning; empty if the record ends before it.
        text: String,
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
    #[error("the fault {kind} of {seat} does not fit a match that ended by {termination}")]
    Fault {
        /// The bot's seat.
        seat: Seat,
        /// The fault.
        kind: FaultKind,
        /// The match's termination.
        termination: Ending,
    },
    /// The faults do not have the one by which the match ended.
    #[error("the faults name {recorded} as {what}; by the winner it is {computed}")]
    Loser {
        /// The fault: the seat whose clock ran out.
        what: &'static str,
        /// The seat in the faults.
        recorded: String,
        /// The seat that lost.
        computed: String,
    },
    /// The match began with another opening.
    #[error("the opening is {recorded:?}; by the book it is {expected:?}")]
    Opening {
        /// The opening in the record.
        recorded: String,
        /// The same by the book.
        expected: String,
    },
    /// The opening of the match has another name in the results.
    #[error("the name of the opening is {recorded:?}; by the book it is {expected:?}")]
    OpeningName {
        /// The name in the result.
        recorded: String,
        /// The same by the book.
        expected: String,
    },
    /// The match has no opening, and the event has openings.
    #[error("the match has no opening, and the event has openings")]
    NoOpening,
    /// The match has an opening, and the event has none.
    #[error("the match has an opening, and the event has none")]
    StrayOpening,
    /// The book has no opening for the match, or cannot be read.
    #[error("{0}")]
    Book(String),
    /// The copy of the book is missing.
    #[error("the file is missing: `run` keeps the book of openings there")]
    NoBook,
    /// The book is not the one of the run.
    #[error("its hash is {computed}; the book of the run has {expected}")]
    OtherBook {
        /// The hash of the run's book.
        expected: String,
        /// The hash of the one that is there.
        computed: String,
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
    /// A file among the pages of the matches that the run has not written.
    #[error("the run has no such page")]
    StrayPage,
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
    /// The secrets published in `sessions.jsonl` are not those of the run.
    #[error(transparent)]
    PublishedSecret(PublishedFault),
    /// The line of the transcript is not the one that was written with the result.
    #[error("the hash of the line in games.jsonl is {computed}; the result has {recorded}")]
    TranscriptHash {
        /// The hash in the result.
        recorded: Fingerprint,
        /// That of the line.
        computed: Fingerprint,
    },
    /// The result carries no hash of the transcript.
    #[error("the result has no `transcript`, the hash of the line in games.jsonl")]
    NoTranscriptHash,
    /// The directory is not sealed.
    #[error("the file is missing: `run` writes it, and nothing else holds the files together")]
    NoSeal,
    /// The file that seals the directory is not one.
    #[error("{0}")]
    BadSeal(String),
    /// A file is not the one that was sealed.
    #[error(transparent)]
    Seal(SealFault),
    /// The event digest is another one.
    #[error("it is {computed}, and should be {expected}: this is not the event that was published")]
    EventDigest {
        /// The given digest.
        expected: Fingerprint,
        /// That of the directory.
        computed: Fingerprint,
    },
    /// The reports are missing.
    #[error("the reports are missing: `report` writes them again")]
    NoReports,
    /// The reports cover more than there is.
    #[error("the reports cover {} of {file}, and there are {lines}: lines are missing", counted(*over, "line"))]
    MissingLines {
        /// The file.
        file: &'static str,
        /// The lines that they cover.
        over: usize,
        /// The lines that are there.
        lines: usize,
    },
    /// Another version of the runner wrote the reports.
    #[error(
        "the reports were written by version {runner} of the runner, and cannot be compared: \
         `report` writes them again"
    )]
    OtherRunner {
        /// The version.
        runner: String,
    },
    /// A report does not follow from the other files.
    #[error("the report is not the one that follows from what was played")]
    Report,
    /// A report cannot be compared.
    #[error("{0}")]
    Reports(String),
    /// A match was played on the embedded service, and its log is missing.
    #[error(
        "the event log of the embedded service is missing, on which matches were played; only \
         --digest can take its place"
    )]
    NoLog,
    /// The event log, or a match in it, cannot be read.
    #[error("the event log cannot be read: {0}")]
    Log(String),
    /// The event log has no such match.
    #[error("the match is not in the event log")]
    NotInLog,
    /// The match is not over in the event log.
    #[error("the match is not over in the event log")]
    NotOverInLog,
    /// The event log has a match that is over and has no result.
    #[error(
        "the match is over in the event log and has no result: it was removed, or the run was \
         interrupted just then, and `run` adds it"
    )]
    OnlyInLog,
    /// The event log has another match of the same title that is over.
    #[error("the event log has another match of this title that is over")]
    OtherInLog,
    /// A result differs from the event log.
    #[error("{field} is {recorded} in the results; in the event log it is {logged}")]
    InLog {
        /// The field.
        field: &'static str,
        /// The value in the result.
        recorded: String,
        /// The value by the event log.
        logged: String,
    },
    /// The durations of the decisions differ from the event log.
    #[error("the times of the decisions are not those of the event log")]
    ThinkingInLog,
    /// The seeds of the players differ from the event log.
    #[error("the seeds of the players are not those of the event log")]
    SeedsInLog,
    /// Something else was played than in the event log.
    #[error("what was played is not what the event log has, from step {step} of game {game} on")]
    StepInLog {
        /// The game, from 1.
        game: usize,
        /// The step, from 1; 0 for the position.
        step: usize,
    },
    /// A line of an arena's journal was not written after the one before it.
    #[error(
        "it was not written after {before}: that line was changed, or lines between the two were removed, added or \
         moved"
    )]
    Chain {
        /// The line before it.
        before: String,
    },
    /// A result that no match has.
    #[error("the result cannot be: {0}")]
    Impossible(String),
    /// Two results of one match.
    #[error("it is the match {id}, which {before} has already")]
    SameMatch {
        /// The match.
        id: MatchId,
        /// The line that has it first.
        before: String,
    },
    /// The rest of a file was not read.
    #[error("what follows in the journal was not verified")]
    Unread,
    /// A digest that was given.
    #[error(
        "no line of the journal leads to the digest {0}: this is not the arena that was published, or a part of it is missing"
    )]
    ArenaDigest(Fingerprint),
    /// The service has no such match.
    #[error("the service has no match {0}")]
    NotServed(MatchId),
    /// The match is not over on the service.
    #[error("the match is not over on the service")]
    NotOverOnService,
    /// The match cannot be read from the service.
    #[error("the match cannot be read from the service: {0}")]
    Unserved(String),
    /// A result differs from the service.
    #[error("{field} is {recorded} in the journal; on the service it is {served}")]
    OnService {
        /// The field.
        field: &'static str,
        /// The value in the journal.
        recorded: String,
        /// The value on the service.
        served: String,
    },
    /// The service has a match that is over and has no result.
    #[error(
        "the match {0} is over on the service and has no result: it was removed, or another copy of this folder played it"
    )]
    OnlyServed(MatchId),
    /// The service has more matches of these two kinds.
    #[error("… and {0} more of the arena's matches that are over there are not in the journal")]
    MoreServed(usize),
    /// The service has another match of the same title that is over.
    #[error("the service has another match of this title that is over: {0}")]
    OtherServed(MatchId),
    /// A bot sent other thoughts than the record has.
    #[error("the thinking at step {step} of game {game} is not the one of the event log")]
    ThoughtsInLog {
        /// The game, from 1.
        game: usize,
        /// The step, from 1.
        step: usize,
    },
}

/// Something that does not agree, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {mismatch}")]
pub struct Disagreement {
    /// The title of a match, or a file with the number of a line, from 1.
    pub place: String,
    /// The mismatch.
    pub mismatch: Mismatch,
}
