use super::play::Place;
use super::{Dice, Due, Play, Resignation};
use crate::{IllegalAction, Seat, counted};

/// The reason why an action is refused: one variant for each rule, with the facts. Points are
/// numbered from the mover's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// `game_over`: the game has ended.
    #[error("the game is over: {winner} has won")]
    GameOver {
        /// The winner.
        winner: Seat,
    },
    /// `pass`: no checker can move, so there is no choice.
    #[error("{seat} cannot move any checker with {dice}: the turn passes")]
    PassDue {
        /// The seat whose turn passes.
        seat: Seat,
        /// The dice.
        dice: Dice,
    },
    /// `decision`: a different decision or a roll is due.
    #[error("{} is due, not {action}", due_text(*due))]
    NotDue {
        /// The submitted action.
        action: &'static str,
        /// The decision or roll that is due.
        due: Due,
    },
    /// `before_the_roll`: a double must be offered before the roll.
    #[error("a double must be offered before the roll, and {dice} has been rolled")]
    DoubleAfterRoll {
        /// The dice.
        dice: Dice,
    },
    /// `crawford`: there is no doubling in the Crawford game.
    #[error("no doubling in the Crawford game")]
    Crawford,
    /// `cube_owner`: the opponent owns the cube.
    #[error("only {owner}, who owns the cube, may double")]
    NotTheCubeOwner {
        /// The owner of the cube.
        owner: Seat,
    },
    /// `dead_cube`: the current stake already wins the match.
    #[error(
        "the cube is dead: with {} and the cube at {cube}, this game wins the match to {length}", counted(*points, "point")
    )]
    DeadCube {
        /// The points of the seat that would double.
        points: u16,
        /// The stake.
        cube: u32,
        /// The length of the match.
        length: u8,
    },
    /// `highest_cube`: the cube is at the highest stake.
    #[error("the cube is at {cube}, the highest stake")]
    HighestCube {
        /// The stake.
        cube: u32,
    },
    /// `drop_to_resign`: the answer to a double is `take` or `drop`.
    #[error("take or drop the double: to resign is to drop")]
    DropToResign,
    /// `higher_resignation`: after a declined offer only a higher one is allowed in the same turn.
    #[error("resign {} was declined this turn: offer more, not {}", declined.times(), offered.times())]
    ResignationTooLow {
        /// The offer.
        offered: Resignation,
        /// The highest offer declined this turn.
        declined: Resignation,
    },
    /// `direction`: checkers move from higher to lower points.
    #[error("checkers move towards point 1: {} to {} is {}", Place(*from), Place(*to), if from == to { "not a move" } else { "backwards" })]
    WrongDirection {
        /// The place where the checker starts.
        from: u8,
        /// The place where it would end.
        to: u8,
    },
    /// `own_checker`: the mover has no checker there.
    #[error("{} has no checker{}", Place(*from), whose(*opponents))]
    NoChecker {
        /// The place.
        from: u8,
        /// The number of the opponent's checkers there.
        opponents: u8,
    },
    /// `bar_first`: all checkers on the bar must enter before another checker moves.
    #[error("{} on the bar must enter before a move from {}", checkers(*on_bar), Place(*from))]
    BarFirst {
        /// The number of checkers still on the bar.
        on_bar: u8,
        /// The place from which another checker would move.
        from: u8,
    },
    /// `blocked`: a checker cannot land on two or more of the opponent's.
    #[error("point {point} is blocked by {opponents} of the opponent's checkers")]
    Blocked {
        /// The point.
        point: u8,
        /// The number of checkers there.
        opponents: u8,
    },
    /// `dice`: each die is played once; a double gives four steps.
    #[error("{} to {} cannot be played with {dice}: {}", Place(*from), Place(*to), die_fault(*is_used))]
    NoSuchDie {
        /// The place where the checker starts.
        from: u8,
        /// The place where it would end.
        to: u8,
        /// The dice.
        dice: Dice,
        /// True if the die was rolled, but another part of the play uses it.
        is_used: bool,
    },
    /// `dice`: the play has more moves than the dice give.
    #[error("{dice} gives at most {steps_max} moves, not {found}")]
    TooManyMoves {
        /// The dice.
        dice: Dice,
        /// Maximum number of moves with these dice.
        steps_max: u8,
        /// Number of moves found; the play may have more.
        found: u8,
    },
    /// `all_home`: bearing off starts once all checkers are home.
    #[error("no bearing off while a checker is on {}", Place(*outside))]
    NotHome {
        /// The farthest place with a checker.
        outside: u8,
    },
    /// `checker_behind`: a larger die bears off only from the farthest point.
    #[error("a {die} bears off from {from} only if no checker is farther: one is on {behind}")]
    CheckerBehind {
        /// The point of the checker.
        from: u8,
        /// The die.
        die: u8,
        /// The farthest point with a checker.
        behind: u8,
    },
    /// `both_dice`: both dice must be played if possible.
    #[error("both dice of {dice} can be played, so both must be")]
    BothDice {
        /// The dice.
        dice: Dice,
    },
    /// `larger_die`: if either die can be played, but not both, the larger must be.
    #[error("only one die of {dice} can be played, so it must be the larger, {}", dice.high())]
    LargerDie {
        /// The dice.
        dice: Dice,
    },
    /// `all_of_double`: a double is played as many times as possible.
    #[error("{dice} can be played {}, not just {played}", counted(*possible, "time"))]
    AllOfDouble {
        /// The dice.
        dice: Dice,
        /// The number of steps that can be made.
        possible: u8,
        /// The number of steps in the play.
        played: u8,
    },
    /// `hit_mark`: a hit is marked where there is none.
    #[error("a hit is marked on point {point}, but the play hits nothing there")]
    NoHit {
        /// The point.
        point: u8,
    },
    /// `ambiguous`: the notation fits plays that reach different positions.
    #[error("this could be {first} or {second}")]
    Ambiguous {
        /// One of them.
        first: Play,
        /// Another.
        second: Play,
    },
    /// `notation`: the play is legal, but not written in canonical notation.
    #[error("this play is written {canonical}")]
    NotCanonical {
        /// Its canonical notation.
        canonical: Play,
    },
}

