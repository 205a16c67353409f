use crate::Seat;
use crate::tzaar::{Action, Position, Variant};

/// A game in the form of Little Golem's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    /// The setup.
    pub variant: Variant,
    /// The event. May be empty.
    pub event: String,
    /// The day, as `2026-11-21`. `None` if it is not given.
    pub date: Option<String>,
    /// The names of White and of Black.
    pub players: [String; 2],
    /// The position before the first action.
    pub start: Position,
    /// The actions, including passes.
    pub actions: Vec<Action>,
    /// The side that resigned after the last action, if one did.
    pub resigned: Option<Seat>,
}
