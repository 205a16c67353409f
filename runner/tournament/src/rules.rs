use dragontooth_games::UnknownName;
use dragontooth_games::catalogue::{self, SetupError};

/// What every match of an event is: a game of the catalogue, a variant of it, and the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchRules {
    game: &'static str,
    variant: &'static str,
    target: u32,
    max_plies: Option<u32>,
}

/// The most actions of a match that an event may allow: longer ones are not known.
pub const MAX_PLIES: u32 = 1_000_000;

/// Why there are no such matches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRules {
    /// The catalogue has no such game.
    #[error(transparent)]
    Game(UnknownName),
    /// The game has no such variant.
    #[error(transparent)]
    Variant(UnknownName),
    /// The game is not played to so many points.
    #[error(transparent)]
    Target(SetupError),
}

impl MatchRules {
    /// Matches of `game` to `target` points. No variant is the game's default one.
    ///
    /// # Errors
    ///
    /// The catalogue has no such game, or the game no such variant or target.
    pub fn new(game: &str, variant: Option<&str>, target: u32) -> Result<Self, InvalidRules> {
        let game = catalogue::find(game).map_err(InvalidRules::Game)?;
        let fresh = game
            .new_match(variant, target)
            .map_err(|error| match error {
                SetupError::UnknownVariant(unknown) => InvalidRules::Variant(unknown),
                bad @ SetupError::BadTarget { .. } => InvalidRules::Target(bad),
            })?;
        Ok(Self {
            game: game.name,
            variant: fresh.variant(),
            target,
            max_plies: None,
        })
    }

    /// The same, but drawn after so many actions of both seats in all games together; none for no
    /// limit.
    #[must_use]
    pub const fn limited_to(self, max_plies: Option<u32>) -> Self {
        Self { max_plies, ..self }
    }

    /// The actions after which a match that is not over is drawn.
    #[must_use]
    pub const fn max_plies(&self) -> Option<u32> {
        self.max_plies
    }

    /// The game's name.
    #[must_use]
    pub const fn game(&self) -> &'static str {
        self.game
    }

    /// The variant's name.
    #[must_use]
    pub const fn variant(&self) -> &'static str {
        self.variant
    }

    /// The points that win a match.
    #[must_use]
    pub const fn target(&self) -> u32 {
        self.target
    }
}
