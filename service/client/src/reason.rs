use std::fmt;

use dragontooth_proto::v1;

/// The reason of a refusal. The API has one list of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The call needs a token and has none.
    TokenMissing,
    /// The token is not 16 to 256 visible ASCII characters.
    TokenMalformed,
    /// A field is invalid.
    FieldInvalid,
    /// The catalogue has no game of that name.
    UnknownGame,
    /// The game has no variant of that name.
    UnknownVariant,
    /// The text is not a position of the game.
    PositionUnreadable,
    /// The text is not an action of the game.
    ActionUnreadable,
    /// A rule of the game forbids the action.
    IllegalAction,
    /// The analyzed game is over.
    GameOver,
    /// There is no match with that id.
    MatchNotFound,
    /// A seat of the match is still free.
    MatchNotStarted,
    /// The match is over.
    MatchEnded,
    /// The caller has no seat in the match.
    NoSeat,
    /// No seat is reserved for the caller, or it has joined.
    NotInvited,
    /// The player to be invited has blocked the caller.
    Blocked,
    /// Another player has the seat, or no seat is free.
    SeatTaken,
    /// The seat is reserved for another player.
    SeatReserved,
    /// The other seat has to act.
    NotYourTurn,
    /// The answer names a decision that is not due, or no longer.
    StaleDecision,
    /// The caller may not abort the match.
    AbortDenied,
    /// The request id was used for another request.
    RequestIdReused,
    /// The service is shutting down.
    Draining,
    /// A limit of the service is reached.
    LimitReached,
    /// The event log cannot be written or read; nothing has changed.
    LogUnavailable,
    /// The match's log is damaged.
    LogDamaged,
    /// The sequence is beyond the match's last event.
    SequenceOutOfRange,
    /// The service did not issue the token.
    TokenUnknown,
    /// The token has expired.
    TokenExpired,
    /// The token was revoked.
    TokenRevoked,
    /// The token does not allow the call.
    ScopeMissing,
    /// There is no token with that id.
    TokenNotFound,
    /// The identity has the maximum number of tokens, or the number of identities is at its
    /// maximum.
    TooManyTokens,
    /// The caller exceeds a rate of the service.
    RateLimited,
    /// The caller has joined the match with another name or seed.
    AlreadyJoined,
    /// No identity is the player.
    PlayerNotFound,
    /// The name of a new identity looks like that of another one.
    NameConfusable,
    /// Another program with the same token has come later.
    Superseded,
    /// A reason unknown to this client, in lower case.
    Other(String),
}

