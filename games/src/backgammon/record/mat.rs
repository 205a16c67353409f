//! Jellyfish's `.mat` format, which GNU Backgammon, eXtreme Gammon and others read and write.

mod cells;
mod deviation;
mod fault;
mod game_reader;
mod read;
mod write;

use crate::record::RecordFormat;

pub use fault::MAT_BYTES_MAX;

/// Jellyfish's `.mat` format.
pub const MAT: RecordFormat = RecordFormat {
    name: "mat",
    extension: "mat",
    summary: "Jellyfish's match, .mat; GNU Backgammon and eXtreme Gammon read it.",
    write: write::write,
    read: Some(read::read),
};
