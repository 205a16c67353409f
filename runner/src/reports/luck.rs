use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use dragontooth_bots::builtin::backgammon::{LuckError, MatchLuck};
use dragontooth_games::MatchPlay as _;
use dragontooth_games::backgammon;
use dragontooth_games::record::MatchRecord;
use dragontooth_runner_report::LuckFigures;
use dragontooth_runner_tournament::{DiceLuck, MatchNumber, Results, Schedule, luck_adjusted};

use super::ReportError;
use crate::record::{RunFolder, Transcripts};

/// The matches whose luck is computed at a time: a bound on the memory, some megabytes.
const BATCH_MATCHES: usize = 256;

/// The most actions in the matches of an event whose luck is computed unasked: some seconds of a processor core.
pub const MAX_UNASKED_LUCK_ACTIONS: u64 = 50_000;

/// The reason why the luck of a match is unknown.
#[derive(Debug, thiserror::Error)]
pub enum UnknownLuck {
    /// The game of the event has no luck that is computed.
    #[error("luck is computed for backgammon, not for {0}")]
    Game(&'static str),
    /// A file of the run cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The record has none, or breaks a rule.
    #[error("the luck of {title} is unknown: {source}")]
    Match {
        /// The match.
        title: String,
        /// The reason.
        source: LuckError,
    },
    /// The match was played and its record is missing.
    #[error("the luck of {0} is unknown: games.jsonl has no record of what was played")]
    NoRecord(String),
}

/// A match whose luck is computed.
struct Due {
    number: MatchNumber,
    title: String,
    record: MatchRecord,
}

/// Computes the results without the luck in the dice. Unasked they are left out if the event has more than
/// [`MAX_UNASKED_LUCK_ACTIONS`] actions, or if a record cannot be evaluated.
///
/// # Errors
///
/// They are asked for and the game has no such luck, or the luck of a match is unknown.
pub fn luck_figures(
    folder: &Path,
    schedule: &Schedule,
    results: &Results,
    is_asked: bool,
) -> Result<LuckFigures, UnknownLuck> {
    let game = schedule.event().rules().game();
    let actions = results.actions();
    if game != backgammon::Position::NAME {
        return if is_asked {
            Err(UnknownLuck::Game(game))
        } else {
            Ok(LuckFigures::Unmentioned)
        };
    }
    if !is_asked && actions > MAX_UNASKED_LUCK_ACTIONS {
        return Ok(LuckFigures::LeftOut(format!(
            "they are computed unasked for at most {MAX_UNASKED_LUCK_ACTIONS} actions, and the matches have {actions}; \
             with `--luck`, `report` and `table` compute them"
        )));
    }
    match read_luck(folder, schedule, results) {
        Ok(luck) => Ok(LuckFigures::Known(luck_adjusted(schedule, results, &luck))),
        Err(error) if is_asked => Err(error),
        // Reports are the same whatever the path of their folder, which other errors name.
        Err(UnknownLuck::Report(error)) if !matches!(error, ReportError::Record { .. }) => Ok(
            LuckFigures::LeftOut("games.jsonl cannot be read".to_owned()),
        ),
        Err(error) => Ok(LuckFigures::LeftOut(error.to_string())),
    }
}

/// Computes the luck in the dice of each match with a result, from its record alone, on all processors.
///
/// # Errors
///
/// The transcripts cannot be read, or one of a match with a result is missing, of another game or broken.
fn read_luck(
    folder: &Path,
    schedule: &Schedule,
    results: &Results,
) -> Result<BTreeMap<MatchNumber, DiceLuck>, UnknownLuck> {
    let mut all = BTreeMap::new();
    let mut batch = Vec::with_capacity(BATCH_MATCHES);
    let transcripts = Transcripts::open(&RunFolder::games_in(folder)).map_err(ReportError::from)?;
    for transcript in transcripts {
        let transcript = transcript.map_err(ReportError::from)?;
        let title = transcript.title().to_owned();
        let result = schedule
            .find(&title)
            .and_then(|planned| results.of(planned.number));
        // A run that was stopped may have played the match without a result.
        let Some(result) = result.filter(|result| result.moves == Some(transcript.digest())) else {
            continue;
        };
        let (record, _) = transcript.read().map_err(|source| ReportError::Record {
            title: title.clone(),
            source,
        })?;
        batch.push(Due {
            number: result.number,
            title,
            record,
        });
        if batch.len() == BATCH_MATCHES {
            all.extend(luck_of(&batch)?);
            batch.clear();
        }
    }
    all.extend(luck_of(&batch)?);
    for (planned, result) in results.with_match(schedule.matches()) {
        if result.moves.is_some() && !all.contains_key(&planned.number) {
            return Err(UnknownLuck::NoRecord(schedule.title(planned)));
        }
    }
    Ok(all)
}

/// The luck of these matches, each processor with a part of them.
fn luck_of(batch: &[Due]) -> Result<Vec<(MatchNumber, DiceLuck)>, UnknownLuck> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let part = batch.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts = batch.chunks(part);
        let running: Vec<_> = parts
            .map(|part| scope.spawn(|| part.iter().map(luck).collect::<Result<Vec<_>, _>>()))
            .collect();
        let mut all = Vec::with_capacity(batch.len());
        for thread in running {
            all.extend(
                thread
                    .join()
                    .expect("the luck of a record is computed without a panic")?,
            );
        }
        Ok(all)
    })
}

fn luck(due: &Due) -> Result<(MatchNumber, DiceLuck), UnknownLuck> {
    let luck = MatchLuck::of(&due.record).map_err(|source| UnknownLuck::Match {
        title: due.title.clone(),
        source,
    })?;
    let luck = DiceLuck {
        score: luck.chance,
        points: luck.points.unwrap_or_default(),
    };
    Ok((due.number, luck))
}
