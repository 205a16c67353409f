use std::time::SystemTime;

use dragontooth_service_vocabulary::{Offer, PlayerId};

/// A player that is present: it has an open stream, or has made an offer by a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerView {
    /// The player.
    pub player: PlayerId,
    /// The name of its identity; empty for a player with a token of its own choice.
    pub name: String,
    /// Terms that it accepts; `None` if it has not said.
    pub offer: Option<Offer>,
    /// The time at which its stream was opened, or its offer first made.
    pub opened: SystemTime,
    /// The time at which an offer by a call ends; `None` for a stream.
    pub expires: Option<SystemTime>,
}