impl Reason {
    /// Its name in the API's list, in lower case: `illegal_action`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::TokenMissing => "token_missing",
            Self::TokenMalformed => "token_malformed",
            Self::FieldInvalid => "field_invalid",
            Self::UnknownGame => "unknown_game",
            Self::UnknownVariant => "unknown_variant",
            Self::PositionUnreadable => "position_unreadable",
            Self::ActionUnreadable => "action_unreadable",
            Self::IllegalAction => "illegal_action",
            Self::GameOver => "game_over",
            Self::MatchNotFound => "match_not_found",
            Self::MatchNotStarted => "match_not_started",
            Self::MatchEnded => "match_ended",
            Self::NoSeat => "no_seat",
            Self::NotInvited => "not_invited",
            Self::Blocked => "blocked",
            Self::SeatTaken => "seat_taken",
            Self::SeatReserved => "seat_reserved",
            Self::NotYourTurn => "not_your_turn",
            Self::StaleDecision => "stale_decision",
            Self::AbortDenied => "abort_denied",
            Self::RequestIdReused => "request_id_reused",
            Self::Draining => "draining",
            Self::LimitReached => "limit_reached",
            Self::LogUnavailable => "log_unavailable",
            Self::LogDamaged => "log_damaged",
            Self::SequenceOutOfRange => "sequence_out_of_range",
            Self::TokenUnknown => "token_unknown",
            Self::TokenExpired => "token_expired",
            Self::TokenRevoked => "token_revoked",
            Self::ScopeMissing => "scope_missing",
            Self::TokenNotFound => "token_not_found",
            Self::TooManyTokens => "too_many_tokens",
            Self::RateLimited => "rate_limited",
            Self::AlreadyJoined => "already_joined",
            Self::PlayerNotFound => "player_not_found",
            Self::NameConfusable => "name_confusable",
            Self::Superseded => "superseded",
            Self::Other(name) => name,
        }
    }

    /// Reads the reason of an `ErrorInfo`: the name without the prefix, in upper case.
    pub(crate) fn from_wire(text: &str) -> Self {
        let known = v1::ErrorReason::from_str_name(&format!("ERROR_REASON_{text}"));
        known
            .and_then(Self::known)
            .unwrap_or_else(|| Self::Other(text.to_ascii_lowercase()))
    }

    fn known(reason: v1::ErrorReason) -> Option<Self> {
        use v1::ErrorReason as Wire;
        Some(match reason {
            Wire::Unspecified => return None,
            Wire::TokenMissing => Self::TokenMissing,
            Wire::TokenMalformed => Self::TokenMalformed,
            Wire::FieldInvalid => Self::FieldInvalid,
            Wire::UnknownGame => Self::UnknownGame,
            Wire::UnknownVariant => Self::UnknownVariant,
            Wire::PositionUnreadable => Self::PositionUnreadable,
            Wire::ActionUnreadable => Self::ActionUnreadable,
            Wire::IllegalAction => Self::IllegalAction,
            Wire::GameOver => Self::GameOver,
            Wire::MatchNotFound => Self::MatchNotFound,
            Wire::MatchNotStarted => Self::MatchNotStarted,
            Wire::MatchEnded => Self::MatchEnded,
            Wire::NoSeat => Self::NoSeat,
            Wire::NotInvited => Self::NotInvited,
            Wire::Blocked => Self::Blocked,
            Wire::SeatTaken => Self::SeatTaken,
            Wire::SeatReserved => Self::SeatReserved,
            Wire::NotYourTurn => Self::NotYourTurn,
            Wire::StaleDecision => Self::StaleDecision,
            Wire::AbortDenied => Self::AbortDenied,
            Wire::RequestIdReused => Self::RequestIdReused,
            Wire::Draining => Self::Draining,
            Wire::LimitReached => Self::LimitReached,
            Wire::LogUnavailable => Self::LogUnavailable,
            Wire::LogDamaged => Self::LogDamaged,
            Wire::SequenceOutOfRange => Self::SequenceOutOfRange,
            Wire::TokenUnknown => Self::TokenUnknown,
            Wire::TokenExpired => Self::TokenExpired,
            Wire::TokenRevoked => Self::TokenRevoked,
            Wire::ScopeMissing => Self::ScopeMissing,
            Wire::TokenNotFound => Self::TokenNotFound,
            Wire::TooManyTokens => Self::TooManyTokens,
            Wire::RateLimited => Self::RateLimited,
            Wire::AlreadyJoined => Self::AlreadyJoined,
            Wire::PlayerNotFound => Self::PlayerNotFound,
            Wire::NameConfusable => Self::NameConfusable,
            Wire::Superseded => Self::Superseded,
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_of_the_api_has_its_name() {
        let mut known = 0;
        // The numbers may have gaps.
        for wire in (1..256).filter_map(|number| v1::ErrorReason::try_from(number).ok()) {
            let name = wire.as_str_name().strip_prefix("ERROR_REASON_").unwrap();
            let reason = Reason::from_wire(name);
            assert!(!matches!(reason, Reason::Other(_)), "{name}");
            assert_eq!(reason.as_str(), name.to_ascii_lowercase());
            known += 1;
        }
        assert!(known >= 24, "{known}");
    }

    #[test]
    fn other_reasons_keep_their_name() {
        for name in ["FROM_THE_FUTURE", "UNSPECIFIED", "", "illegal_action"] {
            let reason = Reason::from_wire(name);
            assert_eq!(reason, Reason::Other(name.to_ascii_lowercase()));
        }
    }
}
