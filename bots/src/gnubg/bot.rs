use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dragontooth_games::backgammon::{Action, Due, Position, Resignation};
use dragontooth_games::record::{Thinking, ThinkingValue};
use dragontooth_games::{Position as _, Seat, Turn};

use super::{FibsBoard, GnubgError, GnubgOptions, GnubgProcess};
use crate::session::SAFETY_MARGIN;
use crate::{Bot, BotError, Budget, Choice, DecisionPoint};

/// The least time of a decision that must be left for the evaluation of the choice, and that is left after it.
const EVALUATION_TIME: Duration = Duration::from_millis(250);

/// Without a deadline, the choice may take this many times the time of its budget: without a choice the match is resigned.
const CHOICE_SHARES: u32 = 4;

/// Asks GNU Backgammon for every decision, and what it thinks of its choice.
///
/// Clones share one running program, which answers one question at a time. A program that fails is started again, once for
/// a decision, unless the time of the decision is over.
#[derive(Clone, Debug)]
pub struct GnuBackgammon {
    options: GnubgOptions,
    swaps_points: bool,
    process: Arc<Mutex<Option<GnubgProcess>>>,
    thinking: Option<Thinking>,
}

impl GnuBackgammon {
    /// Creates the bot and starts the program.
    ///
    /// # Errors
    ///
    /// The program cannot be started or asked.
    pub fn new(options: GnubgOptions) -> Result<Self, GnubgError> {
        let process = GnubgProcess::start(&options)?;
        Ok(Self {
            options,
            swaps_points: process.swaps_points(),
            process: Arc::new(Mutex::new(Some(process))),
            thinking: None,
        })
    }

    /// Asks the program for an action, until this time.
    ///
    /// # Errors
    ///
    /// It does not answer, or its answer cannot be played.
    fn pick(
        &self,
        position: &Position,
        until: Option<Instant>,
    ) -> Result<Option<Action>, GnubgError> {
        let Turn::Decide(seat) = position.turn() else {
            return Ok(None);
        };
        if let Due::Answer(offered) = position.due() {
            // The program cannot be asked about resignations, but it can evaluate the game.
            let question = self.evaluation_of(position, seat.other(), 0);
            let answer = self.ask(&question, until)?;
            let answered = Evaluation::read(&answer).map(|evaluation| {
                let accepts = evaluation.is_worth_accepting(offered);
                if accepts {
                    Action::Accept
                } else {
                    Action::Decline
                }
            });
            return answered
                .ok_or(GnubgError::Answer { question, answer })
                .map(Some);
        }
        let question = self.board(position, seat);
        let answer = self.ask(&question, until)?;
        let action = read(&answer).and_then(|action| position.resolve(action).ok());
        action
            .ok_or(GnubgError::Answer { question, answer })
            .map(Some)
    }

    /// Asks the program what it thinks of an action, until this time and no second time: the choice waits for it.
    ///
    /// # Errors
    ///
    /// It does not answer, or its answer is not an evaluation.
    fn think(
        &self,
        position: &Position,
        action: Action,
        until: Option<Instant>,
    ) -> Result<Option<Thinking>, GnubgError> {
        let Turn::Decide(seat) = position.turn() else {
            return Ok(None);
        };
        let mut evaluated = *position;
        match action {
            // The program has evaluated the position before the cube was turned.
            Action::Double => {}
            Action::Roll | Action::Play(_) | Action::Take => evaluated.play_unchecked(action),
            Action::Drop | Action::Resign(_) | Action::Accept | Action::Decline => return Ok(None),
        }
        let (Some(roller), false) = (evaluated.mover(), matches!(evaluated.turn(), Turn::Over(_)))
        else {
            return Ok(None);
        };
        let question = self.evaluation_of(&evaluated, roller, self.options.plies);
        let Some(answer) = ask_running(&mut self.process(), &question, until)? else {
            return Ok(None);
        };
        let thinking = Evaluation::read(&answer)
            .and_then(|evaluation| evaluation.thinking(roller == seat, self.options.plies));
        thinking
            .ok_or(GnubgError::Answer { question, answer })
            .map(Some)
    }

    /// The board for the seat that is asked, with the rules of its game. The program applies the Jacoby rule to money
    /// games by default.
    fn board(&self, position: &Position, asked: Seat) -> String {
        let board = FibsBoard::new(position, asked).with_points_swapped(self.swaps_points);
        let jacoby = if position.has_jacoby() { "ON" } else { "OFF" };
        format!("{board} JACOBYRULE {jacoby}")
    }

    /// The question for the evaluation of a position for the side that rolls next.
    fn evaluation_of(&self, position: &Position, roller: Seat, plies: u8) -> String {
        let board = self.board(position, roller);
        format!("evaluation fibsboard {board} PLIES {plies} CUBE ON CUBEFUL")
    }

    /// Asks the program, and starts it again if it fails before the time is over.
    fn ask(&self, question: &str, until: Option<Instant>) -> Result<String, GnubgError> {
        let mut process = self.process();
        match ask_running(&mut process, question, until) {
            Ok(Some(answer)) => return Ok(answer),
            Err(error) if error.is_timeout() => return Err(error),
            Ok(None) | Err(_) => {}
        }
        *process = Some(GnubgProcess::start(&self.options)?);
        ask_running(&mut process, question, until)?.ok_or(GnubgError::Closed)
    }

