//! Who plays, and what they ask.

use dragontooth_games::Seat;
use dragontooth_service_domain::{
    Command, NewMatch, PlayerId, PlayerName, RequestId, SeedText, Sequence, TimeControl, Title,
};

/// The creator of every match.
pub(crate) const HOST: PlayerId = PlayerId::from_bytes([0xc0; 16]);
/// The player on the first seat.
pub(crate) const ANN: PlayerId = PlayerId::from_bytes([0xaa; 16]);
/// The player on the second seat.
pub(crate) const BOB: PlayerId = PlayerId::from_bytes([0xbb; 16]);
/// Somebody else.
pub(crate) const EVE: PlayerId = PlayerId::from_bytes([0xee; 16]);

/// A single game of the standard variant without clocks, open to everybody.
pub(crate) fn new_match() -> NewMatch {
    NewMatch {
        game: "kamisado".to_owned(),
        variant: None,
        target: 1,
        time_control: TimeControl::Unlimited,
        seed: SeedText::new("seed").unwrap(),
        title: Title::new("a title").unwrap(),
        creator: HOST,
        reserved: [None, None],
        request_id: None,
    }
}

pub(crate) fn timed(time_control: TimeControl) -> NewMatch {
    NewMatch {
        time_control,
        ..new_match()
    }
}

pub(crate) fn name_of(player: PlayerId) -> PlayerName {
    let name = match player {
        ANN => "Ann",
        BOB => "Bob",
        EVE => "Eve",
        _ => "",
    };
    PlayerName::new(name).unwrap()
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
    }
}

pub(crate) fn act(player: PlayerId, decision: u64, action: &str, id: &str) -> Command {
    Command::Act {
        player,
        decision: Sequence(decision),
        action: action.to_owned(),
        request_id: request(id),
    }
}

pub(crate) fn resign(player: PlayerId, id: &str) -> Command {
    Command::Resign {
        player,
        request_id: request(id),
    }
}

pub(crate) fn abort(player: PlayerId, id: &str) -> Command {
    Command::Abort {
        player,
        request_id: request(id),
    }
}
