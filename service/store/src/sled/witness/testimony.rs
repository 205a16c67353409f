//! The content of a witness.

use std::{collections::HashMap, fs, io, path::Path};

use super::line::{LEN_BYTES, Line, WitnessedHead};
use crate::StreamId;

/// The name of the witness.
pub(in crate::sled) const FILE: &str = "heads";

/// The content of a witness.
#[derive(Debug, Default)]
pub(in crate::sled) struct Testimony {
    /// The last head seen of each stream.
    pub(in crate::sled) heads: HashMap<StreamId, WitnessedHead>,
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
        let mut testimony = Self::default();
        let (lines, rest) = bytes.as_chunks::<LEN_BYTES>();
        for line in lines {
            match Line::decode(line) {
                // Later lines are of later heads.
                Some(line) => {
                    testimony.heads.insert(line.stream, line.seen);
                }
                None => testimony.damaged_lines += 1,
            }
        }
        testimony.damaged_lines += usize::from(!rest.is_empty());
        testimony
    }
}
