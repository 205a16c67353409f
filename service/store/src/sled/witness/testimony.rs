//! The content of a witness.

use std::{fs, io, path::Path};

use super::head_table::HeadTable;
use super::line::{LEN_BYTES, Line};

/// The name of the witness.
pub(in crate::sled) const FILE: &str = "heads";

/// The content of a witness.
#[derive(Debug, Default)]
pub(in crate::sled) struct Testimony {
    /// The last head seen of each stream.
    pub(in crate::sled) heads: HeadTable,
    /// Number of damaged lines.
    pub(in crate::sled) damaged_lines: usize,
}

impl Testimony {
    /// Reads the file in the folder; `None` if it is missing.
    pub(in crate::sled) fn read(folder: &Path) -> io::Result<Option<Self>> {
        match fs::read(folder.join(FILE)) {
            Ok(bytes) => Ok(Some(Self::of(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn of(bytes: &[u8]) -> Self {
        let (lines, rest) = bytes.as_chunks::<LEN_BYTES>();
        let mut damaged_lines = usize::from(!rest.is_empty());
        let sound = lines.iter().filter_map(|line| {
            let line = Line::decode(line);
            damaged_lines += usize::from(line.is_none());
            line.map(|line| (line.stream, line.seen))
        });
        // Later lines are of later heads.
        let heads = sound.collect();
        Self {
            heads,
            damaged_lines,
        }
    }
}
