//! Stores as sled sees them.

use std::{fs::File, path::Path};

use dragontooth_service_store::StreamId;
use sled::{Db, Tree};

/// Opens the store in the folder `path`, makes it if it is not there, and does `what` with it.
///
/// Returns when sled has let go of it, which is a little after the `Db` is dropped.
pub(crate) fn with_sled<T>(path: &Path, what: impl FnOnce(&Db) -> T) -> T {
    let result = what(&sled::open(path).unwrap());
    File::open(path.join("db")).unwrap().lock().unwrap();
    result
}

/// Stores each record of a stream by itself, as in folders up to format 2.
pub(crate) fn separate(events: &Tree, stream: StreamId) {
    for entry in events.scan_prefix(stream.0) {
        let (key, chunk) = entry.unwrap();
        let Some((first, &[_, _])) = key[16..].split_first_chunk() else {
            continue;
        };
        events.remove(&key).unwrap();
        let mut sequence = u64::from_be_bytes(*first);
        let mut rest = &chunk[..];
        while let Some((length, behind)) = rest.split_first_chunk() {
            let (record, behind) = behind.split_at(u16::from_be_bytes(*length).into());
            let key = [&stream.0[..], &sequence.to_be_bytes()].concat();
            events.insert(key, record).unwrap();
            sequence += 1;
            rest = behind;
        }
    }
}
