//! The openings of an event: a book with one opening a line, of which each encounter has one.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use dragontooth_games::catalogue::{self, SetupError};
use dragontooth_games::match_play::InvalidOpening;
use dragontooth_runner_tournament::MatchRules;
use sha2::{Digest, Sha256};

/// The most bytes of a book: some millions of openings.
pub const MAX_BOOK_BYTES: u64 = 256 << 20;
/// The most bytes of an opening's name.
pub const MAX_OPENING_NAME_BYTES: usize = 100;
/// The encounters whose openings are played through before the first match. Later ones are as they begin, so
/// that a large event starts at once.
const TRIED_ENCOUNTERS: u64 = 10_000;

/// A book and the way in which encounters take their openings from it.
#[derive(Clone, PartialEq, Eq)]
pub struct Openings {
    book: PathBuf,
    text: String,
    digest: String,
    /// Its openings in the order in which encounters have them.
    lines: Vec<Line>,
    choice: OpeningChoice,
    rules: MatchRules,
}

/// The openings of a book that are played.
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
    /// Its name in the book, or else its line there: `line 7`.
    pub name: String,
    /// Its actions, in canonical notation.
    pub actions: Vec<String>,
}

/// A line of the book that has an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    /// From 1.
    number: u32,
    /// The offset of its first byte.
    start: u32,
}

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
    /// The book is too large.
    #[error("{} has more than {MAX_BOOK_BYTES} bytes", .0.display())]
    TooLarge(PathBuf),
    /// The book is not text.
    #[error("the text of {} is not UTF-8", .0.display())]
    NotText(PathBuf),
    /// The book has no openings.
    #[error("{} has no openings", .0.display())]
    Empty(PathBuf),
    /// The first opening is past the end.
    #[error("start = {start} is past the end of {}, which has {openings} openings", book.display())]
    Start {
        /// The book.
        book: PathBuf,
        /// The number of the first opening.
        start: u32,
        /// The number of openings.
        openings: usize,
    },
    /// A line has no opening of the event's matches.
    #[error("{}:{line}: {fault}", book.display())]
    Line {
        /// The book.
        book: PathBuf,
        /// The line, from 1.
        line: u32,
        /// The fault.
        fault: OpeningFault,
    },
}

/// A fault of a line.
#[derive(Debug, thiserror::Error)]
pub enum OpeningFault {
    /// It is shorter than the event's openings.
    #[error("the opening has {found} actions; the event plays {plies} of each")]
    TooShort {
        /// The number of its actions.
        found: usize,
        /// The number that is played.
        plies: u32,
    },
    /// Its name is too long.
    #[error("the name of an opening has at most {MAX_OPENING_NAME_BYTES} bytes, not {0}")]
    Name(usize),
    /// No match begins so.
    #[error(transparent)]
    Invalid(InvalidOpening),
    /// The rules of the event are no match.
    #[error(transparent)]
    Rules(SetupError),
}

