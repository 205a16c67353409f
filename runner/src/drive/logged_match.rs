use dragontooth_games::Seat;
use dragontooth_service_store::{MAX_READ_RECORDS, MatchLog, MatchLogError, MatchReplay};
use dragontooth_service_vocabulary::{MatchEvent, MatchId, Termination};

use super::apply_event::Facts;
use super::match_progress::MatchProgress;
use crate::adjudicator::EarlyEnd;
use crate::record::{Fingerprint, Origin, Played, ServiceKind};

/// A match as an event log has it.
#[derive(Clone, Debug)]
pub(crate) struct LoggedMatch {
    /// Its title.
    pub(crate) title: String,
    /// The entries of its opening; empty for the usual start.
    pub(crate) opening: Vec<String>,
    /// The match as it was played, with the hash over its events; `None` if it is not over. What the
    /// runner alone knows is not in it: the faults, and who lost a match that was not decided.
    pub(crate) played: Option<Played>,
    /// True if it ended without being decided: called off, expired or declined.
    pub(crate) called_off: bool,
}

impl LoggedMatch {
    /// Reads a match, ended early under these conditions, from a log; `None` if it is not there.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or the match is damaged.
    pub(crate) async fn read(
        log: &MatchLog,
        id: MatchId,
        early_end: EarlyEnd,
    ) -> Result<Option<Self>, MatchLogError> {
        let mut replay = MatchReplay::new(id);
        let mut progress = MatchProgress::new(early_end);
        let mut called_off = false;
        loop {
            let events = log.read(id, replay.head(), MAX_READ_RECORDS).await?;
            if events.is_empty() {
                break;
            }
            for entry in events {
                let state = replay.push(&entry)?;
                let mut facts = Facts::default();
                match &entry.recorded.event {
                    MatchEvent::GameEnded { .. } => {
                        let score = state.play().score();
                        facts.score = Seat::BOTH.map(|seat| score.of(seat));
                    }
                    MatchEvent::MatchEnded { outcome, .. } => {
                        called_off = match outcome.termination {
                            Termination::Aborted | Termination::Expired | Termination::Declined => {
                                true
                            }
                            Termination::Normal
                            | Termination::Timeout
                            | Termination::Resignation
                            | Termination::IllegalAction
                            | Termination::Disconnect => false,
                        };
                    }
                    MatchEvent::Created(_)
                    | MatchEvent::SeatJoined { .. }
                    | MatchEvent::GameStarted { .. }
                    | MatchEvent::ActionPlayed { .. }
                    | MatchEvent::ActionRefused { .. }
                    | MatchEvent::Rolled { .. }
                    | MatchEvent::TurnPassed { .. } => {}
                }
                progress.apply_event(entry.recorded, facts);
            }
        }
        let head = replay.head().hash;
        let Some(stored) = replay.into_match() else {
            return Ok(None);
        };
        let origin = Origin {
            service: ServiceKind::Embedded,
            head_hash: Some(Fingerprint::from_bytes(*head.bytes())),
        };
        let played = progress.played(id);
        Ok(Some(Self {
            title: stored.created().title.to_string(),
            opening: stored.created().opening.clone(),
            played: played.map(|played| Played { origin, ..played }),
            called_off,
        }))
    }
}
