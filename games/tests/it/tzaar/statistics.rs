//! Statistics of random games: bounds around the numbers on the rules page.

use std::collections::BTreeMap;

use dragontooth_games::chance::Draws;
use dragontooth_games::tzaar::{Action, BURIED_KIND, LOST_KIND, NO_CAPTURE, Position};
use dragontooth_games::{GameOutcome, Position as _, Turn};

use crate::play::in_bounds;
use crate::strategies::Choices;

/// Enough games that chance moves the shares by less than 0.015 in all but three runs of a
/// thousand.
const GAMES: u32 = 10_000;

#[test]
fn random_games_match_the_rules_page() {
    let mut choices = Choices::new(5);
    let mut board_actions = 0;
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    for number in 0..GAMES {
        let draws = Draws::from_text(&number.to_string());
        let start = Position::random(&mut draws.deal(1));
        let (outcome, actions) = play(start, &mut choices);
        *reasons.entry(outcome.reason).or_default() += 1;
        board_actions += actions;
    }
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    let in_a_game = |count: u32| f64::from(count) / f64::from(GAMES);
    let in_100 = |reason| 100.0 * in_a_game(reasons[reason]);
    let figures = [
        ("board actions", in_a_game(board_actions), 44.0..47.0),
        (LOST_KIND, in_100(LOST_KIND), 66.0..70.5),
        (BURIED_KIND, in_100(BURIED_KIND), 22.5..26.5),
        (NO_CAPTURE, in_100(NO_CAPTURE), 6.0..8.5),
    ];
    in_bounds(&figures);
}

/// Plays a game with random actions. Returns its outcome and its numbers of captures and stackings.
fn play(mut position: Position, choices: &mut Choices) -> (GameOutcome, u32) {
    let mut board_actions = 0;
    loop {
        match position.turn() {
            Turn::Over(outcome) => return (outcome, board_actions),
            Turn::Pass(seat) => panic!("{seat} passes"),
            Turn::Chance => panic!("nothing is rolled in this game"),
            Turn::Decide(_) => {
                let actions = position.legal_actions();
                let action = actions[choices.below(actions.len())];
                board_actions += u32::from(action != Action::Pass);
                position.play_unchecked(action);
            }
        }
    }
}
