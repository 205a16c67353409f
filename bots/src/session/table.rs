use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant, SystemTime};

use dragontooth_games::Seat;
use dragontooth_service_client::{
    Answer, AnswerAccepted, ClientError, Decision, DecisionId, MatchState, MatchView, Opened,
    Reason, RefusedRequest, Resignation,
};
use dragontooth_service_vocabulary::{MatchId, PlayerId};
use tracing::{debug, error, info, warn};

use super::budget::{SAFETY_MARGIN, allowance, thinking_time};
use super::played::{Played, Standing, Verdict};
use super::round_trips::RoundTrips;
use super::server_clock::ServerClock;
use super::thinking::{Question, Thought};
use super::{Notice, SessionError, SessionOptions, Summary, Until};
use crate::{Choice, MatchEnd};

/// How long to wait before a request is made again that the service could not grant just now and
/// for which it names no time.
const RETRY_PAUSE: Duration = Duration::from_millis(250);
/// How long a new stream may take to tell of all matches that are not over. It counts only where they
/// cannot be asked for.
const TOLD_LIMIT: Duration = Duration::from_secs(10);

/// The matches of a session: what happens to them and what is to be done about it.
pub(super) struct Table {
    options: SessionOptions,
    player: Option<PlayerId>,
    matches: HashMap<MatchId, Played>,
    /// Invitations that wait until there is room.
    invited: BTreeSet<MatchId>,
    /// Invitations that were accepted, until their match opens.
    accepted: HashSet<MatchId>,
    awaited: Option<MatchId>,
    clock: ServerClock,
    round_trips: RoundTrips,
    summary: Summary,
    todo: Vec<Todo>,
}

/// Something to be done.
#[derive(Debug)]
pub(super) enum Todo {
    Accept(MatchId),
    Answer(Answer),
    Resign(Resignation),
    Ask(Question),
    /// Ask the service after so long how the match stands, since it may have ended while nobody
    /// listened.
    Check(MatchId, Duration),
    /// Call [`Table::retry`] after so long.
    Retry(MatchId, Duration),
    Tell(Notice),
    Fail(SessionError),
}

impl Table {
    pub(super) fn new(options: SessionOptions, now: Instant, wall: SystemTime) -> Self {
        let awaited = match options.until {
            Until::Match(match_id) => Some(match_id),
            Until::Stopped | Until::Matches(_) => None,
        };
        Self {
            options,
            player: None,
            matches: HashMap::new(),
            invited: BTreeSet::new(),
            accepted: HashSet::new(),
            awaited,
            clock: ServerClock::new(now, wall),
            round_trips: RoundTrips::new(),
            summary: Summary::default(),
            todo: Vec::new(),
        }
    }

    pub(super) const fn summary(&self) -> Summary {
        self.summary
    }

    pub(super) const fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Whether all is played that was to be played.
    pub(super) fn is_done(&self) -> bool {
        match self.options.until {
            Until::Stopped => false,
            Until::Matches(matches) => self.summary.matches >= matches,
            Until::Match(_) => self.awaited.is_none(),
        }
    }

    /// What is to be done, in order.
    pub(super) fn take_todo(&mut self) -> Vec<Todo> {
        std::mem::take(&mut self.todo)
    }

    /// A stream is open, on which the service tells everything from the beginning.
    pub(super) fn connected(&mut self, player: PlayerId) {
        self.player = Some(player);
        self.invited.clear();
        for played in self.matches.values_mut() {
            played.fresh = false;
            played.standing = Standing::Unheard;
        }
        self.todo.push(Todo::Tell(Notice::Connected { player }));
        let known = self
            .matches
            .keys()
            .chain(&self.accepted)
            .chain(&self.awaited);
        let known: BTreeSet<MatchId> = known.copied().collect();
        self.todo
            .extend(known.into_iter().map(|id| Todo::Check(id, Duration::ZERO)));
    }

    /// A seat is kept for the player, who wants it.
    pub(super) fn invited(&mut self, match_id: MatchId) {
        if self.accepted.contains(&match_id) {
            self.todo.push(Todo::Accept(match_id));
        } else {
            self.invited.insert(match_id);
            self.accept_more();
        }
    }

    pub(super) fn opened(&mut self, opened: Opened) {
        let match_id = opened.view.id;
        self.invited.remove(&match_id);
        self.accepted.remove(&match_id);
        match self.matches.entry(match_id) {
            Entry::Occupied(mut place) => place.get_mut().standing = Standing::Live,
            Entry::Vacant(place) => {
                place.insert(Played::new(&opened));
                self.todo.push(Todo::Tell(Notice::Opened(Box::new(opened))));
            }
        }
    }

