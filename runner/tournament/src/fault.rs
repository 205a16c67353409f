use dragontooth_games::Seat;

use super::FaultKind;

/// Something that a bot did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The bot's seat.
    pub seat: Seat,
    /// What kind of thing.
    pub kind: FaultKind,
    /// What happened, for people.
    pub detail: String,
}
