use std::path::Path;

use super::mismatch::{Disagreement, Mismatch};
use crate::record::{DrawSecrets, FolderError, Seal};

/// Checks the secrets published in a run directory with this number of `results`, of which `remaining` are missing.
///
/// A run publishes them after its last result and before the next seal, so that they are due once a seal covers all
/// results.
pub(super) fn check(
    folder: &Path,
    results: usize,
    remaining: usize,
) -> Result<Option<Disagreement>, FolderError> {
    // What is wrong with the seal is found elsewhere. It is read first: a run may be at its end just now.
    let sealed = Seal::read(folder).ok().flatten();
    let has_ended = sealed
        .map(|seal| seal.cover())
        .is_some_and(|cover| cover.sessions > 0 && cover.results == results);
    let fault = DrawSecrets::published_fault(folder, remaining == 0 && has_ended)?;
    Ok(fault.map(|fault| Disagreement {
        place: "sessions.jsonl".to_owned(),
        mismatch: Mismatch::PublishedSecret(fault),
    }))
}
