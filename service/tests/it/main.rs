//! The service over the wire: as its clients see it, and as an operator does.

mod bad_input;
mod idempotency;
mod pair;
mod program;
mod random_player;
mod raw;
mod replayed;
mod served;

mod refusals;
mod whole_matches;
