use super::moves::Mover;
use super::steps::{DiceLeft, Step, make, pieces, readings};
use super::{BAR, Board, Dice, Illegal, Play, Position};
use crate::Seat;

impl Position {
    /// Returns the listed play that a play in any notation stands for: the legal play that reaches
    /// the same position.
    pub(super) fn resolve_play(&self, dice: Dice, play: Play) -> Result<Play, Illegal> {
        let (board, seat) = (&self.board, self.mover);
        let mover = Mover::new(board, seat);
        let mut is_listed = false;
        mover.for_each_play(dice, |legal, _| is_listed |= legal == play);
        if is_listed {
            return Ok(play);
        }
        let pieces = pieces(play.moves());
        check_pieces(board, seat, &pieces)?;
        let readings = readings(&pieces, DiceLeft::new(dice));
        if readings.is_empty() {
            return Err(dice_fault(&pieces, dice));
        }
        let mut reached = Vec::new();
        let mut farthest: Option<(usize, Illegal)> = None;
        for steps in &readings {
            match make(board, seat, steps) {
                Ok(after) => reached.push((after, steps)),
                Err(fault) if farthest.is_none_or(|known| fault.0 > known.0) => {
                    farthest = Some(fault);
                }
                Err(_) => {}
            }
        }
        let Some((_, first)) = reached.first() else {
            return Err(farthest.map_or_else(|| dice_fault(&pieces, dice), |(_, fault)| fault));
        };
        let mut legal = Vec::new();
        mover.for_each_play(dice, |play, after| {
            let after = after.board(seat);
            if reached.iter().any(|(board, _)| *board == after) {
                legal.push(play);
            }
        });
        if legal.is_empty() {
            return Err(whole_turn_fault(&mover, dice, first));
        }
        choose(&legal, play)
    }
}

/// Chooses among the legal plays that a notation may stand for. The play must make every hit that
/// the notation marks; of several, the one that hits least is meant, since a stop that is not named
/// hits nothing if that is possible.
fn choose(legal: &[Play], play: Play) -> Result<Play, Illegal> {
    let marked = play.hit_points();
    let fitting: Vec<Play> = legal
        .iter()
        .copied()
        .filter(|legal| marked & !legal.hit_points() == 0)
        .collect();
    let least = fitting.iter().find(|least| {
        let hits = least.hit_points();
        fitting.iter().all(|other| hits & !other.hit_points() == 0)
    });
    match (&fitting[..], least) {
        ([], _) => {
            let hits = legal.first().map_or(0, Play::hit_points);
            let point = (marked & !hits).trailing_zeros().to_le_bytes()[0];
            Err(Illegal::NoHit { point })
        }
        (_, Some(least)) => Ok(*least),
        ([only], None) => Ok(*only),
        ([first, second, ..], None) => Err(Illegal::Ambiguous {
            first: *first,
            second: *second,
        }),
    }
}

/// Checks the pieces of a play against the rules that do not depend on the dice, in this order: the
/// direction, the checkers, the bar.
fn check_pieces(board: &Board, seat: Seat, pieces: &[(u8, u8)]) -> Result<(), Illegal> {
    for (from, to) in pieces.iter().copied() {
        if to >= from {
            return Err(Illegal::WrongDirection { from, to });
        }
    }
    for (from, _) in pieces.iter().copied() {
        let arrives = pieces.iter().any(|(_, to)| *to == from);
        if board.at(seat, from) == 0 && !arrives {
            let opponents = if from == BAR {
                0
            } else {
                board.at(seat.other(), BAR - from)
            };
            return Err(Illegal::NoChecker { from, opponents });
        }
    }
    let on_bar = board.at(seat, BAR);
    match pieces.first() {
        Some((from, _)) if on_bar > 0 && pieces.iter().all(|(from, _)| *from != BAR) => {
            Err(Illegal::BarFirst {
                on_bar,
                from: *from,
            })
        }
        Some(_) | None => Ok(()),
    }
}

/// Finds out why the dice do not make these pieces.
fn dice_fault(pieces: &[(u8, u8)], dice: Dice) -> Illegal {
    let left = DiceLeft::new(dice);
    let fault = |(from, to): (u8, u8), is_used| Illegal::NoSuchDie {
        from,
        to,
        dice,
        is_used,
    };
    let alone = |piece: &&(u8, u8)| readings(&[**piece], left).is_empty();
    if let Some(piece) = pieces.iter().find(alone) {
        return fault(*piece, false);
    }
    let steps_max = dice.steps_max();
    if pieces.len() > usize::from(steps_max) {
        return Illegal::TooManyMoves {
            dice,
            steps_max,
            found: u8::try_from(pieces.len()).unwrap_or(u8::MAX),
        };
    }
    let made = (1..=pieces.len())
        .find(|count| readings(&pieces[..*count], left).is_empty())
        .unwrap_or(1);
    fault(pieces[made - 1], true)
}

/// The rule about whole turns that is broken by steps which are legal one by one.
fn whole_turn_fault(mover: &Mover, dice: Dice, steps: &[Step]) -> Illegal {
    let possible = mover.steps_max(dice);
    if dice.is_double() {
        Illegal::AllOfDouble {
            dice,
            possible,
            played: u8::try_from(steps.len()).unwrap_or(u8::MAX),
        }
    } else if possible > 1 {
        Illegal::BothDice { dice }
    } else {
        Illegal::LargerDie { dice }
    }
}
