use std::cmp::Ordering;
use std::fmt::{self, Debug};

use super::Targets;
use crate::chance::Chance;
use crate::record::RecordFormat;
use crate::{GameOutcome, Position, Seat, UnknownName};

/// The ways to start a game; the first is the default.
pub trait Variant: Copy + Eq + Debug + Send + Sync + 'static {
    /// All that the catalogue lists, the default first.
    const ALL: &'static [Self];

    /// Its name in the catalogue, lower case: `standard`.
    fn name(self) -> &'static str;

    /// One sentence that describes it.
    fn summary(self) -> &'static str;

    /// Finds a variant by its name, also one that the catalogue does not list.
    #[must_use]
    fn find(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|variant| variant.name() == name)
    }

    /// The same variant with this highest cube. `None` if it has no cube that can be limited, or not to this
    /// value.
    #[must_use]
    fn capped(self, max_cube: u32) -> Option<Self> {
        let _ = max_cube;
        None
    }
}

/// The rules by which the games of a match follow each other.
pub trait MatchPlay: Position {
    /// The game's name in the catalogue, lower case: `kamisado`.
    const NAME: &'static str;
    /// The game's display name: `Kamisado`.
    const TITLE: &'static str;
    /// The record formats of other programs that the game can be written in or read from.
    const FORMATS: &'static [RecordFormat] = &[];
    /// True if [`perft`](crate::perft) counts a forced pass as a step.
    const PASS_IS_A_STEP: bool;
    /// The action that only chooses to roll, where the seat that decides could do something else before. An
    /// opening may leave it out.
    const ROLL_CHOICE: Option<Self::Action> = None;

    /// A way to start the game.
    type Variant: Variant;

    /// The numbers of points a match may be played to.
    #[must_use]
    fn targets(variant: Self::Variant) -> Targets {
        let _ = variant;
        Targets::STANDARD
    }

    /// The position that opens a match.
    fn first_game(variant: Self::Variant, target: Target, chance: &mut dyn Chance) -> Self;

    /// This position as the start of a match, with what the match determines, such as the score, in place of its
    /// own. By default every position is a start.
    ///
    /// # Errors
    ///
    /// No match of this variant and target can be in the position, for this reason.
    fn as_start(self, variant: Self::Variant, target: Target) -> Result<Self, String> {
        let _ = (variant, target);
        Ok(self)
    }

    /// The position that opens the game after this one, which is over. If a seat chooses something
    /// between the games, that choice is the first decision of the new position.
    #[must_use]
    fn next_game(&self, finished: &FinishedGame<Self::Variant>, chance: &mut dyn Chance) -> Self;

    /// Returns true if the seats swap sides in the game with this number, from 1: seat first of the
    /// match is then [`Seat::Second`] in the game's positions, and the other way round.
    #[must_use]
    fn sides_are_swapped(game_number: u32) -> bool {
        let _ = game_number;
        false
    }

    /// The fewest points that the winner of this game gets, however it ends.
    #[must_use]
    fn least_points(&self) -> u32 {
        1
    }

    /// The maximum number of games in a match, for games that can be drawn. After that many games
    /// the seat with more points wins; equal points are a drawn match. `None` means only the target
    /// ends a match.
    #[must_use]
    fn games_max(target: Target) -> Option<u32> {
        let _ = target;
        None
    }
}

/// A finished game in a match that continues. Its seats are those of the game's positions.
#[derive(Clone, Copy, Debug)]
pub struct FinishedGame<V> {
    /// The outcome of the game.
    pub outcome: GameOutcome,
    /// The seat that had the first turn.
    pub opener: Seat,
    /// Its number in the match, from 1.
    pub game_number: u32,
    /// The variant of the match.
    pub variant: V,
    /// The number of points that wins the match.
    pub target: Target,
    /// The score of the match, including this game.
    pub score: Score,
}

/// The number of points that wins a match: the first seat to reach or pass it wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target(u32);

impl Target {
    /// Returns the target of `points` points, or `None` if the variant of the game `P` does not
    /// allow it.
    #[must_use]
    pub fn new<P: MatchPlay>(variant: P::Variant, points: u32) -> Option<Self> {
        P::targets(variant).allow(points).then_some(Self(points))
    }

    /// The smallest usual target of a variant of the game `P`.
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

    /// The score of these points, by [`Seat::index`].
    #[must_use]
    pub const fn new(points: [u32; 2]) -> Self {
        Self(points)
    }

    /// The points of `seat`.
    #[must_use]
    pub const fn of(self, seat: Seat) -> u32 {
        self.0[seat.index()]
    }

    /// The same points with the seats swapped.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self([self.0[1], self.0[0]])
    }

    /// The seat with more points. `None` if the scores are equal.
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

/// Finds a variant of the game `P` by its name. `None` is the default variant.
///
/// # Errors
///
/// The game has no such variant.
pub(crate) fn find_variant<P: MatchPlay>(name: Option<&str>) -> Result<P::Variant, UnknownName> {
    let all = P::Variant::ALL;
    let Some(name) = name else {
        return Ok(all[0]);
    };
    P::Variant::find(name).ok_or_else(|| UnknownName {
        kind: "variant",
        name: name.to_owned(),
        known: all.iter().map(|variant| variant.name()).collect(),
    })
}
