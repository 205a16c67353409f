use dragontooth_games::match_play::{Match, Step};

use crate::deal::deal;
use crate::{Event, MatchState, Termination};

/// Plays all that follows without a decision: passes, scores, the start of the next game, the end.
pub(super) fn go_on(state: &MatchState, mut play: Box<dyn Match>, events: &mut Vec<Event>) {
    let fits = "the step is the one that the match wants";
    loop {
        match play.step() {
            Step::Decide(_) => return,
            Step::Pass(seat) => {
                play.pass().expect(fits);
                events.push(Event::TurnPassed { seat });
            }
            Step::Score(outcome) => {
                play.score_game().expect(fits);
                events.push(Event::GameEnded {
                    winner: outcome.winner,
                    points: outcome.points,
                    reason: outcome.reason.to_owned(),
                });
            }
            Step::Deal => {
                let number = play.game_number() + 1;
                let position = deal(&*play, &state.created().seed).position;
                play.begin_game(&position)
                    .expect("a position that was dealt can be read");
                events.push(Event::GameStarted { number, position });
            }
            Step::Over(outcome) => {
                events.push(Event::MatchEnded {
                    winner: outcome.winner,
                    termination: Termination::Normal,
                    request_id: None,
                });
                return;
            }
        }
    }
}
