use crate::backgammon::{Dice, Illegal, MATCH_LENGTH_MAX, ParseActionError};
use crate::{IllegalAction as _, Seat, counted};

/// Maximum length in bytes of a record that is parsed.
pub const MAT_BYTES_MAX: usize = 4 << 20;

/// Maximum number of characters of a record that an error quotes.
const QUOTED_LETTERS_MAX: usize = 40;

/// The reason why a line of a record is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("longer than {MAT_BYTES_MAX} bytes")]
    TooLong,
    #[error("expected a line such as \"7 point match\" before the end")]
    NoLength,
    #[error("expected a match to at most {MATCH_LENGTH_MAX} points, found {found:?}")]
    Length { found: String },
    #[error("expected the variation Backgammon, found {found:?}")]
    Variation { found: String },
    #[error(
        "matches without the Crawford rule are not supported, but the header Crawford turns it off"
    )]
    Crawford,
    #[error("games that start from a set-up position are not supported")]
    SetUp,
    #[error("expected a line such as \"Game {expected}\", found {found:?}")]
    Game { expected: usize, found: String },
    #[error(
        "expected the start of the match, found game {number}: a record that begins later cannot be read, \
         so export the match from its first game"
    )]
    LaterGame { number: usize },
    #[error("game {number} starts, but {why}")]
    GameTooMany { number: usize, why: &'static str },
    #[error("expected two names, each followed by a colon and its points; found {found:?}")]
    Names { found: String },
    #[error("the players differ from those of the first game")]
    OtherPlayers,
    #[error(
        "expected the score {} to {} after the previous games, found {} to {}",
        known[0], known[1], found[0], found[1]
    )]
    Score { known: [u32; 2], found: [u32; 2] },
    #[error(
        "expected the start of the match, 0 to 0, found {} to {}: a record that begins later cannot be read, \
         so export the match from its first game", found[0], found[1]
    )]
    LaterScore { found: [u32; 2] },
    #[error(
        "expected a roll such as 31: or a word such as Doubles, Takes, Drops or Wins; found {found:?}"
    )]
    Cell { found: String },
    #[error("a line has at most one action of each player")]
    TooManyCells,
    #[error("the game is over")]
    GameOver,
    #[error("it is seat {due}'s turn")]
    Turn { due: Seat },
    #[error("the opening roll has not been played yet")]
    BeforeTheOpening,
    #[error("the opening roll {dice} is a tie")]
    OpeningTie { dice: Dice },
    #[error("no roll is due, but {dice} is rolled")]
    Roll { dice: Dice },
    #[error("the play of {dice} is missing, and there are several")]
    Unplayed { dice: Dice, line: usize },
    #[error("{play}: {why}")]
    Unreadable { play: String, why: ParseActionError },
    #[error("expected a play after the dice, found {found:?}")]
    NoPlay { found: String },
    #[error("{action}: {illegal} (rule {})", illegal.rule())]
    Illegal { action: String, illegal: Illegal },
    #[error("expected a double to {stake}, found {found}")]
    Stake { stake: u32, found: u32 },
    #[error(
        "expected a win of {points} for seat {winner} by the rules, found {found} for seat {recorded}"
    )]
    Result {
        winner: Seat,
        points: u32,
        recorded: Seat,
        found: u32,
    },
    #[error(
        "seat {winner} wins {points} by the loser's entry, but seat {recorded} wins {found} by the winner's"
    )]
    Losses {
        winner: Seat,
        points: u32,
        recorded: Seat,
        found: u32,
    },
    #[error("no resignation is worth {} with the cube at {cube}", counted(*found, "point"))]
    Resignation { cube: u32, found: u32 },
}

impl Fault {
    /// The line of the fault, from 1, if it is not the one that was read when it was found.
    pub(super) const fn line(&self) -> Option<usize> {
        if let Self::Unplayed { line, .. } = self {
            Some(*line)
        } else {
            None
        }
    }
}

/// The start of a text, for an error.
pub(super) fn quoted(text: &str) -> String {
    text.chars().take(QUOTED_LETTERS_MAX).collect()
}
