use std::path::{Path, PathBuf};

use dragontooth_runner_tournament::{Event, MatchResult, Results, Schedule};

use super::book_check::BookCheck;
use super::log_check::{FoundLog, LogCheck};
use super::match_check::check;
use super::mismatch::{Disagreement, Mismatch};
use super::recorded_match::{RecordedMatch, RecordedMatches};
use super::reports_check::{self, Reports};
use super::secret_check;
use crate::record::{
    Cover, Fingerprint, FolderError, JournalError, MAX_LEFTOVERS, RunDraws, RunFolder, RunSession,
    Seal, SealError, ServiceKind, Transcript, Transcripts,
};
use crate::reports::ReportsLock;

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
    /// Number of transcripts whose result is not written yet, or never was because the run was stopped.
    pub leftovers: usize,
    /// True if a run is using the folder.
    pub in_use: bool,
    /// The bytes of a last line of `results.jsonl` that is cut short.
    pub torn_bytes: u64,
    /// The state of the reports.
    pub reports: Reports,
    /// The state of the embedded service's event log.
    pub log: LogState,
    /// The event digest of the directory as it is.
    pub event_digest: Fingerprint,
}

/// The state of the embedded service's event log in a run directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogState {
    /// No match was played on an embedded service.
    None,
    /// The results were compared with it.
    Compared,
    /// A run is using it.
    InUse,
    /// It is missing or cannot be read.
    Missing,
}

/// The reason why a run cannot be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The transcripts or results cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Another file of the folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The hashes of the files cannot be computed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The secret of the draws is not known.
    #[error(
        "{}: the run is not over, and the secret of its draws can be read only by its owner, in draw_secret",
        path.display()
    )]
    SecretUnknown {
        /// The folder.
        path: PathBuf,
    },
}

/// Plays all again that was played in a run of `event`, and computes all again that follows from it. The
/// event digest must be `digest`, if one is given, and the openings those of `book`. The folder is neither locked nor
/// changed.
///
/// # Errors
///
/// A file cannot be read, or the run is not over and the reader may not read its secret.
pub fn verify(
    folder: &Path,
    event: &Event,
    digest: Option<Fingerprint>,
    book: &BookCheck,
) -> Result<Verification, VerifyError> {
    RecordedRun::read(folder, event)?.verify(digest, book)
}

/// The results of a run, read before what was played. A run in progress may play on meanwhile.
#[derive(Debug)]
pub struct RecordedRun<'a> {
    folder: &'a Path,
    event: &'a Event,
    draws: RunDraws,
    session: Option<RunSession>,
    /// The bytes of `games.jsonl` before the results were read.
    games_length: u64,
    recorded: RecordedMatches,
}

impl<'a> RecordedRun<'a> {
    /// Reads the results of a run of `event`.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or the run is not over and the reader may not read its secret.
    pub fn read(folder: &'a Path, event: &'a Event) -> Result<Self, VerifyError> {
        let draws = RunFolder::draws_in(folder)?;
        let draws = draws.ok_or_else(|| VerifyError::SecretUnknown {
            path: folder.to_owned(),
        })?;
        // The results come last: those that are added from here on are no longer missed.
        Ok(Self {
            folder,
            event,
            draws,
            session: RunSession::sum_in(&RunFolder::sessions_in(folder))?,
            games_length: Transcripts::length(&RunFolder::games_in(folder))?,
            recorded: RecordedMatches::read(&RunFolder::results_in(folder), event)?,
        })
    }