    pub(super) fn decision(&mut self, decision: Decision, now: Instant) {
        let Some(played) = self.matches.get_mut(&decision.match_id) else {
            warn!(match_id = %decision.match_id, "a decision of a match that was not opened");
            return;
        };
        if let Some(resignation) = played.resign_again() {
            self.todo.push(Todo::Resign(resignation));
            return;
        }
        if played.thinks_about(decision.id) {
            return;
        }
        let until = until(&mut self.clock, &self.round_trips, played, &decision, now);
        let deadline = decision.deadline;
        let deadline = deadline.and_then(|at| now.checked_add(self.clock.until(at, now)));
        let answer = played.decide(decision, until, deadline, now);
        self.todo.extend(answer.map(Todo::Answer));
        self.todo
            .extend(played.next_question(self.options.seed).map(Todo::Ask));
    }

    /// A bot has decided, or failed to.
    pub(super) fn thought(&mut self, thought: Thought, now: Instant) {
        let Some(played) = self.matches.get_mut(&thought.match_id) else {
            debug!(match_id = %thought.match_id, "the match ended before its bot had chosen");
            return;
        };
        match thought.result {
            Ok((Choice::Resign, bot)) => {
                info!(match_id = %thought.match_id, "the bot gives up the match");
                self.todo.push(Todo::Resign(played.gave_up(bot)));
            }
            Ok((Choice::Action(action), bot)) => {
                let answer = played.chosen(thought.decision_id, action, bot, now);
                self.todo.extend(answer.map(Todo::Answer));
                self.todo
                    .extend(played.next_question(self.options.seed).map(Todo::Ask));
            }
            Err(failure) => self.bot_failed(thought.match_id, failure),
        }
    }

    pub(super) fn accepted(&mut self, accepted: &AnswerAccepted, now: Instant) {
        let Some(played) = self.matches.get_mut(&accepted.match_id) else {
            return;
        };
        self.summary.answers += 1;
        played.fresh = true;
        if let Some(at) = played.sent_at(accepted.decision_id) {
            self.round_trips.add(now.saturating_duration_since(at));
        }
    }

    pub(super) fn refused(&mut self, refused: &RefusedRequest) {
        let error = &refused.error;
        let Some(match_id) = refused.match_id else {
            error!(%error, "the service refuses a request that names no match");
            return;
        };
        if error.is_transient() {
            warn!(%match_id, %error, "the service cannot do it now");
            let pause = error.retry_after().unwrap_or(RETRY_PAUSE);
            self.todo.push(Todo::Retry(match_id, pause));
        } else if let Some(decision_id) = refused.decision_id {
            if self.answered(match_id) == Some(decision_id) {
                self.answer_refused(match_id, error);
            }
        } else if self.accepted.remove(&match_id) {
            warn!(%match_id, %error, "an invitation cannot be accepted");
            self.accept_more();
        } else if Verdict::of(error.reason()) != Verdict::Overtaken {
            error!(%match_id, %error, "the match cannot be resigned");
        }
    }

    /// Makes a request again that was refused for the time being.
    pub(super) fn retry(&mut self, match_id: MatchId, now: Instant) {
        if self.accepted.contains(&match_id) {
            self.todo.push(Todo::Accept(match_id));
        } else if let Some(played) = self.matches.get_mut(&match_id) {
            let again = match played.resign_again() {
                Some(resignation) => Some(Todo::Resign(resignation)),
                None => played.answer_again(now).map(Todo::Answer),
            };
            self.todo.extend(again);
        }
    }

    /// How a match stands that was known before the stream was opened.
    pub(super) fn checked(&mut self, match_id: MatchId, found: Result<MatchView, ClientError>) {
        match found {
            Ok(view) if view.state == MatchState::Ended => self.closed(view),
            Ok(_) => {}
            Err(error) if error.is_transient() => {
                let pause = error.retry_after().unwrap_or(RETRY_PAUSE);
                self.todo.push(Todo::Check(match_id, pause));
            }
            Err(error)
                if error.reason() == Some(&Reason::ScopeMissing) && self.is_told(match_id) =>
            {
                info!(%match_id, %error, "whether the match is over cannot be asked");
            }
            Err(source) if self.awaited == Some(match_id) => {
                self.todo.push(Todo::Fail(SessionError::MatchUnavailable {
                    match_id,
                    source,
                }));
            }
            Err(error) => {
                error!(%match_id, %error, "a match is gone");
                self.forget(match_id);
            }
        }
    }

    /// Whether a match that cannot be asked for will be told of by itself, or has been. One that has
    /// been played and is over is not: that is known after a while.
    fn is_told(&mut self, match_id: MatchId) -> bool {
        let Some(played) = self.matches.get_mut(&match_id) else {
            return true;
        };
        match played.standing {
            Standing::Unheard => {
                played.standing = Standing::Doubted;
                self.todo.push(Todo::Check(match_id, TOLD_LIMIT));
                true
            }
            Standing::Doubted => false,
            Standing::Live => true,
        }
    }

