use crate::Seat;
use crate::tzaar::{Action, Position, Variant};

/// A game as Little Golem's record has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The setup.
    pub variant: Variant,
    /// The event; may be empty.
    pub event: String,
    /// The day, as `2026-11-21`; none if it is not told.
    pub date: Option<String>,
    /// The names of White and of Black.
    pub players: [String; 2],
    /// The position in which the first of the actions is played.
    pub start: Position,
    /// The actions, passes among them.
    pub actions: Vec<Action>,
    /// The side that resigned after the last action, if one did.
    pub resigned: Option<Seat>,
}