    /// Plays all again, as [`verify`] does.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn verify(
        &self,
        digest: Option<Fingerprint>,
        book: &BookCheck,
    ) -> Result<Verification, VerifyError> {
        let Self {
            folder, recorded, ..
        } = self;
        let schedule = Schedule::new(self.event.clone());
        let there = Seal::of(folder, Cover::ALL)?;
        let in_use = RunFolder::is_in_use(folder)?;
        let mut run = RunCheck {
            folder,
            games_length: self.games_length,
            replayed: recorded.matches.iter().map(|_| Replayed::No).collect(),
            latest: 0,
            leftovers: Vec::new(),
            late: 0,
            found: Verification {
                disagreements: Vec::new(),
                results: Results::none(schedule.matches()),
                schedule,
                matches: recorded.counting(),
                beyond: recorded.matches.len() - recorded.counting(),
                verified: 0,
                deals: 0,
                rolls: 0,
                plies: 0,
                leftovers: 0,
                in_use,
                torn_bytes: recorded.torn_bytes,
                reports: Reports::Unknown,
                log: LogState::None,
                event_digest: there.event_digest(),
            },
            log: LogCheck::open(folder, self.event, in_use)?,
            recorded,
            draws: &self.draws,
            book,
        };
        run.found.disagreements.extend_from_slice(&book.faults);
        for (line, mismatch) in &recorded.faults {
            run.disagree(format!("results.jsonl:{line}"), mismatch.clone());
        }
        let mut transcripts = Transcripts::open(&RunFolder::games_in(folder))?;
        while let Some(transcript) = transcripts.next() {
            match transcript {
                Ok(transcript) => run.take(&transcripts, &transcript),
                Err(JournalError::Transcript { fault, .. }) => {
                    run.disagree(in_games(transcripts.line()), Mismatch::Transcript(fault));
                }
                Err(error) => return Err(error.into()),
            }
        }
        run.close();
        run.count(self.session.as_ref());
        run.compare_log(digest);
        let remaining = run.found.results.remaining();
        let secrets = secret_check::check(folder, there.cover().results, remaining)?;
        run.found.disagreements.extend(secrets);
        run.compare_seal(&there, digest)?;
        Ok(run.found)
    }
}

