use std::time::Duration;

use dragontooth_games::chance::DEFAULT_PLAYER_SEED;
use dragontooth_games::record::GameRecord;

/// What happened in a match, action by action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gameplay {
    /// Its games, in order.
    pub games: Vec<GameRecord>,
    /// How long each decision took, over all games in order: from the moment when what made it due
    /// was recorded to the receipt of the answer.
    pub thinking: Vec<Duration>,
    /// What the players added to the random choices, by seat.
    pub player_seeds: [String; 2],
}

impl Default for Gameplay {
    /// Nothing was played, by players who add what is usual.
    fn default() -> Self {
        Self {
            games: Vec::new(),
            thinking: Vec::new(),
            player_seeds: [DEFAULT_PLAYER_SEED; 2].map(str::to_owned),
        }
    }
}
