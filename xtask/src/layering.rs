//! Which crate may depend on which, and what it must never reach.

mod arrows;
mod check;
mod needs;

pub use arrows::{LAYERS, Layer};
pub use check::{check_direct, check_reach, check_repository};
pub use needs::Needs;
