/// The reason for which the service ends a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CloseReason {
    /// The watched match is over, and all its events were sent.
    MatchEnded,
    /// A newer stream of the same player takes over.
    Superseded,
    /// The reader was too slow. Nothing is lost: open the stream again.
    SlowReader,
    /// The service is shutting down. Open the stream again when it is back.
    Draining,
    /// The match's log is damaged.
    LogDamaged,
    /// The event log cannot be read for the time being. Nothing is lost.
    LogUnavailable,
    /// The token with which the stream was opened was revoked or has expired.
    TokenEnded,
    /// The connection reached its maximum age. Nothing is lost.
    ConnectionAged,
}
