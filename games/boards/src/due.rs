use dragontooth_games::{Seat, Turn};

/// The status of a position in words. `nobody` is the text for a drawn game; `decision` returns the text
/// for the side to decide.
pub(super) fn due(
    turn: Turn,
    sides: [&'static str; 2],
    nobody: &str,
    decision: impl FnOnce(&'static str) -> String,
) -> String {
    let side = |seat: Seat| sides[seat.index()];
    match turn {
        Turn::Over(outcome) => match outcome.winner {
            Some(seat) => format!("{} wins the game", side(seat)),
            None => nobody.to_owned(),
        },
        Turn::Pass(seat) => format!("{} cannot move and passes", side(seat)),
        Turn::Chance => String::new(),
        Turn::Decide(seat) => decision(side(seat)),
    }
}
