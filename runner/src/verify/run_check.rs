use std::path::Path;

use super::Mismatch;
use super::match_check::check;
use super::told::AllTold;
use crate::record::{JournalError, RunFolder, Transcript, visit_transcripts};
use crate::report::Document;
use crate::tournament::{Event, MatchResult, Results, Schedule};

/// What came of a run when all was played and computed again.
#[derive(Clone, Debug)]
pub struct Verification {
    /// What does not agree, in the order of the files.
    pub disagreements: Vec<Disagreement>,
    /// What was to be played, as far as it follows from what was played.
    pub schedule: Schedule,
    /// The results by what was played.
    pub results: Results,
    /// How many matches have a result.
    pub matches: usize,
    /// How many of them were played again, all by the rules, and agree.
    pub verified: usize,
    /// How many games were dealt again.
    pub deals: u64,
    /// How many rolls were drawn again.
    pub rolls: u64,
    /// How many actions were played again.
    pub plies: u64,
    /// How many records of what was played have no result, because the run was stopped before it was
    /// written.
    pub leftovers: usize,
}

/// Something that does not agree, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {mismatch}")]
pub struct Disagreement {
    /// The title of a match, or a file with the number of a line, from 1.
    pub place: String,
    /// What does not agree.
    pub mismatch: Mismatch,
}

/// Plays all again that was played in a run of `event`, and computes all again that follows from it. The
/// folder is neither locked nor changed.
///
/// # Errors
///
/// A file cannot be read.
pub fn verify(folder: &Path, event: &Event) -> Result<Verification, JournalError> {
    let told = AllTold::read(&RunFolder::results_in(folder), event)?;
    let schedule = Schedule::new(event.clone());
    let mut run = RunCheck {
        replayed: told.matches.iter().map(|_| Replayed::No).collect(),
        latest: 0,
        leftovers: Vec::new(),
        found: Verification {
            disagreements: Vec::new(),
            results: Results::none(&schedule),
            schedule,
            matches: told.matches.len(),
            verified: 0,
            deals: 0,
            rolls: 0,
            plies: 0,
            leftovers: 0,
        },
        told: &told,
    };
    for (line, mismatch) in &told.faults {
        run.disagree(format!("results.jsonl:{line}"), mismatch.clone());
    }
    visit_transcripts(
        &RunFolder::games_in(folder),
        |line, transcript| match transcript {
            Ok(transcript) => run.take(line, &transcript),
            Err(error) => run.disagree(in_games(line), Mismatch::Transcript(error)),
        },
    )?;
    run.close();
    run.compare_tables(folder);
    Ok(run.found)
}

/// A run while it is checked.
struct RunCheck<'a> {
    told: &'a AllTold,
    /// What came of the matches of the list.
    replayed: Vec<Replayed>,
    /// The latest place in the list whose transcript was there.
    latest: usize,
    /// The lines of transcripts without a result since the last one that has one.
    leftovers: Vec<usize>,
    found: Verification,
}

/// Whether a match was played again.
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
        let Some(place) = self.told.find(title) else {
            if self.told.schedule.find(title).is_some() {
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
        let checked = check(&self.told.schedule, &self.told.matches[place], transcript);
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

    /// No transcript is left: computes the results.
    fn close(&mut self) {
        self.found.leftovers = self.leftovers.len();
        for (told, replayed) in self
            .told
            .matches
            .iter()
            .zip(std::mem::take(&mut self.replayed))
        {
            let title = self.told.schedule.title(&told.planned);
            match replayed {
                Replayed::No if told.result.moves.is_some() => {
                    self.disagree(title, Mismatch::NoTranscript);
                }
                Replayed::No => self.disagree(title, Mismatch::Unrecorded),
                Replayed::InVain => {}
                Replayed::Yes(result) => {
                    let Verification {
                        schedule, results, ..
                    } = &mut self.found;
                    let is_due = schedule.matches().get(result.number.get()) == Some(&told.planned);
                    if is_due && results.add(result).is_ok() {
                        schedule.follow(results);
                    } else {
                        self.disagree(title.clone(), Mismatch::NoMatch(title));
                    }
                }
            }
        }
    }

    /// Compares the tables in the folder of a run that is over with those that follow from what was
    /// played.
    fn compare_tables(&mut self, folder: &Path) {
        let is_over = self.found.results.remaining() == 0;
        let Ok(there) = std::fs::read_to_string(RunFolder::report_in(folder)) else {
            return;
        };
        let Verification {
            schedule, results, ..
        } = &self.found;
        if is_over && there != Document::new(schedule, results).markdown() {
            self.disagree("report.md".to_owned(), Mismatch::Tables);
        }
    }
}

fn in_games(line: usize) -> String {
    format!("games.jsonl:{line}")
}
