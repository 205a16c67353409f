//! The limits on one caller: rates of requests, and numbers of things at once.

mod buckets;
mod caller_key;
mod counts;
mod guard;
mod name;
mod open_connections;
mod token_bucket;

pub(crate) use buckets::Buckets;
pub(crate) use caller_key::{CallerKey, one_host};
pub(crate) use counts::{Counted, Counts};
pub(crate) use guard::{Budget, Guard, LimitExceeded, StreamSlot};
pub(crate) use name::LimitName;
pub(crate) use open_connections::{ConnectionSlot, OpenConnections};
pub(crate) use token_bucket::{Rate, TokenBucket};
