//! Matches without a service.

use dragontooth_games::catalogue::Game;
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::Step;

/// Plays a match to its end. `choose` answers each decision, by its position and its legal actions.
pub(crate) fn play_match(
    game: &Game,
    variant: Option<&str>,
    target: u32,
    draws: &Draws,
    mut choose: impl FnMut(&str, &[String]) -> String,
) {
    let mut play = game.new_match(variant, target).unwrap();
    loop {
        match play.step() {
            Step::Deal => {
                let position = play.deal(&mut draws.deal(play.game_number() + 1));
                play.begin_game(&position).unwrap();
            }
            Step::Pass(_) => play.pass().unwrap(),
            Step::Chance => {
                let mut chance = draws.roll(play.game_number(), play.rolls() + 1);
                let roll = play.draw(&mut chance);
                play.roll(&roll).unwrap();
            }
            Step::Score(_) => play.score_game().unwrap(),
            Step::Over { .. } => return,
            Step::Decide(_) => {
                let action = choose(&play.position().unwrap(), &play.legal_actions());
                play.play(&action).unwrap();
            }
        }
    }
}
