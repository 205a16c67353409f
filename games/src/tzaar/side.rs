use crate::Seat;

/// The name of a seat's side in this game.
pub(super) const fn side(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "White",
        Seat::Second => "Black",
    }
}
