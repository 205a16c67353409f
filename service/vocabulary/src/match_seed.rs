use dragontooth_games::chance::{DEFAULT_PLAYER_SEED, Draws, Seed};

use crate::{MatchId, SeedText};

/// The seed of the random choices of a match, to which its players add theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchSeed {
    /// A text that the creator gave. Matches that share it and their players' seeds share their
    /// random choices.
    Given(SeedText),
    /// Bytes that the service drew, for this match alone.
    Drawn(Seed),
}

impl MatchSeed {
    /// The server's seed.
    #[must_use]
    pub fn server_seed(&self) -> Seed {
        match self {
            Self::Given(text) => Seed::from_text(text.as_str()),
            Self::Drawn(seed) => seed.clone(),
        }
    }

    /// The text that the creator gave, if it did.
    #[must_use]
    pub const fn given(&self) -> Option<&SeedText> {
        match self {
            Self::Given(text) => Some(text),
            Self::Drawn(_) => None,
        }
    }

    /// The part of the seed that is published when the match is created: see [`Seed::commitment`].
    #[must_use]
    pub fn commitment(&self, id: MatchId) -> [u8; 32] {
        self.server_seed().commitment(&id.to_string())
    }

    /// The random choices of the match with the seeds of its players, by seat.
    #[must_use]
    pub fn draws(&self, id: MatchId, player_seeds: [&SeedText; 2]) -> Draws {
        let match_id = match self {
            Self::Given(_) => String::new(),
            Self::Drawn(_) => id.to_string(),
        };
        Draws::new(
            self.server_seed(),
            match_id,
            player_seeds.map(|seed| seed.as_str().to_owned()),
        )
    }
}

impl SeedText {
    /// The seed of a player that sends none.
    #[must_use]
    pub fn default_of_players() -> Self {
        Self::new(DEFAULT_PLAYER_SEED).expect("it is a short printable text")
    }
}
