//! The service over the wire: as its clients see it, and as an operator does.

mod bad_input;
mod clocks;
mod discovery;
mod idempotency;
mod listing;
mod pair;
mod play_streams;
mod player;
mod processes;
mod program;
mod random_player;
mod raw;
mod replayed;
mod served;

mod refusals;
mod watching;
mod whole_matches;
