use dragontooth_games::Seat;
use dragontooth_service_vocabulary::Termination;

use super::parse_word_error::words;
use super::{Call, MatchNumber, MovesDigest};
use crate::statistics::MatchPoints;

/// The result of a match of the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The match.
    pub number: MatchNumber,
    /// The winner; `None` if it was drawn or aborted.
    pub winner: Option<Seat>,
    /// The reason why it ended.
    pub termination: Ending,
    /// The call by which it ended, or after which it was played on; `None` if nothing was called.
    pub call: Option<Call>,
    /// Points by seat.
    pub score: [u32; 2],
    /// The completed games.
    pub games: GameCounts,
    /// Number of actions of both seats in all games.
    pub plies: u32,
    /// Fingerprint of the moves; `None` if they were not recorded.
    pub moves: Option<MovesDigest>,
    /// Fingerprint of the moves up to the call in a match that was played on after it; `None` in others, and if it was
    /// not recorded.
    pub moves_to_call: Option<MovesDigest>,
    /// The name of its opening; `None` without one.
    pub opening: Option<String>,
    /// The faults of the bots, in order.
    pub faults: Vec<(Seat, FaultKind)>,
}

/// A fault of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The bot's seat.
    pub seat: Seat,
    /// The kind of fault.
    pub kind: FaultKind,
    /// A description for people.
    pub detail: String,
}

/// The completed games of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// Games won, by seat.
    pub won: [u32; 2],
    /// Drawn games.
    pub drawn: u32,
}

/// The end of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended for this reason, or was ended for it: a bot that fails loses by resignation, by disconnect, or the
    /// match is aborted.
    By(Termination),
    /// The runner ended it: by a call, or as a draw at the event's limit on actions.
    Adjudicated,
}

/// A kind of fault. Each fault costs the bot the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Its clock ran out.
    Time,
    /// Its program ended, or could not choose.
    Crash,
    /// It did not take its seat or did not act, in a match without a clock to end it.
    Stall,
    /// It gave illegal actions: as many for one decision as lose a match, or one after which it
    /// gave up.
    Illegal,
    /// It aborted the match, or declined it.
    Abort,
    /// It violated the protocol.
    Protocol,
    /// Its program exceeded its limit on memory or processor time.
    Resources,
    /// It had too many faults before and was disabled.
    Disabled,
}

/// The value of a match in the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A seat won.
    Won(Seat),
    /// Drawn; it counts half for both.
    Drawn,
    /// Void: it does not count.
    Void,
}

impl MatchResult {
    /// Returns its value in the tables.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        Verdict::of(self.termination, self.winner)
    }

    /// The fingerprint that it shares with its copies, as [`MovesDigest::of_copies`] has it.
    #[must_use]
    pub fn moves_of_copies(&self) -> Option<MovesDigest> {
        MovesDigest::of_copies(self.moves, self.moves_to_call, self.plies)
    }

    /// The call by which it ended, and not only after which.
    #[must_use]
    pub fn deciding_call(&self) -> Option<Call> {
        self.termination.by_call(self.call, self.winner, self.plies)
    }
}

impl Verdict {
    /// Returns the value of a match that ended this way.
    #[must_use]
    pub const fn of(termination: Ending, winner: Option<Seat>) -> Self {
        match (termination, winner) {
            (
                Ending::By(Termination::Aborted | Termination::Expired | Termination::Declined),
                _,
            )
            | (Ending::By(Termination::Disconnect), None) => Self::Void,
            (_, Some(seat)) => Self::Won(seat),
            (_, None) => Self::Drawn,
        }
    }

    /// Returns the points of `seat`; `None` if the match is void.
    #[must_use]
    pub fn score(self, seat: Seat) -> Option<MatchPoints> {
        match self {
            Self::Won(winner) if winner == seat => Some(MatchPoints::Won),
            Self::Won(_) => Some(MatchPoints::Lost),
            Self::Drawn => Some(MatchPoints::Drawn),
            Self::Void => None,
        }
    }
}

impl GameCounts {
    /// Total number of games.
    #[must_use]
    pub const fn total(self) -> u32 {
        self.won[0]
            .saturating_add(self.won[1])
            .saturating_add(self.drawn)
    }
}

impl Ending {
    const ALL: [Self; 9] = [
        Self::By(Termination::Normal),
        Self::By(Termination::Timeout),
        Self::By(Termination::Resignation),
        Self::Adjudicated,
        Self::By(Termination::IllegalAction),
        Self::By(Termination::Aborted),
        Self::By(Termination::Disconnect),
        Self::By(Termination::Expired),
        Self::By(Termination::Declined),
    ];

    /// The call that ended a match, with this winner and after so many actions; `None` if it ended
    /// otherwise, even after a call.
    #[must_use]
    pub fn by_call(self, call: Option<Call>, winner: Option<Seat>, plies: u32) -> Option<Call> {
        call.filter(|call| self == Self::Adjudicated && call.winner == winner && call.ply == plies)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::By(termination) => termination.name(),
            Self::Adjudicated => "adjudicated",
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

words!(Ending, "termination");

words!(FaultKind, "fault");
