//! The one list of the games: a new game is a folder and a line here.

use crate::MatchPlay;
use crate::analysis::{self, Analysis, AnalysisError, Division, Question, Start};
use crate::match_play::{Match, Target, TypedMatch, Variant};
use crate::{kamisado, linja, tzaar};

/// Every game, in the order in which they are listed.
pub const GAMES: &[Game] = &[
    Game::of::<kamisado::Position>(),
    Game::of::<linja::Position>(),
    Game::of::<tzaar::Position>(),
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

/// A name that the catalogue does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} {name:?}; there is {}", known.join(", "))]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    known: Vec<&'static str>,
}

/// A game of the catalogue with its type erased.
#[derive(Debug)]
pub struct Game {
    /// Its name, lower case: `kamisado`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The points that a match may be played to, ascending.
    pub targets: &'static [u32],
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
}

/// Why a match cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The game has no such variant.
    #[error(transparent)]
    UnknownVariant(#[from] UnknownName),
    /// The game is not played to so many points.
    #[error(
        "a match of {game} is played to {}, not to {points} points",
        list(allowed)
    )]
    BadTarget {
        /// The game.
        game: &'static str,
        /// What was asked for.
        points: u32,
        /// What may be asked for.
        allowed: &'static [u32],
    },
}

impl Game {
    const fn of<P: MatchPlay>() -> Self {
        Self {
            name: P::NAME,
            title: P::TITLE,
            targets: P::TARGETS,
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
    };
    P::Variant::ALL.iter().map(info).collect()
}

pub(crate) fn variant<P: MatchPlay>(name: Option<&str>) -> Result<P::Variant, UnknownName> {
    let all = P::Variant::ALL;
    let Some(name) = name else {
        return Ok(all[0]);
    };
    all.iter()
        .copied()
        .find(|variant| variant.name() == name)
        .ok_or_else(|| UnknownName {
            kind: "variant",
            name: name.to_owned(),
            known: all.iter().map(|variant| variant.name()).collect(),
        })
}

fn new_match<P: MatchPlay>(name: Option<&str>, points: u32) -> Result<Box<dyn Match>, SetupError> {
    let variant = variant::<P>(name)?;
    let target = Target::new::<P>(points).ok_or(SetupError::BadTarget {
        game: P::NAME,
        points,
        allowed: P::TARGETS,
    })?;
    Ok(Box::new(TypedMatch::<P>::new(variant, target)))
}

fn list(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
