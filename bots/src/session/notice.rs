use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_client::{MatchView, Opened};
use dragontooth_service_vocabulary::{MatchId, PlayerId};

/// An event of a session, for logs and progress displays.
#[derive(Clone, Debug)]
pub enum Notice {
    /// The stream is open, for the first time or again.
    Connected {
        /// The player of the token.
        player: PlayerId,
    },
    /// The connection is lost; the session tries again.
    Disconnected {
        /// The reason.
        reason: String,
        /// Time until the next attempt.
        pause: Duration,
    },
    /// A match begins. It comes once per match, even after a lost connection.
    Opened(Box<Opened>),
    /// A match is over.
    Closed {
        /// The match with its outcome.
        view: Box<MatchView>,
        /// The player's seat; `None` if the match was never opened.
        seat: Option<Seat>,
    },
    /// The bot of a match failed; the session resigns the match.
    BotFailed {
        /// The match.
        match_id: MatchId,
        /// The failure.
        failure: String,
    },
}

/// Totals of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Finished matches.
    pub matches: u32,
    /// Matches that the player won.
    pub won: u32,
    /// Matches that the opponent won.
    pub lost: u32,
    /// Answers that the service accepted.
    pub answers: u64,
    /// Matches resigned because the bot failed.
    pub failures: u32,
}
