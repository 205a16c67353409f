//! The files of a run: continued after any stop, and refused if anything else has changed them.

mod damaged;
mod stopped;

use std::fs;
use std::path::PathBuf;

use dragontooth_runner::record::{
    Entry, Fingerprint, Journal, JournalError, Recovered, Transcript,
};
use dragontooth_runner_tournament::{Results, Schedule, ScheduledMatch};

use crate::fixture::played;

struct Place {
    _folder: tempfile::TempDir,
    file: PathBuf,
    games: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            file: folder.path().join("results.jsonl"),
            games: folder.path().join("games.jsonl"),
            _folder: folder,
        }
    }

    /// A folder with results, and with the transcripts of their matches.
    fn with(bytes: &[u8], schedule: &Schedule) -> Self {
        let place = Self::new();
        fs::write(&place.file, bytes).unwrap();
        fs::write(&place.games, transcripts(schedule, bytes)).unwrap();
        place
    }

    fn open(&self, schedule: &Schedule) -> Result<(Journal, Recovered), JournalError> {
        Journal::open(&self.file, &self.games, schedule.event(), 0)
    }
}

fn entry(schedule: &Schedule, planned: &ScheduledMatch) -> Entry {
    Entry::new(schedule, planned, &played(planned))
}

fn transcript(schedule: &Schedule, planned: &ScheduledMatch) -> Transcript {
    entry(schedule, planned).transcript().clone()
}

/// The transcripts of the results at the start of `bytes`.
fn transcripts(schedule: &Schedule, bytes: &[u8]) -> String {
    let titles = bytes.split(|byte| *byte == b'\n').map_while(|line| {
        let line: serde_json::Value = serde_json::from_slice(line).ok()?;
        schedule.find(line["title"].as_str()?)
    });
    titles
        .map(|planned| transcript(schedule, planned).to_line())
        .collect()
}

/// The lines of all matches, in the order of the schedule.
fn lines(schedule: &Schedule) -> Vec<String> {
    lines_of(schedule, 0..schedule.matches().len())
}

/// The lines of these matches.
fn lines_of(schedule: &Schedule, order: impl IntoIterator<Item = usize>) -> Vec<String> {
    let mut previous = Fingerprint::NONE;
    let line = |number: usize| {
        let record = entry(schedule, &schedule.matches()[number])
            .record()
            .clone();
        let line = record.after(previous).to_line();
        previous = Fingerprint::of(line.trim_end().as_bytes());
        line
    };
    order.into_iter().map(line).collect()
}

/// Plays the missing matches, in the order of the schedule.
fn play_on(journal: &mut Journal, results: &mut Results, schedule: &Schedule) {
    let mut schedule = schedule.clone();
    for planned in schedule.matches().to_vec() {
        if results.of(planned.number).is_none() {
            let entry = entry(&schedule, &planned);
            entry.record().add_to(results, &mut schedule).unwrap();
            journal.append(entry).unwrap();
        }
    }
}
