use std::time::Duration;

use dragontooth_games::chance::DEFAULT_PLAYER_SEED;
use dragontooth_games::record::GameRecord;

/// The course of a match, action by action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gameplay {
    /// Its games, in order.
    pub games: Vec<GameRecord>,
    /// The duration of each decision, over all games in order: from the moment when the event that made
    /// it due was recorded, to the receipt of the answer.
    pub thinking: Vec<Duration>,
    /// The players' contributions to the random choices, by seat.
    pub player_seeds: [String; 2],
}

impl Default for Gameplay {
    /// No games, and the default seeds of the players.
    fn default() -> Self {
        Self {
            games: Vec::new(),
            thinking: Vec::new(),
            player_seeds: [DEFAULT_PLAYER_SEED; 2].map(str::to_owned),
        }
    }
}
