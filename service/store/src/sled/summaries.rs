//! The summaries of streams, beside the records.

use std::panic::{self, AssertUnwindSafe};

use sled::Tree;

use crate::{StorageError, StreamId};

/// The tree of summaries. Any thread writes to it: what is lost of it is made again from the records.
#[derive(Debug)]
pub(super) struct Summaries(pub(super) Option<Tree>);

impl Summaries {
    /// The summary of a stream; none if sled cannot read it, because it is made again then.
    pub(super) fn get(&self, stream: StreamId) -> Option<Vec<u8>> {
        let tree = self.0.as_ref()?;
        let read = panic::catch_unwind(AssertUnwindSafe(|| tree.get(stream.0)));
        Some(read.ok()?.ok()??.to_vec())
    }

    /// Replaces the summary of a stream, or removes it.
    pub(super) fn set(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> Result<(), StorageError> {
        let Some(tree) = &self.0 else {
            return Ok(());
        };
        let write = || match summary {
            Some(summary) => tree.insert(stream.0, summary),
            None => tree.remove(stream.0),
        };
        // sled meets some damage by a panic.
        let written = panic::catch_unwind(AssertUnwindSafe(write))
            .unwrap_or(Err(sled::Error::Corruption { at: None, bt: () }));
        match written {
            Ok(_) => Ok(()),
            Err(source) => Err(StorageError::new("write a summary", source)),
        }
    }
}
