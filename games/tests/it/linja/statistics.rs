//! Statistics of random games: loose bounds around the numbers on the rules page.

use dragontooth_games::linja::{Due, Position, Row};
use dragontooth_games::{Position as _, Seat, Turn};

use crate::play::in_bounds;
use crate::strategies::Choices;

const GAMES: u32 = 20_000;

#[derive(Default)]
struct Counts {
    moves: u32,
    turns: u32,
    extra_turns: u32,
    games_with_a_pass: u32,
    games_with_a_lapse: u32,
    drawn_games: u32,
}

#[test]
fn random_games_match_the_rules_page() {
    let mut counts = Counts::default();
    let mut choices = Choices::new(3);
    for _ in 0..GAMES {
        play(&mut choices, &mut counts);
    }
    let in_a_game = |count: u32| f64::from(count) / f64::from(GAMES);
    let in_1000 = |count: u32| 1_000.0 * in_a_game(count);
    let figures = [
        ("moves", in_a_game(counts.moves), 82.0..88.0),
        ("turns", in_a_game(counts.turns), 40.0..44.0),
        ("extra turns", in_a_game(counts.extra_turns), 4.5..5.5),
        (
            "games with a pass",
            in_1000(counts.games_with_a_pass),
            5.0..12.0,
        ),
        (
            "games with a lapse",
            in_1000(counts.games_with_a_lapse),
            7.0..15.0,
        ),
        ("drawn games", in_1000(counts.drawn_games), 32.0..48.0),
    ];
    in_bounds(&figures);
}

fn play(choices: &mut Choices, counts: &mut Counts) {
    let mut position = Position::start(Seat::First);
    let mut last = None;
    let (mut passed, mut lapsed) = (false, false);
    loop {
        match position.turn() {
            Turn::Chance => panic!("nothing is rolled in this game"),
            Turn::Pass(_) => {
                passed = true;
                position.pass();
            }
            Turn::Over(outcome) => {
                counts.games_with_a_pass += u32::from(passed);
                counts.games_with_a_lapse += u32::from(lapsed);
                counts.drawn_games += u32::from(outcome.winner.is_none());
                return;
            }
            Turn::Decide(seat) => {
                counts.moves += 1;
                counts.turns += u32::from(last != Some(seat));
                last = Some(seat);
                let actions = position.legal_actions();
                let action = actions[choices.below(actions.len())];
                let earned = position.due() == Due::First && earns(&position, action.to);
                let was_extra = position.is_extra_turn();
                position.play_unchecked(action);
                let is_over = matches!(position.turn(), Turn::Over(_));
                lapsed |= earned && !is_over && position.to_move() != seat;
                counts.extra_turns += u32::from(!was_extra && position.is_extra_turn());
            }
        }
    }
}

/// Returns true if a first move onto this row earns a second one.
fn earns(position: &Position, to: Row) -> bool {
    let standing: u8 = Seat::BOTH
        .into_iter()
        .map(|seat| position.count(seat, to))
        .sum();
    standing > 0 || to.seen_by(position.to_move()) == 7
}
