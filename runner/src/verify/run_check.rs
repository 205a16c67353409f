use std::path::Path;

use dragontooth_runner_tournament::{Event, MatchResult, Results, Schedule};

use super::Mismatch;
use super::match_check::check;
use super::recorded_match::RecordedMatches;
use super::tables_check::{Tables, TablesCheck};
use crate::record::{
    FolderError, JournalError, MAX_LEFTOVERS, RunFolder, Session, Transcript, Transcripts,
};

/// The outcome of verifying a run.
#[derive(Clone, Debug)]
pub struct Verification {
    /// The disagreements, in the order of the files.
    pub disagreements: Vec<Disagreement>,
    /// The schedule, as far as it follows from the transcripts.
    pub schedule: Schedule,
    /// The results by the transcripts.
    pub results: Results,
    /// Number of matches of the schedule with a result.
    pub matches: usize,
    /// Number of matches that ended after earlier ones had decided a sequential test: they have a
    /// result, but do not count.
    pub beyond: usize,
    /// Number of all these matches that were replayed by the rules and agree.
    pub verified: usize,
    /// Number of deals that were repeated.
    pub deals: u64,
    /// Number of rolls that were repeated.
    pub rolls: u64,
    /// Number of actions that were replayed.
    pub plies: u64,
    /// Number of transcripts without a result, because the run was stopped before it was written.
    pub leftovers: usize,
    /// The bytes of a last line of `results.jsonl` that is cut short.
    pub torn_bytes: u64,
    /// The state of `report.md`.
    pub tables: Tables,
}

/// Why a run cannot be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The transcripts or results cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Another file of the folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
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

/// Plays all again that was played in a run of `event`, and computes all again that follows from it. The
/// folder is neither locked nor changed.
///
/// # Errors
///
/// A file cannot be read.
pub fn verify(folder: &Path, event: &Event) -> Result<Verification, VerifyError> {
    let recorded = RecordedMatches::read(&RunFolder::results_in(folder), event)?;
    let schedule = Schedule::new(event.clone());
    let mut run = RunCheck {
        replayed: recorded.matches.iter().map(|_| Replayed::No).collect(),
        latest: 0,
        leftovers: Vec::new(),
        found: Verification {
            disagreements: Vec::new(),
            results: Results::none(&schedule),
            schedule,
            matches: recorded.counting(),
            beyond: recorded.matches.len() - recorded.counting(),
            verified: 0,
            deals: 0,
            rolls: 0,
            plies: 0,
            leftovers: 0,
            torn_bytes: recorded.torn_bytes,
            tables: Tables::Missing,
        },
        tables: TablesCheck::read(&RunFolder::report_in(folder))?,
        played_again: 0,
        recorded: &recorded,
    };
    for (line, mismatch) in &recorded.faults {
        run.disagree(format!("results.jsonl:{line}"), mismatch.clone());
    }
    let mut transcripts = Transcripts::open(&RunFolder::games_in(folder))?;
    while let Some(transcript) = transcripts.next() {
        let line = transcripts.line();
        match transcript {
            Ok(transcript) => run.take(line, &transcript),
            Err(JournalError::Transcript { fault, .. }) => {
                run.disagree(in_games(line), Mismatch::Transcript(fault));
            }
            Err(error) => return Err(error.into()),
        }
    }
    run.close();
    run.count(Session::sum_in(&RunFolder::sessions_in(folder))?);
    Ok(run.found)
}

/// A run while it is checked.
struct RunCheck<'a> {
    recorded: &'a RecordedMatches,
    /// The outcomes of the matches in the list.
    replayed: Vec<Replayed>,
    /// The latest place in the list whose transcript was there.
    latest: usize,
    /// The lines of transcripts without a result since the last one that has one.
    leftovers: Vec<usize>,
    tables: TablesCheck,
    /// Number of results that follow from a transcript.
    played_again: usize,
    found: Verification,
}

/// The outcome of one match.
#[derive(Clone, Debug)]
enum Replayed {
    /// There was no transcript.
    No,
    /// It could not be.
    InVain,
    /// It came out like this.
    Yes(MatchResult),
}

