//! The limits on one caller: rates of requests, and numbers of things and of bytes at once.

mod body_share;
mod buckets;
mod caller_key;
mod counts;
mod guard;
mod invitations;
mod limit_exceeded;
mod name;
mod open_connections;
mod response_share;
mod token_bucket;

pub(crate) use body_share::{BodyBudgets, BodyShare};
pub(crate) use buckets::Buckets;
pub(crate) use caller_key::{CallerKey, one_host};
pub(crate) use counts::{Counted, Counts};
pub(crate) use guard::{Guard, OfferSlot, Quota, StreamSlot};
pub(crate) use invitations::{Invitations, PendingInvitations};
pub(crate) use limit_exceeded::LimitExceeded;
pub(crate) use name::LimitName;
pub(crate) use open_connections::{ConnectionSlot, OpenConnection, OpenConnections};
pub(crate) use response_share::{ResponseBudget, ResponseShare};
pub(crate) use token_bucket::{Rate, TokenBucket};
