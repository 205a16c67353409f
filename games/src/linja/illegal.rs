use super::notation::side;
use super::{ROW_CAPACITY, Row};
use crate::{IllegalAction, Seat, counted};

/// The reason why an action is refused: one variant for each rule, with the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// `game_over`: the game has ended.
    #[error("the game is over: {}", result(*winner))]
    GameOver {
        /// The winner. `None` if the game is drawn.
        winner: Option<Seat>,
    },
    /// `pass`: the seat has no first move, so its turn passes without a choice.
    #[error("{} has no first move: the turn passes", side(*seat))]
    PassDue {
        /// The seat whose turn passes.
        seat: Seat,
    },
    /// `no_piece`: the from-row is empty.
    #[error("row {from} is empty")]
    NoPiece {
        /// The from-row.
        from: Row,
    },
    /// `own_piece`: all pieces on the from-row are the opponent's.
    #[error("row {from} has none of {}'s pieces, only {}'s", side(*seat), side(seat.other()))]
    OpponentsPiece {
        /// The seat to move.
        seat: Seat,
        /// The from-row.
        from: Row,
    },
    /// `frozen`: a piece on its target row stays there.
    #[error("row {from} is {}'s target row: pieces stay there", side(*seat))]
    Frozen {
        /// The seat to move.
        seat: Seat,
        /// The from-row.
        from: Row,
    },
    /// `forward`: pieces move only forward.
    #[error("pieces move forward: {from} to {to} is {} for {}", backwards(*from, *to), side(*seat))]
    NotForward {
        /// The seat to move.
        seat: Seat,
        /// The from-row.
        from: Row,
        /// The to-row.
        to: Row,
    },
    /// `first_move`: the first move of a turn is one step.
    #[error("the first move of a turn is one step: {from} to {to} is {steps}")]
    NotOneStep {
        /// The from-row.
        from: Row,
        /// The to-row.
        to: Row,
        /// The number of steps of the action.
        steps: u8,
    },
    /// `second_move`: the second move has the number of steps that the first one earned.
    #[error("the second move is {}: from row {from} it ends on row {target}, not {to}", steps_of(*steps))]
    WrongSteps {
        /// The from-row.
        from: Row,
        /// The to-row.
        to: Row,
        /// The number of steps of this second move.
        steps: u8,
        /// The row on which it ends.
        target: Row,
    },
    /// `full_row`: a piece cannot enter a full row.
    #[error("row {to} is full: it has {ROW_CAPACITY} pieces")]
    FullRow {
        /// The to-row.
        to: Row,
    },
}

impl IllegalAction for Illegal {
    fn rule(&self) -> &'static str {
        match self {
            Self::GameOver { .. } => "game_over",
            Self::PassDue { .. } => "pass",
            Self::NoPiece { .. } => "no_piece",
            Self::OpponentsPiece { .. } => "own_piece",
            Self::Frozen { .. } => "frozen",
            Self::NotForward { .. } => "forward",
            Self::NotOneStep { .. } => "first_move",
            Self::WrongSteps { .. } => "second_move",
            Self::FullRow { .. } => "full_row",
        }
    }
}

fn result(winner: Option<Seat>) -> String {
    match winner {
        Some(seat) => format!("{} has won", side(seat)),
        None => "it is drawn".to_owned(),
    }
}

fn backwards(from: Row, to: Row) -> &'static str {
    if from == to { "no step" } else { "backwards" }
}

fn steps_of(steps: u8) -> String {
    counted(steps, "step").to_string()
}