impl RunCheck<'_> {
    fn disagree(&mut self, place: String, mismatch: Mismatch) {
        let disagreement = Disagreement { place, mismatch };
        self.found.disagreements.push(disagreement);
    }

    /// Takes the next transcript.
    fn take(&mut self, line: usize, transcript: &Transcript) {
        let title = transcript.title();
        let Some(place) = self.recorded.find(title) else {
            if self.recorded.schedule.find(title).is_some() {
                self.leftovers.push(line);
            } else {
                self.disagree(in_games(line), Mismatch::NoMatch(title.to_owned()));
            }
            return;
        };
        for line in std::mem::take(&mut self.leftovers) {
            self.disagree(in_games(line), Mismatch::NoResult);
        }
        if !matches!(self.replayed[place], Replayed::No) {
            return self.disagree(title.to_owned(), Mismatch::TwoTranscripts);
        }
        let mut mismatches = Vec::new();
        if place < self.latest {
            mismatches.push(Mismatch::Order);
        }
        self.latest = self.latest.max(place);
        let checked = check(
            &self.recorded.schedule,
            &self.recorded.matches[place],
            transcript,
        );
        mismatches.extend(checked.mismatches);
        let found = &mut self.found;
        found.deals += u64::from(checked.draws.deals);
        found.rolls += u64::from(checked.draws.rolls);
        found.verified += usize::from(mismatches.is_empty());
        self.replayed[place] = match checked.result {
            Some(result) => {
                found.plies += u64::from(result.plies);
                Replayed::Yes(result)
            }
            None => Replayed::InVain,
        };
        for mismatch in mismatches {
            self.disagree(title.to_owned(), mismatch);
        }
    }

    /// No transcript is left: computes the results, and compares the tables with those of as many
    /// results as they are of.
    fn close(&mut self) {
        self.tables
            .compare(&self.found.schedule, &self.found.results);
        for (recorded, replayed) in self
            .recorded
            .matches
            .iter()
            .zip(std::mem::take(&mut self.replayed))
        {
            let title = self.recorded.schedule.title(&recorded.planned);
            match replayed {
                Replayed::No if recorded.result.moves.is_some() => {
                    self.disagree(title, Mismatch::NoTranscript);
                }
                Replayed::No => self.disagree(title, Mismatch::Unrecorded),
                Replayed::InVain => {}
                Replayed::Yes(result) => {
                    let Verification {
                        schedule, results, ..
                    } = &mut self.found;
                    let is_due =
                        schedule.matches().get(result.number.get()) == Some(&recorded.planned);
                    if is_due && results.add(result).is_ok() {
                        self.played_again += 1;
                        schedule.follow(results);
                        self.tables.compare(schedule, results);
                    } else {
                        self.disagree(title.clone(), Mismatch::NoMatch(title));
                    }
                }
            }
        }
    }

    /// Compares the number of results with the other counts of it.
    fn count(&mut self, session: Option<Session>) {
        let leftovers = self.leftovers.len();
        self.found.leftovers = leftovers;
        if leftovers > MAX_LEFTOVERS {
            let mismatch = Mismatch::Leftovers { count: leftovers };
            self.disagree("games.jsonl".to_owned(), mismatch);
        }
        let results = self.recorded.matches.len() + self.recorded.faults.len();
        let over = session.map_or(0, |session| session.matches);
        if over > results as u64 {
            self.disagree(
                "sessions.jsonl".to_owned(),
                Mismatch::Missing { over, results },
            );
        }
        self.found.tables = self.tables.found(results, self.played_again);
        if self.found.tables == Tables::Wrong {
            let mismatch = match self.tables.played() {
                Some(over) if over > results as u64 => Mismatch::Missing { over, results },
                Some(_) | None => Mismatch::Tables,
            };
            self.disagree("report.md".to_owned(), mismatch);
        }
    }
}

fn in_games(line: usize) -> String {
    format!("games.jsonl:{line}")
}
