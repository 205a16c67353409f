use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use dragontooth_games::catalogue::SetupError;
use dragontooth_games::counted;
use dragontooth_games::match_play::InvalidOpening;
use dragontooth_games::record::RecordReadError;
use dragontooth_service_vocabulary::InvalidText;

use super::{
    MAX_BOOK_BYTES, MAX_BOOK_OPENINGS, MAX_LINE_BYTES, MAX_OPENING_NAME_BYTES, MAX_RECORD_BYTES,
};

/// The reason why an event cannot have its openings.
#[derive(Debug, thiserror::Error)]
pub enum InvalidOpenings {
    /// The book cannot be read.
    #[error("{} cannot be read: {source}", book.display())]
    Unreadable {
        /// The book.
        book: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The book is something else than a file, such as a pipe, which could not be read again.
    #[error("{} is not a file", .0.display())]
    NotFile(PathBuf),
    /// The book is too large.
    #[error("{} has more than {MAX_BOOK_BYTES} bytes", .0.display())]
    TooLarge(PathBuf),
    /// The book is a record of another program, and too large for one.
    #[error("{} has more than {MAX_RECORD_BYTES} bytes, too many for a record", .0.display())]
    LargeRecord(PathBuf),
    /// The book has too many openings.
    #[error("{} has more than {MAX_BOOK_OPENINGS} openings", .0.display())]
    TooMany(PathBuf),
    /// The book is not what it was when it was indexed.
    #[error("{} has changed since the event began", .0.display())]
    Changed(PathBuf),
    /// The book is a record of a match that cannot be read.
    #[error("{}:{}: {}", book.display(), fault.line, fault.why)]
    Record {
        /// The book.
        book: PathBuf,
        /// The fault, with its line.
        fault: RecordReadError,
    },
    /// The book has the extension of records that cannot be read for this game.
    #[error("{}: {}", book.display(), extension_text(extension, game, of, *readable))]
    Extension {
        /// The book.
        book: PathBuf,
        /// Its extension, in lower case.
        extension: String,
        /// The title of the event's game.
        game: &'static str,
        /// The title of the game whose records have the extension.
        of: &'static str,
        /// The extension of records that can be read for the event's game; `None` if there are none.
        readable: Option<&'static str>,
    },
    /// The book has no openings.
    #[error("{} has no openings", .0.display())]
    Empty(PathBuf),
    /// The first opening is past the end.
    #[error("{start} is past the end of {}, which has {}", book.display(), counted(*openings, "opening"))]
    Start {
        /// The book.
        book: PathBuf,
        /// The number of the first opening.
        start: u32,
        /// The number of openings.
        openings: usize,
    },
    /// There is no opening of the event's matches here.
    #[error("{}:{place}: {fault}", book.display())]
    Opening {
        /// The book.
        book: PathBuf,
        /// The place.
        place: BookPlace,
        /// The fault.
        fault: Box<OpeningFault>,
    },
}

/// The place of an opening in a book. As text it follows the book's name and a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookPlace {
    /// This line, from 1.
    Line(u32),
    /// A game of a record.
    Game {
        /// Its number, from 1.
        number: usize,
        /// The line at which it starts, from 1.
        line: usize,
    },
}

/// A fault of an opening.
#[derive(Debug, thiserror::Error)]
pub enum OpeningFault {
    /// The line is too long.
    #[error("the line has more than {MAX_LINE_BYTES} bytes")]
    Length,
    /// The line is not text.
    #[error("the line is not UTF-8")]
    NotText,
    /// Its name is too long.
    #[error("the name of an opening has at most {MAX_OPENING_NAME_BYTES} bytes, not {0}")]
    Name(usize),
    /// Its name has a character that could not be shown.
    #[error("the name of the opening: {0}")]
    NameText(InvalidText),
    /// No match begins so.
    #[error(transparent)]
    Invalid(InvalidOpening),
    /// Its first entry cannot be read.
    #[error("{0}; is this a book for another game?")]
    Unreadable(InvalidOpening),
    /// It is a whole game of a record, and the event says not how much of it is played.
    #[error("{0}: `plies` says how far a game is played")]
    WholeGame(InvalidOpening),
    /// The rules of the event are no match.
    #[error(transparent)]
    Rules(SetupError),
}

impl InvalidOpenings {
    pub(super) fn at(book: &Path, place: BookPlace, fault: OpeningFault) -> Self {
        Self::Opening {
            book: book.to_owned(),
            place,
            fault: Box::new(fault),
        }
    }
}

impl fmt::Display for BookPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "{number}"),
            Self::Game { number, line } => write!(f, "{line}: game {number}"),
        }
    }
}

/// The reason why a file with this extension is no book, and what is one.
fn extension_text(extension: &str, game: &str, of: &str, readable: Option<&str>) -> String {
    let record = readable.map_or_else(String::new, |readable| {
        format!(", or be a record with the extension .{readable}")
    });
    let why = if of == game {
        format!("records of {game} with the extension .{extension} can be written but not read")
    } else {
        format!("a file with the extension .{extension} is a record of {of}, not of {game}")
    };
    format!(
        "{why}; a book of {game} may have one opening a line, in a file such as book.txt{record}"
    )
}

/// Opens a book. A pipe is not opened, which would wait for its writer.
pub(super) fn open(book: &Path) -> Result<File, InvalidOpenings> {
    let metadata = fs::metadata(book).map_err(unreadable(book))?;
    if !metadata.is_file() {
        return Err(InvalidOpenings::NotFile(book.to_owned()));
    }
    File::open(book).map_err(unreadable(book))
}

/// The error of a book that cannot be read.
pub(super) fn unreadable(book: &Path) -> impl Fn(io::Error) -> InvalidOpenings + '_ {
    |source| InvalidOpenings::Unreadable {
        book: book.to_owned(),
        source,
    }
}