/// A run while it is checked.
struct RunCheck<'a> {
    folder: &'a Path,
    /// Records of `games.jsonl` from here on may have got their results after those were read.
    games_length: u64,
    recorded: &'a RecordedMatches,
    draws: &'a RunDraws,
    book: &'a BookCheck,
    /// The outcomes of the matches in the list.
    replayed: Vec<Replayed>,
    /// The latest place in the list whose transcript was there.
    latest: usize,
    /// The lines of transcripts without a result since the last one that has one.
    leftovers: Vec<usize>,
    /// Number of those that were added while the run was read.
    late: usize,
    log: FoundLog,
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

    /// Takes the next transcript, which was just read from `transcripts`.
    fn take(&mut self, transcripts: &Transcripts, transcript: &Transcript) {
        let title = transcript.title();
        let Some(place) = self.recorded.find(title) else {
            let line = transcripts.line();
            let is_late = transcripts.start() >= self.games_length;
            // The schedule may have gone on with results that were added later.
            if is_late || self.recorded.schedule.find(title).is_some() {
                self.leftovers.push(line);
                self.late += usize::from(is_late);
            } else {
                self.disagree(in_games(line), Mismatch::NoMatch(title.to_owned()));
            }
            return;
        };
        for line in std::mem::take(&mut self.leftovers) {
            self.disagree(in_games(line), Mismatch::NoResult);
        }
        self.late = 0;
        if !matches!(self.replayed[place], Replayed::No) {
            return self.disagree(title.to_owned(), Mismatch::TwoTranscripts);
        }
        let mut mismatches = Vec::new();
        if place < self.latest {
            mismatches.push(Mismatch::Order);
        }
        self.latest = self.latest.max(place);
        let recorded = &self.recorded.matches[place];
        mismatches.extend(compare_hash(recorded, transcripts.fingerprint()));
        let checked = check(
            &self.recorded.schedule,
            self.draws,
            self.book,
            recorded,
            transcript,
        );
        mismatches.extend(checked.mismatches);
        if let FoundLog::Open(log) = &mut self.log {
            mismatches.extend(log.compare(recorded, transcript));
        }
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
                        schedule.follow(results);
                    } else {
                        self.disagree(title.clone(), Mismatch::NoMatch(title));
                    }
                }
            }
        }
    }

    /// Compares the number of results with the other counts of it.
    fn count(&mut self, session: Option<&RunSession>) {
        let leftovers = self.leftovers.len() - self.late;
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
    }

    /// Compares the results with the event log of the embedded service.
    fn compare_log(&mut self, digest: Option<Fingerprint>) {
        let mut matches = self.recorded.matches.iter();
        let is_served = matches.any(|one| one.origin.service == ServiceKind::Embedded);
        let is_held = digest == Some(self.found.event_digest);
        let place = || "service".to_owned();
        self.found.log = match &self.log {
            FoundLog::None if !is_served => LogState::None,
            FoundLog::None => {
                if !is_held {
                    self.disagree(place(), Mismatch::NoLog);
                }
                LogState::Missing
            }
            FoundLog::InUse => LogState::InUse,
            FoundLog::Unreadable(fault) => {
                let mismatch = Mismatch::Log(fault.clone());
                self.disagree(place(), mismatch);
                LogState::Missing
            }
            FoundLog::Open(log) => {
                let is_over = self.found.results.remaining() == 0;
                let is_decided = is_over && self.found.schedule.sequential().is_some();
                let unrecorded = log.unrecorded(self.recorded, is_decided);
                self.found.disagreements.extend(unrecorded);
                LogState::Compared
            }
        };
    }

    /// Compares the files with their seal, and the reports with the files.
    fn compare_seal(
        &mut self,
        there: &Seal,
        digest: Option<Fingerprint>,
    ) -> Result<(), VerifyError> {
        let mut has_ended = false;
        match Seal::read(self.folder) {
            Ok(Some(seal)) => {
                has_ended = seal.cover().sessions > 0;
                let found = Seal::of(self.folder, seal.cover())?;
                for (part, fault) in seal.faults(&found) {
                    self.disagree(part.to_string(), Mismatch::Seal(fault));
                }
            }
            Ok(None) => self.disagree("seal.json".to_owned(), Mismatch::NoSeal),
            Err(SealError::Malformed { fault, .. }) => {
                self.disagree("seal.json".to_owned(), Mismatch::BadSeal(fault));
            }
            Err(error) => return Err(error.into()),
        }
        let computed = self.found.event_digest;
        if let Some(expected) = digest
            && expected != computed
        {
            let mismatch = Mismatch::EventDigest { expected, computed };
            self.disagree("the event digest".to_owned(), mismatch);
        }
        let _lock = ReportsLock::to_read(self.folder)?;
        // A run that uses the folder may be about to write them.
        let are_due = (has_ended || self.found.results.remaining() == 0)
            && !RunFolder::is_in_use(self.folder)?;
        self.found.reports = match reports_check::covered(self.folder, there.cover(), are_due) {
            Err(None) => Reports::Missing,
            Err(Some(disagreement)) => {
                self.found.disagreements.push(disagreement);
                Reports::Wrong
            }
            // What they should be follows from files that are wrong themselves.
            Ok(_) if !self.found.disagreements.is_empty() => Reports::Unknown,
            Ok(covered) => {
                let wrong = reports_check::compare(self.folder, &covered);
                let is_right = wrong.is_empty();
                self.found.disagreements.extend(wrong);
                if is_right {
                    Reports::Of(covered.lines.results)
                } else {
                    Reports::Wrong
                }
            }
        };
        Ok(())
    }
}

/// Compares the hash of a transcript's line with the one in the result.
fn compare_hash(recorded: &RecordedMatch, computed: Fingerprint) -> Option<Mismatch> {
    match recorded.transcript {
        Some(recorded) if recorded == computed => None,
        Some(recorded) => Some(Mismatch::TranscriptHash { recorded, computed }),
        None => Some(Mismatch::NoTranscriptHash),
    }
}

fn in_games(line: usize) -> String {
    format!("games.jsonl:{line}")
}
