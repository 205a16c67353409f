use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use dragontooth_games::record::{GameRecord, opening_text};
use dragontooth_runner_tournament::{Ending, Event, MatchResult};
use dragontooth_service_store::{MatchLog, MatchLogError, SledLog};
use dragontooth_service_vocabulary::{MatchId, Termination};
use futures::executor::{block_on, block_on_stream};
use tempfile::TempDir;

use super::mismatch::{Disagreement, Mismatch};
use super::recorded_match::{RecordedMatch, RecordedMatches};
use crate::adjudicator::EarlyEnd;
use crate::drive::LoggedMatch;
use crate::record::{FolderError, Played, RunFolder, ServiceKind, Transcript, rfc3339};

/// The event log of the embedded service, to be compared with the results.
#[derive(Debug)]
pub(super) struct LogCheck {
    log: MatchLog,
    event: Event,
    /// The matches that belong to a result.
    seen: HashSet<MatchId>,
    // Dropped after the log in it is closed.
    _copy: TempDir,
}

/// The finding about the event log of a run.
#[derive(Debug)]
pub(super) enum FoundLog {
    /// There is none.
    None,
    /// A run is using it.
    InUse,
    /// It is there and cannot be opened.
    Unreadable(String),
    /// It can be compared.
    Open(Box<LogCheck>),
}

impl LogCheck {
    /// Opens a copy of the log in a run directory, which does not change.
    pub(super) fn open(
        folder: &Path,
        event: &Event,
        in_use: bool,
    ) -> Result<FoundLog, FolderError> {
        let service = RunFolder::service_in(folder);
        if !service.is_dir() {
            return Ok(FoundLog::None);
        }
        if in_use {
            return Ok(FoundLog::InUse);
        }
        let copy = tempfile::tempdir().and_then(|copy| {
            copy_folder(&service, &copy.path().join("log"))?;
            Ok(copy)
        });
        let copy = copy.map_err(|source| FolderError::Unusable {
            path: service,
            source,
        })?;
        Ok(match SledLog::open(copy.path().join("log")) {
            Ok(log) => FoundLog::Open(Box::new(Self {
                log: MatchLog::new(Arc::new(log)),
                event: event.clone(),
                seen: HashSet::new(),
                _copy: copy,
            })),
            Err(error) => FoundLog::Unreadable(with_causes(&error)),
        })
    }

    /// Compares a match with its events in the log.
    pub(super) fn compare(
        &mut self,
        recorded: &RecordedMatch,
        transcript: &Transcript,
    ) -> Vec<Mismatch> {
        if recorded.origin.service != ServiceKind::Embedded {
            return Vec::new();
        }
        let Ok(id) = recorded.details.match_id.parse() else {
            return Vec::new();
        };
        self.seen.insert(id);
        let logged = match self.read(id, transcript.title()) {
            Ok(Some(logged)) => logged,
            Ok(None) => return vec![Mismatch::NotInLog],
            Err(error) => return vec![Mismatch::Log(with_causes(&error))],
        };
        match &logged.played {
            None => vec![Mismatch::NotOverInLog],
            Some(played) => differences(recorded, transcript, &logged, played),
        }
    }

    fn read(&self, id: MatchId, title: &str) -> Result<Option<LoggedMatch>, MatchLogError> {
        let early_end = EarlyEnd::of(&self.event, title);
        block_on(LoggedMatch::read(&self.log, id, early_end))
    }

    /// The matches of the log that are over and stand in no result. `is_decided` says that matches in
    /// progress were left when a sequential test was decided.
    pub(super) fn unrecorded(
        &self,
        recorded: &RecordedMatches,
        is_decided: bool,
    ) -> Vec<Disagreement> {
        let last = recorded.matches.iter().map(|one| one.details.ended).max();
        let mut found = Vec::new();
        for (id, damage) in self.log.damaged() {
            let fault = with_causes(&damage);
            found.push(in_log(id, Mismatch::Log(fault)));
        }
        for id in block_on_stream(self.log.ids()) {
            let id = match id {
                Ok(id) if self.seen.contains(&id) => continue,
                Ok(id) => id,
                Err(error) => {
                    let mismatch = Mismatch::Log(with_causes(&error));
                    let place = "service".to_owned();
                    found.push(Disagreement { place, mismatch });
                    break;
                }
            };
            // Only the time of its start counts, and that it is over.
            match self.read(id, "") {
                Err(error) => found.push(in_log(id, Mismatch::Log(with_causes(&error)))),
                Ok(Some(logged)) => {
                    let mismatch = unrecorded(&logged, recorded, last.filter(|_| is_decided));
                    found.extend(mismatch.map(|mismatch| Disagreement {
                        place: logged.title,
                        mismatch,
                    }));
                }
                Ok(None) => {}
            }
        }
        found
    }
}

