//! The list of all games. A new game is a folder and one line here.
//!
//! ```
//! use dragontooth_games::catalogue;
//! use dragontooth_games::chance::Draws;
//! use dragontooth_games::match_play::Step;
//!
//! let kamisado = catalogue::find("kamisado")?;
//! let mut play = kamisado.new_match(Some("standard"), 3)?;
//! let opening = play.deal(&mut Draws::from_text("a seed").deal(1));
//! play.begin_game(&opening)?;
//! play.play("a1a7")?;
//! assert!(matches!(play.step(), Step::Decide(_)));
//!
//! assert_eq!(
//!     catalogue::find("chess").unwrap_err().to_string(),
//!     "unknown game \"chess\"; expected one of kamisado, linja, tzaar, backgammon"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::analysis::{self, Analysis, AnalysisError, Division, Question, Start};
use crate::match_play::{Match, Target, Targets, TypedMatch, Variant, find_variant};
use crate::record::RecordFormat;
use crate::{MatchPlay, UnknownName, backgammon, kamisado, linja, tzaar};

/// Every game, in the order in which they are listed. Databases hold the places of games in it, so a new one goes to the end.
pub const GAMES: &[Game] = &[
    Game::of::<kamisado::Position>(),
    Game::of::<linja::Position>(),
    Game::of::<tzaar::Position>(),
    Game::of::<backgammon::Position>(),
];

/// Finds a game by its name.
///
/// # Errors
///
/// No game has this name.
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

/// A game of the catalogue, with its type erased.
#[derive(Debug)]
pub struct Game {
    /// Its name, lower case: `kamisado`.
    pub name: &'static str,
    /// Its display name: `Kamisado`.
    pub title: &'static str,
    /// The record formats of other programs that this game can be written in or read from.
    pub formats: &'static [RecordFormat],
    variants: fn() -> Vec<VariantInfo>,
    find_variant: fn(&str) -> Result<VariantInfo, UnknownName>,
    new_match: NewMatch,
    capped: fn(&str, u32) -> Option<&'static str>,
    analyze: fn(&Question<'_>) -> Result<Analysis, AnalysisError>,
    divide: fn(&Start<'_>, u32) -> Result<Division, AnalysisError>,
}

type NewMatch = fn(Option<&str>, u32) -> Result<Box<dyn Match>, SetupError>;

/// A variant of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantInfo {
    /// Its name, lower case.
    pub name: &'static str,
    /// One sentence that describes it.
    pub summary: &'static str,
    /// The number of points a match may be played to.
    pub targets: Targets,
}

/// The reason why a match cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The game has no such variant.
    #[error(transparent)]
    UnknownVariant(#[from] UnknownName),
    /// The variant is not played to that many points.
    #[error("{game} ({variant}) is played to {allowed}, not {points}")]
    BadTarget {
        /// The game.
        game: &'static str,
        /// The variant.
        variant: &'static str,
        /// The requested number of points.
        points: u32,
        /// The allowed numbers of points.
        allowed: Targets,
    },
}

impl Game {
    /// Returns the target of a match for which none is named: `usual`, or that of a variant with a single one.
    ///
    /// ```
    /// use dragontooth_games::catalogue;
    ///
    /// let backgammon = catalogue::find("backgammon")?;
    /// assert_eq!(backgammon.default_target(None, 3), 3);
    /// assert_eq!(backgammon.default_target(Some("money_64"), 3), 1);
    /// # Ok::<(), dragontooth_games::UnknownName>(())
    /// ```
    #[must_use]
    pub fn default_target(&self, variant: Option<&str>, usual: u32) -> u32 {
        let variant = match variant {
            Some(name) => self.variant(name).ok(),
            None => self.variants().into_iter().next(),
        };
        match variant.map(|variant| variant.targets) {
            Some(Targets {
                usual: &[only],
                max: None,
            }) => only,
            _ => usual,
        }
    }

