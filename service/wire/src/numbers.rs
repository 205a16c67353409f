use dragontooth_games::Seat;
use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{
    CloseReason, Scope, Stage, Termination, TokenStanding, Visibility,
};

/// The error for a number that an enum of the API does not have, at least in this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown number {0}")]
pub struct UnknownNumber(pub i32);

/// A module for an enum: its variants have the same names here and in the API.
macro_rules! numbers {
    ($(#[$doc:meta])* $module:ident, $plain:ident, $wire:ident, [$($variant:ident),+]) => {
        $(#[$doc])*
        pub mod $module {
            use super::{$plain, UnknownNumber, v1};

            /// The number of a value.
            #[must_use]
            pub fn to_proto(value: $plain) -> i32 {
                match value {
                    $($plain::$variant => v1::$wire::$variant,)+
                }
                .into()
            }

            /// The value of a number; `None` for the number 0, which every enum has for a field that is not set.
            ///
            /// # Errors
            ///
            /// The enum does not have the number.
            pub fn from_proto(number: i32) -> Result<Option<$plain>, UnknownNumber> {
                match v1::$wire::try_from(number) {
                    Ok(v1::$wire::Unspecified) => Ok(None),
                    $(Ok(v1::$wire::$variant) => Ok(Some($plain::$variant)),)+
                    Err(_) => Err(UnknownNumber(number)),
                }
            }
        }
    };
}

numbers! {
    /// Seats.
    seat, Seat, Seat, [First, Second]
}
numbers! {
    /// Stages of a match.
    stage, Stage, MatchState, [Open, Active, Ended]
}
numbers! {
    /// Reasons for the end of a match.
    termination, Termination, Termination,
    [Normal, Timeout, Resignation, Aborted, IllegalAction, Disconnect, Expired, Declined]
}
numbers! {
    /// Visibilities of a match.
    visibility, Visibility, Visibility, [Public, Private]
}
numbers! {
    /// Scopes of a token.
    scope, Scope, Scope, [Play, Watch, Create, Admin]
}
numbers! {
    /// Standings of a token.
    token_standing, TokenStanding, TokenState, [Live, Expired, Revoked]
}
numbers! {
    /// Reasons for the end of a stream.
    close_reason, CloseReason, CloseReason,
    [
        MatchEnded, Superseded, SlowReader, Draining, LogDamaged, LogUnavailable, TokenEnded,
        ConnectionAged
    ]
}
