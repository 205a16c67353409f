//! Misbehaving programs and the cost of their faults: each is a real program under the real
//! runner, of which nothing is left afterwards.

mod bot;
mod costs;
mod leftovers;
mod place;
mod resources;

use std::time::Duration;

pub(crate) use bot::own;
pub(crate) use place::write_program;

/// A program that does not take its seat.
const ABSENT: &str = "join_ms = 500\nstart_failure = 'forfeit'";
const ABSENT_COSTS: Duration = Duration::from_millis(500);
/// A clock that runs out at the first decision.
const LATE_COSTS: Duration = Duration::from_millis(5400);
const PRESENT: &str = "join_ms = 5000";
