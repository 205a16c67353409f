use std::mem;
use std::sync::Arc;
use std::time::Instant;

use dragontooth_games::Seat;
use dragontooth_games::record::Thinking;
use dragontooth_service_client::{
    Answer, Decision, DecisionId, MatchResignation, MatchView, Opened, Reason, random_request_id,
};
use dragontooth_service_vocabulary::{History, MatchId, RequestId, Sequence, TimeControl};

use super::seed::decision_seed;
use super::thinking::Question;
use crate::{Bot, MatchEnd, MatchInfo, MatchOverFlag};

/// A match that a session is playing.
pub(super) struct ActiveMatch {
    pub(super) id: MatchId,
    pub(super) seat: Seat,
    pub(super) control: Option<TimeControl>,
    info: Arc<MatchInfo>,
    /// The bot; `None` while it is thinking, and until it is made.
    bot: Option<Box<dyn Bot>>,
    /// True while the bot is being made.
    waits: bool,
    thinking: Option<DecisionId>,
    due: Option<Due>,
    answer: Option<Sent>,
    /// The events of play that the bot has not been told of.
    since: History,
    /// The last decision that the bot was asked for: it has been told of everything before.
    asked: Sequence,
    /// True if an answer was accepted on the open stream: the next decision to arrive has just become due.
    pub(super) fresh: bool,
    /// The resignation, if the bot has failed or given up.
    resignation: Option<MatchResignation>,
    /// True if the service has left out thoughts of the bot.
    pub(super) refused_thinking: bool,
    /// Set when the match is over.
    pub(super) over: MatchOverFlag,
}

/// A decision that waits for the bot.
struct Due {
    decision: Decision,
    until: Option<Instant>,
    deadline: Option<Instant>,
}

/// The bot's last answer.
struct Sent {
    decision_id: DecisionId,
    action: String,
    thinking: Option<Thinking>,
    request_id: RequestId,
    at: Instant,
}

/// The meaning of a refused answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The bot chose an action that cannot be played.
    BotFailed,
    /// Something else happened first.
    Overtaken,
    /// The match cannot be played any more.
    Gone,
    /// The reason does not show what to do.
    Unclear,
}

impl ActiveMatch {
    /// Begins a match, with its bot if that has been made already. If it `waits` for its bot, it asks nothing before
    /// [`ActiveMatch::bot_made`].
    pub(super) fn new(opened: &Opened, bot: Option<Box<dyn Bot>>, waits: bool) -> Self {
        let view = &opened.view;
        Self {
            id: view.id,
            seat: opened.seat,
            control: view.seat(opened.seat).time_control,
            info: Arc::new(info_of(view, opened.seat)),
            bot,
            waits,
            thinking: None,
            due: None,
            answer: None,
            since: History::default(),
            asked: Sequence(0),
            fresh: false,
            resignation: None,
            refused_thinking: false,
            over: MatchOverFlag::default(),
        }
    }

    /// Takes the bot that was made. Without one, it is made at the first decision.
    pub(super) fn bot_made(&mut self, bot: Option<Box<dyn Bot>>) {
        (self.waits, self.bot) = (false, bot);
    }

    /// Takes a decision. Returns the bot's answer if it has decided already.
    pub(super) fn decide(
        &mut self,
        decision: Decision,
        until: Option<Instant>,
        deadline: Option<Instant>,
        now: Instant,
    ) -> Option<Answer> {
        if self.answered() == Some(decision.id) {
            return self.answer_again(now);
        }
        self.hear(&decision.since);
        self.due = Some(Due {
            decision,
            until,
            deadline,
        });
        None
    }

    /// Takes events of play. Some may be known: decisions come again, and some come that the bot is never asked for.
    fn hear(&mut self, since: &History) {
        self.since.extend(&since.after(self.asked));
    }

    /// Ends the match with the last events of play.
    pub(super) fn end(&mut self, since: &History, end: MatchEnd) {
        self.hear(since);
        let since = mem::take(&mut self.since);
        self.over.set(MatchEnd { since, ..end });
    }

    /// Returns the question for the bot, if one is due and the bot is free.
    pub(super) fn next_question(&mut self, seed: u64) -> Option<Question> {
        if self.waits || self.thinking.is_some() || self.resignation.is_some() {
            return None;
        }
        let due = self.due.take()?;
        let Due {
            mut decision,
            until,
            deadline,
        } = due;
        self.thinking = Some(decision.id);
        self.asked = decision.id.sequence();
        decision.since = mem::take(&mut self.since);
        let info = &self.info;
        let title = if info.title.is_empty() {
            &info.id
        } else {
            &info.title
        };
        Some(Question {
            info: Arc::clone(info),
            seed: decision_seed(seed, title, self.seat, decision.id),
            decision,
            until,
            deadline,
            over: self.over.clone(),
            bot: self.bot.take(),
        })
    }

    /// Returns true if the bot is thinking about this decision.
    pub(super) fn thinks_about(&self, decision_id: DecisionId) -> bool {
        self.thinking == Some(decision_id)
    }

    /// Takes the bot back. It is kept even if it has failed, so that it learns the result.
    pub(super) fn bot_thought(&mut self, bot: Option<Box<dyn Bot>>) {
        (self.thinking, self.bot) = (None, bot);
    }