    fn process(&self) -> MutexGuard<'_, Option<GnubgProcess>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Chooses, at the latest at `latest`, and evaluates the choice if there is time left of the budget.
    fn choose_by(
        &mut self,
        position: &str,
        budget: &Budget,
        latest: Option<Instant>,
    ) -> Result<String, BotError> {
        let parsed: Position = position
            .parse()
            .map_err(|source| BotError::UnreadablePosition {
                position: position.to_owned(),
                source: Box::new(source),
            })?;
        let begun = Instant::now();
        let until =
            (budget.time).and_then(|time| begun.checked_add(time.saturating_sub(EVALUATION_TIME)));
        let action = self
            .pick(&parsed, latest)
            .map_err(|error| BotError::Program(Box::new(error)))?
            .ok_or_else(|| BotError::NothingToDecide(position.to_owned()))?;
        let used = begun.elapsed();
        self.thinking = None;
        // An answer that is cut short costs a start of the program.
        if left(until).is_none_or(|left| left >= EVALUATION_TIME) {
            let thinking = self.think(&parsed, action, until).ok().flatten();
            self.thinking = thinking.and_then(|mut thinking| {
                thinking.set_time(used).ok()?;
                Some(thinking)
            });
        }
        Ok(action.to_string())
    }
}

impl Bot for GnuBackgammon {
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError> {
        let latest = budget.time.map(|time| time.saturating_mul(CHOICE_SHARES));
        let latest = latest.and_then(|time| Instant::now().checked_add(time));
        self.choose_by(position, budget, latest)
    }

    /// The choice may take all of the clock: the wait for other matches may have used up the time of the budget, and without a
    /// choice the match is resigned.
    fn decide(&mut self, point: &DecisionPoint<'_>, budget: &Budget) -> Result<Choice, BotError> {
        let chosen = match point.deadline {
            None => self.choose(point.position, budget),
            Some(deadline) => {
                let share_ends = budget
                    .time
                    .and_then(|time| Instant::now().checked_add(time));
                let latest = deadline.checked_sub(SAFETY_MARGIN).max(share_ends);
                self.choose_by(point.position, budget, latest.or(Some(deadline)))
            }
        };
        chosen.map(Choice::Action)
    }

    fn take_thinking(&mut self) -> Option<Thinking> {
        self.thinking.take()
    }
}

/// Asks the program if it runs. One that fails is ended: a late answer must not be taken for the next one.
fn ask_running(
    process: &mut Option<GnubgProcess>,
    question: &str,
    until: Option<Instant>,
) -> Result<Option<String>, GnubgError> {
    let Some(running) = process.as_mut() else {
        return Ok(None);
    };
    let time = left(until);
    if time.is_some_and(|time| time.is_zero()) {
        // A question without time would only cost a start of the program.
        return Err(GnubgError::Unasked);
    }
    let answer = running.ask(question, time);
    if answer.is_err() {
        // The end of a program takes a moment, for which a choice that is made must not wait.
        let failed = process.take();
        thread::spawn(move || drop(failed));
    }
    answer.map(Some)
}

fn left(until: Option<Instant>) -> Option<Duration> {
    until.map(|until| until.saturating_duration_since(Instant::now()))
}

/// Reads an answer. There are no beavers in a match: an answer that doubles back is a take.
fn read(answer: &str) -> Option<Action> {
    match answer {
        "beaver" => Some(Action::Take),
        _ => answer.parse().ok(),
    }
}

/// An evaluation of the program for the side that rolls next: its chances to win, to win a gammon and a backgammon, to
/// lose these, and its equity.
#[derive(Clone, Copy, Debug)]
struct Evaluation<'a> {
    text: &'a str,
    numbers: [f64; 6],
}

impl<'a> Evaluation<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let numbers: Option<Vec<f64>> = text
            .split_ascii_whitespace()
            .map(|number| number.parse().ok())
            .collect();
        let numbers = numbers?.try_into().ok()?;
        let text = text.trim();
        Some(Self { text, numbers })
    }

    /// Returns true if a resignation of the side offers at least what the game is worth.
    fn is_worth_accepting(&self, offered: Resignation) -> bool {
        let [win, gammon, backgammon, gammon_lost, backgammon_lost, _] = self.numbers;
        let equity = 2.0 * win - 1.0 + gammon + backgammon - gammon_lost - backgammon_lost;
        f64::from(offered.times()) >= -equity
    }

    /// The thoughts of the side, or of the other one, with the numbers as the program wrote them.
    fn thinking(&self, is_of_side: bool, plies: u8) -> Option<Thinking> {
        let win = self.numbers[0];
        let value = ThinkingValue::win_probability(win).ok()?;
        let (value, view) = if is_of_side {
            (value, "own")
        } else {
            (value.opposite(), "opponent")
        };
        let mut thinking = Thinking::new(Some(value), Some(plies.into()), None);
        thinking.push_tag("gnubg", self.text).ok()?;
        thinking.push_tag("gnubg.view", view).ok()?;
        Some(thinking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resignation_is_accepted_if_it_is_enough() {
        // A lost game, three times in ten a gammon.
        let accepts = |text, offered| {
            Evaluation::read(text).map(|evaluation| evaluation.is_worth_accepting(offered))
        };
        let lost = "0.0 0.0 0.0 0.3 0.0 -1.3";
        assert_eq!(accepts(lost, Resignation::Single), Some(false));
        assert_eq!(accepts(lost, Resignation::Gammon), Some(true));
        assert_eq!(accepts("0.5 0 0 0 0 0", Resignation::Single), Some(true));
        assert_eq!(accepts("0.5 0 0", Resignation::Single), None);
        assert_eq!(accepts("Error: no", Resignation::Single), None);
    }
}
