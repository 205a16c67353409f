//! Jellyfish's `.mat`, which GNU Backgammon, eXtreme Gammon and others write and read.

mod cells;
mod fault;
mod format;
mod playing;
mod read;
mod write;

pub use fault::MAT_BYTES_MAX;
pub use format::MAT;
