use crate::Seat;

/// What has to happen next in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This seat chooses one of its legal actions; there is at least one.
    Decide(Seat),
    /// This seat has no legal action and its turn passes; that is never a player's choice.
    Pass(Seat),
    /// Chance gives a roll: see [`Position::roll`](crate::Position::roll).
    Chance,
    /// The game is over.
    Over(GameOutcome),
}

/// How a game ended by its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOutcome {
    /// The winner; none if the game is drawn.
    pub winner: Option<Seat>,
    /// Match points that the game is worth to the winner; 0 if it is drawn.
    pub points: u32,
    /// The rule that ended the game, as a word in snake case: `home_row`.
    pub reason: &'static str,
}
