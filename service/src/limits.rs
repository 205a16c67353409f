//! What one caller may take of the service: rates, and numbers of things at once.

mod buckets;
mod budget;
mod caller;
mod counts;
mod guard;
mod name;
mod token_bucket;

pub(crate) use buckets::Buckets;
pub(crate) use budget::Budget;
pub(crate) use caller::{Caller, one_host};
pub(crate) use counts::{Counted, Counts};
pub(crate) use guard::{Guard, StreamSlot};
pub(crate) use name::LimitName;
pub(crate) use token_bucket::{Rate, TokenBucket};
