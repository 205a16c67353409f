//! The nouns that service, client, runner and bots share: ids, sequences, times, scopes and the
//! events of a match.
//!
//! Each of them is declared here and nowhere else, so that a value means the same on both sides of
//! the API. Everything is plain data: nothing here does I/O, reads a clock, draws a random number or
//! knows a wire format. The generated types of the API become these in `dragontooth-service-wire`.

mod audience;
mod close_reason;
mod display_name;
mod event;
mod grace;
mod history;
mod host_names;
mod id;
mod illegal_action_limit;
mod invalid_text;
mod list_order;
mod match_outcome;
mod match_seed;
mod new_match;
mod new_token;
mod offer;
mod scope;
mod sequence;
mod shared_seed;
mod spelling;
mod stage;
mod termination;
mod text;
mod time_control;
mod time_control_text;
mod timestamp;
mod token;

pub use audience::{Audience, InvalidSpectatorDelay, MAX_SPECTATOR_DELAY, Sight, Visibility};
pub use close_reason::CloseReason;
pub use display_name::DisplayName;
pub use event::{Created, MatchEvent, Recorded};
pub use grace::{Grace, InvalidGrace, MAX_GRACE, MIN_GRACE};
pub use history::{History, HistoryEvent};
pub use host_names::{ForeignHost, HostNames, InvalidHostName};
pub use id::{InvalidMatchId, InvalidPlayerId, MatchId, PlayerId};
pub use illegal_action_limit::{
    IllegalActionLimit, InvalidIllegalActionLimit, MAX_ILLEGAL_ACTIONS,
};
pub use invalid_text::{CharacterFault, InvalidText};
pub use list_order::ListOrder;
pub use match_outcome::MatchOutcome;
pub use match_seed::MatchSeed;
pub use new_match::NewMatch;
pub use new_token::NewToken;
pub use offer::{
    AcceptedGame, ImpossibleTerms, InvalidAcceptedGame, MAX_OFFERED, Offer, OfferPeriod,
};
pub use scope::{Scope, Scopes, UnknownScope};
pub use sequence::Sequence;
pub use shared_seed::{InvalidSeedMatches, MAX_SEED_MATCHES, SharedSeed};
pub use stage::Stage;
pub use termination::Termination;
pub use text::{
    BuildText, EndReason, FailureText, IdentityName, PlayerName, RequestId, SeedText, Title,
};
pub use time_control::{InvalidTimeControl, MAX_THINKING_TIME, TimeControl};
pub use time_control_text::{ParseTimeControlError, parse_time_control};
pub use timestamp::Timestamp;
pub use token::{InvalidTokenId, TokenId, TokenStanding};
