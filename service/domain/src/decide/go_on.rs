use std::cell::LazyCell;

use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_service_vocabulary::{MatchEvent, MatchOutcome, Termination};

use crate::deal::{deal, roll};

/// Plays everything that follows without a decision: passes, rolls, scores, the start of the next
/// game, the end.
pub(super) fn go_on(
    mut play: Box<dyn Match>,
    draws: impl FnOnce() -> Draws,
    events: &mut Vec<MatchEvent>,
) {
    let draws = LazyCell::new(draws);
    let fits = "the step is the one that the match wants";
    loop {
        match play.step() {
            Step::Decide(_) => return,
            Step::Pass(seat) => {
                play.pass().expect(fits);
                events.push(MatchEvent::TurnPassed { seat });
            }
            Step::Chance => {
                let roll = play.roll(&roll(&*play, &draws)).expect(fits);
                events.push(MatchEvent::Rolled { roll });
            }
            Step::Score(outcome) => {
                play.score_game().expect(fits);
                events.push(MatchEvent::GameEnded {
                    winner: outcome.winner,
                    points: outcome.points,
                    reason: outcome.reason.to_owned(),
                });
            }
            Step::Deal => {
                let number = play.game_number() + 1;
                let position = deal(&*play, &draws).position;
                play.begin_game(&position)
                    .expect("a position that was dealt can be read");
                events.push(MatchEvent::GameStarted { number, position });
            }
            Step::Over { winner } => {
                events.push(MatchEvent::MatchEnded {
                    outcome: MatchOutcome::new(winner, Termination::Normal),
                    request_id: None,
                });
                return;
            }
        }
    }
}
