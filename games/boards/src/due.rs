use dragontooth_games::{Seat, Turn};

/// Returns the status of a position in words. `decision` returns the text for the side to decide.
pub(super) fn due(
    turn: Turn,
    sides: [&'static str; 2],
    decision: impl FnOnce(&'static str) -> String,
) -> String {
    let side = |seat: Seat| sides[seat.index()];
    match turn {
        Turn::Over(outcome) => match outcome.winner {
            Some(seat) => format!("{} wins the game", side(seat)),
            None => "the game is drawn".to_owned(),
        },
        Turn::Pass(seat) => format!("{} cannot move and passes", side(seat)),
        Turn::Chance => String::new(),
        Turn::Decide(seat) => decision(side(seat)),
    }
}
