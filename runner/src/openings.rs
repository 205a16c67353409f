//! The openings of an event: a book, of which each encounter has one opening.

mod fault;
mod line_book;
mod name;
mod recorded;

use std::fmt;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use dragontooth_bots::builtin::search::SplitMix64;
use dragontooth_games::match_play::InvalidOpening;
use dragontooth_games::record::opening_entries;
use dragontooth_games::{catalogue, counted, hex};
use dragontooth_runner_tournament::MatchRules;
use dragontooth_service_vocabulary::Title;
use sha2::{Digest, Sha256};

pub use fault::{BookPlace, InvalidOpenings, OpeningFault};
use fault::{open, unreadable};
use line_book::{CHUNK_BYTES, LineBook};
use recorded::{RecordBook, RecordedOpening};

/// The most bytes of a book.
pub const MAX_BOOK_BYTES: u64 = 1 << 30;
/// The most openings of a book. Each takes 8 bytes of memory, and one with a name about 18 more while the book is indexed.
pub const MAX_BOOK_OPENINGS: usize = 10_000_000;
/// The most bytes of a line of a book: more than the largest opening has.
pub const MAX_LINE_BYTES: usize = 128 << 10;
/// The most bytes of a record of another program: hundreds of the longest match.
pub const MAX_RECORD_BYTES: u64 = 16 << 20;
/// The most bytes of an opening's name in a book.
pub const MAX_OPENING_NAME_BYTES: usize = 100;
/// The most bytes of a book that is copied into the run directory.
pub const MAX_COPIED_BYTES: u64 = 64 << 20;
/// The encounters whose openings are played through before the first match. Later ones are as they begin, so
/// that a large event starts at once.
const TRIED_ENCOUNTERS: u64 = 10_000;

/// The warnings about a record that are noted one by one.
const NOTED_WARNINGS: usize = 20;
/// The name of the copy of a book in a run directory, without its extension.
const COPY_STEM: &str = "openings";
/// The extension of the copy of a book that has one opening a line.
const LINES_EXTENSION: &str = "txt";

/// A book and the way in which encounters take their openings from it.
pub struct Openings {
    book: PathBuf,
    source: Source,
    digest: String,
    choice: OpeningChoice,
    rules: MatchRules,
}

/// The openings that are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningChoice {
    /// The seed of a random order; `None` for the order of the book.
    pub shuffled: Option<u64>,
    /// The number of the first encounter's opening in that order, from 1.
    pub start: u32,
    /// The actions of an opening that are played; `None` for all.
    pub plies: Option<u32>,
}

/// The opening of an encounter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Its name in the book, or else its place there: `line 7`, `game 3`. No other opening of the book has
    /// it: after a name that an earlier line has follows the line, `Left side (line 7)`.
    pub name: String,
    /// Its entries, in canonical notation.
    pub entries: Vec<String>,
    /// The bytes of `name` that stand in the book.
    plain_bytes: usize,
}

impl Opening {
    /// Its name without the line that tells it from others of the same name.
    #[must_use]
    pub fn plain_name(&self) -> &str {
        &self.name[..self.plain_bytes]
    }
}

/// The place where the openings of a book are, in the order in which encounters have them.
enum Source {
    Lines(Box<LineBook>),
    /// The games of a record.
    Games(RecordBook),
}

impl Openings {
    /// Reads a book for an event with at most this many encounters: the record of a match of another program if it
    /// has the extension of one that the game reads, or else one opening a line. Of lines only the places are
    /// kept.
    ///
    /// A line has the entries of an opening, as [`opening_entries`] reads them, and after `#` its name, if it has
    /// one. Empty lines and those that begin with `#` count for nothing.
    ///
    /// # Errors
    ///
    /// The book cannot be read, the first opening is past its end, or an opening of the first encounters
    /// cannot be played.
    pub fn read(
        book: &Path,
        choice: OpeningChoice,
        rules: MatchRules,
        encounters: u64,
    ) -> Result<Self, InvalidOpenings> {
        let game = catalogue::find(rules.game()).expect("the rules name a game");
        let mut hash = Sha256::new();
        let source = match recorded::reader(game, book)? {
            Some(reader) => Source::Games(recorded::read(book, reader, &mut hash)?),
            None => Source::Lines(Box::new(LineBook::index(book, &mut hash)?)),
        };
        let mut openings = Self {
            book: book.to_owned(),
            source,
            digest: hex(&hash.finalize()),
            choice,
            rules,
        };
        let count = openings.count();
        if count == 0 {
            return Err(InvalidOpenings::Empty(book.to_owned()));
        }
        if choice.start as usize > count {
            return Err(InvalidOpenings::Start {
                book: book.to_owned(),
                start: choice.start,
                openings: count,
            });
        }
        if let Some(seed) = choice.shuffled {
            match &mut openings.source {
                Source::Lines(book) => shuffle(book.lines(), seed),
                Source::Games(book) => shuffle(&mut book.games, seed),
            }
        }
        let tried = encounters.min(TRIED_ENCOUNTERS).min(count as u64);
        for encounter in (1..).take(usize::try_from(tried).unwrap_or(usize::MAX)) {
            openings.of(encounter)?;
        }
        Ok(openings)
    }

