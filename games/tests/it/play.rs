//! Helpers that play actions given as text.

use dragontooth_games::kamisado::Position;
use dragontooth_games::{GameOutcome, Position as _, Seat, Turn};

pub(crate) fn position(text: &str) -> Position {
    text.parse()
        .unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// Plays `actions`, separated by spaces, with the passes that they force, and gives the position
/// and the seats that passed after the last one.
pub(crate) fn play(mut position: Position, actions: &str) -> (Position, Vec<Seat>) {
    let mut passes = settle(&mut position);
    for text in actions.split_whitespace() {
        let action = text
            .parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        position
            .play(action)
            .unwrap_or_else(|error| panic!("{text} in {position}: {error}"));
        passes = settle(&mut position);
    }
    (position, passes)
}

pub(crate) fn settle(position: &mut Position) -> Vec<Seat> {
    let mut passes = Vec::new();
    while let Turn::Pass(seat) = position.turn() {
        position.pass();
        passes.push(seat);
    }
    passes
}

/// The legal actions, separated by spaces.
pub(crate) fn legal(position: &Position) -> String {
    let words: Vec<String> = position
        .legal_actions()
        .iter()
        .map(ToString::to_string)
        .collect();
    words.join(" ")
}

pub(crate) fn outcome(position: &Position) -> GameOutcome {
    match position.turn() {
        Turn::Over(outcome) => outcome,
        Turn::Decide(_) | Turn::Pass(_) => panic!("{position} is not over"),
    }
}
