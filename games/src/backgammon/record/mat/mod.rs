//! Jellyfish's `.mat`, which GNU Backgammon, eXtreme Gammon and others write and read.

mod cells;
mod fault;
mod format;
mod playing;
mod read;
mod write;

pub use format::MAT;
pub use read::MAT_BYTES_MAX;
