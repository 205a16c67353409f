//! Fuzzing entry points: properties that hold for any bytes that Dragontooth reads.
//!
//! Each [`Target`] takes any bytes and panics if a property is broken: what is read and written
//! again reads the same, and every refusal gives a reason. The tests of this crate feed each target
//! with random mutations of its seeds; `fuzz/libfuzzer` has the same targets for cargo-fuzz, which
//! searches for inputs by coverage.

mod engines;
mod mutation;
mod notation;
mod records;
mod refusal;
mod requests;
mod stored_events;
mod target;

pub use mutation::Mutation;
pub use target::{TARGETS, Target, target};
