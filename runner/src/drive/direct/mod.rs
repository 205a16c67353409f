//! Matches in the runner's own process, by the rules and the clocks of the service, without one.

mod arena;
mod direct_match;
mod mind;
mod wall_clock;

pub(super) use arena::DirectArena;
