//! The connections: how many there are, how long one lives, and what is served on each.

mod accept;
mod connection;
mod open;
mod plain;

pub(crate) use accept::{Accepting, ConnectionLimits, accept};
pub(crate) use connection::Connection;
pub(crate) use open::OpenConnections;
