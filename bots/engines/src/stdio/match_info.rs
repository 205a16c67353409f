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
    /// The reason for the end, in a word: `normal`.
    pub termination: String,
    /// The points by seat.
    pub score: [u32; 2],
    /// The events of play since the bot's last decision, as far as they are known.
    pub since: History,
}
