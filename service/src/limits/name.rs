use std::fmt;

/// The limits that a refusal can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LimitName {
    Actions,
    BodyBytes,
    BodyBytesOfCaller,
    BodyBytesOfConnection,
    Calls,
    CallsOfAddress,
    Connections,
    Blocks,
    BlocksOfPlayer,
    ConnectionsOfPlayer,
    InvitationsOfInvitee,
    InvitationsOfInviter,
    InvitationsOfPair,
    LiveMatches,
    MatchesOfPlayer,
    MatchMailbox,
    Offers,
    Replays,
    ReplaysOfCaller,
    RequestTimeout,
    ResponseBytesOfCaller,
    Streams,
    StreamsOfCaller,
    WatchersOfMatch,
}

impl LimitName {
    /// Its name on the wire, in the documents and among the settings.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Actions => "actions",
            Self::BodyBytes => "body_bytes",
            Self::BodyBytesOfCaller => "body_bytes_of_caller",
            Self::BodyBytesOfConnection => "body_bytes_of_connection",
            Self::Calls => "calls",
            Self::CallsOfAddress => "calls_of_address",
            Self::Connections => "connections",
            Self::Blocks => "blocks",
            Self::BlocksOfPlayer => "blocks_of_player",
            Self::ConnectionsOfPlayer => "connections_of_player",
            Self::InvitationsOfInvitee => "invitations_of_invitee",
            Self::InvitationsOfInviter => "invitations_of_inviter",
            Self::InvitationsOfPair => "invitations_of_pair",
            Self::LiveMatches => "live_matches",
            Self::MatchesOfPlayer => "matches_of_player",
            Self::MatchMailbox => "match_mailbox",
            Self::Offers => "offers",
            Self::Replays => "replays",
            Self::ReplaysOfCaller => "replays_of_caller",
            Self::RequestTimeout => "request_timeout",
            Self::ResponseBytesOfCaller => "response_bytes_of_caller",
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
