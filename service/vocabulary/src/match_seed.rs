use dragontooth_games::chance::{DEFAULT_PLAYER_SEED, Draws, Seed};

use crate::{MatchId, SeedText, SharedSeed};

/// The seed of the random choices of a match, to which its players add theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchSeed {
    /// A text that the creator gave. Matches that share it and their players' seeds, in either seat,
    /// share their random choices.
    Shared(SharedSeed),
    /// A text that the creator gave, in logs of earlier versions: the players' seeds count in the
    /// order of the seats.
    Given(SeedText),
    /// Bytes that the service drew, for this match alone.
    Drawn(Seed),
}

impl MatchSeed {
    /// The server's seed.
    #[must_use]
    pub fn server_seed(&self) -> Seed {
        match self {
            Self::Shared(shared) => Seed::from_text(shared.text().as_str()),
            Self::Given(text) => Seed::from_text(text.as_str()),
            Self::Drawn(seed) => seed.clone(),
        }
    }

    /// The text that the creator gave, if it did.
    #[must_use]
    pub const fn given(&self) -> Option<&SeedText> {
        match self {
            Self::Shared(shared) => Some(shared.text()),
            Self::Given(text) => Some(text),
            Self::Drawn(_) => None,
        }
    }

    /// The number of matches with this seed that its creator announced. The seed is secret until
    /// that many are over.
    #[must_use]
    pub const fn matches(&self) -> u32 {
        match self {
            Self::Shared(shared) => shared.matches(),
            Self::Given(_) | Self::Drawn(_) => 1,
        }
    }

    /// The part of the seed that is published when the match is created: see [`Seed::commitment`].
    /// Matches that share a seed share it.
    #[must_use]
    pub fn commitment(&self, id: MatchId) -> [u8; 32] {
        match self {
            Self::Shared(_) => self.server_seed().commitment(""),
            Self::Given(_) | Self::Drawn(_) => self.server_seed().commitment(&id.to_string()),
        }
    }

    /// The random choices of the match with the seeds of its players, by seat.
    #[must_use]
    pub fn draws(&self, id: MatchId, player_seeds: [&SeedText; 2]) -> Draws {
        let player_seeds = player_seeds.map(|seed| seed.as_str().to_owned());
        let seed = self.server_seed();
        match self {
            Self::Shared(_) => Draws::shared(seed, player_seeds),
            Self::Given(_) => Draws::new(seed, String::new(), player_seeds),
            Self::Drawn(_) => Draws::new(seed, id.to_string(), player_seeds),
        }
    }
}

impl SeedText {
    /// The seed of a player that sends none.
    #[must_use]
    pub fn default_of_players() -> Self {
        Self::new(DEFAULT_PLAYER_SEED).expect("it is a short printable text")
    }
}
