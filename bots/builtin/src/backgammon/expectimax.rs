use std::time::Duration;

use dragontooth_games::backgammon::{Action, BAR, Board, Due, Position};
use dragontooth_games::record::{InvalidThinking, Thinking, ThinkingValue};
use dragontooth_games::{Position as _, Seat, Turn};

use super::bear_off::BearOff;
use super::chances::Chances;
use super::evaluation::evaluate;
use super::live_cube::Owner;
use super::stakes::Stakes;
use crate::Budget;
use crate::PositionBot;
use crate::search::thinking_limit;
use crate::search::{RealTime, Stopwatch};

/// Plays for the best chances to win the match: of the plays that look best, the one that is best on
/// average over all rolls of the opponent and the best replies to them. It doubles and takes by the same
/// chances, one roll ahead.
#[derive(Clone, Debug)]
pub struct Expectimax {
    candidates: usize,
    time: Option<Duration>,
    thinking: Option<Thinking>,
}

/// Largest number of plays of a decision that are evaluated one roll ahead.
pub const CANDIDATES_MAX: usize = 1000;
/// Cube efficiency while checkers can meet: 1 for a cube that is always turned at the best moment, 0 for one
/// that is never turned again.
const EFFICIENCY_IN_CONTACT: f64 = 0.65;
/// The same in a long race, and the rolls to go from which a race is long.
const EFFICIENCY_IN_RACE: f64 = 0.65;
const LONG_RACE: f64 = 6.0;
/// Cost of a further roll in a race in addition to the chances, so that a won race is brought home.
const HASTE: f64 = 1e-4;
/// The points of a home board that make entering unlikely: with five, 25 of the 36 rolls fail. The side
/// on the bar then keeps its cube, because the evaluation is least certain there.
const SHUT_OUT_POINTS: usize = 5;
/// The rolls of two dice.
const ROLLS: f32 = 36.0;

impl Expectimax {
    /// Creates a bot that evaluates `candidates` plays one roll ahead, within `time` for a decision.
    #[must_use]
    pub fn new(candidates: usize, time: Option<Duration>) -> Self {
        // Computed now, not during the first race.
        let _ = BearOff::table();
        Self {
            candidates,
            time,
            thinking: None,
        }
    }

    /// The best play. Its chances are the bot's thoughts, if it was evaluated one roll ahead.
    fn best_play(
        &mut self,
        position: &Position,
        seat: Seat,
        time: Option<Duration>,
    ) -> Option<Action> {
        let stopwatch = RealTime::start();
        let is_time_up = || time.is_some_and(|time| stopwatch.elapsed() >= time);
        let (action, chances) = best_ahead(position, seat, self.candidates, &is_time_up)?;
        self.thinking = chances.and_then(|chances| thinking(chances, stopwatch.elapsed()).ok());
        Some(action)
    }
}

impl PositionBot<Position> for Expectimax {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Option<Action> {
        let Turn::Decide(seat) = position.turn() else {
            return None;
        };
        self.thinking = None;
        let time = thinking_limit(self.time, budget.time);
        let stakes = Stakes::new(position, seat);
        match position.due() {
            Due::Moves(_) => self.best_play(position, seat, time),
            Due::RollOrDouble => Some(double(position, seat, &stakes)),
            Due::TakeOrDrop => Some(take(position, seat, &stakes)),
            Due::Answer(offered) => {
                let chances = evaluate(position.board(), seat);
                let goes_on = stakes.with_cube(
                    chances,
                    stakes.cube,
                    stakes.owner,
                    efficiency(position, seat),
                );
                let won = stakes.value(u32::from(offered.times()) * stakes.cube, 0);
                Some(if won >= goes_on {
                    Action::Accept
                } else {
                    Action::Decline
                })
            }
            Due::OpeningRoll | Due::Roll | Due::Nothing => None,
        }
    }

    fn take_thinking(&mut self) -> Option<Thinking> {
        self.thinking.take()
    }
}

/// The best of the plays that look best, `candidates` of them, and its chances one roll ahead. These are `None` if
/// there is one play, or the time is up before.
pub(super) fn best_ahead(
    position: &Position,
    seat: Seat,
    candidates: usize,
    is_time_up: &impl Fn() -> bool,
) -> Option<(Action, Option<Chances>)> {
    let stakes = Stakes::new(position, seat);
    let mut plays = by_looks(position, seat, &stakes);
    plays.truncate(candidates.max(1));
    let first = plays.first()?.1;
    if plays.len() == 1 {
        return Some((first, None));
    }
    let mut best: Option<(f64, Action, Chances)> = None;
    for (_, action) in plays {
        let mut next = *position;
        next.play_unchecked(action);
        let Some(chances) = before_roll(&next, seat.other(), is_time_up) else {
            break;
        };
        let value = liking(&stakes, chances);
        if best.is_none_or(|(most, ..)| value > most) {
            best = Some((value, action, chances));
        }
    }
    Some(best.map_or((first, None), |(_, action, chances)| {
        (action, Some(chances))
    }))
}

