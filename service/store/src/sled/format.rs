//! The version of what is stored, kept beside it.

use sled::{Db, Tree};

/// The format that this version writes: a tree `events` of records under stream id and big-endian
/// sequence, alone or several as a chunk, a tree `meta` with the format under `format` and the secret key under `key`, a tree `summaries` of
/// summaries under stream id, which need not be there.
///
/// Beside sled are the files of the journal, with the records that are not in `events` yet.
///
/// In a folder of format 1 no record is sealed with a hash, and up to format 2 there is neither a chunk nor a journal.
/// Such a folder is opened unchanged and marked as one of this format; records that are appended from then on are
/// sealed, and stored in chunks.
pub const FORMAT_VERSION: u32 = 3;

/// The oldest format that this version opens.
pub(super) const OLDEST_FORMAT_VERSION: u32 = 1;

const EVENTS: &str = "events";
const SUMMARIES: &str = "summaries";
const META: &str = "meta";
const FORMAT: &str = "format";
const KEY: &str = "key";

/// The origin of a store, by its stored format.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Nothing has been stored yet.
    New,
    /// Written by a version of this program.
    Version(u32),
    /// Written by something else.
    Foreign,
}

impl Format {
    /// Reads the format and changes nothing.
    pub(super) fn read(db: &Db) -> sled::Result<Self> {
        // The tree that sled always makes is not ours; anything in it is not either.
        let ours = db
            .tree_names()
            .into_iter()
            .filter(|name| *name != db.name())
            .collect::<Vec<_>>();
        if ours.is_empty() && db.is_empty() {
            return Ok(Self::New);
        }
        if !ours.iter().any(|name| *name == META) {
            return Ok(Self::Foreign);
        }
        let meta = db.open_tree(META)?;
        Ok(match meta.get(FORMAT)? {
            Some(version) => match <[u8; 4]>::try_from(version.as_ref()) {
                Ok(version) => Self::Version(u32::from_be_bytes(version)),
                Err(_) => Self::Foreign,
            },
            // The tree was made and the process ended before it could write the version.
            None if ours.len() == 1 && meta.is_empty() => Self::New,
            None => Self::Foreign,
        })
    }

    /// Marks a store, new or older, with this version's format.
    pub(super) fn write(db: &Db) -> sled::Result<()> {
        db.open_tree(META)?
            .insert(FORMAT, &FORMAT_VERSION.to_be_bytes())
            .map(|_| ())
    }
}

/// The tree of records.
pub(super) fn events(db: &Db) -> sled::Result<Tree> {
    db.open_tree(EVENTS)
}

/// The tree of summaries.
pub(super) fn summaries(db: &Db) -> sled::Result<Tree> {
    db.open_tree(SUMMARIES)
}

/// The secret key of the store, which is `fresh` if it has none yet.
pub(super) fn secret_key(db: &Db, fresh: [u8; 32]) -> sled::Result<[u8; 32]> {
    let meta = db.open_tree(META)?;
    if let Some(key) = meta.get(KEY)?
        && let Ok(key) = key.as_ref().try_into()
    {
        return Ok(key);
    }
    meta.insert(KEY, &fresh)?;
    Ok(fresh)
}
