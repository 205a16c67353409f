use dragontooth_service_vocabulary::CloseReason;

/// The announcement that a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Closing {
    /// The reason.
    Reason(CloseReason),
    /// A reason of a later version of the API, with this number.
    Unknown(i32),
}

impl Closing {
    /// True if it concerns the replica that announces it, so that another may go on.
    pub(crate) const fn is_of_the_replica(self) -> bool {
        match self {
            Self::Reason(CloseReason::Draining | CloseReason::LogUnavailable) => true,
            Self::Unknown(_)
            | Self::Reason(
                CloseReason::MatchEnded
                | CloseReason::Superseded
                | CloseReason::SlowReader
                | CloseReason::ConnectionAged
                | CloseReason::LogDamaged
                | CloseReason::TokenEnded,
            ) => false,
        }
    }
}
