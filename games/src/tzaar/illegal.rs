use super::side::side;
use super::{Kind, Point};
use crate::{IllegalAction, Seat};

/// Why an action is refused: a variant for each rule, with the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// `game_over`: the game has ended.
    #[error("the game is over: {} has won", side(*winner))]
    GameOver {
        /// Who has won.
        winner: Seat,
    },
    /// `placement`: the pieces are placed before anything else is done.
    #[error("{} places a piece: the game begins when all pieces are placed", side(*seat))]
    PlacementDue {
        /// Who places.
        seat: Seat,
    },
    /// `no_placement`: no piece is placed in a game that has begun.
    #[error("all pieces are placed: the game has begun")]
    NoPlacement,
    /// `occupied`: a piece is placed on a free point.
    #[error("{at} is occupied: a piece is placed on a free point")]
    Occupied {
        /// The point.
        at: Point,
    },
    /// `supply`: a player has no more pieces of a kind than there are.
    #[error("{} has placed all {} pieces of the kind {kind}", side(*seat), kind.pieces())]
    UsedUp {
        /// Who places.
        seat: Seat,
        /// The kind.
        kind: Kind,
    },
    /// `opening`: White's first turn is one capture.
    #[error("the first turn of White is one capture: Black is to move, not the unit on {from}")]
    OpeningTurn {
        /// The point of the white unit.
        from: Point,
    },
    /// `capture_first`: the first action of a turn is no pass.
    #[error("{} captures with the first action of a turn: only the second may be a pass", side(*seat))]
    PassFirst {
        /// Whose turn it is.
        seat: Seat,
    },
    /// `stack_second`: the first action of a turn is no stacking.
    #[error("{} captures with the first action of a turn: only the second may stack", side(*seat))]
    StackFirst {
        /// Whose turn it is.
        seat: Seat,
    },
    /// `hole`: e5 is no point of play.
    #[error("e5 is the hole of the board: nothing stands there")]
    Hole,
    /// `no_unit`: nothing stands on the from-point.
    #[error("no unit stands on {from}")]
    NoUnit {
        /// The from-point.
        from: Point,
    },
    /// `own_unit`: a player moves his own units.
    #[error("the unit on {from} is {}'s, not {}'s", side(seat.other()), side(*seat))]
    EnemyUnit {
        /// Whose turn it is.
        seat: Seat,
        /// The from-point.
        from: Point,
    },
    /// `straight`: a unit moves along a line.
    #[error("no straight line leads from {from} to {to}")]
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
    #[error("the unit on {over} stands between {from} and {to}")]
    Jump {
        /// The from-point.
        from: Point,
        /// The to-point.
        to: Point,
        /// The first unit on the line.
        over: Point,
    },
    /// `empty`: no unit ends its move on an empty point.
    #[error("{to} is empty: a unit ends its move on another")]
    EmptyTarget {
        /// The to-point.
        to: Point,
    },
    /// `capture_enemy`: own units are not captured.
    #[error("the unit on {to} is {}'s own: it cannot be captured", side(*seat))]
    CaptureOwn {
        /// Whose turn it is.
        seat: Seat,
        /// The to-point.
        to: Point,
    },
    /// `height`: a unit captures none that is higher.
    #[error("the unit on {to} is {enemy} high, that on {from} only {own}")]
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
    /// `stack_own`: a unit goes on top of own ones only.
    #[error("the unit on {to} is {}'s: a stack has one colour", side(seat.other()))]
    StackEnemy {
        /// Whose turn it is.
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
