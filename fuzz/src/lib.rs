//! What must hold for any bytes that Dragontooth reads: entry points for fuzzing.
//!
//! Each [`Target`] takes any bytes and panics if something does not hold that has to: what is read
//! and written again reads the same, and what is refused names why. The tests of this crate feed
//! each target with its seeds, changed at random; `fuzz/libfuzzer` has the same targets for
//! cargo-fuzz, which looks for inputs by what they reach.

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
