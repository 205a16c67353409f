use std::io::Read as _;
use std::path::Path;

use dragontooth_games::catalogue::{GAMES, Game};
use dragontooth_games::record::{GameRecord, Reader, RecordStep, RecordWarning};
use sha2::{Digest, Sha256};

use super::MAX_RECORD_BYTES;
use super::fault::{InvalidOpenings, open, unreadable};

/// The record of a match as a book: an opening for each of its games.
pub(super) struct RecordBook {
    /// The games, in the order in which encounters have them.
    pub(super) games: Vec<RecordedOpening>,
    /// The lines that differ from the format.
    pub(super) warnings: Vec<RecordWarning>,
    /// The size of the file.
    pub(super) bytes: u64,
}

/// A game of a record.
pub(super) struct RecordedOpening {
    /// Its number in the record, from 1.
    pub(super) number: usize,
    /// The line at which it starts, from 1.
    pub(super) line: usize,
    /// The position from which it started, and all that was played.
    pub(super) entries: Vec<String>,
    /// True if it has a result, even if a player resigned it.
    pub(super) is_over: bool,
}

/// The reader of the records of other programs that have this file's extension; `None` for a book of lines.
///
/// # Errors
///
/// The extension is that of records which this game has not or cannot read.
pub(super) fn reader(game: &Game, book: &Path) -> Result<Option<Reader>, InvalidOpenings> {
    let extension = book.extension().and_then(|extension| extension.to_str());
    let Some(extension) = extension.map(str::to_ascii_lowercase) else {
        return Ok(None);
    };
    let mut own = game.formats.iter();
    let own = own.find(|format| format.extension == extension);
    if let Some(read) = own.and_then(|format| format.read) {
        return Ok(Some(read));
    }
    let mut others = GAMES.iter();
    let other = others.find(|game| {
        let mut formats = game.formats.iter();
        formats.any(|format| format.extension == extension)
    });
    let Some(other) = other else {
        return Ok(None);
    };
    let mut formats = game.formats.iter();
    Err(InvalidOpenings::Extension {
        book: book.to_owned(),
        game: game.title,
        of: own.map_or(other.title, |_| game.title),
        readable: (formats.find(|format| format.read.is_some())).map(|format| format.extension),
        extension,
    })
}

/// Reads the record of a match.
pub(super) fn read(
    book: &Path,
    read: Reader,
    hash: &mut Sha256,
) -> Result<RecordBook, InvalidOpenings> {
    let mut bytes = Vec::new();
    let mut file = open(book)?.take(MAX_RECORD_BYTES + 1);
    file.read_to_end(&mut bytes).map_err(unreadable(book))?;
    if bytes.len() as u64 > MAX_RECORD_BYTES {
        return Err(InvalidOpenings::LargeRecord(book.to_owned()));
    }
    hash.update(&bytes);
    // Names of players in other encodings are no obstacle.
    let read = read(&String::from_utf8_lossy(&bytes)).map_err(|fault| InvalidOpenings::Record {
        book: book.to_owned(),
        fault,
    })?;
    let games = read.record.games.iter().zip(read.game_lines);
    let games = (1..)
        .zip(games)
        .map(|(number, (game, line))| RecordedOpening {
            number,
            line,
            entries: entries(game),
            is_over: game.outcome.is_some(),
        });
    Ok(RecordBook {
        games: games.collect(),
        warnings: read.warnings,
        bytes: bytes.len() as u64,
    })
}

fn entries(game: &GameRecord) -> Vec<String> {
    let steps = game.steps.iter().filter_map(|step| match step {
        RecordStep::Action { action, .. } => Some(action.clone()),
        RecordStep::Roll { roll } => Some(roll.clone()),
        RecordStep::Pass { .. } => None,
    });
    std::iter::once(game.start.clone()).chain(steps).collect()
}