impl IllegalAction for Illegal {
    fn rule(&self) -> &'static str {
        match self {
            Self::GameOver { .. } => "game_over",
            Self::PassDue { .. } => "pass",
            Self::NotDue { .. } => "decision",
            Self::DoubleAfterRoll { .. } => "before_the_roll",
            Self::Crawford => "crawford",
            Self::NotTheCubeOwner { .. } => "cube_owner",
            Self::DeadCube { .. } => "dead_cube",
            Self::HighestCube { .. } => "highest_cube",
            Self::DropToResign => "drop_to_resign",
            Self::ResignationTooLow { .. } => "higher_resignation",
            Self::WrongDirection { .. } => "direction",
            Self::NoChecker { .. } => "own_checker",
            Self::BarFirst { .. } => "bar_first",
            Self::Blocked { .. } => "blocked",
            Self::NoSuchDie { .. } | Self::TooManyMoves { .. } => "dice",
            Self::NotHome { .. } => "all_home",
            Self::CheckerBehind { .. } => "checker_behind",
            Self::BothDice { .. } => "both_dice",
            Self::LargerDie { .. } => "larger_die",
            Self::AllOfDouble { .. } => "all_of_double",
            Self::NoHit { .. } => "hit_mark",
            Self::Ambiguous { .. } => "ambiguous",
            Self::NotCanonical { .. } => "notation",
        }
    }
}

fn due_text(due: Due) -> String {
    match due {
        Due::OpeningRoll => "the opening roll".to_owned(),
        Due::Roll => "a roll of the dice".to_owned(),
        Due::RollOrDouble => "roll or double".to_owned(),
        Due::TakeOrDrop => "take or drop".to_owned(),
        Due::Moves(dice) => format!("a play of {dice}"),
        Due::Answer(resignation) => format!("accept or decline of resign {}", resignation.times()),
        Due::Nothing => "nothing".to_owned(),
    }
}

fn whose(count: u8) -> &'static str {
    if count == 0 {
        ""
    } else {
        " of the mover's, only the opponent's"
    }
}

fn checkers(count: u8) -> String {
    if count == 1 {
        "the checker".to_owned()
    } else {
        format!("the {count} checkers")
    }
}

fn die_fault(is_used: bool) -> &'static str {
    if is_used {
        "each die is played once"
    } else {
        "no die shows that"
    }
}
