use std::time::SystemTime;

/// An offer that a player has made by a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferUntil {
    /// The id with which the program makes the offer again, or changes or withdraws it.
    pub presence: PresenceId,
    /// The time at which it ends.
    pub expires: SystemTime,
}

/// The id by which the service knows the program of a player that makes offers by calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresenceId(pub(crate) String);
