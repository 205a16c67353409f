//! The tests of the event logs.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod any_event;
mod backup;
mod chain;
mod child;
mod codec;
mod conformance;
mod corpus;
mod crash;
mod damage;
mod flips;
mod folder;
mod full_disk;
mod golden;
mod image;
mod match_log;
mod meaningless;
mod mount;
mod power_loss;
mod random;
mod raw;
mod refused_store;
mod reopen;
mod suite;
mod summaries;
mod token_log;
mod unwritten;
mod workload;
