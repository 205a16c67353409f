//! Who may do what: tokens, scopes and the ends of tokens.

mod ends;
mod guarded;
mod issuing;
mod scopes;

pub(crate) use guarded::{Guarded, token_request};
