use std::num::NonZeroU32;
use std::time::Duration;

use dragontooth_service_vocabulary::{PlayerId, RequestId, TimeControl};

/// A match to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMatch {
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name; none for the game's default.
    pub variant: Option<String>,
    /// The points that win the match.
    pub target: u32,
    /// The agreement on time of each seat, by `Seat::index`; none for no clock.
    pub time_controls: [Option<TimeControl>; 2],
    /// What every random choice of the match follows from, at most 64 bytes; none for a seed drawn
    /// by the service.
    pub seed: Option<String>,
    /// A title for people and lists, at most 200 bytes; may be empty.
    pub title: String,
    /// For whom the seats are kept, by `Seat::index`.
    pub reserved: [Option<PlayerId>; 2],
    /// Makes creating it again safe.
    pub request_id: Option<RequestId>,
    /// Whether only those see it whom it concerns: its players, those for whom a seat is kept, and its creator.
    pub private: bool,
    /// How much later spectators see what happens, at most 24 hours; none for at once.
    pub spectator_delay: Option<Duration>,
    /// How long a player may be away before the match is lost for it, 1 second to 24 hours; none
    /// for ever.
    pub disconnect_grace: Option<Duration>,
    /// With how many illegal actions at one decision a seat loses, at most 32; none for no limit.
    pub illegal_action_limit: Option<NonZeroU32>,
}

impl NewMatch {
    /// A match of the game's default variant to so many points, without clocks, with free seats.
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
