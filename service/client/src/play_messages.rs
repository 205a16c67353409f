use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::record::Thinking;
use dragontooth_service_vocabulary::{History, MatchId, Offer, PlayerId, RequestId, Sequence};

use crate::{ClientError, Closing, Decision, DecisionId, MatchView};

/// Options of a player's stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayOptions {
    /// True to leave the legal actions out of the decisions.
    pub omit_legal_actions: bool,
    /// Terms that the player accepts, shown as long as the stream is open; `None` to say nothing.
    pub offer: Option<Offer>,
}

/// An answer to a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The match.
    pub match_id: MatchId,
    /// The decision.
    pub decision_id: DecisionId,
    /// The action, in the game's notation.
    pub action: String,
    /// Makes a retry safe.
    pub request_id: Option<RequestId>,
    /// The thoughts that are recorded with the action, from the view of the seat that answers.
    pub thinking: Option<Thinking>,
}

/// The part of an answer's thoughts for which the service left them out. The action counts all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedThinking {
    /// The field: `thinking.win_probability`.
    pub field: String,
    /// The fault.
    pub why: String,
}

/// A message of the service on a player's stream.
#[derive(Debug)]
pub enum PlayEvent {
    /// The stream is open. [`Client::play`](crate::Client::play) consumes this message.
    Ready {
        /// The player of the token.
        player: PlayerId,
        /// Longest silence: at least a heartbeat comes this often.
        heartbeat_interval: Duration,
    },
    /// A seat is reserved for the player.
    Invitation(Invitation),
    /// A match in which the player has a seat has opened.
    Opened(Opened),
    /// The player has to decide.
    Decision(Decision),
    /// An answer was accepted; the action is durable.
    Accepted(AnswerAccepted),
    /// A request was refused. The match continues.
    Refused(RefusedRequest),
    /// A match of the player is over.
    Closed(Closed),
    /// A heartbeat with the service's time.
    Heartbeat(SystemTime),
    /// The stream ends: the last message.
    Closing(Closing),
}

/// A seat reserved for the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The match.
    pub view: MatchView,
    /// The seat.
    pub seat: Seat,
}

/// A match that opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The match.
    pub view: MatchView,
    /// The player's seat.
    pub seat: Seat,
}

/// A match that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// The match.
    pub view: MatchView,
    /// The events of play after the last decision that the player answered.
    pub since: History,
}

/// An answer that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerAccepted {
    /// The match.
    pub match_id: MatchId,
    /// The decision that was answered.
    pub decision_id: DecisionId,
    /// The sequence of the event that records the action.
    pub sequence: Sequence,
    /// The action in canonical notation.
    pub action: String,
    /// The request id of the answer; empty if it had none.
    pub request_id: String,
    /// The fault for which the thoughts were left out.
    pub refused_thinking: Option<RefusedThinking>,
}

/// A request that was refused.
#[derive(Debug)]
pub struct RefusedRequest {
    /// The match that the request named.
    pub match_id: Option<MatchId>,
    /// The decision that it answered; `None` if it was not an answer.
    pub decision_id: Option<DecisionId>,
    /// Its request id; empty if it had none.
    pub request_id: String,
    /// The refusal, as a unary call would return it.
    pub error: ClientError,
}
