use std::collections::HashMap;
use std::path::Path;

use dragontooth_runner_report::MatchDetails;
use dragontooth_runner_tournament::{Event, MatchResult, Results, Schedule, ScheduledMatch};

use super::Mismatch;
use crate::record::{Fingerprint, JournalError, Origin, Record, RecordError, Records};

/// A match of `results.jsonl`.
#[derive(Clone, Debug)]
pub(super) struct RecordedMatch {
    pub(super) planned: ScheduledMatch,
    pub(super) result: MatchResult,
    pub(super) details: MatchDetails,
    pub(super) origin: Origin,
    /// The hash of the line of its transcript.
    pub(super) transcript: Option<Fingerprint>,
    /// Number of restarts.
    pub(super) replays: u32,
}

/// The matches of `results.jsonl`.
#[derive(Debug)]
pub(super) struct RecordedMatches {
    /// In the order of the lines.
    pub(super) matches: Vec<RecordedMatch>,
    /// The schedule that follows from them.
    pub(super) schedule: Schedule,
    /// Faults of lines, by line number from 1.
    pub(super) faults: Vec<(usize, Mismatch)>,
    /// The bytes of a last line that is cut short.
    pub(super) torn_bytes: u64,
    by_title: HashMap<String, usize>,
    results: Results,
}

impl RecordedMatches {
    /// Reads the file, which need not be there.
    pub(super) fn read(path: &Path, event: &Event) -> Result<Self, JournalError> {
        let schedule = Schedule::new(event.clone());
        let mut all = Self {
            matches: Vec::new(),
            faults: Vec::new(),
            torn_bytes: 0,
            by_title: HashMap::new(),
            results: Results::none(schedule.matches()),
            schedule,
        };
        let mut records = Records::open(path)?;
        let mut head = Fingerprint::NONE;
        while let Some(record) = records.next() {
            if let Ok(record) = &record
                && let Err(fault) = record.follows(head)
            {
                all.faults.push((records.line(), Mismatch::Result(fault)));
            }
            head = records.fingerprint();
            let taken = match record {
                Ok(record) => all.take(&record),
                Err(JournalError::Line { fault, .. }) => Err(fault),
                Err(error) => return Err(error),
            };
            if let Err(fault) = taken {
                all.faults.push((records.line(), Mismatch::Result(fault)));
            }
        }
        all.torn_bytes = records.torn_bytes();
        Ok(all)
    }

    /// Number of matches that count: those of the schedule.
    pub(super) const fn counting(&self) -> usize {
        self.results.played()
    }

    /// The place of a match in the list.
    pub(super) fn find(&self, title: &str) -> Option<usize> {
        self.by_title.get(title).copied()
    }

    fn take(&mut self, record: &Record) -> Result<(), RecordError> {
        let result = record.result(&self.schedule)?;
        let recorded = RecordedMatch {
            planned: self.schedule.matches()[result.number.get()],
            result,
            details: record.details()?,
            origin: record.origin()?,
            transcript: record.transcript()?,
            replays: record.replays(),
        };
        record.add_to(&mut self.results, &mut self.schedule)?;
        let title = record.title().to_owned();
        self.by_title.insert(title, self.matches.len());
        self.matches.push(recorded);
        Ok(())
    }
}
