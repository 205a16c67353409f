use std::fs;
use std::path::Path;

use super::run_file_error::unreadable;
use super::{Fingerprint, RunFileError, RunFolder};

/// Computes the digests of an arena: each covers its definition, `event.json`, and its journal up to a line.
#[derive(Clone, Copy, Debug)]
pub struct ArenaDigest {
    definition: Fingerprint,
}

impl ArenaDigest {
    /// Reads the definition of the arena in a folder.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn of(folder: &Path) -> Result<Self, RunFileError> {
        let path = RunFolder::manifest_in(folder);
        let bytes = fs::read(&path).map_err(|source| unreadable(&path, source))?;
        Ok(Self {
            definition: Fingerprint::of(&bytes),
        })
    }

    /// The digest after the line with this hash, [`Fingerprint::NONE`] before the first.
    #[must_use]
    pub fn after(&self, head: Fingerprint) -> Fingerprint {
        let text = format!("dragontooth.arena.v1\n{}\n{head}\n", self.definition);
        Fingerprint::of(text.as_bytes())
    }
}