impl Openings {
    /// Reads a book for an event with at most this many encounters. Only the places of its lines are kept.
    ///
    /// A line has the actions of an opening, separated by spaces, and after `#` its name, if it has one. Empty
    /// lines and those that begin with `#` count for nothing.
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
        let text = read_text(book)?;
        let digest = Sha256::digest(&text);
        let digest = digest.iter().fold(String::new(), |mut digits, byte| {
            write!(digits, "{byte:02x}").expect("writing to a string does not fail");
            digits
        });
        let mut lines = lines(&text);
        if lines.is_empty() {
            return Err(InvalidOpenings::Empty(book.to_owned()));
        }
        if choice.start as usize > lines.len() {
            return Err(InvalidOpenings::Start {
                book: book.to_owned(),
                start: choice.start,
                openings: lines.len(),
            });
        }
        if let Some(seed) = choice.shuffled {
            shuffle(&mut lines, seed);
        }
        let openings = Self {
            book: book.to_owned(),
            text,
            digest,
            lines,
            choice,
            rules,
        };
        let tried = encounters
            .min(TRIED_ENCOUNTERS)
            .min(openings.lines.len() as u64);
        for encounter in (1..).take(usize::try_from(tried).unwrap_or(usize::MAX)) {
            openings.of(encounter)?;
        }
        Ok(openings)
    }

    /// The openings of a single match that is played again.
    #[must_use]
    pub fn again(actions: &[String], rules: MatchRules) -> Self {
        let text = actions.join(" ");
        Self {
            book: PathBuf::new(),
            digest: String::new(),
            lines: lines(&text),
            text,
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
    /// It cannot be played.
    pub fn of(&self, encounter: u32) -> Result<Opening, InvalidOpenings> {
        let at =
            (self.choice.start as usize - 1 + encounter.max(1) as usize - 1) % self.lines.len();
        let line = self.lines[at];
        let text = self.text[line.start as usize..].lines().next();
        self.opening(line.number, text.unwrap_or_default())
            .map_err(|fault| InvalidOpenings::Line {
                book: self.book.clone(),
                line: line.number,
                fault,
            })
    }

    /// The number of openings in the book.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.lines.len()
    }

    /// The SHA-256 hash of the book, 64 hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The openings of the book that are played.
    #[must_use]
    pub const fn choice(&self) -> OpeningChoice {
        self.choice
    }

    fn opening(&self, number: u32, line: &str) -> Result<Opening, OpeningFault> {
        let (actions, name) = line.split_once('#').unwrap_or((line, ""));
        let name = name.trim();
        if name.len() > MAX_OPENING_NAME_BYTES {
            return Err(OpeningFault::Name(name.len()));
        }
        let mut actions: Vec<String> = actions.split_whitespace().map(str::to_owned).collect();
        if let Some(plies) = self.choice.plies {
            if actions.len() < plies as usize {
                let found = actions.len();
                return Err(OpeningFault::TooShort { found, plies });
            }
            actions.truncate(plies as usize);
        }
        let game = catalogue::find(self.rules.game()).expect("the rules name a game");
        let mut play = game
            .new_match(Some(self.rules.variant()), self.rules.target())
            .map_err(OpeningFault::Rules)?;
        let actions = play.open_with(&actions).map_err(OpeningFault::Invalid)?;
        Ok(Opening {
            name: if name.is_empty() {
                format!("line {number}")
            } else {
                name.to_owned()
            },
            actions,
        })
    }
}

impl fmt::Debug for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Openings")
            .field("book", &self.book)
            .field("openings", &self.lines.len())
            .field("choice", &self.choice)
            .finish_non_exhaustive()
    }
}

fn read_text(book: &Path) -> Result<String, InvalidOpenings> {
    let unreadable = |source| InvalidOpenings::Unreadable {
        book: book.to_owned(),
        source,
    };
    let mut bytes = Vec::new();
    let file = File::open(book).map_err(unreadable)?;
    file.take(MAX_BOOK_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BOOK_BYTES {
        return Err(InvalidOpenings::TooLarge(book.to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| InvalidOpenings::NotText(book.to_owned()))
}

/// The places of the lines that have openings.
fn lines(text: &str) -> Vec<Line> {
    let mut start = 0;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if !matches!(line.trim_start().bytes().next(), None | Some(b'#')) {
            let start = u32::try_from(start).expect("a book is shorter than 4 GiB");
            lines.push(Line { number, start });
        }
        start += line.len();
    }
    lines
}

/// Shuffles by the numbers of `SplitMix64` (Steele, Lea and Flood, 2014).
fn shuffle(lines: &mut [Line], seed: u64) {
    let mut state = seed;
    for last in (1..lines.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        // A book has far fewer lines than 2^64: no line is visibly preferred.
        let other = z % (last as u64 + 1);
        lines.swap(last, usize::try_from(other).expect("it is below a length"));
    }
}
