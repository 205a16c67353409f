use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use super::{EngineFault, EngineHello, FromEngine, shortened};

/// What has come and for whom.
#[derive(Default)]
pub(super) struct Desk {
    /// The matches, with the decision that each waits for and what has come for it.
    matches: HashMap<String, Waiting>,
    /// The answers to `isready` that are to come, and that have come.
    ready_due: u32,
    ready: u32,
    /// Who the engine is.
    pub(super) hello: Option<EngineHello>,
    /// Whether somebody reads.
    pub(super) reading: bool,
    /// The lines that were refused since the last answer.
    pub(super) refused: u32,
    /// The bytes that came since the last answer.
    pub(super) bytes: usize,
    /// When it was found that the engine has closed its input.
    pub(super) closed: Option<Instant>,
    /// Why it cannot be asked any more.
    pub(super) fault: Option<EngineFault>,
}

#[derive(Default)]
struct Waiting {
    due: Option<u64>,
    answers: VecDeque<FromEngine>,
}

/// What somebody waits for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    Hello,
    Ready,
    Answer(&'a str),
}

impl Desk {
    /// A match begins.
    pub(super) fn seat(&mut self, match_id: &str) {
        self.matches.entry(match_id.to_owned()).or_default();
    }

    /// A match is over.
    pub(super) fn unseat(&mut self, match_id: &str) {
        self.matches.remove(match_id);
    }

    /// A match waits for the answer to this decision, and for no other.
    pub(super) fn expect_answer(&mut self, match_id: &str, decision: u64) {
        if let Some(waiting) = self.matches.get_mut(match_id) {
            waiting.due = Some(decision);
            waiting.answers.clear();
        }
    }

    /// An answer to `isready` is to come.
    pub(super) fn expect_ready(&mut self) {
        self.ready_due += 1;
    }

    /// Lays a message where somebody waits for it, or tells why nobody does.
    pub(super) fn take(&mut self, message: FromEngine) -> Result<(), String> {
        match message {
            FromEngine::Hello(about) => {
                if self.hello.is_some() {
                    return Err("it has said hello before".to_owned());
                }
                self.hello = Some(about);
            }
            FromEngine::ReadyOk => {
                if self.ready_due == 0 {
                    return Err("it was not asked whether it is ready".to_owned());
                }
                self.ready_due -= 1;
                self.ready += 1;
            }
            FromEngine::BestAction { ref to, .. } | FromEngine::Resign(ref to) => {
                let Some(waiting) = self.matches.get_mut(&to.match_id) else {
                    let match_id = shortened(to.match_id.as_bytes());
                    return Err(format!("it plays no match {match_id:?}"));
                };
                match waiting.due {
                    Some(due) if due == to.decision => {}
                    Some(due) => {
                        return Err(format!("the decision {} is not due, {due} is", to.decision));
                    }
                    None => {
                        return Err(format!("the decision {} is not due, none is", to.decision));
                    }
                }
                waiting.due = None;
                waiting.answers.push_back(message);
                (self.refused, self.bytes) = (0, 0);
            }
            FromEngine::Info(_) => {}
        }
        Ok(())
    }

    /// Takes what is wanted, if it has come.
    pub(super) fn find(&mut self, wanted: Wanted<'_>) -> Option<FromEngine> {
        match wanted {
            Wanted::Hello => self.hello.clone().map(FromEngine::Hello),
            Wanted::Ready => {
                self.ready = self.ready.checked_sub(1)?;
                Some(FromEngine::ReadyOk)
            }
            Wanted::Answer(match_id) => self.matches.get_mut(match_id)?.answers.pop_front(),
        }
    }
}
