use dragontooth_runner_tournament::{Schedule, ScheduledMatch};

use super::{Played, Record, Transcript};

/// The lines of a finished match: its result and its transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    record: Record,
    transcript: Transcript,
}

impl Entry {
    /// The entry of a match of `schedule`.
    #[must_use]
    pub fn new(schedule: &Schedule, planned: &ScheduledMatch, played: &Played) -> Self {
        let transcript = Transcript::new(schedule, planned, played);
        let mut record = Record::new(schedule, planned, played).digested(&transcript);
        if let (Some(call), None) = (played.call, played.deciding_call()) {
            record = record.played_on(transcript.digest_after(call.ply));
        }
        Self { record, transcript }
    }

    /// The line of `results.jsonl`.
    #[must_use]
    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// The line of `games.jsonl`.
    #[must_use]
    pub const fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}
