use std::io::Read as _;
use std::path::Path;

use dragontooth_games::catalogue::Game;
use dragontooth_games::record::{GameRecord, Reader, RecordStep};
use sha2::{Digest, Sha256};

use super::MAX_RECORD_BYTES;
use super::fault::{InvalidOpenings, open, unreadable};

/// The reader of the records of other programs that have this file's extension; `None` for a book of lines.
pub(super) fn reader(game: &Game, book: &Path) -> Option<Reader> {
    let extension = book.extension()?.to_str()?.to_ascii_lowercase();
    let mut formats = game.formats.iter();
    formats.find_map(|format| format.read.filter(|_| format.extension == extension))
}

/// Reads the record of a match and returns an opening for each of its games: the position from which it started
/// and all that was played.
pub(super) fn read(
    book: &Path,
    read: Reader,
    hash: &mut Sha256,
) -> Result<Vec<Vec<String>>, InvalidOpenings> {
    let mut bytes = Vec::new();
    let mut file = open(book)?.take(MAX_RECORD_BYTES + 1);
    file.read_to_end(&mut bytes).map_err(unreadable(book))?;
    if bytes.len() as u64 > MAX_RECORD_BYTES {
        return Err(InvalidOpenings::LargeRecord(book.to_owned()));
    }
    hash.update(&bytes);
    // Names of players in other encodings are no obstacle.
    let record =
        read(&String::from_utf8_lossy(&bytes)).map_err(|fault| InvalidOpenings::Record {
            book: book.to_owned(),
            fault,
        })?;
    Ok(record.record.games.iter().map(entries).collect())
}

fn entries(game: &GameRecord) -> Vec<String> {
    let steps = game.steps.iter().filter_map(|step| match step {
        RecordStep::Action { action, .. } => Some(action.clone()),
        RecordStep::Roll { roll } => Some(roll.clone()),
        RecordStep::Pass { .. } => None,
    });
    std::iter::once(game.start.clone()).chain(steps).collect()
}
