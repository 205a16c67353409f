use std::collections::HashMap;
use std::path::Path;

use super::Mismatch;
use crate::record::{Account, JournalError, Record, RecordError, visit_records};
use crate::tournament::{Event, MatchResult, Results, Schedule, ScheduledMatch};

/// What `results.jsonl` tells of a match.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) planned: ScheduledMatch,
    pub(super) result: MatchResult,
    pub(super) account: Account,
}

/// What `results.jsonl` tells of the matches of an event.
#[derive(Debug)]
pub(super) struct AllTold {
    /// In the order of the lines.
    pub(super) matches: Vec<Told>,
    /// What follows from them.
    pub(super) schedule: Schedule,
    /// What is wrong with lines, by their numbers, from 1.
    pub(super) faults: Vec<(usize, Mismatch)>,
    by_title: HashMap<String, usize>,
    results: Results,
}

impl AllTold {
    /// Reads the file, which need not be there.
    pub(super) fn read(path: &Path, event: &Event) -> Result<Self, JournalError> {
        let schedule = Schedule::new(event.clone());
        let mut all = Self {
            matches: Vec::new(),
            faults: Vec::new(),
            by_title: HashMap::new(),
            results: Results::none(&schedule),
            schedule,
        };
        visit_records(path, |line, record| {
            if let Err(fault) = record.and_then(|record| all.take(&record)) {
                all.faults.push((line, Mismatch::Result(fault)));
            }
        })?;
        Ok(all)
    }

    /// The place of a match in the list.
    pub(super) fn find(&self, title: &str) -> Option<usize> {
        self.by_title.get(title).copied()
    }

    fn take(&mut self, record: &Record) -> Result<(), RecordError> {
        let result = record.result(&self.schedule)?;
        let told = Told {
            planned: self.schedule.matches()[result.number.get()],
            result,
            account: record.account()?,
        };
        record.add_to(&mut self.results, &mut self.schedule)?;
        let title = record.title().to_owned();
        self.by_title.insert(title, self.matches.len());
        self.matches.push(told);
        Ok(())
    }
}
