use super::play::Place;
use super::{Dice, Due, Play, Resignation};
use crate::{IllegalAction, Seat};

/// Why an action is refused: a variant for each rule, with the facts. Points are the mover's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// `game_over`: the game has ended.
    #[error("the game is over: {winner} has won")]
    GameOver {
        /// Who has won.
        winner: Seat,
    },
    /// `pass`: no checker can move, nothing can be chosen.
    #[error("{seat} cannot move any checker with {dice}: the turn passes")]
    PassDue {
        /// Whose turn passes.
        seat: Seat,
        /// The dice.
        dice: Dice,
    },
    /// `decision`: something else is to be decided or rolled.
    #[error("{} is due, not {action}", due_text(*due))]
    NotDue {
        /// What the action is.
        action: &'static str,
        /// What is due.
        due: Due,
    },
    /// `before_the_roll`: a double is offered before the dice are rolled.
    #[error("a double is offered before the roll; {dice} has been rolled")]
    DoubleAfterRoll {
        /// The dice.
        dice: Dice,
    },
    /// `crawford`: nobody doubles in the Crawford game.
    #[error("this is the Crawford game: nobody may double")]
    Crawford,
    /// `cube_owner`: the cube is the opponent's.
    #[error("{owner} owns the cube and alone may double")]
    NotTheCubeOwner {
        /// Who owns it.
        owner: Seat,
    },
    /// `dead_cube`: the stake is enough for the match as it is.
    #[error(
        "the cube is dead: with {points} points and a stake of {cube} a game wins the match to {length}"
    )]
    DeadCube {
        /// The points of the seat that would double.
        points: u16,
        /// The stake.
        cube: u32,
        /// The length of the match.
        length: u8,
    },
    /// `highest_cube`: the cube shows the highest stake that there is.
    #[error("the cube shows {cube}, the highest stake")]
    HighestCube {
        /// The stake.
        cube: u32,
    },
    /// `drop_to_resign`: a double is answered by taking or dropping it.
    #[error("a double is to be answered: to resign is to drop")]
    DropToResign,
    /// `higher_resignation`: after a refusal only more may be offered.
    #[error("an offer of {} was declined in this turn: only a higher one is allowed, not {}", declined.times(), offered.times())]
    ResignationTooLow {
        /// What is offered.
        offered: Resignation,
        /// What was declined.
        declined: Resignation,
    },
    /// `direction`: checkers move from higher to lower points.
    #[error("checkers move towards point 1: {} to {} is {}", Place(*from), Place(*to), if from == to { "no move" } else { "backwards" })]
    WrongDirection {
        /// Where the checker starts.
        from: u8,
        /// Where it would end.
        to: u8,
    },
    /// `own_checker`: there is no checker to move.
    #[error("{} has no checker{}", Place(*from), whose(*opponents))]
    NoChecker {
        /// The place.
        from: u8,
        /// The checkers of the opponent there.
        opponents: u8,
    },
    /// `bar_first`: all checkers on the bar enter before any other moves.
    #[error("{} on the bar must enter before {} may be played", checkers(*on_bar), Place(*from))]
    BarFirst {
        /// The checkers that are still on the bar.
        on_bar: u8,
        /// The place from which another would move.
        from: u8,
    },
    /// `blocked`: no checker lands on two or more of the opponent's.
    #[error("point {point} is held by {opponents} checkers of the opponent")]
    Blocked {
        /// The point.
        point: u8,
        /// The checkers there.
        opponents: u8,
    },
    /// `dice`: each die is played once, a double four times.
    #[error("{} to {} cannot be played with {dice}: {}", Place(*from), Place(*to), die_fault(*is_used))]
    NoSuchDie {
        /// Where the checker starts.
        from: u8,
        /// Where it would end.
        to: u8,
        /// The dice.
        dice: Dice,
        /// Whether the die has been rolled but is used by another part of the play.
        is_used: bool,
    },
    /// `dice`: there are more moves than the dice give.
    #[error("{dice} gives at most {steps_max} moves, not {found}")]
    TooManyMoves {
        /// The dice.
        dice: Dice,
        /// The most moves of a turn.
        steps_max: u8,
        /// How many there are at least.
        found: u8,
    },
    /// `all_home`: checkers are borne off when all are at home.
    #[error("no checker is borne off while one is on {}", Place(*outside))]
    NotHome {
        /// The farthest place with a checker.
        outside: u8,
    },
    /// `checker_behind`: a larger die bears off only the farthest checker.
    #[error("a {die} bears off a checker from {from} only if none is farther: one is on {behind}")]
    CheckerBehind {
        /// Where the checker is.
        from: u8,
        /// The die.
        die: u8,
        /// The farthest point with a checker.
        behind: u8,
    },
    /// `both_dice`: both dice are played if that is possible.
    #[error("both dice of {dice} can be played, so both must be")]
    BothDice {
        /// The dice.
        dice: Dice,
    },
    /// `larger_die`: if either die can be played, but not both, it is the larger.
    #[error("only one die of {dice} can be played, so it must be the larger, {}", dice.high())]
    LargerDie {
        /// The dice.
        dice: Dice,
    },
    /// `all_of_double`: of a double as many moves as possible are made.
    #[error("{possible} moves with {dice} are possible, so {played} are not enough")]
    AllOfDouble {
        /// The dice.
        dice: Dice,
        /// The moves that are possible.
        possible: u8,
        /// Those of the play.
        played: u8,
    },
    /// `hit_mark`: a hit is marked where none is.
    #[error("a hit is marked on point {point} where the play hits nothing")]
    NoHit {
        /// The point.
        point: u8,
    },
    /// `ambiguous`: the notation stands for plays that reach different positions.
    #[error("this may be {first} or {second}")]
    Ambiguous {
        /// One of them.
        first: Play,
        /// Another.
        second: Play,
    },
    /// `notation`: the play is legal and written otherwise.
    #[error("this play is written {canonical}")]
    NotCanonical {
        /// As it is written.
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
        Due::Answer(resignation) => format!(
            "accept or decline of a resignation of {}",
            resignation.times()
        ),
        Due::Nothing => "nothing".to_owned(),
    }
}

fn whose(count: u8) -> &'static str {
    if count == 0 {
        ""
    } else {
        " of the mover, only the opponent's"
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
