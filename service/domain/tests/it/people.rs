//! Who plays, and what they ask.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_service_domain::{Command, Rejection};
use dragontooth_service_vocabulary::{
    DisplayName, EndReason, Grace, MatchEvent, MatchId, NewMatch, PlayerId, PlayerName, RequestId,
    SeedText, Sequence, TimeControl, Title,
};

/// The creator of every match.
pub(crate) const HOST: PlayerId = PlayerId::from_bytes([0xc0; 16]);
/// The player on the first seat.
pub(crate) const ANN: PlayerId = PlayerId::from_bytes([0xaa; 16]);
/// The player on the second seat.
pub(crate) const BOB: PlayerId = PlayerId::from_bytes([0xbb; 16]);
/// Somebody else.
pub(crate) const EVE: PlayerId = PlayerId::from_bytes([0xee; 16]);

/// An operator, who never plays.
pub(crate) const OPERATOR: PlayerId = PlayerId::from_bytes([0x0f; 16]);

/// The id of every match.
pub(crate) const ID: MatchId = MatchId::from_bytes([1; 16]);

/// The first event of a match of the host; without a seed in `new`, one of sevens was drawn.
pub(crate) fn create(new: &NewMatch) -> Result<MatchEvent, Rejection> {
    create_by(HOST, new)
}

pub(crate) fn create_by(creator: PlayerId, new: &NewMatch) -> Result<MatchEvent, Rejection> {
    let drawn = Seed::from_bytes([7; Seed::BYTES]);
    dragontooth_service_domain::create(new, creator, ID, &drawn)
}

/// What players add to the random choices who send nothing.
pub(crate) fn usual_seed() -> SeedText {
    SeedText::new("dragontooth").unwrap()
}

/// A single game of the standard variant without clocks, open to everybody.
pub(crate) fn new_match() -> NewMatch {
    NewMatch {
        seed: Some(SeedText::new("seed").unwrap().into()),
        title: Title::new("a title").unwrap(),
        ..NewMatch::new("kamisado", 1)
    }
}

pub(crate) fn timed(time_control: impl Into<Option<TimeControl>>) -> NewMatch {
    NewMatch {
        time_controls: [time_control.into(); 2],
        ..new_match()
    }
}

pub(crate) fn name_of(player: PlayerId) -> DisplayName {
    let name = match player {
        ANN => "Ann",
        BOB => "Bob",
        EVE => "Eve",
        _ => "",
    };
    PlayerName::new(name).unwrap().into()
}

/// A grace of this many seconds.
pub(crate) fn grace(seconds: u64) -> Grace {
    Grace::new(Duration::from_secs(seconds)).unwrap()
}

/// A request id; none for the empty text.
pub(crate) fn request(id: &str) -> Option<RequestId> {
    (!id.is_empty()).then(|| RequestId::new(id).unwrap())
}

pub(crate) fn join(player: PlayerId, seat: Option<Seat>) -> Command {
    Command::Join {
        player,
        seat,
        name: name_of(player),
        seed: None,
        request_id: None,
    }
}

pub(crate) fn act(player: PlayerId, decision: u64, action: &str, id: &str) -> Command {
    Command::Act {
        player,
        decision: Sequence(decision),
        action: action.to_owned(),
        thinking: None,
        request_id: request(id),
    }
}

pub(crate) fn resign(player: PlayerId, id: &str) -> Command {
    Command::Resign {
        player,
        failure: None,
        request_id: request(id),
    }
}

/// The time to join of the matches that wait for Bob.
pub(crate) const WAIT: Duration = Duration::from_mins(5);

/// A match that has a time to join and a seat reserved for Bob.
pub(crate) fn waiting() -> NewMatch {
    NewMatch {
        reserved: [None, Some(BOB)],
        join_timeout: Some(WAIT),
        ..new_match()
    }
}

/// A reason; none for the empty text.
pub(crate) fn reason(text: &str) -> Option<EndReason> {
    (!text.is_empty()).then(|| EndReason::new(text).unwrap())
}

pub(crate) fn decline(player: PlayerId, why: &str, id: &str) -> Command {
    Command::Decline {
        player,
        reason: reason(why),
        request_id: request(id),
    }
}

pub(crate) fn abort_as_operator(operator: PlayerId, why: &str, id: &str) -> Command {
    Command::AbortAsOperator {
        operator,
        reason: reason(why).unwrap(),
        request_id: request(id),
    }
}

pub(crate) fn abort(player: PlayerId, id: &str) -> Command {
    Command::Abort {
        player,
        request_id: request(id),
    }
}
