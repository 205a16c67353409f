use super::notation::side;
use super::{Colour, HOME_ROW, Rank, Square};
use crate::{IllegalAction, Seat, counted};

/// The reason why an action is refused: one variant for each rule, with the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// M7, M8: the game has ended.
    #[error("the game is over: {} has won", side(*winner))]
    GameOver {
        /// The winner.
        winner: Seat,
        /// The reason of the outcome.
        reason: &'static str,
    },
    /// M6: the tower to move is blocked, so the turn passes without a choice.
    #[error("the {colour} tower on {square} cannot move: {}'s turn passes", side(*seat))]
    Blocked {
        /// The seat whose turn passes.
        seat: Seat,
        /// The colour of the tower to move.
        colour: Colour,
        /// Its square.
        square: Square,
    },
    /// A1: the refill is chosen before a tower moves.
    #[error("{} must choose left or right before the game begins", side(*chooser))]
    RefillDue {
        /// The seat that must choose.
        chooser: Seat,
    },
    /// A1: `left` and `right` are choices between two games.
    #[error("the home rows are refilled between games, not during one")]
    NoRefillNow,
    /// T1: any tower may move, but there is none here.
    #[error("there is no tower on {from}")]
    NoTower {
        /// The from-square.
        from: Square,
    },
    /// T1: any tower of one's own may move, but this one is the opponent's.
    #[error("the {colour} tower on {from} is {}'s", side(*owner))]
    OpponentsTower {
        /// The from-square.
        from: Square,
        /// The colour of the tower on it.
        colour: Colour,
        /// The owner of the tower.
        owner: Seat,
    },
    /// T2: a different tower must move.
    #[error("{} must move the {required} tower on {square}, not {}", side(*seat), found(*from, *standing))]
    WrongTower {
        /// The seat to move.
        seat: Seat,
        /// The required colour.
        required: Colour,
        /// The square of the tower of that colour.
        square: Square,
        /// The from-square.
        from: Square,
        /// The tower on the from-square, if any.
        standing: Option<(Seat, Colour)>,
    },
    /// M5: a tower that can move must leave its square.
    #[error("the tower on {square} can move, so it must move at least one square")]
    NoStep {
        /// The from-square, which is also the to-square.
        square: Square,
    },
    /// M1: towers never move backwards.
    #[error("towers move forward: {from} to {to} is backwards for {}", side(*seat))]
    Backwards {
        /// The seat to move.
        seat: Seat,
        /// The from-square.
        from: Square,
        /// The to-square.
        to: Square,
    },
    /// M1: towers never move sideways.
    #[error("towers move forward: {from} to {to} is sideways")]
    Sideways {
        /// The from-square.
        from: Square,
        /// The to-square.
        to: Square,
    },
    /// M1: towers move in straight lines.
    #[error("towers move straight or diagonally: {from} to {to} is neither")]
    Crooked {
        /// The from-square.
        from: Square,
        /// The to-square.
        to: Square,
    },
    /// S1, DS1, TS1: a tower with teeth has a shorter range.
    #[error("a {rank} moves at most {}: {from} to {to} is {squares}", range(*rank))]
    TooFar {
        /// The from-square.
        from: Square,
        /// The to-square.
        to: Square,
        /// The tower's rank.
        rank: Rank,
        /// The distance in squares.
        squares: u8,
    },
    /// M2: no tower may be in the way.
    #[error("a tower on {at} is in the way")]
    PathBlocked {
        /// The first occupied square on the way.
        at: Square,
    },
    /// M3: a move ends on an empty square.
    #[error("{to} is occupied")]
    Occupied {
        /// The to-square.
        to: Square,
    },
    /// S4, DS4, TS4: pushes go straight ahead.
    #[error("{to} is occupied, and a {rank} pushes only straight ahead, never diagonally")]
    DiagonalPush {
        /// The to-square.
        to: Square,
        /// The rank of the pushing tower.
        rank: Rank,
    },
    /// S5, DS5, TS5: the square behind the line must be empty.
    #[error("the square behind the line, {behind}, is occupied")]
    NoRoomBehind {
        /// The square behind the line.
        behind: Square,
        /// The rank of the pushing tower.
        rank: Rank,
    },
    /// S6, DS6, TS6: no tower is pushed off its home row.
    #[error("the tower on {at} is on its home row and cannot be pushed off the board")]
    PushOffBoard {
        /// Its square.
        at: Square,
        /// The rank of the pushing tower.
        rank: Rank,
    },
    /// S7, DS7, TS7: the line is too long.
    #[error("a {rank} pushes at most {}: the one on {at} is one too many", towers(*rank))]
    TooManyTowers {
        /// The square of the first tower that is too many.
        at: Square,
        /// The rank of the pushing tower.
        rank: Rank,
    },
    /// S8, DS8, TS8: only towers of lower rank are pushed.
    #[error("a {rank} pushes only towers of lower rank: there is a {pushed} on {at}")]
    NotLower {
        /// The square of the tower that cannot be pushed.
        at: Square,
        /// Its rank.
        pushed: Rank,
        /// The rank of the pushing tower.
        rank: Rank,
    },
    /// S9: a side does not push its own towers.
    #[error("the tower on {at} is {}'s own and cannot be pushed", side(*seat))]
    OwnTower {
        /// The seat to move.
        seat: Seat,
        /// The square of that tower.
        at: Square,
    },
}

impl IllegalAction for Illegal {
    fn rule(&self) -> &'static str {
        match self {
            Self::GameOver { reason, .. } => {
                if *reason == HOME_ROW {
                    "M7"
                } else {
                    "M8"
                }
            }
            Self::Blocked { .. } => "M6",
            Self::RefillDue { .. } | Self::NoRefillNow => "A1",
            Self::NoTower { .. } | Self::OpponentsTower { .. } => "T1",
            Self::WrongTower { .. } => "T2",
            Self::NoStep { .. } => "M5",
            Self::Backwards { .. } | Self::Sideways { .. } | Self::Crooked { .. } => "M1",
            Self::TooFar { rank, .. } => of_rank(*rank, ["S1", "DS1", "TS1"]),
            Self::PathBlocked { .. } => "M2",
            Self::Occupied { .. } => "M3",
            Self::DiagonalPush { rank, .. } => of_rank(*rank, ["S4", "DS4", "TS4"]),
            Self::NoRoomBehind { rank, .. } => of_rank(*rank, ["S5", "DS5", "TS5"]),
            Self::PushOffBoard { rank, .. } => of_rank(*rank, ["S6", "DS6", "TS6"]),
            Self::TooManyTowers { rank, .. } => of_rank(*rank, ["S7", "DS7", "TS7"]),
            Self::NotLower { rank, .. } => of_rank(*rank, ["S8", "DS8", "TS8"]),
            Self::OwnTower { .. } => "S9",
        }
    }
}

/// The label of a rule for towers of this rank. These rules do not apply to plain towers.
const fn of_rank(rank: Rank, labels: [&'static str; 3]) -> &'static str {
    let [sumo, double, triple] = labels;
    match rank {
        Rank::Plain | Rank::Sumo => sumo,
        Rank::Double => double,
        Rank::Triple => triple,
    }
}

fn found(from: Square, standing: Option<(Seat, Colour)>) -> String {
    match standing {
        Some((seat, colour)) => format!("{}'s {colour} tower on {from}", side(seat)),
        None => format!("one on {from}, which is empty"),
    }
}

fn range(rank: Rank) -> String {
    counted(rank.range(), "square").to_string()
}

fn towers(rank: Rank) -> String {
    counted(rank.pushes(), "tower").to_string()
}
