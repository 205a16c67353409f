use std::fmt;

use super::{Board, Cube, CubeLimit, Dice, Resignation};
use crate::Seat;

/// Maximum length of a match, in points.
pub const MATCH_LENGTH_MAX: u8 = 99;
/// Maximum score of a side in a session of money games: a GNU Backgammon match id has 15 bits for
/// it.
pub const MONEY_SCORE_MAX: u16 = 32_767;

/// The complete state of one game of backgammon: the board, the mover, what is due, the cube, and
/// the match score and rules that affect the stake.
///
/// Two positions are equal if and only if their notations are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) board: Board,
    /// The seat whose turn it is, also while the opponent answers an offer. Seat first before the
    /// opening roll.
    pub(super) mover: Seat,
    pub(super) phase: Phase,
    pub(super) cube: Cube,
    pub(super) stakes: Stakes,
    /// The resignation that the mover offers or offered.
    pub(super) resigns: Option<Resignation>,
    /// True if that resignation was accepted or needed no consent.
    pub(super) resigned: bool,
    /// The highest resignation that was declined in this turn.
    pub(super) declined: Option<Resignation>,
}

/// The stage of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// The opening roll is due.
    Opening,
    /// The dice of the turn have not been rolled.
    Start,
    /// The mover could have doubled and chose to roll.
    Rolling,
    /// The mover has doubled.
    Doubled,
    /// The opponent dropped the double.
    Dropped,
    /// The dice are to be played.
    Moving(Dice),
}

/// The match score and the rules that affect the value of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stakes {
    /// The points that win the match; 0 for money.
    pub(super) length: u8,
    /// The points of both seats before this game.
    pub(super) score: [u16; 2],
    /// True in the Crawford game.
    pub(super) crawford: bool,
    /// True if a gammon counts only after a double. Only for money games.
    pub(super) jacoby: bool,
    /// The highest cube. Below the highest of all only for money games.
    pub(super) cube_limit: CubeLimit,
}

/// The decision or roll that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Due {
    /// Each side rolls a die; the higher one begins.
    OpeningRoll,
    /// A roll at the start of a turn.
    Roll,
    /// The mover rolls or doubles.
    RollOrDouble,
    /// The opponent takes or drops.
    TakeOrDrop,
    /// The mover plays these dice.
    Moves(Dice),
    /// The opponent accepts a resignation or declines it.
    Answer(Resignation),
    /// Nothing: the game is over.
    Nothing,
}

impl Position {
    /// The start of a game for money, before the opening roll.
    #[must_use]
    pub const fn money(jacoby: bool, cube_limit: CubeLimit) -> Self {
        Self::opening(Stakes {
            length: 0,
            score: [0, 0],
            crawford: false,
            jacoby,
            cube_limit,
        })
    }

    /// The start of a match to `length` points, before the opening roll. `None` unless `length` is
    /// from 1 to [`MATCH_LENGTH_MAX`].
    #[must_use]
    pub const fn match_start(length: u8) -> Option<Self> {
        if length == 0 || length > MATCH_LENGTH_MAX {
            return None;
        }
        Some(Self::opening(Stakes {
            length,
            score: [0, 0],
            crawford: false,
            jacoby: false,
            cube_limit: CubeLimit::HIGHEST,
        }))
    }

    pub(super) const fn opening(stakes: Stakes) -> Self {
        Self {
            board: Board::start(),
            mover: Seat::First,
            phase: Phase::Opening,
            cube: Cube::START,
            stakes,
            resigns: None,
            resigned: false,
            declined: None,
        }
    }

    /// The checkers on the board.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The seat whose turn it is, also while the other seat answers its double or resignation.
    /// `None` before the opening roll.
    #[must_use]
    pub const fn mover(&self) -> Option<Seat> {
        match self.phase {
            Phase::Opening => None,
            Phase::Start | Phase::Rolling | Phase::Doubled | Phase::Dropped | Phase::Moving(_) => {
                Some(self.mover)
            }
        }
    }

    /// The cube. While a double is offered, it shows the stake before the offer.
    #[must_use]
    pub const fn cube(&self) -> Cube {
        self.cube
    }

    /// The number of points that wins the match. `None` for money.
    #[must_use]
    pub const fn match_length(&self) -> Option<u8> {
        match self.stakes.length {
            0 => None,
            length => Some(length),
        }
    }

    /// The points of a seat before this game.
    #[must_use]
    pub const fn points(&self, seat: Seat) -> u16 {
        self.stakes.score[seat.index()]
    }

    /// Returns true in the Crawford game, in which the cube is not used.
    #[must_use]
    pub const fn is_crawford(&self) -> bool {
        self.stakes.crawford
    }

    /// Returns true if gammons count only after a double.
    #[must_use]
    pub const fn has_jacoby(&self) -> bool {
        self.stakes.jacoby
    }

    /// The highest cube of the game.
    #[must_use]
    pub const fn cube_limit(&self) -> CubeLimit {
        self.stakes.cube_limit
    }

    /// The highest resignation that was declined in this turn.
    #[must_use]
    pub const fn declined(&self) -> Option<Resignation> {
        self.declined
    }

    /// The decision or roll that is due. Returns [`Due::Moves`] even if the dice cannot be played.
    #[must_use]
    pub fn due(&self) -> Due {
        if let Some(resignation) = self.resigns {
            if self.resigned {
                return Due::Nothing;
            }
            return Due::Answer(resignation);
        }
        match self.phase {
            Phase::Opening => Due::OpeningRoll,
            Phase::Dropped => Due::Nothing,
            Phase::Start if self.board.finisher().is_some() => Due::Nothing,
            Phase::Start if self.check_double().is_ok() => Due::RollOrDouble,
            Phase::Start | Phase::Rolling => Due::Roll,
            Phase::Doubled => Due::TakeOrDrop,
            Phase::Moving(dice) => Due::Moves(dice),
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Position")
            .field(&format_args!("{self}"))
            .finish()
    }
}
