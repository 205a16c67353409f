use std::time::Duration;

/// A fault that the proxy injects into the traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FaultInjection {
    /// It carries everything as it is.
    Nothing,
    /// It keeps the bot's answers until it does something else.
    HoldAnswers,
    /// It loses the next answer and cuts the connection, and then does nothing more.
    LoseAnswer,
    /// It carries the next answer, and then nothing that the service says.
    LoseAcceptance,
    /// It carries nothing that the service says.
    Mute,
    /// It writes another action into the next answer, and then does nothing more.
    Spoil(String),
    /// It refuses the next answer for the time being, as a service does whose disk is full, and then does
    /// nothing more.
    TryLater,
    /// Every message is delayed by this time.
    Delay(Duration),
    /// Messages of the service on the bot's play stream are sent twice.
    Repeat,
    /// It ends all streams and refuses all calls, as a service does that shuts down.
    Drained,
}
