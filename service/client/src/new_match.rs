use std::num::NonZeroU32;
use std::time::Duration;

use dragontooth_service_vocabulary::{PlayerId, RequestId, TimeControl};

/// A match to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMatch {
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name; `None` means the game's default.
    pub variant: Option<String>,
    /// The points that win the match.
    pub target: u32,
    /// The time control of each seat, by `Seat::index`; `None` means no clock.
    pub time_controls: [Option<TimeControl>; 2],
    /// The seed of every draw in the match, at most 64 bytes; `None` lets the service draw one.
    pub seed: Option<String>,
    /// A title for people and lists, at most 200 bytes; may be empty.
    pub title: String,
    /// The players for whom the seats are reserved, by `Seat::index`.
    pub reserved: [Option<PlayerId>; 2],
    /// Makes a retry safe.
    pub request_id: Option<RequestId>,
    /// True for a private match: visible to its players, the players with reserved seats, and its
    /// creator.
    pub private: bool,
    /// Delay for spectators, at most 24 hours; `None` means none.
    pub spectator_delay: Option<Duration>,
    /// Time that a player may be away before losing the match, 1 second to 24 hours; `None` means
    /// no limit.
    pub disconnect_grace: Option<Duration>,
    /// Number of illegal actions for one decision that lose the match, at most 32; `None` means no
    /// limit.
    pub illegal_action_limit: Option<NonZeroU32>,
}

impl NewMatch {
    /// Creates a match of the game's default variant to `target` points, without clocks, with free
    /// seats.
    #[must_use]
    pub fn new(game: impl Into<String>, target: u32) -> Self {
        Self {
            game: game.into(),
            variant: None,
            target,
            time_controls: [None; 2],
            seed: None,
            title: String::new(),
            reserved: [None; 2],
            request_id: None,
            private: false,
            spectator_delay: None,
            disconnect_grace: None,
            illegal_action_limit: None,
        }
    }
}
