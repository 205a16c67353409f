use std::time::Duration;

use crate::{
    Audience, Created, Grace, IllegalActionLimit, PlayerId, RequestId, SharedSeed, TimeControl,
    Title,
};

/// A match to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMatch {
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name; `None` means the default.
    pub variant: Option<String>,
    /// The points that win the match.
    pub target: u32,
    /// The time control of each seat, by `Seat::index`; `None` means no clock.
    pub time_controls: [Option<TimeControl>; 2],
    /// The seed of every draw in the match; `None` lets the service draw one.
    pub seed: Option<SharedSeed>,
    /// The title.
    pub title: Title,
    /// The players for whom the seats are reserved, by `Seat::index`.
    pub reserved: [Option<PlayerId>; 2],
    /// The audience.
    pub audience: Audience,
    /// Time that a player may be away before losing the match; `None` means no limit.
    pub disconnect_grace: Option<Grace>,
    /// Number of illegal actions for one decision that lose the match; `None` means no limit.
    pub illegal_action_limit: Option<IllegalActionLimit>,
    /// Time within which both seats must be taken; `None` means the longest that the service allows. Clients and
    /// service cut it to whole microseconds.
    pub join_timeout: Option<Duration>,
    /// The entries of its opening, which lead to the first position of the first game; empty for the usual start.
    pub opening: Vec<String>,
    /// Makes a retry safe.
    pub request_id: Option<RequestId>,
}

impl NewMatch {
    /// Creates a match of the game's default variant to `target` points, without clocks, with free
    /// seats, for everybody to watch.
    #[must_use]
    pub fn new(game: impl Into<String>, target: u32) -> Self {
        Self {
            game: game.into(),
            variant: None,
            target,
            time_controls: [None; 2],
            seed: None,
            title: Title::default(),
            reserved: [None; 2],
            audience: Audience::default(),
            disconnect_grace: None,
            illegal_action_limit: None,
            join_timeout: None,
            opening: Vec::new(),
            request_id: None,
        }
    }

    /// Another match with the same terms, but for the seed, for the players who had these seats: each has the other one, with its
    /// own time control.
    #[must_use]
    pub fn rematch(created: &Created, [first, second]: [PlayerId; 2]) -> Self {
        let [of_first, of_second] = created.time_controls;
        Self {
            game: created.game.clone(),
            variant: Some(created.variant.clone()),
            target: created.target,
            time_controls: [of_second, of_first],
            seed: None,
            title: created.title.clone(),
            reserved: [Some(second), Some(first)],
            audience: created.audience,
            disconnect_grace: created.disconnect_grace,
            illegal_action_limit: created.illegal_action_limit,
            join_timeout: None,
            opening: created.opening.clone(),
            request_id: None,
        }
    }
}
