use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dragontooth_games::backgammon::{Action, Due, Position, Resignation};
use dragontooth_games::{Position as _, Turn};

use super::{Engine, EngineError, EngineOptions, FibsBoard};
use crate::{Bot, BotError, Budget};

/// Asks GNU Backgammon for every decision.
///
/// Clones share one running program, which answers one question at a time. A program that fails is
/// started again, once for a decision.
#[derive(Clone, Debug)]
pub struct GnuBackgammon {
    options: EngineOptions,
    engine: Arc<Mutex<Option<Engine>>>,
}

impl GnuBackgammon {
    /// The bot, with the program running.
    ///
    /// # Errors
    ///
    /// The program cannot be started or asked.
    pub fn new(options: EngineOptions) -> Result<Self, EngineError> {
        let engine = Engine::start(&options)?;
        Ok(Self {
            options,
            engine: Arc::new(Mutex::new(Some(engine))),
        })
    }

    /// The action that the program chooses.
    ///
    /// # Errors
    ///
    /// It does not answer, or with what cannot be played.
    fn pick(&self, position: &Position, budget: &Budget) -> Result<Option<Action>, EngineError> {
        let Turn::Decide(seat) = position.turn() else {
            return Ok(None);
        };
        if let Due::Answer(offered) = position.due() {
            // The program is not asked about resignations, but it knows what the game is worth.
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
                .ok_or(EngineError::Answer { question, answer })
                .map(Some);
        }
        let question = FibsBoard::new(position, seat).to_string();
        let answer = self.ask(&question, budget.time)?;
        let action = read(&answer).and_then(|action| position.resolve(action).ok());
        action
            .ok_or(EngineError::Answer { question, answer })
            .map(Some)
    }

    fn ask(&self, question: &str, time: Option<Duration>) -> Result<String, EngineError> {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = engine.as_mut()
            && let Ok(answer) = running.ask(question, time)
        {
            return Ok(answer);
        }
        // An answer that comes late must not be taken for the next.
        *engine = None;
        let started = engine.insert(Engine::start(&self.options)?);
        let answer = started.ask(question, time);
        if answer.is_err() {
            *engine = None;
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

/// The action that an answer stands for. There are no beavers: who would double back takes.
fn read(answer: &str) -> Option<Action> {
    match answer {
        "beaver" => Some(Action::Take),
        _ => answer.parse().ok(),
    }
}

/// Whether a resignation gives at least what the game is worth, by an evaluation for the side that
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
        // A game that is lost, three in ten times as a gammon.
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
