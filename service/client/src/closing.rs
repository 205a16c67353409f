use dragontooth_service_vocabulary::CloseReason;

/// The announcement that a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Closing {
    /// The reason.
    Reason(CloseReason),
    /// A reason of a later version of the API, with this number.
    Unknown(i32),
}
