//! Permissions: tokens, scopes, and the end of tokens.

mod audience;
mod command_line;
mod ends;
mod guarded;
mod issuing;
mod names;
mod safety;
mod scopes;
mod tls;

pub(crate) use guarded::{Guarded, token_request};