/// The plays with their values as they look, the best first.
pub(super) fn by_looks(position: &Position, seat: Seat, stakes: &Stakes) -> Vec<(f64, Action)> {
    let mut plays: Vec<(f64, Action)> = Vec::new();
    position.for_each_next(|action, next| {
        plays.push((liking(stakes, evaluate(next.board(), seat)), action));
    });
    plays.sort_by(|one, other| other.0.total_cmp(&one.0));
    plays
}

/// The thoughts about a play with these chances of the side that plays it, one roll ahead.
fn thinking(chances: Chances, time: Duration) -> Result<Thinking, InvalidThinking> {
    let win = f64::from(chances.win).clamp(0.0, 1.0);
    let mut thinking = Thinking::new(Some(ThinkingValue::win_probability(win)?), Some(1), None);
    thinking.set_time(time)?;
    Ok(thinking)
}

fn double(position: &Position, seat: Seat, stakes: &Stakes) -> Action {
    if stakes.owner == Owner::Own && is_shut_out(position.board(), seat) {
        return Action::Roll;
    }
    let chances = rolling(position, seat).turned();
    let efficiency = efficiency(position, seat);
    let waits = stakes.with_cube(chances, stakes.cube, stakes.owner, efficiency);
    let taken = stakes.with_cube(chances, 2 * stakes.cube, Owner::Other, efficiency);
    let dropped = stakes.value(stakes.cube, 0);
    if taken.min(dropped) > waits {
        Action::Double
    } else {
        Action::Roll
    }
}

/// Returns true if a side has a checker on the bar that most rolls leave there.
fn is_shut_out(board: &Board, seat: Seat) -> bool {
    let is_closed = |point: &u8| board.at(seat.other(), *point) > 1;
    board.at(seat, BAR) > 0 && (1..=6).filter(is_closed).count() >= SHUT_OUT_POINTS
}

fn take(position: &Position, seat: Seat, stakes: &Stakes) -> Action {
    let mut before = *position;
    before.play_unchecked(Action::Take);
    let chances = rolling(&before, seat.other());
    let efficiency = efficiency(position, seat);
    let taken = stakes.with_cube(chances, 2 * stakes.cube, Owner::Own, efficiency);
    if taken >= stakes.value(0, stakes.cube) {
        Action::Take
    } else {
        Action::Drop
    }
}

/// The chances of the side that waits while `roller` rolls.
fn rolling(position: &Position, roller: Seat) -> Chances {
    let chances = before_roll(position, roller, &|| false);
    chances.unwrap_or_else(|| evaluate(position.board(), roller.other()))
}

/// The chances of the side that waits, on average over all rolls of `roller` and its best plays.
/// `None` if the time is up before.
fn before_roll(
    position: &Position,
    roller: Seat,
    is_time_up: &impl Fn() -> bool,
) -> Option<Chances> {
    let waits = roller.other();
    if position.board().finisher().is_some() {
        return Some(evaluate(position.board(), waits));
    }
    let mut ready = *position;
    if ready.due() == Due::RollOrDouble {
        ready.play_unchecked(Action::Roll);
    }
    let mut sum = Chances::default();
    let mut is_late = false;
    let stakes = Stakes::new(position, roller);
    ready.for_each_roll(|roll, count| {
        is_late = is_late || is_time_up();
        if is_late {
            return;
        }
        let mut next = ready;
        next.roll(roll);
        let part = f32::from(u8::try_from(count).unwrap_or(0)) / ROLLS;
        sum.add(part, best_reply(&next, roller, &stakes).turned());
    });
    (!is_late).then_some(sum)
}

/// The chances of the side that has rolled, after the play that looks best.
pub(super) fn best_reply(position: &Position, seat: Seat, stakes: &Stakes) -> Chances {
    let mut best: Option<(f64, Chances)> = None;
    position.for_each_next(|_, next| {
        let chances = evaluate(next.board(), seat);
        let value = liking(stakes, chances);
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, chances));
        }
    });
    best.map_or_else(|| evaluate(position.board(), seat), |(_, chances)| chances)
}

fn liking(stakes: &Stakes, chances: Chances) -> f64 {
    stakes.dead(chances) - HASTE * f64::from(chances.haste)
}

/// The cube efficiency: near the end of a race it falls to 0.
pub(super) fn efficiency(position: &Position, seat: Seat) -> f64 {
    let board = position.board();
    if board.has_contact() {
        return EFFICIENCY_IN_CONTACT;
    }
    let rolls = [seat, seat.other()].map(|seat| f64::from(board.pips(seat)) / 8.0);
    let rolls = rolls[0].min(rolls[1]);
    EFFICIENCY_IN_RACE * ((rolls - 1.0) / LONG_RACE).clamp(0.0, 1.0)
}
