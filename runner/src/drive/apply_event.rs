use dragontooth_games::Seat;
use dragontooth_games::record::{RecordOutcome, RecordStep};
use dragontooth_runner_tournament::Termination;
use dragontooth_service_client::{Event, EventKind};
use dragontooth_service_vocabulary as vocabulary;

use super::match_progress::{End, MatchProgress};

impl MatchProgress {
    /// Applies the next event of the service.
    pub(super) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Created(_) => self.started = Some(event.time),
            EventKind::SeatJoined { seat, seed, .. } => self.joined(*seat, seed),
            EventKind::GameStarted { position, .. } => self.game_started(position.clone()),
            EventKind::TurnPassed { seat, .. } => self.step(RecordStep::Pass { seat: *seat }),
            EventKind::Rolled { roll, .. } => self.step(RecordStep::Roll { roll: roll.clone() }),
            EventKind::ActionRefused {
                seat, action, rule, ..
            } => {
                // The decision has been due since it was.
                return self.refused(*seat, action, rule.as_deref());
            }
            EventKind::ActionPlayed {
                seat,
                action,
                received,
                ..
            } => {
                let answered = received.unwrap_or(event.time);
                let thought = self.last.map(|due| answered.duration_since(due));
                let thought = thought.and_then(Result::ok).unwrap_or_default();
                self.acted(*seat, action.clone(), thought);
            }
            EventKind::GameEnded { outcome, score } => {
                let outcome = RecordOutcome {
                    winner: outcome.winner,
                    points: outcome.points,
                };
                self.game_ended(outcome, Seat::BOTH.map(|seat| score.of(seat)));
            }
            EventKind::MatchEnded(outcome) => self.ended(End {
                winner: outcome.winner,
                termination: termination(outcome.termination),
                failure: outcome.failure.clone(),
                time: event.time,
            }),
        }
        self.last = Some(event.time);
    }
}

const fn termination(termination: vocabulary::Termination) -> Termination {
    match termination {
        vocabulary::Termination::Normal => Termination::Normal,
        vocabulary::Termination::Timeout => Termination::Timeout,
        vocabulary::Termination::Resignation => Termination::Resignation,
        vocabulary::Termination::Aborted => Termination::Aborted,
        vocabulary::Termination::IllegalAction => Termination::IllegalAction,
        vocabulary::Termination::Disconnect => Termination::Disconnect,
    }
}
