use dragontooth_games::Seat;

use super::FaultKind;

/// A fault of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The bot's seat.
    pub seat: Seat,
    /// The kind of fault.
    pub kind: FaultKind,
    /// A description for people.
    pub detail: String,
}
