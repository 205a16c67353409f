use std::fmt;

use super::{Board, Cube, Dice, Resignation};
use crate::Seat;

/// The longest match.
pub const MATCH_LENGTH_MAX: u8 = 99;
/// The most points of a side in a row of money games: what a GNU Backgammon match id has room for.
pub const MONEY_SCORE_MAX: u16 = 32_767;

/// The complete state of one game of backgammon: the board, whose turn it is and what is due, the
/// cube, and what the match means for the stake.
///
/// Two positions are equal if their notation is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) board: Board,
    /// Whose turn it is, also while the opponent answers an offer. In the opening it is seat first.
    pub(super) mover: Seat,
    pub(super) phase: Phase,
    pub(super) cube: Cube,
    pub(super) stakes: Stakes,
    /// What the mover offers to lose.
    pub(super) resigns: Option<Resignation>,
    /// Whether that has been accepted.
    pub(super) resigned: bool,
    /// The highest offer of this turn that was declined.
    pub(super) declined: Option<Resignation>,
}

/// How far a turn has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// The opening roll is due.
    Opening,
    /// The dice of the turn have not been rolled.
    Start,
    /// The mover could have doubled and rolls.
    Rolling,
    /// The mover has doubled.
    Doubled,
    /// The opponent did not take it.
    Dropped,
    /// The dice are to be played.
    Moving(Dice),
}

/// What games and points are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stakes {
    /// The points that win the match; 0 for money.
    pub(super) length: u8,
    /// The points of both seats before this game.
    pub(super) score: [u16; 2],
    /// Whether this is the Crawford game.
    pub(super) crawford: bool,
    /// Whether a gammon counts only after a double; for money alone.
    pub(super) jacoby: bool,
}

/// What is to happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Due {
    /// Each side rolls a die to see who begins.
    OpeningRoll,
    /// The dice of a turn are rolled.
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
    pub const fn money(jacoby: bool) -> Self {
        Self::opening(Stakes {
            length: 0,
            score: [0, 0],
            crawford: false,
            jacoby,
        })
    }

    /// The start of a match to `length` points, before the opening roll; none unless it is from 1
    /// to [`MATCH_LENGTH_MAX`].
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

    /// Where the checkers stand.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Whose turn it is; none before the opening roll. It is also this seat's turn while the other
    /// answers its double or its resignation.
    #[must_use]
    pub const fn mover(&self) -> Option<Seat> {
        match self.phase {
            Phase::Opening => None,
            Phase::Start | Phase::Rolling | Phase::Doubled | Phase::Dropped | Phase::Moving(_) => {
                Some(self.mover)
            }
        }
    }

    /// The cube. While a double is offered it shows the stake before it.
    #[must_use]
    pub const fn cube(&self) -> Cube {
        self.cube
    }

    /// The points that win the match; none for money.
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

    /// Whether this is the Crawford game: the cube is not used.
    #[must_use]
    pub const fn is_crawford(&self) -> bool {
        self.stakes.crawford
    }

    /// Whether gammons count only after a double.
    #[must_use]
    pub const fn has_jacoby(&self) -> bool {
        self.stakes.jacoby
    }

    /// The highest resignation that was declined in this turn.
    #[must_use]
    pub const fn declined(&self) -> Option<Resignation> {
        self.declined
    }

    /// What is to happen next. That the dice cannot be played is not told here.
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