    /// Takes the bot's choice, with its thoughts. Returns the answer, unless another decision is due by now.
    pub(super) fn chosen(
        &mut self,
        decision_id: DecisionId,
        action: String,
        thinking: Option<Thinking>,
        now: Instant,
    ) -> Option<Answer> {
        if self.due.is_some() || self.resignation.is_some() {
            return None;
        }
        self.answer = Some(Sent {
            decision_id,
            action,
            thinking,
            request_id: self.usual_id(decision_id),
            at: now,
        });
        self.answer_again(now)
    }

    /// Resigns for a bot that has given up.
    pub(super) fn gave_up(&mut self) -> MatchResignation {
        self.resign(MatchResignation::by_choice(self.id))
    }

    /// Resigns for a bot that has failed.
    pub(super) fn failed(&mut self, failure: &str) -> MatchResignation {
        self.resign(MatchResignation::by_failure(self.id, failure))
    }

    fn resign(&mut self, resignation: MatchResignation) -> MatchResignation {
        self.due = None;
        self.answer = None;
        let request_id = Some(request_id(&format!("{}:resign", self.id)));
        self.resignation
            .insert(MatchResignation {
                request_id,
                ..resignation
            })
            .clone()
    }

    /// Returns the resignation, to be sent again.
    pub(super) fn resign_again(&self) -> Option<MatchResignation> {
        self.resignation.clone()
    }

    /// The decision of the bot's last answer.
    pub(super) fn answered(&self) -> Option<DecisionId> {
        self.answer.as_ref().map(|sent| sent.decision_id)
    }

    /// Returns the bot's last answer, to be sent again.
    pub(super) fn answer_again(&mut self, now: Instant) -> Option<Answer> {
        let sent = self.answer.as_mut()?;
        sent.at = now;
        Some(Answer {
            match_id: self.id,
            decision_id: sent.decision_id,
            action: sent.action.clone(),
            request_id: Some(sent.request_id.clone()),
            thinking: sent.thinking.clone(),
        })
    }

    /// Returns the bot's last answer under another request id, for one whose id was used before. `None` if it has such an id
    /// already, or another decision is due by now.
    pub(super) fn answer_renamed(&mut self) -> Option<Answer> {
        let usual = self.usual_id(self.answered()?);
        if self.due.is_some() || self.thinking.is_some() {
            return None;
        }
        let sent = self.answer.as_mut();
        let sent = sent.filter(|sent| sent.request_id == usual)?;
        sent.request_id = random_request_id();
        let at = sent.at;
        self.answer_again(at)
    }

    /// The id of the answer to a decision: a program that is started anew asks for nothing twice.
    fn usual_id(&self, decision_id: DecisionId) -> RequestId {
        request_id(&format!("{}:{decision_id}", self.id))
    }

    /// Time at which the answer was sent.
    pub(super) fn sent_at(&self, decision_id: DecisionId) -> Option<Instant> {
        let sent = self
            .answer
            .as_ref()
            .filter(|sent| sent.decision_id == decision_id)?;
        Some(sent.at)
    }
}

impl Verdict {
    pub(super) fn of(reason: Option<&Reason>) -> Self {
        match reason {
            Some(Reason::IllegalAction | Reason::ActionUnreadable | Reason::FieldInvalid) => {
                Self::BotFailed
            }
            Some(
                Reason::StaleDecision
                | Reason::NotYourTurn
                | Reason::MatchEnded
                | Reason::GameOver
                | Reason::RequestIdReused,
            ) => Self::Overtaken,
            Some(Reason::MatchNotFound | Reason::NoSeat | Reason::LogDamaged) => Self::Gone,
            Some(
                Reason::TokenMissing
                | Reason::TokenMalformed
                | Reason::TokenUnknown
                | Reason::TokenExpired
                | Reason::TokenRevoked
                | Reason::ScopeMissing
                | Reason::TokenNotFound
                | Reason::TooManyTokens
                | Reason::UnknownGame
                | Reason::UnknownVariant
                | Reason::PositionUnreadable
                | Reason::MatchNotStarted
                | Reason::SeatTaken
                | Reason::AlreadyJoined
                | Reason::PlayerNotFound
                | Reason::NameConfusable
                | Reason::Superseded
                | Reason::SeatReserved
                | Reason::NotInvited
                | Reason::Blocked
                | Reason::AbortDenied
                | Reason::Draining
                | Reason::LimitReached
                | Reason::LogUnavailable
                | Reason::SequenceOutOfRange
                | Reason::RateLimited
                | Reason::Other(_),
            )
            | None => Self::Unclear,
        }
    }
}

/// The match that the bot of a seat is to play.
pub(super) fn info_of(view: &MatchView, seat: Seat) -> MatchInfo {
    MatchInfo {
        id: view.id.to_string(),
        title: view.title.clone(),
        game: view.game.clone(),
        variant: view.variant.clone(),
        target: view.target,
        seat,
        time_controls: Seat::BOTH.map(|seat| view.seat(seat).time_control),
    }
}

/// A request id of a match id of 36 characters, a colon and at most 20 digits.
fn request_id(text: &str) -> RequestId {
    text.parse()
        .expect("the text is visible ascii and shorter than 64 characters")
}