/// Why a match of the log should stand in a result. One that was in progress at the moment `decided`, when a
/// sequential test was, may have none.
fn unrecorded(
    logged: &LoggedMatch,
    recorded: &RecordedMatches,
    decided: Option<SystemTime>,
) -> Option<Mismatch> {
    let played = logged.played.as_ref()?;
    match recorded.find(&logged.title) {
        // It was called off and played again.
        Some(place) if logged.called_off && recorded.matches[place].replays > 0 => None,
        Some(_) => Some(Mismatch::OtherInLog),
        None if decided.is_some_and(|moment| played.started <= moment) => None,
        None => Some(Mismatch::OnlyInLog),
    }
}

/// The differences between a match and its events in the log.
fn differences(
    recorded: &RecordedMatch,
    transcript: &Transcript,
    LoggedMatch {
        opening,
        called_off,
        ..
    }: &LoggedMatch,
    logged: &Played,
) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let mut compare = |field: &'static str, recorded: String, logged: String| {
        if recorded != logged {
            found.push(Mismatch::InLog {
                field,
                recorded,
                logged,
            });
        }
    };
    let MatchResult {
        winner,
        termination,
        score,
        games,
        plies,
        ..
    } = &recorded.result;
    let hash = |origin: crate::record::Origin| {
        let hash = origin.head_hash;
        hash.map_or_else(|| "none".to_owned(), |hash| hash.to_string())
    };
    compare("head_hash", hash(recorded.origin), hash(logged.origin));
    let name = |seat: Option<dragontooth_games::Seat>| {
        seat.map_or_else(|| "nobody".to_owned(), |seat| seat.to_string())
    };
    let by_runner = [
        Ending::By(Termination::Aborted),
        Ending::By(Termination::Disconnect),
        Ending::By(Termination::Expired),
        Ending::By(Termination::Declined),
        Ending::Adjudicated,
    ];
    // The runner alone knows who lost a match that was not decided.
    if !(*called_off && by_runner.contains(termination)) {
        compare("the winner", name(*winner), name(logged.winner));
        compare(
            "the termination",
            termination.to_string(),
            logged.termination.to_string(),
        );
    }
    let pair = |[first, second]: [u32; 2]| format!("{first}-{second}");
    compare("the score", pair(*score), pair(logged.score));
    let counts = |counts: dragontooth_runner_tournament::GameCounts| {
        format!("{} and {} drawn", pair(counts.won), counts.drawn)
    };
    compare(
        "the number of games won",
        counts(*games),
        counts(logged.games),
    );
    compare(
        "the number of plies",
        plies.to_string(),
        logged.plies.to_string(),
    );
    let details = &recorded.details;
    compare("started", rfc3339(details.started), rfc3339(logged.started));
    compare("ended", rfc3339(details.ended), rfc3339(logged.ended));
    let micros = |time: &std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let thinking = logged.gameplay.thinking.iter().map(micros);
    if !thinking.eq(transcript.thinking_us().iter().copied()) {
        found.push(Mismatch::ThinkingInLog);
    }
    if let Ok((record, headers)) = transcript.read() {
        if record.opening != *opening {
            found.push(Mismatch::InLog {
                field: "the opening",
                recorded: format!("{:?}", opening_text(&record.opening)),
                logged: format!("{:?}", opening_text(opening)),
            });
        }
        if headers.seeds.players != logged.gameplay.player_seeds {
            found.push(Mismatch::SeedsInLog);
        }
        let first = first_difference(&record.games, &logged.gameplay.games);
        found.extend(first.map(|(game, step)| Mismatch::StepInLog { game, step }));
        if first.is_none() {
            let first = first_other_thoughts(&record.games, &logged.gameplay.games);
            found.extend(first.map(|(game, step)| Mismatch::ThoughtsInLog { game, step }));
        }
    }
    found
}

/// The first game and step, from 1, that differ; the step after the last if an outcome does, 0 if the
/// position does.
fn first_difference(recorded: &[GameRecord], logged: &[GameRecord]) -> Option<(usize, usize)> {
    let games = recorded.iter().zip(logged).zip(1..);
    for ((recorded, logged), game) in games {
        if recorded.start != logged.start {
            return Some((game, 0));
        }
        let same = recorded.steps.iter().zip(&logged.steps);
        let same = same.take_while(|(recorded, logged)| recorded == logged);
        let same = same.count();
        if recorded.steps.len() != logged.steps.len()
            || same < recorded.steps.len()
            || recorded.outcome != logged.outcome
        {
            return Some((game, same + 1));
        }
    }
    let common = recorded.len().min(logged.len());
    (recorded.len() != logged.len()).then_some((common + 1, 0))
}

/// The first game and step, from 1, about which the thoughts differ, of games with the same steps.
fn first_other_thoughts(recorded: &[GameRecord], logged: &[GameRecord]) -> Option<(usize, usize)> {
    let games = recorded.iter().zip(logged).zip(1..);
    games.into_iter().find_map(|((recorded, logged), game)| {
        let mut steps = 0..recorded.steps.len();
        let other = steps.find(|step| recorded.thinking.get(step) != logged.thinking.get(step))?;
        Some((game, other + 1))
    })
}

fn in_log(id: MatchId, mismatch: Mismatch) -> Disagreement {
    Disagreement {
        place: format!("the match {id} of the event log"),
        mismatch,
    }
}

/// Copies the files of a folder and of the folders in it.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&entry.path(), &place)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}