    /// The hash of a book, as [`Openings::digest`] gives it.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn digest_of(book: &Path) -> Result<String, InvalidOpenings> {
        let mut hash = Sha256::new();
        let mut file = BufReader::with_capacity(CHUNK_BYTES, open(book)?);
        loop {
            let chunk = file.fill_buf().map_err(unreadable(book))?;
            if chunk.is_empty() {
                return Ok(hex(&hash.finalize()));
            }
            hash.update(chunk);
            let read = chunk.len();
            file.consume(read);
        }
    }

    /// The opening of a single match that is played again.
    #[must_use]
    pub fn again(entries: &[String], rules: MatchRules) -> Self {
        Self {
            book: PathBuf::new(),
            source: Source::Games(RecordBook {
                games: vec![RecordedOpening {
                    number: 1,
                    line: 1,
                    entries: entries.to_vec(),
                    is_over: false,
                }],
                warnings: Vec::new(),
                bytes: 0,
            }),
            digest: String::new(),
            choice: OpeningChoice {
                shuffled: None,
                start: 1,
                plies: None,
            },
            rules,
        }
    }

    /// The opening of an encounter, by its number from 1. After the last one of the book the first follows.
    ///
    /// # Errors
    ///
    /// It cannot be played, or the book cannot be read any more.
    pub fn of(&self, encounter: u32) -> Result<Opening, InvalidOpenings> {
        let at = (self.choice.start as usize - 1 + encounter.max(1) as usize - 1) % self.count();
        match &self.source {
            Source::Lines(book) => {
                let line = book.text(at, &self.book)?;
                let (entries, name) = line.split_once('#').unwrap_or((&line, ""));
                let mut opening =
                    self.opening(name.trim(), book.place(at), &opening_entries(entries))?;
                if book.repeats_name(at) {
                    opening.name = name::with_line(&opening.name, book.number(at));
                }
                Ok(opening)
            }
            Source::Games(book) => {
                let RecordedOpening {
                    number,
                    line,
                    ref entries,
                    is_over,
                } = book.games[at];
                let place = BookPlace::Game { number, line };
                let opening = self.opening("", place, entries)?;
                // The entries end where a player resigned.
                if is_over && self.choice.plies.is_none() {
                    let over = InvalidOpening::Over {
                        number: entries.len(),
                    };
                    let fault = OpeningFault::WholeGame(over);
                    return Err(InvalidOpenings::at(&self.book, place, fault));
                }
                Ok(opening)
            }
        }
    }

    /// The opening of an encounter of an arena, by its number from 1: the book is played again and again.
    ///
    /// # Errors
    ///
    /// As for [`of`](Self::of).
    pub fn in_arena(&self, encounter: u64) -> Result<Opening, InvalidOpenings> {
        let place = u32::try_from(encounter % u64::from(u32::MAX)).unwrap_or(u32::MAX);
        self.of(place)
    }

    /// The number of openings in the book.
    #[must_use]
    pub const fn count(&self) -> usize {
        match &self.source {
            Source::Lines(book) => book.count(),
            Source::Games(book) => book.games.len(),
        }
    }

    /// Notes for the user before this many encounters begin: the lines of a record that differ from its
    /// format, with file and line, and that openings are repeated.
    #[must_use]
    pub fn notes(&self, encounters: u64) -> Vec<String> {
        let warnings = match &self.source {
            Source::Lines(_) => &[],
            Source::Games(book) => &book.warnings[..],
        };
        let book = self.book.display();
        let mut notes: Vec<String> = (warnings.iter().take(NOTED_WARNINGS))
            .map(|warning| format!("{book}:{}: {}", warning.line, warning.why))
            .collect();
        if let Some(more @ 1..) = warnings.len().checked_sub(NOTED_WARNINGS) {
            notes.push(format!(
                "{book}: {} more of this kind",
                counted(more, "line")
            ));
        }
        if (self.count() as u64) < encounters {
            notes.push(format!(
                "the event has up to {} and the book {}: they are repeated",
                counted(encounters, "encounter"),
                counted(self.count(), "opening"),
            ));
        }
        notes
    }

    /// The SHA-256 hash of the book, 64 hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The name of the copy of the book in a run directory; `None` if it has more than [`MAX_COPIED_BYTES`].
    #[must_use]
    pub fn copy_name(&self) -> Option<String> {
        let (extension, bytes) = match &self.source {
            Source::Lines(book) => (LINES_EXTENSION.to_owned(), book.bytes()),
            Source::Games(book) => {
                let extension = self.book.extension()?.to_str()?;
                (extension.to_ascii_lowercase(), book.bytes)
            }
        };
        (bytes <= MAX_COPIED_BYTES).then(|| format!("{COPY_STEM}.{extension}"))
    }

    /// The book, of at most [`MAX_COPIED_BYTES`].
    ///
    /// # Errors
    ///
    /// It cannot be read any more, or has changed.
    pub fn bytes(&self) -> Result<Vec<u8>, InvalidOpenings> {
        let mut bytes = Vec::new();
        let file = open(&self.book)?;
        file.take(MAX_COPIED_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable(&self.book))?;
        if hex(&Sha256::digest(&bytes)) == self.digest {
            Ok(bytes)
        } else {
            Err(InvalidOpenings::Changed(self.book.clone()))
        }
    }

    /// The openings of the book that are played.
    #[must_use]
    pub const fn choice(&self) -> OpeningChoice {
        self.choice
    }

    fn opening(
        &self,
        name: &str,
        place: BookPlace,
        entries: &[String],
    ) -> Result<Opening, InvalidOpenings> {
        let refused = |fault| InvalidOpenings::at(&self.book, place, fault);
        if name.len() > MAX_OPENING_NAME_BYTES {
            return Err(refused(OpeningFault::Name(name.len())));
        }
        Title::new(name).map_err(|fault| refused(OpeningFault::NameText(fault)))?;
        let game = catalogue::find(self.rules.game()).expect("the rules name a game");
        let mut play = game
            .new_match(Some(self.rules.variant()), self.rules.target())
            .map_err(|error| refused(OpeningFault::Rules(error)))?;
        let entries = play
            .open_with(entries, self.choice.plies.map(|plies| plies as usize))
            .map_err(|error| {
                let is_game = matches!(place, BookPlace::Game { .. });
                let is_whole = matches!(error, InvalidOpening::Over { .. });
                refused(if is_game && is_whole && self.choice.plies.is_none() {
                    OpeningFault::WholeGame(error)
                } else if matches!(error, InvalidOpening::Unreadable { .. }) {
                    OpeningFault::Unreadable(error)
                } else {
                    OpeningFault::Invalid(error)
                })
            })?;
        let name = match place {
            BookPlace::Line(_) | BookPlace::Game { .. } if !name.is_empty() => name.to_owned(),
            BookPlace::Line(number) => name::of_line(number),
            BookPlace::Game { number, .. } => format!("game {number}"),
        };
        Ok(Opening {
            plain_bytes: name.len(),
            name,
            entries,
        })
    }
}

/// Returns true if the copy of a book in a run directory may have this name.
#[must_use]
pub fn is_copy_name(name: &str) -> bool {
    let extension = name
        .strip_prefix(COPY_STEM)
        .and_then(|rest| rest.strip_prefix('.'));
    let mut formats = catalogue::GAMES.iter().flat_map(|game| game.formats);
    extension.is_some_and(|extension| {
        extension == LINES_EXTENSION
            || formats.any(|format| format.read.is_some() && format.extension == extension)
    })
}

impl PartialEq for Openings {
    fn eq(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.book.clone(), one.digest.clone(), one.choice, one.rules);
        key(self) == key(other)
    }
}

impl fmt::Debug for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Openings")
            .field("book", &self.book)
            .field("openings", &self.count())
            .field("choice", &self.choice)
            .finish_non_exhaustive()
    }
}

fn shuffle<T>(openings: &mut [T], seed: u64) {
    let mut numbers = SplitMix64::new(seed);
    for last in (1..openings.len()).rev() {
        // A book has far fewer openings than 2^64: none is visibly preferred.
        let other = numbers.next_word() % (last as u64 + 1);
        openings.swap(last, usize::try_from(other).expect("it is below a length"));
    }
}
