use crate::Seat;

/// The next step of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This seat chooses one of its legal actions; there is at least one.
    Decide(Seat),
    /// This seat has no legal action, so its turn passes. A player never chooses this.
    Pass(Seat),
    /// A roll is due: see [`Position::roll`](crate::Position::roll).
    Chance,
    /// The game is over.
    Over(GameOutcome),
}

/// The outcome of a game by its rules.
///
/// `W` is a word of the rules: `String` where it is read from a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOutcome<W = &'static str> {
    /// The winner. `None` if the game is drawn.
    pub winner: Option<Seat>,
    /// Match points for the winner; 0 if the game is drawn.
    pub points: u32,
    /// The rule that ended the game, in snake case: `home_row`.
    pub reason: W,
}
