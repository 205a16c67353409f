use std::fmt;

/// The limits that a refusal can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LimitName {
    Actions,
    Calls,
    Connections,
    ConnectionsOfAddress,
    LiveMatches,
    MatchesOfPlayer,
    MatchMailbox,
    Streams,
    StreamsOfCaller,
    WatchersOfMatch,
}

impl LimitName {
    /// Its name on the wire, in the documents and among the settings.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Actions => "actions",
            Self::Calls => "calls",
            Self::Connections => "connections",
            Self::ConnectionsOfAddress => "connections_of_address",
            Self::LiveMatches => "live_matches",
            Self::MatchesOfPlayer => "matches_of_player",
            Self::MatchMailbox => "match_mailbox",
            Self::Streams => "streams",
            Self::StreamsOfCaller => "streams_of_caller",
            Self::WatchersOfMatch => "watchers_of_match",
        }
    }
}

impl fmt::Display for LimitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
