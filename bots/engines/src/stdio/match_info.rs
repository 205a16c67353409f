use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{History, TimeControl};

/// The match that a bot or an engine is to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchInfo {
    /// The match's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// The points that win the match.
    pub target: u32,
    /// The seat of the bot.
    pub seat: Seat,
    /// The time control of each seat; `None` means no clock.
    pub time_controls: [Option<TimeControl>; 2],
}

/// A bot's choice at a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Plays this action.
    Action(String),
    /// Gives up the match.
    Resign,
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchEnd {
    /// The winner, if there is one.
    pub winner: Option<Seat>,
    /// The reason for the end, in a word: `normal`, or [`MatchEnd::UNKNOWN`].
    pub termination: String,
    /// The points by seat; meaningless if the end is unknown.
    pub score: [u32; 2],
    /// The events of play since the bot's last decision, as far as they are known.
    pub since: History,
}

impl MatchEnd {
    /// The termination of a match that has ended nobody knows how.
    pub const UNKNOWN: &str = "unknown";

    /// Returns an end of which nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        Self {
            winner: None,
            termination: Self::UNKNOWN.to_owned(),
            score: [0; 2],
            since: History::default(),
        }
    }
}
