use dragontooth_games::record::{RecordOutcome, RecordStep};
use dragontooth_runner_tournament::Ending;
use dragontooth_service_client::system_time;
use dragontooth_service_vocabulary::{MatchEvent, Recorded};

use super::match_progress::{End, MatchProgress};

/// The facts that follow from an event and the rules of the game, as far as a result needs them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts<'a> {
    /// The points of the match after a game.
    pub(super) score: [u32; 2],
    /// The rule that forbids an illegal action; `None` if the text is not an action of the game.
    pub(super) rule: Option<&'a str>,
}

impl MatchProgress {
    /// Applies the next event of the match, whether a service sent it or this process decided it.
    pub(super) fn apply_event<C>(&mut self, recorded: Recorded<C>, facts: Facts<'_>) {
        let Recorded { time, event, .. } = recorded;
        match event {
            MatchEvent::Created(_) => self.started = Some(system_time(time)),
            MatchEvent::SeatJoined { seat, seed, .. } => self.joined(seat, seed.as_str()),
            MatchEvent::GameStarted { position, .. } => self.game_started(position),
            MatchEvent::TurnPassed { seat } => self.step(RecordStep::Pass { seat }),
            MatchEvent::Rolled { roll } => self.step(RecordStep::Roll { roll }),
            MatchEvent::ActionRefused { seat, action, .. } => {
                // The same decision is still due, since the same time.
                return self.refused(seat, &action, facts.rule);
            }
            MatchEvent::ActionPlayed {
                seat,
                action,
                received,
                remaining,
                thinking,
                ..
            } => {
                let since = self.last.unwrap_or(time);
                let thought = received.unwrap_or(time).since(since);
                self.acted(seat, action, (thought, remaining), thinking);
            }
            MatchEvent::GameEnded { winner, points, .. } => {
                self.game_ended(RecordOutcome { winner, points }, facts.score);
            }
            MatchEvent::MatchEnded { outcome, .. } => self.ended(End {
                winner: outcome.winner,
                termination: Ending::By(outcome.termination),
                failure: outcome
                    .failure
                    .map(dragontooth_service_vocabulary::FailureText::into_string),
                time: system_time(time),
            }),
        }
        self.last = Some(time);
    }
}
