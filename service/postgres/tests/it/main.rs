//! The tests of the event log on PostgreSQL, with servers that they start.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a helper of a test prints, and fails by panicking, as the test does"
)]

mod backup;
mod conformance;
mod doubt;
mod failover;
mod interruptions;
mod load;
#[expect(dead_code, reason = "the tests of the other logs use the rest")]
#[path = "../../../store/tests/it/random.rs"]
mod random;
mod refusals;
mod refused_writes;
mod relay;
mod reloads;
mod reopening;
#[expect(dead_code, reason = "the benches use the rest")]
mod server;
mod sessions;
mod sharing;

/// The suite that every log passes.
#[path = "../../../store/tests/it/suite"]
mod suite {
    pub(crate) mod append;
    pub(crate) mod catalogue;
    pub(crate) mod close;
    mod given;
    pub(crate) mod model;
    pub(crate) mod read;
    pub(crate) mod together;

    pub(crate) use {append::*, catalogue::*, close::*, model::*, read::*, together::*};
}
