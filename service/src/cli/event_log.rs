use std::fs;
use std::path::Path;

/// Whether there may be an event log in a folder: it is there and not empty. An empty one is not opened to look
/// into it, since that would begin a log there, and a disk that is not mounted would look sound.
pub(super) fn may_be_in(folder: &Path) -> bool {
    folder.is_dir() && fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_some())
}
