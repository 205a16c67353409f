//! The identity of callers, and the calls that it allows.

mod auth_error;
mod bearer;
mod caller;
mod gate;
mod need;
mod secret;
mod token_watch;
mod tokens;

pub(crate) use auth_error::AuthError;
pub use caller::own_player;
pub(crate) use caller::{Caller, Viewer};
pub(crate) use gate::Gate;
pub(crate) use need::Need;
pub(crate) use secret::Secret;
pub(crate) use token_watch::TokenWatch;
pub(crate) use tokens::{RECORD_USES_INTERVAL, TokenFault, Tokens};
