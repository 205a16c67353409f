use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use dragontooth_bots::builtin::backgammon::{LuckError, MatchLuck};
use dragontooth_games::record::MatchRecord;
use dragontooth_runner_tournament::{DiceLuck, MatchNumber};

use super::{PastRun, ReportError};
use crate::record::{RunFolder, Transcripts};

/// The matches whose luck is computed at a time: a bound on the memory, some megabytes.
const BATCH_MATCHES: usize = 256;

/// The reason why the luck of a match is unknown.
#[derive(Debug, thiserror::Error)]
pub enum UnknownLuck {
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

/// Computes the luck in the dice of each match with a result, from its record alone, on all processors.
///
/// # Errors
///
/// The transcripts cannot be read, or one of a match with a result is missing, of another game or broken.
pub fn read_luck(
    folder: &Path,
    past: &PastRun,
) -> Result<BTreeMap<MatchNumber, DiceLuck>, UnknownLuck> {
    let mut all = BTreeMap::new();
    let mut batch = Vec::with_capacity(BATCH_MATCHES);
    let transcripts = Transcripts::open(&RunFolder::games_in(folder)).map_err(ReportError::from)?;
    for transcript in transcripts {
        let transcript = transcript.map_err(ReportError::from)?;
        let title = transcript.title().to_owned();
        let result = past
            .schedule
            .find(&title)
            .and_then(|planned| past.results.of(planned.number));
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
    for (planned, result) in past.results.with_match(past.schedule.matches()) {
        if result.moves.is_some() && !all.contains_key(&planned.number) {
            return Err(UnknownLuck::NoRecord(past.schedule.title(planned)));
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
