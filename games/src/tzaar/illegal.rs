use super::notation::side;
use super::{Kind, Point};
use crate::{IllegalAction, Seat};

/// The reason why an action is refused: one variant for each rule, with the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// `game_over`: the game has ended.
    #[error("the game is over: {} has won", side(*winner))]
    GameOver {
        /// The winner.
        winner: Seat,
    },
    /// `placement`: all pieces are placed before the game starts.
    #[error("{} must place a piece: the game starts when all pieces are placed", side(*seat))]
    PlacementDue {
        /// The seat that places a piece.
        seat: Seat,
    },
    /// `no_placement`: no piece is placed once the game has started.
    #[error("all pieces are placed: the game has started")]
    NoPlacement,
    /// `occupied`: a piece is placed on a free point.
    #[error("{at} is occupied: a piece must be placed on a free point")]
    Occupied {
        /// The point.
        at: Point,
    },
    /// `supply`: the player has no piece of this kind left.
    #[error("{} has placed all {} pieces of the kind {kind}", side(*seat), kind.pieces())]
    UsedUp {
        /// The seat that places a piece.
        seat: Seat,
        /// The kind.
        kind: Kind,
    },
    /// `opening`: White's first turn is one capture.
    #[error("White's first turn is one capture: Black is to move, not the unit on {from}")]
    OpeningTurn {
        /// The point of the white unit.
        from: Point,
    },
    /// `capture_first`: the first action of a turn cannot be a pass.
    #[error("{} must capture with the first action of a turn: only the second may be a pass", side(*seat))]
    PassFirst {
        /// The seat to move.
        seat: Seat,
    },
    /// `stack_second`: the first action of a turn cannot be a stacking.
    #[error("{} must capture with the first action of a turn: only the second may stack", side(*seat))]
    StackFirst {
        /// The seat to move.
        seat: Seat,
    },
    /// `hole`: e5 is the hole in the board.
    #[error("e5 is the hole in the board: no unit can be there")]
    Hole,
    /// `no_unit`: the from-point is empty.
    #[error("there is no unit on {from}")]
    NoUnit {
        /// The from-point.
        from: Point,
    },
    /// `own_unit`: a player moves only their own units.
    #[error("the unit on {from} is {}'s, not {}'s", side(seat.other()), side(*seat))]
    EnemyUnit {
        /// The seat to move.
        seat: Seat,
        /// The from-point.
        from: Point,
    },
    /// `straight`: a unit moves along a line.
    #[error("{from} and {to} are not on a line")]
    NotStraight {
        /// The from-point.
        from: Point,
        /// The to-point.
        to: Point,
    },
    /// `crossing`: no unit crosses the hole.
    #[error("the line from {from} to {to} crosses the hole, e5")]
    Crossing {
        /// The from-point.
        from: Point,
        /// The to-point.
        to: Point,
    },
    /// `jump`: a unit ends its move on the first unit on its line.
    #[error("the unit on {over} is between {from} and {to}")]
    Jump {
        /// The from-point.
        from: Point,
        /// The to-point.
        to: Point,
        /// The first unit on the line.
        over: Point,
    },
    /// `empty`: a unit cannot end its move on an empty point.
    #[error("{to} is empty: a unit must end its move on another unit")]
    EmptyTarget {
        /// The to-point.
        to: Point,
    },
    /// `capture_enemy`: a player cannot capture their own units.
    #[error("the unit on {to} is {}'s own: it cannot be captured", side(*seat))]
    CaptureOwn {
        /// The seat to move.
        seat: Seat,
        /// The to-point.
        to: Point,
    },
    /// `height`: a unit cannot capture a higher one.
    #[error("the unit on {to} is {enemy} high, the one on {from} only {own}")]
    Taller {
        /// The from-point.
        from: Point,
        /// The height of the unit there.
        own: u8,
        /// The to-point.
        to: Point,
        /// The height of the unit there.
        enemy: u8,
    },
    /// `stack_own`: a unit stacks only on units of its side.
    #[error("the unit on {to} is {}'s: a stack has one colour", side(seat.other()))]
    StackEnemy {
        /// The seat to move.
        seat: Seat,
        /// The to-point.
        to: Point,
    },
}

impl IllegalAction for Illegal {
    fn rule(&self) -> &'static str {
        match self {
            Self::GameOver { .. } => "game_over",
            Self::PlacementDue { .. } => "placement",
            Self::NoPlacement => "no_placement",
            Self::Occupied { .. } => "occupied",
            Self::UsedUp { .. } => "supply",
            Self::OpeningTurn { .. } => "opening",
            Self::PassFirst { .. } => "capture_first",
            Self::StackFirst { .. } => "stack_second",
            Self::Hole => "hole",
            Self::NoUnit { .. } => "no_unit",
            Self::EnemyUnit { .. } => "own_unit",
            Self::NotStraight { .. } => "straight",
            Self::Crossing { .. } => "crossing",
            Self::Jump { .. } => "jump",
            Self::EmptyTarget { .. } => "empty",
            Self::CaptureOwn { .. } => "capture_enemy",
            Self::Taller { .. } => "height",
            Self::StackEnemy { .. } => "stack_own",
        }
    }
}
