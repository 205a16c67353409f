use std::time::{Duration, SystemTime};

use dragontooth_games::match_play::Score;
use dragontooth_service_vocabulary::{MatchEvent, Recorded, Timestamp};

use crate::MatchView;

/// An event of a match as the service shows it to those who may see the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedEvent {
    /// The event, its number and its time.
    pub recorded: Recorded<Box<MatchView>>,
    /// The facts that the service adds to it.
    pub facts: EventFacts,
}

/// The facts that follow from an event and the rules. Each is empty for the events without it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFacts {
    /// The position after an action, a roll or a pass, in the game's notation.
    pub position: Option<String>,
    /// The time that the seat had when its decision came up; `None` without a clock.
    pub remaining_before: Option<Duration>,
    /// The points of the match after a game.
    pub score: Option<Score>,
    /// The rule that forbids an illegal action; `None` if the text is not an action of the game.
    pub rule: Option<String>,
    /// The number of further illegal actions at the decision that loses the match; 0 if this one did.
    pub illegal_actions_left: Option<u32>,
}

impl WatchedEvent {
    /// The event itself.
    #[must_use]
    pub const fn event(&self) -> &MatchEvent<Box<MatchView>> {
        &self.recorded.event
    }
}

/// A timestamp of the service as the system writes it.
#[must_use]
pub fn system_time(time: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_micros(time.micros())
}
