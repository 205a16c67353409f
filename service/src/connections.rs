//! The connections: how many there are, how long one lives, and what is served on each.

mod accept;
mod connection;
mod plain;

pub(crate) use accept::{AcceptHandle, ConnectionLimits, Protocol, accept};
pub(crate) use connection::Connection;