    pub(super) fn closed(&mut self, view: MatchView) {
        let match_id = view.id;
        let seat = self.matches.get(&match_id).map(|played| played.seat);
        let known =
            seat.is_some() || self.accepted.contains(&match_id) || self.awaited == Some(match_id);
        if !known {
            debug!(%match_id, "an unknown match is over");
            return;
        }
        if let Some(played) = self.matches.get(&match_id) {
            played.over.set(end_of(&view));
        }
        self.summary.matches += 1;
        let seat = seat.or_else(|| view.seat_of(self.player?));
        let winner = view.outcome.as_ref().and_then(|outcome| outcome.winner);
        if winner.is_some() && winner == seat {
            self.summary.won += 1;
        } else if winner.is_some() {
            self.summary.lost += 1;
        }
        if self.awaited == Some(match_id) {
            self.awaited = None;
        }
        self.todo.push(Todo::Tell(Notice::Closed {
            view: Box::new(view),
            seat,
        }));
        self.forget(match_id);
    }

    pub(super) fn heartbeat(&mut self, server_time: SystemTime, now: Instant) {
        self.clock.observe(server_time, now);
    }

    /// The decision that the bot has answered last.
    fn answered(&self, match_id: MatchId) -> Option<DecisionId> {
        self.matches.get(&match_id)?.answered()
    }

    fn answer_refused(&mut self, match_id: MatchId, error: &ClientError) {
        match Verdict::of(error.reason()) {
            Verdict::BotFailed => self.bot_failed(match_id, error.to_string()),
            Verdict::Overtaken => info!(%match_id, %error, "an answer came too late"),
            Verdict::Gone => {
                error!(%match_id, %error, "a match is gone");
                self.forget(match_id);
            }
            Verdict::Unclear => error!(%match_id, %error, "an answer is refused"),
        }
    }

    /// A bot that fails once would fail again at the same decision: the opponent need not wait
    /// until its clock has run out.
    fn bot_failed(&mut self, match_id: MatchId, failure: String) {
        let Some(played) = self.matches.get_mut(&match_id) else {
            return;
        };
        error!(%match_id, failure, "the bot failed; its match is resigned");
        self.todo.push(Todo::Resign(played.failed(&failure)));
        self.summary.failures += 1;
        self.todo
            .push(Todo::Tell(Notice::BotFailed { match_id, failure }));
    }

    fn forget(&mut self, match_id: MatchId) {
        self.matches.remove(&match_id);
        self.accepted.remove(&match_id);
        self.invited.remove(&match_id);
        self.accept_more();
    }

    fn accept_more(&mut self) {
        while self.has_room()
            && let Some(match_id) = self.next_invitation()
        {
            self.invited.remove(&match_id);
            self.accepted.insert(match_id);
            self.todo.push(Todo::Accept(match_id));
        }
    }

    fn has_room(&self) -> bool {
        let busy = self.matches.len() + self.accepted.len();
        let wanted = match self.options.until {
            Until::Stopped | Until::Match(_) => true,
            Until::Matches(matches) => {
                let rest = matches.saturating_sub(self.summary.matches);
                usize::try_from(rest).map_or(true, |rest| busy < rest)
            }
        };
        wanted && busy < self.options.matches_at_once
    }

    /// The oldest invitation that may be accepted.
    fn next_invitation(&self) -> Option<MatchId> {
        let allowed = |match_id: &&MatchId| match self.options.until {
            Until::Stopped | Until::Matches(_) => true,
            Until::Match(awaited) => **match_id == awaited,
        };
        self.invited.iter().find(allowed).copied()
    }
}

/// How a match ended that is over.
fn end_of(view: &MatchView) -> MatchEnd {
    MatchEnd {
        winner: view.outcome.as_ref().and_then(|outcome| outcome.winner),
        termination: view.outcome.as_ref().map_or_else(
            || "unknown".to_owned(),
            |outcome| outcome.termination.to_string(),
        ),
        score: Seat::BOTH.map(|seat| view.score.of(seat)),
    }
}

/// When the choice must be made; none for no limit.
fn until(
    clock: &mut ServerClock,
    round_trips: &RoundTrips,
    played: &Played,
    decision: &Decision,
    now: Instant,
) -> Option<Instant> {
    let deadline = decision.deadline?;
    let stock = decision.clocks.and_then(|clocks| clocks.of(decision.seat));
    let whole = stock.map(|stock| allowance(played.control, stock));
    if played.fresh
        && let Some(start) = whole.and_then(|whole| deadline.checked_sub(whole))
    {
        clock.observe(start, now);
    }
    let left = clock
        .until(deadline, now)
        .min(whole.unwrap_or(Duration::MAX));
    now.checked_add(thinking_time(
        played.control,
        stock,
        left,
        SAFETY_MARGIN + round_trips.longest(),
    ))
}

#[cfg(test)]
mod tests;
