use std::fmt;
use std::str::FromStr;

use dragontooth_games::Seat;

use super::{MatchNumber, MovesDigest};
use crate::statistics::Score;

/// How a match of the schedule came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// Which match.
    pub number: MatchNumber,
    /// The winner; none if it was drawn or aborted.
    pub winner: Option<Seat>,
    /// Why it ended.
    pub termination: Termination,
    /// The points by seat.
    pub score: [u32; 2],
    /// The games that were played to their end.
    pub games: GameCounts,
    /// The actions of both seats in all of its games.
    pub plies: u32,
    /// What was played; none if that was not recorded.
    pub moves: Option<MovesDigest>,
    /// What the bots did wrong, in order.
    pub faults: Vec<(Seat, FaultKind)>,
}

/// The games of a match that were played to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// The games won by seat.
    pub won: [u32; 2],
    /// The games that nobody won.
    pub drawn: u32,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// By the rules.
    Normal,
    /// The loser's clock ran out.
    Timeout,
    /// The loser resigned, or was made to, because it could not go on.
    Resignation,
    /// It had as many actions as the event allows and was drawn.
    Adjudicated,
    /// The loser gave too many illegal actions at one decision.
    IllegalAction,
    /// The match was called off and counts for nobody.
    Aborted,
    /// The loser was away for too long, or the match was called off by its fault. Without a winner it counts for
    /// nobody.
    Disconnect,
}

/// What a bot may do wrong. Each costs it the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Its clock ran out.
    Time,
    /// Its program ended, or it could make no choice.
    Crash,
    /// It did not take its seat or did not act, where no clock would have told.
    Stall,
    /// It gave illegal actions: as many at one decision as lose a match, or one on which it gave up.
    Illegal,
    /// It called the match off.
    Abort,
    /// It did not keep to the protocol.
    Protocol,
    /// Its program took more memory or time of processors than it may.
    Resources,
    /// It had too many faults before and plays no more.
    Disabled,
}

/// What a match is worth in the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A seat won.
    Won(Seat),
    /// Nobody won; it counts half for both.
    Drawn,
    /// It counts for nobody.
    Void,
}

/// A word that is none of those that are known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no {kind}")]
pub struct ParseWordError {
    kind: &'static str,
    word: String,
}

impl MatchResult {
    /// What it is worth.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        Verdict::of(self.termination, self.winner)
    }
}

impl Verdict {
    /// What a match that ended so is worth.
    #[must_use]
    pub const fn of(termination: Termination, winner: Option<Seat>) -> Self {
        match (termination, winner) {
            (Termination::Aborted, _) | (Termination::Disconnect, None) => Self::Void,
            (_, Some(seat)) => Self::Won(seat),
            (_, None) => Self::Drawn,
        }
    }

    /// What it brought to `seat`; none if it counts for nobody.
    #[must_use]
    pub fn score(self, seat: Seat) -> Option<Score> {
        match self {
            Self::Won(winner) if winner == seat => Some(Score::Won),
            Self::Won(_) => Some(Score::Lost),
            Self::Drawn => Some(Score::Drawn),
            Self::Void => None,
        }
    }
}

impl GameCounts {
    /// All games together.
    #[must_use]
    pub const fn total(self) -> u32 {
        self.won[0]
            .saturating_add(self.won[1])
            .saturating_add(self.drawn)
    }
}

impl Termination {
    const ALL: [Self; 7] = [
        Self::Normal,
        Self::Timeout,
        Self::Resignation,
        Self::Adjudicated,
        Self::IllegalAction,
        Self::Aborted,
        Self::Disconnect,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Timeout => "timeout",
            Self::Resignation => "resignation",
            Self::Adjudicated => "adjudicated",
            Self::IllegalAction => "illegal_action",
            Self::Aborted => "aborted",
            Self::Disconnect => "disconnect",
        }
    }
}

impl FaultKind {
    const ALL: [Self; 8] = [
        Self::Time,
        Self::Crash,
        Self::Stall,
        Self::Illegal,
        Self::Abort,
        Self::Protocol,
        Self::Resources,
        Self::Disabled,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Illegal => "illegal",
            Self::Abort => "abort",
            Self::Protocol => "protocol",
            Self::Resources => "resources",
            Self::Disabled => "disabled",
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Termination {
    type Err = ParseWordError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|each| each.word() == text)
            .ok_or_else(|| ParseWordError {
                kind: "termination",
                word: text.to_owned(),
            })
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for FaultKind {
    type Err = ParseWordError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|each| each.word() == text)
            .ok_or_else(|| ParseWordError {
                kind: "fault",
                word: text.to_owned(),
            })
    }
}