    const fn of<P: MatchPlay>() -> Self {
        Self {
            name: P::NAME,
            title: P::TITLE,
            formats: P::FORMATS,
            variants: variants::<P>,
            find_variant: variant::<P>,
            new_match: new_match::<P>,
            capped: capped::<P>,
            analyze: analysis::analyze::<P>,
            divide: analysis::divide::<P>,
        }
    }

    /// Its variants, the default first.
    #[must_use]
    pub fn variants(&self) -> Vec<VariantInfo> {
        (self.variants)()
    }

    /// Finds a variant by its name, also one that [`variants`](Self::variants) leaves out because it differs from another in its
    /// highest cube alone.
    ///
    /// # Errors
    ///
    /// The game has no variant of this name.
    ///
    /// ```
    /// use dragontooth_games::catalogue;
    ///
    /// let backgammon = catalogue::find("backgammon")?;
    /// assert_eq!(backgammon.find_variant("money_64")?, "money_64");
    /// assert!(backgammon.find_variant("random").is_err());
    /// # Ok::<(), dragontooth_games::UnknownName>(())
    /// ```
    pub fn find_variant(&self, name: &str) -> Result<&'static str, UnknownName> {
        self.variant(name).map(|variant| variant.name)
    }

    /// Describes a variant, also one that [`variants`](Self::variants) leaves out.
    ///
    /// # Errors
    ///
    /// The game has no variant of this name.
    pub fn variant(&self, name: &str) -> Result<VariantInfo, UnknownName> {
        (self.find_variant)(name)
    }

    /// Creates a match in which no game has been played. `None` selects the default variant.
    ///
    /// # Errors
    ///
    /// The game has no such variant, or the variant is not played to that many points.
    pub fn new_match(
        &self,
        variant: Option<&str>,
        points: u32,
    ) -> Result<Box<dyn Match>, SetupError> {
        (self.new_match)(variant, points)
    }

    /// The name of a variant with this highest cube; `None` if the game has no such variant, the variant no cube
    /// that can be limited, or the cube no such value.
    ///
    /// ```
    /// use dragontooth_games::catalogue;
    ///
    /// let backgammon = catalogue::find("backgammon")?;
    /// assert_eq!(backgammon.capped("money", 64), Some("money_64"));
    /// assert_eq!(backgammon.capped("standard", 64), None);
    /// # Ok::<(), dragontooth_games::UnknownName>(())
    /// ```
    #[must_use]
    pub fn capped(&self, variant: &str, max_cube: u32) -> Option<&'static str> {
        (self.capped)(variant, max_cube)
    }

    /// Answers a question about a position.
    ///
    /// # Errors
    ///
    /// Part of the question cannot be read or breaks a rule.
    pub fn analyze(&self, question: &Question<'_>) -> Result<Analysis, AnalysisError> {
        (self.analyze)(question)
    }

    /// Counts the lines of play of exactly `depth` steps for each legal action: see
    /// [`perft`](crate::perft).
    ///
    /// # Errors
    ///
    /// The variant or the position of `start` is invalid.
    pub fn divide(&self, start: &Start<'_>, depth: u32) -> Result<Division, AnalysisError> {
        (self.divide)(start, depth)
    }
}

fn variants<P: MatchPlay>() -> Vec<VariantInfo> {
    P::Variant::ALL.iter().copied().map(info::<P>).collect()
}

fn variant<P: MatchPlay>(name: &str) -> Result<VariantInfo, UnknownName> {
    find_variant::<P>(Some(name)).map(info::<P>)
}

fn info<P: MatchPlay>(variant: P::Variant) -> VariantInfo {
    VariantInfo {
        name: variant.name(),
        summary: variant.summary(),
        targets: P::targets(variant),
    }
}

fn capped<P: MatchPlay>(variant: &str, max_cube: u32) -> Option<&'static str> {
    let capped = P::Variant::find(variant)?.capped(max_cube)?;
    Some(capped.name())
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
