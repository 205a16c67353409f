//! The one list of the games: a new game is a folder and a line here.

use crate::analysis::{self, Analysis, AnalysisError, Division, Question, Start};
use crate::match_play::{Match, Target, Targets, TypedMatch, Variant, find_variant};
use crate::record::Format;
use crate::{MatchPlay, UnknownName, backgammon, kamisado, linja, tzaar};

/// Every game, in the order in which they are listed.
pub const GAMES: &[Game] = &[
    Game::of::<kamisado::Position>(),
    Game::of::<linja::Position>(),
    Game::of::<tzaar::Position>(),
    Game::of::<backgammon::Position>(),
];

/// The game called `name`.
///
/// # Errors
///
/// There is none of that name.
pub fn find(name: &str) -> Result<&'static Game, UnknownName> {
    GAMES
        .iter()
        .find(|game| game.name == name)
        .ok_or_else(|| UnknownName {
            kind: "game",
            name: name.to_owned(),
            known: GAMES.iter().map(|game| game.name).collect(),
        })
}

/// A game of the catalogue with its type erased.
#[derive(Debug)]
pub struct Game {
    /// Its name, lower case: `kamisado`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The records of other programs that it is written to and read from.
    pub formats: &'static [Format],
    variants: fn() -> Vec<VariantInfo>,
    new_match: NewMatch,
    analyse: fn(&Question<'_>) -> Result<Analysis, AnalysisError>,
    divide: fn(&Start<'_>, u32) -> Result<Division, AnalysisError>,
}

type NewMatch = fn(Option<&str>, u32) -> Result<Box<dyn Match>, SetupError>;

/// A variant of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantInfo {
    /// Its name, lower case.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// The points that a match may be played to.
    pub targets: Targets,
}

/// Why a match cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The game has no such variant.
    #[error(transparent)]
    UnknownVariant(#[from] UnknownName),
    /// The game is not played to so many points.
    #[error("a match of {game} ({variant}) is played to {allowed}, not to {points} points")]
    BadTarget {
        /// The game.
        game: &'static str,
        /// The variant.
        variant: &'static str,
        /// What was asked for.
        points: u32,
        /// What may be asked for.
        allowed: Targets,
    },
}

impl Game {
    const fn of<P: MatchPlay>() -> Self {
        Self {
            name: P::NAME,
            title: P::TITLE,
            formats: P::FORMATS,
            variants: variants::<P>,
            new_match: new_match::<P>,
            analyse: analysis::analyse::<P>,
            divide: analysis::divide::<P>,
        }
    }

    /// Its variants, the default first.
    #[must_use]
    pub fn variants(&self) -> Vec<VariantInfo> {
        (self.variants)()
    }

    /// A match with no game played. No variant is the default one.
    ///
    /// # Errors
    ///
    /// The game has no such variant or is not played to so many points.
    pub fn new_match(
        &self,
        variant: Option<&str>,
        points: u32,
    ) -> Result<Box<dyn Match>, SetupError> {
        (self.new_match)(variant, points)
    }

    /// Answers a question about a position.
    ///
    /// # Errors
    ///
    /// What in the question cannot be read or is against the rules.
    pub fn analyse(&self, question: &Question<'_>) -> Result<Analysis, AnalysisError> {
        (self.analyse)(question)
    }

    /// Counts the lines of exactly `depth` steps for each legal action: see
    /// [`perft`](crate::perft).
    ///
    /// # Errors
    ///
    /// The start cannot be read.
    pub fn divide(&self, start: &Start<'_>, depth: u32) -> Result<Division, AnalysisError> {
        (self.divide)(start, depth)
    }
}

fn variants<P: MatchPlay>() -> Vec<VariantInfo> {
    let info = |v: &P::Variant| VariantInfo {
        name: v.name(),
        summary: v.summary(),
        targets: P::targets(*v),
    };
    P::Variant::ALL.iter().map(info).collect()
}

fn new_match<P: MatchPlay>(name: Option<&str>, points: u32) -> Result<Box<dyn Match>, SetupError> {
    let variant = find_variant::<P>(name)?;
    let target = Target::new::<P>(variant, points).ok_or_else(|| SetupError::BadTarget {
        game: P::NAME,
        variant: variant.name(),
        points,
        allowed: P::targets(variant),
    })?;
    Ok(Box::new(TypedMatch::<P>::new(variant, target)))
}
