//! The crates that a crate may depend on, those that it must never reach, and circles of modules, and nouns that two crates declare.

mod arrows;
mod check;
mod circles;
mod modules;
mod needs;
mod nouns;
mod paths;

pub use arrows::{LAYERS, Layer};
pub use check::{check_direct, check_reach, check_repository};
pub use circles::check_circles;
pub use needs::Needs;
pub use nouns::check_nouns;
pub(crate) use paths::imports;
