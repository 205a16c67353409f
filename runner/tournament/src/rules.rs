use dragontooth_games::UnknownName;
use dragontooth_games::catalogue::{self, SetupError};

use super::Adjudication;

/// The game, variant and target of every match in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchRules {
    game: &'static str,
    variant: &'static str,
    target: u32,
    max_plies: Option<u32>,
    adjudication: Option<Adjudication>,
    can_be_drawn: bool,
}

/// Largest limit on the actions of a match that an event may set.
pub const MAX_PLIES: u32 = 1_000_000;

/// The reason why the rules are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRules {
    /// The catalogue does not contain the game.
    #[error(transparent)]
    Game(UnknownName),
    /// The game does not have the variant.
    #[error(transparent)]
    Variant(UnknownName),
    /// The game cannot be played to this number of points.
    #[error(transparent)]
    Target(SetupError),
}

impl MatchRules {
    /// Creates the rules of matches of `game` to `target` points. Without a variant, the game's
    /// default.
    ///
    /// # Errors
    ///
    /// The catalogue does not contain the game, or the game does not have the variant or target.
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
            adjudication: None,
            can_be_drawn: fresh.games_max().is_some(),
        })
    }

    /// Sets the number of actions, of both seats in all games, after which a match is drawn. `None`
    /// means no limit.
    #[must_use]
    pub const fn limited_to(self, max_plies: Option<u32>) -> Self {
        Self { max_plies, ..self }
    }

    /// Sets the conditions under which a match ends before its rules end it. `None` means never.
    #[must_use]
    pub const fn adjudicated(self, adjudication: Option<Adjudication>) -> Self {
        Self {
            adjudication,
            ..self
        }
    }

    /// The conditions under which a match ends before its rules end it.
    #[must_use]
    pub const fn adjudication(&self) -> Option<Adjudication> {
        self.adjudication
    }

    /// True if the game's own rules can end a match in a draw.
    #[must_use]
    pub const fn can_be_drawn(&self) -> bool {
        self.can_be_drawn
    }

    /// Number of actions after which an unfinished match is drawn.
    #[must_use]
    pub const fn max_plies(&self) -> Option<u32> {
        self.max_plies
    }

    /// Name of the game.
    #[must_use]
    pub const fn game(&self) -> &'static str {
        self.game
    }

    /// Name of the variant.
    #[must_use]
    pub const fn variant(&self) -> &'static str {
        self.variant
    }

    /// True if every match is one game for points: the variant alone limits its cube.
    #[must_use]
    pub fn are_for_money(&self) -> bool {
        let game = catalogue::find(self.game);
        game.is_ok_and(|game| game.capped(self.variant, 1).is_some())
    }

    /// Points that win a match.
    #[must_use]
    pub const fn target(&self) -> u32 {
        self.target
    }
}
