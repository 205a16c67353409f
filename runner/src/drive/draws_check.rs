use std::path::PathBuf;

use dragontooth_runner_tournament::{Schedule, ScheduledMatch};

use crate::record::{
    DrawSecrets, JournalError, Records, RunDraws, RunFolder, Transcript, Transcripts,
};

/// The draws that were played cannot be compared with the secret, or follow from another one.
#[derive(Debug, thiserror::Error)]
pub enum DrawsError {
    /// The results or the records cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The secret is not the one from which the recorded matches were drawn.
    #[error("{}: the draws that were played follow from another secret than this: see {title}", path.display())]
    OtherSecret {
        /// The file of the secret.
        path: PathBuf,
        /// A match that was drawn from another one.
        title: String,
    },
}

/// Checks that what was played in the folder of a run was drawn from the secrets that are there now.
///
/// With one secret one match tells. With several, those at the ends of each secret do: a run takes the next secret
/// only when all matches of the one before are over.
pub(super) fn check_draws(folder: &RunFolder, schedule: &Schedule) -> Result<(), DrawsError> {
    let draws = folder.draws();
    let mut results = Records::open(&folder.results())?;
    let mut transcripts = Transcripts::open(&folder.games())?;
    let mut before: Option<Drawn> = None;
    while let Some(record) = results.next().transpose()? {
        // Results of older runners have no transcripts.
        if record.transcribed().is_none() {
            continue;
        }
        let Some(transcript) = transcripts.next().transpose()? else {
            break;
        };
        // A match that ended after a test was decided may be in the schedule no more.
        let Some(planned) = schedule.find(record.title()) else {
            continue;
        };
        let (place, count) = draws.secret_of(planned.encounter);
        let one = Drawn {
            planned,
            replays: record.replays(),
            transcript,
            place,
        };
        if before.as_ref().is_none_or(|before| before.place != place) {
            if let Some(before) = &before {
                before.check(folder, draws, schedule)?;
            }
            let is_checked = one.check(folder, draws, schedule)?;
            if is_checked && count == 1 {
                return Ok(());
            }
            if !is_checked {
                continue;
            }
        }
        before = Some(one);
    }
    if let Some(last) = &before {
        last.check(folder, draws, schedule)?;
    }
    Ok(())
}

/// A match that was played.
struct Drawn<'a> {
    planned: &'a ScheduledMatch,
    replays: u32,
    transcript: Transcript,
    /// The place of its secret among those of the run.
    place: usize,
}

impl Drawn<'_> {
    /// Compares the commitment in the record with the one that follows from the secrets. False if it has none.
    fn check(
        &self,
        folder: &RunFolder,
        draws: &RunDraws,
        schedule: &Schedule,
    ) -> Result<bool, DrawsError> {
        let read = self.transcript.read();
        let Some(played) = read.ok().and_then(|(_, headers)| headers.seeds.commitment) else {
            return Ok(false);
        };
        let seed = draws.seed_of(schedule, self.planned, self.replays);
        if seed.commitment() == played {
            return Ok(true);
        }
        Err(DrawsError::OtherSecret {
            path: DrawSecrets::file_in(folder.path()),
            title: schedule.title(self.planned),
        })
    }
}
