use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_client::{MatchView, Opened};
use dragontooth_service_vocabulary::{MatchId, PlayerId};

/// Something in a session that its owner may want to tell.
#[derive(Clone, Debug)]
pub enum Notice {
    /// The stream is open, for the first time or again.
    Connected {
        /// The player that the token stands for.
        player: PlayerId,
    },
    /// There is no connection; the next try follows by itself.
    Disconnected {
        /// Why.
        reason: String,
        /// How long until the next try.
        pause: Duration,
    },
    /// A match is played from here on. It comes once a match, also after a lost connection.
    Opened(Box<Opened>),
    /// A match is over.
    Closed {
        /// The match with its outcome.
        view: Box<MatchView>,
        /// The player's seat; none if the match was never opened.
        seat: Option<Seat>,
    },
    /// The bot of a match failed, and the match is resigned.
    BotFailed {
        /// The match.
        match_id: MatchId,
        /// What the bot did.
        failure: String,
    },
}

/// What a session has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Matches that are over.
    pub matches: u32,
    /// Those that the player won.
    pub won: u32,
    /// Those that the opponent won.
    pub lost: u32,
    /// Answers that the service accepted.
    pub answers: u64,
    /// Matches that were resigned because the bot failed.
    pub failures: u32,
}
