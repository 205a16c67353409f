use std::cmp::Ordering;
use std::fmt;

use super::{Targets, Variant};
use crate::chance::Chance;
use crate::record::Format;
use crate::{GameOutcome, Position, Seat};

/// How the games of a match follow each other.
pub trait MatchPlay: Position {
    /// The game's name in the catalogue, lower case: `kamisado`.
    const NAME: &'static str;
    /// The game's name for people.
    const TITLE: &'static str;
    /// The records of other programs that the game is written to and read from.
    const FORMATS: &'static [Format] = &[];
    /// Whether [`perft`](crate::perft) counts a pass as a step of its own.
    const PASS_IS_A_STEP: bool;

    /// A way to start the game.
    type Variant: Variant;

    /// The points that a match may be played to.
    #[must_use]
    fn targets(variant: Self::Variant) -> Targets {
        let _ = variant;
        Targets::STANDARD
    }

    /// The position that opens a match.
    fn first_game(variant: Self::Variant, target: Target, chance: &mut dyn Chance) -> Self;

    /// The position that opens the game after this one, which is over. A choice between the games
    /// is the first decision in it.
    #[must_use]
    fn next_game(&self, finished: &Finished<Self::Variant>, chance: &mut dyn Chance) -> Self;

    /// Whether the seats have each other's side in the game of this number, from 1: then seat first
    /// of the match is [`Seat::Second`] in the game's positions, and the other way round.
    #[must_use]
    fn sides_are_swapped(game_number: u32) -> bool {
        let _ = game_number;
        false
    }

    /// The most games that a match may have, for games that may be drawn. After them the seat with
    /// more points wins, and equal points are a drawn match. None if nothing but the target ends a
    /// match.
    #[must_use]
    fn games_max(target: Target) -> Option<u32> {
        let _ = target;
        None
    }
}

/// What is known when a game has ended and the match goes on. Its seats are those of the game's
/// positions.
#[derive(Clone, Copy, Debug)]
pub struct Finished<V> {
    /// How the game ended.
    pub outcome: GameOutcome,
    /// The seat that had the first turn.
    pub opener: Seat,
    /// Its number in the match, from 1.
    pub game_number: u32,
    /// The variant of the match.
    pub variant: V,
    /// The points that end the match.
    pub target: Target,
    /// The points of the match with those of this game.
    pub score: Score,
}

/// The points that end a match: the first seat with at least so many wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target(u32);

impl Target {
    /// A target that a variant of the game `P` allows.
    #[must_use]
    pub fn new<P: MatchPlay>(variant: P::Variant, points: u32) -> Option<Self> {
        P::targets(variant).allow(points).then_some(Self(points))
    }

    /// The least of the usual targets of a variant of the game `P`.
    #[must_use]
    pub fn least<P: MatchPlay>(variant: P::Variant) -> Self {
        Self(P::targets(variant).usual[0])
    }

    /// The number of points.
    #[must_use]
    pub const fn points(self) -> u32 {
        self.0
    }
}

/// The points of both seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score([u32; 2]);

impl Score {
    /// No points yet.
    pub const ZERO: Self = Self([0; 2]);

    /// The points of `seat`.
    #[must_use]
    pub const fn of(self, seat: Seat) -> u32 {
        self.0[seat.index()]
    }

    /// The same points with the seats changed.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self([self.0[1], self.0[0]])
    }

    /// The seat with more points; none if they are equal.
    #[must_use]
    pub fn leader(self) -> Option<Seat> {
        match self.0[0].cmp(&self.0[1]) {
            Ordering::Greater => Some(Seat::First),
            Ordering::Less => Some(Seat::Second),
            Ordering::Equal => None,
        }
    }

    pub(super) fn add(&mut self, seat: Seat, points: u32) {
        self.0[seat.index()] += points;
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0[0], self.0[1])
    }
}

/// Who won a match that was played to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchOutcome {
    /// The winner; none if the match is drawn.
    pub winner: Option<Seat>,
}
