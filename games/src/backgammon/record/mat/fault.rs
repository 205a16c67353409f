use crate::backgammon::{Dice, Illegal, MATCH_LENGTH_MAX, ParseActionError};
use crate::{IllegalAction as _, Seat};

/// A bound on the bytes of a record that is read.
pub const MAT_BYTES_MAX: usize = 4 << 20;

/// The letters of a record that an error shows at most.
const QUOTED_LETTERS_MAX: usize = 40;

/// What is wrong with a line of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("longer than {MAT_BYTES_MAX} bytes")]
    TooLong,
    #[error("a line such as \"7 point match\" is expected before the end")]
    NoLength,
    #[error("a match is to at most {MATCH_LENGTH_MAX} points; found {found:?}")]
    Length { found: String },
    #[error("only the variation Backgammon is read; found {found:?}")]
    Variation { found: String },
    #[error("games that start from a position that was set up are not read")]
    SetUp,
    #[error("a line such as \"Game {expected}\" is expected; found {found:?}")]
    Game { expected: usize, found: String },
    #[error("game {number} begins, but {why}")]
    GameTooMany { number: usize, why: &'static str },
    #[error("two names, each with its points behind a colon, are expected; found {found:?}")]
    Names { found: String },
    #[error("the players are not those of the first game")]
    OtherPlayers,
    #[error(
        "the score is {} to {} by the games before; found {} to {}",
        known[0], known[1], found[0], found[1]
    )]
    Score { known: [u32; 2], found: [u32; 2] },
    #[error(
        "a roll such as 31: or a word such as Doubles, Takes, Drops or Wins is expected; found {found:?}"
    )]
    Cell { found: String },
    #[error("a line has at most one action of each player")]
    TooManyCells,
    #[error("the game is over")]
    GameOver,
    #[error("it is the turn of seat {due}")]
    Turn { due: Seat },
    #[error("the opening roll has yet to be played")]
    BeforeTheOpening,
    #[error("the opening roll {dice} is a tie")]
    OpeningTie { dice: Dice },
    #[error("{dice} is rolled where no roll is due")]
    Roll { dice: Dice },
    #[error("no play of {dice} is told, and there are several")]
    Unplayed { dice: Dice },
    #[error("{play}: {why}")]
    Unreadable { play: String, why: ParseActionError },
    #[error("a play is expected after the dice; found {found:?}")]
    NoPlay { found: String },
    #[error("{action}: {illegal} (rule {})", illegal.rule())]
    Illegal { action: String, illegal: Illegal },
    #[error("the double is to {stake}; found {found}")]
    Stake { stake: u32, found: u32 },
    #[error("seat {winner} wins {points} by the rules; found {found} for seat {told}")]
    Result {
        winner: Seat,
        points: u32,
        told: Seat,
        found: u32,
    },
    #[error("the cube is at {cube}: nobody can resign {found} points")]
    Resignation { cube: u32, found: u32 },
}

/// The beginning of a text, for an error.
pub(super) fn quoted(text: &str) -> String {
    text.chars().take(QUOTED_LETTERS_MAX).collect()
}
