use super::{read, write};
use crate::record::Format;

/// Jellyfish's `.mat`.
pub const MAT: Format = Format {
    name: "mat",
    summary: "Jellyfish's match, .mat; GNU Backgammon and eXtreme Gammon read it.",
    write: write::write,
    read: Some(read::read),
};
