use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use super::{AnswerTo, EngineFault, EngineHello, FromEngine, SentThinking, shortened};

/// The replies that an engine owes, and those that arrived but were not taken yet.
#[derive(Default)]
pub(super) struct PendingReplies {
    /// The matches, each with its due decision and the answers that arrived.
    matches: HashMap<String, Waiting>,
    /// Number of `readyok` that are due.
    ready_due: u32,
    /// Number of `readyok` that are due and that nobody waits for any more: the next to arrive.
    ready_forgone: u32,
    /// Number of `readyok` that arrived.
    ready: u32,
    /// The engine's hello, once it has arrived.
    pub(super) hello: Option<EngineHello>,
    /// True while a thread reads for all.
    pub(super) reading: bool,
    /// Number of threads that wait for what another one reads. Without any, nobody is woken: that would cost a system
    /// call for each answer.
    pub(super) waiting: u32,
    /// Lines refused since the last answer.
    pub(super) refused: u32,
    /// Bytes read since the last answer.
    pub(super) bytes: usize,
    /// Time at which a write found the engine's input closed.
    pub(super) closed: Option<Instant>,
    /// The fault that ended the engine.
    pub(super) fault: Option<EngineFault>,
}

#[derive(Default)]
struct Waiting {
    due: Option<u64>,
    /// The last thoughts about the due decision.
    thinking: Option<Box<SentThinking>>,
    answers: VecDeque<FromEngine>,
}

/// The reply that a caller waits for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    Hello,
    Ready,
    Answer(&'a str),
}

impl PendingReplies {
    /// Adds a match.
    pub(super) fn add_match(&mut self, match_id: &str) {
        self.matches.entry(match_id.to_owned()).or_default();
    }

    /// Removes a match that is over.
    pub(super) fn remove_match(&mut self, match_id: &str) {
        self.matches.remove(match_id);
    }

    /// Makes `decision` the only one of a match whose answer is accepted.
    pub(super) fn expect_answer(&mut self, match_id: &str, decision: u64) {
        if let Some(waiting) = self.matches.get_mut(match_id) {
            waiting.due = Some(decision);
            waiting.thinking = None;
            waiting.answers.clear();
        }
    }

    /// Counts a `readyok` as due.
    pub(super) fn expect_ready(&mut self) {
        self.ready_due += 1;
    }

    /// Waits no longer for a `readyok`. The first to arrive is the one that was due first, and so the one that was given up.
    pub(super) fn forgo_ready(&mut self) {
        if self.find(Wanted::Ready).is_none() {
            self.ready_forgone += 1;
        }
    }

    /// Remembers thoughts about a decision. Those about another one than is due may have crossed with it.
    pub(super) fn note_thinking(&mut self, to: &AnswerTo, thinking: Box<SentThinking>) {
        if let Some(waiting) = self.matches.get_mut(&to.match_id)
            && waiting.due == Some(to.decision)
        {
            waiting.thinking = Some(thinking);
        }
    }

    /// Files a message under the reply that it is, or returns the reason for refusing it.
    pub(super) fn take(&mut self, mut message: FromEngine) -> Result<(), String> {
        match message {
            FromEngine::Hello(about) => {
                if self.hello.is_some() {
                    return Err("it has said hello before".to_owned());
                }
                self.hello = Some(about);
            }
            FromEngine::ReadyOk => {
                if self.ready_due == 0 {
                    return Err("readyok without isready".to_owned());
                }
                self.ready_due -= 1;
                match self.ready_forgone.checked_sub(1) {
                    Some(rest) => self.ready_forgone = rest,
                    None => self.ready += 1,
                }
            }
            FromEngine::BestAction { ref to, .. } | FromEngine::Resign(ref to) => {
                let Some(waiting) = self.matches.get_mut(&to.match_id) else {
                    let match_id = shortened(to.match_id.as_bytes());
                    return Err(format!("it is not playing the match {match_id:?}"));
                };
                match waiting.due {
                    Some(due) if due == to.decision => {}
                    Some(due) => {
                        return Err(format!(
                            "decision {} is not due; decision {due} is",
                            to.decision
                        ));
                    }
                    None => {
                        return Err(format!("decision {} is not due; none is", to.decision));
                    }
                }
                waiting.due = None;
                let noted = waiting.thinking.take();
                if let FromEngine::BestAction { thinking, .. } = &mut message {
                    *thinking = thinking.take().or(noted);
                }
                waiting.answers.push_back(message);
                (self.refused, self.bytes) = (0, 0);
            }
            FromEngine::Info(_) | FromEngine::Thinking { .. } => {}
        }
        Ok(())
    }

    /// Takes the wanted reply, if it has arrived.
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
