use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dragontooth_games::backgammon::{Action, Due, Position, Resignation};
use dragontooth_games::{Position as _, Turn};

use super::{FibsBoard, GnubgError, GnubgOptions, GnubgProcess};
use crate::{Bot, BotError, Budget};

/// Asks GNU Backgammon for every decision.
///
/// Clones share one running program, which answers one question at a time. A program that fails is
/// started again, once for a decision.
#[derive(Clone, Debug)]
pub struct GnuBackgammon {
    options: GnubgOptions,
    process: Arc<Mutex<Option<GnubgProcess>>>,
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
            process: Arc::new(Mutex::new(Some(process))),
        })
    }

    /// Asks the program for an action.
    ///
    /// # Errors
    ///
    /// It does not answer, or its answer cannot be played.
    fn pick(&self, position: &Position, budget: &Budget) -> Result<Option<Action>, GnubgError> {
        let Turn::Decide(seat) = position.turn() else {
            return Ok(None);
        };
        if let Due::Answer(offered) = position.due() {
            // The program cannot be asked about resignations, but it can evaluate the game.
            let board = FibsBoard::new(position, seat.other());
            let question = format!("evaluation fibsboard {board} PLIES 0 CUBE ON CUBEFUL");
            let answer = self.ask(&question, budget.time)?;
            let answered = worth_accepting(&answer, offered).map(|accepts| {
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
        let question = FibsBoard::new(position, seat).to_string();
        let answer = self.ask(&question, budget.time)?;
        let action = read(&answer).and_then(|action| position.resolve(action).ok());
        action
            .ok_or(GnubgError::Answer { question, answer })
            .map(Some)
    }

    fn ask(&self, question: &str, time: Option<Duration>) -> Result<String, GnubgError> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = process.as_mut()
            && let Ok(answer) = running.ask(question, time)
        {
            return Ok(answer);
        }
        // A late answer must not be taken for the next one.
        *process = None;
        let started = process.insert(GnubgProcess::start(&self.options)?);
        let answer = started.ask(question, time);
        if answer.is_err() {
            *process = None;
        }
        answer
    }
}

impl Bot for GnuBackgammon {
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError> {
        let parsed: Position = position
            .parse()
            .map_err(|source| BotError::UnreadablePosition {
                position: position.to_owned(),
                source: Box::new(source),
            })?;
        let action = self
            .pick(&parsed, budget)
            .map_err(|error| BotError::Program(Box::new(error)))?;
        action
            .map(|action| action.to_string())
            .ok_or_else(|| BotError::NothingToDecide(position.to_owned()))
    }
}

/// Reads an answer. There are no beavers in a match: an answer that doubles back is a take.
fn read(answer: &str) -> Option<Action> {
    match answer {
        "beaver" => Some(Action::Take),
        _ => answer.parse().ok(),
    }
}

/// Returns true if a resignation offers at least what the game is worth. The evaluation is for the side that
/// offers it: its chances to win, to win a gammon and a backgammon, to lose these, and its equity.
fn worth_accepting(evaluation: &str, offered: Resignation) -> Option<bool> {
    let numbers: Vec<f64> = evaluation
        .split_ascii_whitespace()
        .map(|number| number.parse().ok())
        .collect::<Option<_>>()?;
    let [win, gammon, backgammon, gammon_lost, backgammon_lost, _] = numbers[..] else {
        return None;
    };
    let equity = 2.0 * win - 1.0 + gammon + backgammon - gammon_lost - backgammon_lost;
    Some(f64::from(offered.times()) >= -equity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resignation_is_accepted_if_it_is_enough() {
        // A lost game, three times in ten a gammon.
        let lost = "0.0 0.0 0.0 0.3 0.0 -1.3";
        assert_eq!(worth_accepting(lost, Resignation::Single), Some(false));
        assert_eq!(worth_accepting(lost, Resignation::Gammon), Some(true));
        assert_eq!(
            worth_accepting("0.5 0 0 0 0 0", Resignation::Single),
            Some(true)
        );
        assert_eq!(worth_accepting("0.5 0 0", Resignation::Single), None);
        assert_eq!(worth_accepting("Error: no", Resignation::Single), None);
    }
}
