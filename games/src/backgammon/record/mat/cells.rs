use super::fault::{Fault, quoted};
use crate::Seat;
use crate::backgammon::Dice;

/// One player's entry in a line of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell<'a> {
    /// The dice and the text of the play.
    Roll {
        dice: Dice,
        play: &'a str,
    },
    /// A double, and the stake if it is given.
    Double(Option<u32>),
    Take,
    Drop,
    /// The game is won with this number of points.
    Wins {
        points: u32,
        /// True if the entry says that the win also ends the match.
        ends_match: bool,
    },
    /// The game is lost with this number of points: an entry of the loser that `BackgammonGalaxy` writes
    /// beside or before that of the winner.
    Losses(u32),
    /// The same without a column: at the start of a line that has no number.
    LossesOfEither,
    /// A resignation. It carries no information: the line with the points won does.
    Resigns,
}

/// The words that a cell may begin with, in lower case.
const WORDS: [&str; 9] = [
    "double", "take", "drop", "pass", "win", "loss", "resign", "beaver", "raccoon",
];

/// The first column, from 0, at which the only cell of a line belongs to the right player.
const RIGHT_COLUMN: usize = 17;

/// Splits a line into the players' cells. The left player is seat first. If a line has only one cell,
/// its column says whose it is.
pub(super) fn cells(line: &str) -> Result<Vec<(Seat, Cell<'_>)>, Fault> {
    let starts: Vec<usize> = line
        .char_indices()
        .map(|(at, _)| at)
        .filter(|at| is_word_start(line, *at) && is_cell_start(&line[*at..]))
        .collect();
    let before = &line[..starts.first().copied().unwrap_or(line.len())];
    let number = before.trim();
    let digits = number.strip_suffix(')').unwrap_or("").trim();
    if !number.is_empty() && !(is_number(digits)) {
        return Err(Fault::Cell {
            found: quoted(number),
        });
    }
    match starts[..] {
        [] => Ok(Vec::new()),
        [only] => {
            let is_left = line[..only].chars().count() < RIGHT_COLUMN;
            let seat = if is_left { Seat::First } else { Seat::Second };
            let mut cell = cell(&line[only..])?;
            if matches!(cell, Cell::Losses(_)) && is_left && number.is_empty() {
                cell = Cell::LossesOfEither;
            }
            Ok(vec![(seat, cell)])
        }
        [left, right] => Ok(vec![
            (Seat::First, cell(&line[left..right])?),
            (Seat::Second, cell(&line[right..])?),
        ]),
        [..] => Err(Fault::TooManyCells),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word_start(line: &str, at: usize) -> bool {
    let before = line[..at].chars().next_back();
    before.is_none_or(|letter| letter.is_whitespace() || letter == ')')
}

fn is_cell_start(text: &str) -> bool {
    dice(text).is_some() || WORDS.iter().any(|word| begins_with(text, word))
}

/// Returns true if the text begins with a word, ignoring case.
fn begins_with(text: &str, word: &str) -> bool {
    let beginning = text.as_bytes().get(..word.len());
    beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(word.as_bytes()))
}

fn dice(text: &str) -> Option<Dice> {
    // Two digits: a colon further on is not looked for at each word of a long line.
    let (dice, rest) = text.split_at_checked(2)?;
    rest.starts_with(':').then(|| dice.parse().ok())?
}

fn cell(text: &str) -> Result<Cell<'_>, Fault> {
    let text = text.trim();
    if let Some(dice) = dice(text) {
        let play = text.split_once(':').map_or("", |(_, play)| play.trim());
        let is_none = play.starts_with("???") || play.eq_ignore_ascii_case("cannot move");
        return Ok(Cell::Roll {
            dice,
            play: if is_none { "" } else { play },
        });
    }
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit());
    let number = numbers.find(|digits| !digits.is_empty());
    let number: Option<u32> = number.and_then(|digits| digits.parse().ok());
    let is = |word| begins_with(text, word);
    match number {
        stake if is("double") => Ok(Cell::Double(stake)),
        _ if is("take") => Ok(Cell::Take),
        _ if is("drop") || is("pass") => Ok(Cell::Drop),
        _ if is("resign") => Ok(Cell::Resigns),
        Some(points) if is("win") => Ok(Cell::Wins {
            points,
            ends_match: text.to_ascii_lowercase().ends_with("and the match"),
        }),
        Some(points) if is("loss") => Ok(Cell::Losses(points)),
        _ => Err(Fault::Cell {
            found: quoted(text),
        }),
    }
}
