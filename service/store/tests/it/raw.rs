//! Stores as sled sees them.

use std::{fs::File, path::Path};

use sled::Db;

/// Opens the store in the folder `path`, makes it if it is not there, and does `what` with it.
///
/// Returns when sled has let go of it, which is a little after the `Db` is dropped.
pub(crate) fn with_sled<T>(path: &Path, what: impl FnOnce(&Db) -> T) -> T {
    let result = what(&sled::open(path).unwrap());
    File::open(path.join("db")).unwrap().lock().unwrap();
    result
}
