//! Access: identities, their tokens and the players that others block, as a pure decider.
//!
//! A token is identified by its hash alone. [`decide`] turns a command into events,
//! [`AccessState::follow`] applies them.

mod blocks;
mod command;
mod decide;
mod event;
mod rejection;
mod state;
mod token;

pub use blocks::Blocks;
pub use command::AccessCommand;
pub use decide::{AccessDecided, decide};
pub use event::{AccessEvent, RecordedAccess, TokenIssued};
pub use rejection::{AccessRejection, MAX_IDENTITIES, MAX_LIVE_TOKENS, MAX_TOKEN_TTL};
pub use state::{
    AccessMisfit, AccessState, REMEMBERED_DEAD_TOKENS, REMEMBERED_TOKEN_REQUESTS, TokenState,
};
pub use token::TokenHash;
