use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant, SystemTime};

use dragontooth_games::Seat;
use dragontooth_service_client::{
    Answer, AnswerAccepted, Backoff, ClientError, Closed, Decision, DecisionId, Invitation,
    MatchResignation, MatchView, Opened, Reason, RefusedRequest, RefusedThinking,
};
use dragontooth_service_vocabulary::{EndReason, History, MatchId, PlayerId, Sequence, Stage};
use tracing::{debug, error, info, warn};

use super::active_match::{ActiveMatch, Verdict, info_of};
use super::budget::{SAFETY_MARGIN, allowance, thinking_time};
use super::error::is_passing;
use super::round_trips::RoundTrips;
use super::server_clock::ServerClock;
use super::thinking::{Question, ThinkingResult};
use super::{Notice, SessionError, SessionOptions, Summary, Until};
use crate::{Bot, Choice, MatchEnd, MatchInfo};

/// Longest choice that is sent, in bytes. The service refuses far shorter ones and the bot may choose again; a
/// longer one might end the whole stream instead.
const MAX_CHOICE_BYTES: usize = 8 * 1024;
/// A decision that is never due: the first event of a match creates it. The refusal of an answer to it says if a match that the
/// token may not read is over.
const NEVER_DUE: DecisionId = DecisionId::after(Sequence(1));

/// The matches of a session. Turns events into [`Effect`]s, without I/O.
pub(super) struct ActiveMatches {
    options: SessionOptions,
    player: Option<PlayerId>,
    matches: HashMap<MatchId, ActiveMatch>,
    /// Invitations that wait for room.
    invited: BTreeMap<MatchId, Invitation>,
    /// Invitations that have room, until their match opens.
    accepted: HashMap<MatchId, Accepted>,
    /// Invitations that were declined, until their match is over, with the reasons.
    declined: HashMap<MatchId, Option<EndReason>>,
    awaited: Option<MatchId>,
    /// The pauses of matches about which the service has refused something for now, until it accepts something.
    pauses: HashMap<MatchId, Backoff>,
    clock: ServerClock,
    round_trips: RoundTrips,
    summary: Summary,
    effects: Vec<Effect>,
}

/// An invitation that has room.
struct Accepted {
    /// The commitment to the match's seed.
    commitment: String,
    /// True while its bot is being made: the seat is taken afterwards.
    waits: bool,
    /// The bot, if it was made.
    bot: Option<Box<dyn Bot>>,
}

/// An effect that the session carries out.
#[derive(Debug)]
pub(super) enum Effect {
    /// Accept an invitation to a match with this commitment to its seed.
    Accept(MatchId, String),
    /// Decline an invitation for this reason.
    Decline(MatchId, Option<EndReason>),
    /// Make the bot of a match and call [`ActiveMatches::bot_made`].
    MakeBot(MatchId, Box<MatchInfo>),
    Answer(Answer),
    Resign(MatchResignation),
    Ask(Box<Question>),
    /// Ask the service for the state of a match after a pause: it may have ended while the stream was closed.
    Check(MatchId, Duration),
    /// Call [`ActiveMatches::retry`] after a pause.
    Retry(MatchId, Duration),
    Tell(Notice),
    Fail(SessionError),
}

impl ActiveMatches {
    pub(super) fn new(options: SessionOptions, now: Instant, wall: SystemTime) -> Self {
        let awaited = match options.until {
            Until::Match(match_id) => Some(match_id),
            Until::Stopped | Until::Matches(_) => None,
        };
        Self {
            options,
            player: None,
            matches: HashMap::new(),
            invited: BTreeMap::new(),
            accepted: HashMap::new(),
            declined: HashMap::new(),
            awaited,
            pauses: HashMap::new(),
            clock: ServerClock::new(now, wall),
            round_trips: RoundTrips::new(),
            summary: Summary::default(),
            effects: Vec::new(),
        }
    }

    pub(super) const fn summary(&self) -> Summary {
        self.summary
    }

    pub(super) const fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Returns true if everything that was to be played is played.
    pub(super) fn is_done(&self) -> bool {
        match self.options.until {
            Until::Stopped => false,
            Until::Matches(matches) => self.summary.matches >= matches,
            Until::Match(_) => self.awaited.is_none(),
        }
    }

    /// Takes the effects, in order.
    pub(super) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Handles a new stream, on which the service repeats everything that is due.
    pub(super) fn connected(&mut self, player: PlayerId) {
        self.player = Some(player);
        self.invited.clear();
        self.declined.clear();
        self.pauses.clear();
        for active in self.matches.values_mut() {
            active.fresh = false;
        }
        self.effects
            .push(Effect::Tell(Notice::Connected { player }));
        let known = self
            .matches
            .keys()
            .chain(self.accepted.keys())
            .chain(&self.awaited);
        let known: BTreeSet<MatchId> = known.copied().collect();
        self.effects.extend(
            known
                .into_iter()
                .map(|id| Effect::Check(id, Duration::ZERO)),
        );
    }

    /// Handles an invitation that the player wants.
    pub(super) fn invited(&mut self, invitation: Invitation) {
        let match_id = invitation.view.id;
        if self.accepted.contains_key(&match_id) {
            self.accept(match_id);
        } else {
            self.invited.insert(match_id, invitation);
            self.accept_more();
        }
    }

    /// Handles the bot of a match that has opened or whose invitation has room. Without one, it is made at its first
    /// decision.
    pub(super) fn bot_made(&mut self, match_id: MatchId, bot: Option<Box<dyn Bot>>) {
        if let Some(active) = self.matches.get_mut(&match_id) {
            active.bot_made(bot);
            self.ask_next(match_id);
            return;
        }
        let Some(accepted) = self.accepted.get_mut(&match_id) else {
            debug!(%match_id, "the match is gone before its bot was made");
            return;
        };
        (accepted.waits, accepted.bot) = (false, bot);
        self.accept(match_id);
    }

    /// Handles an invitation that the player does not want: its match must not wait for the player. A session of one match
    /// leaves others to the player's next one.
    pub(super) fn unwanted(&mut self, view: &MatchView) {
        if !self.may_take(view.id) {
            return;
        }
        let MatchView {
            id,
            game,
            variant,
            target,
            ..
        } = view;
        // The service sends short names. Without a reason it is declined all the same.
        let reason = EndReason::new(&format!(
            "this bot does not accept these terms: {game} {variant} to {target}"
        ))
        .ok();
        info!(match_id = %id, game, variant, "declining an invitation");
        self.decline(*id, reason);
    }

    fn decline(&mut self, match_id: MatchId, reason: Option<EndReason>) {
        self.declined.insert(match_id, reason.clone());
        self.effects.push(Effect::Decline(match_id, reason));
    }

    pub(super) fn opened(&mut self, opened: Opened) {
        let match_id = opened.view.id;
        self.invited.remove(&match_id);
        self.pauses.remove(&match_id);
        let accepted = self.accepted.remove(&match_id);
        match self.matches.entry(match_id) {
            Entry::Occupied(mut place) => {
                // It may be lost with the last stream, and while the opponent decides, no decision asks for it.
                self.effects
                    .extend(place.get_mut().resign_again().map(Effect::Resign));
            }
            Entry::Vacant(place) => {
                // Of a match that an earlier program of the player has accepted, nobody has made the bot.
                let is_early = accepted.is_none() && self.options.makes_bots_early;
                let (waits, bot) =
                    accepted.map_or((is_early, None), |Accepted { waits, bot, .. }| (waits, bot));
                if is_early {
                    let info = Box::new(info_of(&opened.view, opened.seat));
                    self.effects.push(Effect::MakeBot(match_id, info));
                }
                place.insert(ActiveMatch::new(&opened, bot, waits));
                self.effects
                    .push(Effect::Tell(Notice::Opened(Box::new(opened))));
            }
        }
    }

    pub(super) fn decision(&mut self, decision: Decision, now: Instant) {
        let Some(active) = self.matches.get_mut(&decision.match_id) else {
            warn!(match_id = %decision.match_id, "decision in a match that was not opened");
            return;
        };
        if let Some(resignation) = active.resign_again() {
            self.effects.push(Effect::Resign(resignation));
            return;
        }
        if active.thinks_about(decision.id) {
            return;
        }
        let (until, deadline) = times(&mut self.clock, &self.round_trips, active, &decision, now);
        let answer = active.decide(decision, until, deadline, now);
        let match_id = active.id;
        self.effects.extend(answer.map(Effect::Answer));
        self.ask_next(match_id);
    }

    /// Handles the choice or the failure of a bot.
    pub(super) fn thought(&mut self, thought: ThinkingResult, now: Instant) {
        let Some(active) = self.matches.get_mut(&thought.match_id) else {
            debug!(match_id = %thought.match_id, "the match ended before its bot chose");
            return;
        };
        active.bot_thought(thought.bot);
        match thought.result {
            Ok(Choice::Resign) => {
                info!(match_id = %thought.match_id, "the bot gives up the match");
                self.effects.push(Effect::Resign(active.gave_up()));
            }
            Ok(Choice::Action(action)) if action.len() > MAX_CHOICE_BYTES => {
                let bytes = action.len();
                let failure = format!("it chose {bytes} bytes; the limit is {MAX_CHOICE_BYTES}");
                self.bot_failed(thought.match_id, failure);
            }
            Ok(Choice::Action(action)) => {
                let answer = active.chosen(thought.decision_id, action, thought.thinking, now);
                self.effects.extend(answer.map(Effect::Answer));
                self.ask_next(thought.match_id);
            }
            Err(failure) => self.bot_failed(thought.match_id, failure),
        }
    }

    /// Asks the bot of a match, if a decision is due and the bot is free.
    fn ask_next(&mut self, match_id: MatchId) {
        let active = self.matches.get_mut(&match_id);
        let question = active.and_then(|active| active.next_question(self.options.seed));
        self.effects.extend(question.map(Box::new).map(Effect::Ask));
    }

    pub(super) fn accepted(&mut self, accepted: &AnswerAccepted, now: Instant) {
        let Some(active) = self.matches.get_mut(&accepted.match_id) else {
            return;
        };
        self.summary.answers += 1;
        self.pauses.remove(&accepted.match_id);
        if let Some(refused) = &accepted.refused_thinking
            && !std::mem::replace(&mut active.refused_thinking, true)
        {
            let RefusedThinking { field, why } = refused;
            warn!(match_id = %accepted.match_id, field, why, "the bot's thinking was left out");
        }
        active.fresh = true;
        if let Some(at) = active.sent_at(accepted.decision_id) {
            self.round_trips.add(now.saturating_duration_since(at));
        }
    }

    pub(super) fn refused(&mut self, refused: RefusedRequest) {
        if let (Some(match_id), Some(NEVER_DUE)) = (refused.match_id, refused.decision_id) {
            self.probed(match_id, refused.error);
            return;
        }
        let error = &refused.error;
        let Some(match_id) = refused.match_id else {
            error!(%error, "the service refused a request without a match");
            return;
        };
        if error.is_transient() {
            warn!(%match_id, %error, "the service refused a request for now");
            let pause = self.pause(match_id, error);
            self.effects.push(Effect::Retry(match_id, pause));
        } else if let Some(decision_id) = refused.decision_id {
            if self.answered(match_id) == Some(decision_id) {
                self.answer_refused(match_id, error);
            }
        } else if self.accepted.remove(&match_id).is_some() {
            warn!(%match_id, %error, "cannot accept the invitation");
            if error.reason() == Some(&Reason::FieldInvalid) {
                // The name or the share of the session is invalid, and the inviter must not wait.
                let reason = EndReason::new(&format!("this bot cannot take its seat: {error}"));
                self.decline(match_id, reason.ok());
            }
            self.accept_more();
        } else if self.declined.remove(&match_id).is_some() {
            warn!(%match_id, %error, "cannot decline the invitation");
        } else if Verdict::of(error.reason()) != Verdict::Overtaken {
            error!(%match_id, %error, "cannot resign the match");
        }
    }

    /// The pause before what was refused for now is tried again.
    fn pause(&mut self, match_id: MatchId, error: &ClientError) -> Duration {
        let backoff = self.pauses.entry(match_id).or_default();
        backoff.pause(error.retry_after())
    }

    /// Repeats a request that was refused for now.
    pub(super) fn retry(&mut self, match_id: MatchId, now: Instant) {
        if self.accepted.contains_key(&match_id) {
            self.accept(match_id);
        } else if let Some(reason) = self.declined.get(&match_id) {
            self.effects.push(Effect::Decline(match_id, reason.clone()));
        } else if let Some(active) = self.matches.get_mut(&match_id) {
            let again = match active.resign_again() {
                Some(resignation) => Some(Effect::Resign(resignation)),
                None => active.answer_again(now).map(Effect::Answer),
            };
            self.effects.extend(again);
        }
    }

    /// Handles the state of a match that was known before the stream was opened.
    pub(super) fn checked(&mut self, match_id: MatchId, found: Result<MatchView, ClientError>) {
        match found {
            // The last events of play are lost with the stream.
            Ok(view) if view.state == Stage::Ended => self.closed(Closed {
                view,
                since: History::default(),
            }),
            Ok(_) => {
                self.pauses.remove(&match_id);
            }
            Err(error) if is_passing(&error) => {
                let pause = self.pause(match_id, &error);
                self.effects.push(Effect::Check(match_id, pause));
            }
            Err(error) if error.reason() == Some(&Reason::ScopeMissing) => {
                info!(%match_id, %error, "the token may not ask whether the match is over");
                self.effects.push(Effect::Answer(probe(match_id)));
            }
            Err(error) => self.lost(match_id, error),
        }
    }

    /// Handles the refusal of a [`probe`].
    fn probed(&mut self, match_id: MatchId, error: ClientError) {
        let reason = error.reason();
        if reason == Some(&Reason::MatchEnded) {
            // The stream may have told it since.
            if self.knows(match_id) {
                warn!(
                    %match_id,
                    "the match has ended; its result cannot be read without the scope watch"
                );
                self.finish(match_id);
            }
        } else if matches!(reason, Some(Reason::MatchNotFound | Reason::LogDamaged)) {
            self.lost(match_id, error);
        } else if reason == Some(&Reason::NoSeat) {
            // The acceptance was lost with its stream. If the match is over, it is refused.
            self.accept(match_id);
        } else if error.is_transient() {
            let pause = self.pause(match_id, &error);
            self.effects.push(Effect::Check(match_id, pause));
        }
    }

    /// Handles a match that cannot be played any more.
    fn lost(&mut self, match_id: MatchId, source: ClientError) {
        if self.awaited == Some(match_id) {
            let failure = SessionError::MatchUnavailable { match_id, source };
            self.effects.push(Effect::Fail(failure));
        } else {
            error!(%match_id, error = %source, "the match cannot be played any more");
            self.forget(match_id);
        }
    }

    pub(super) fn closed(&mut self, closed: Closed) {
        let Closed { view, since } = closed;
        let match_id = view.id;
        if !self.knows(match_id) {
            self.invited.remove(&match_id);
            self.declined.remove(&match_id);
            self.pauses.remove(&match_id);
            debug!(%match_id, "an unknown match is over");
            return;
        }
        if let Some(active) = self.matches.get_mut(&match_id) {
            active.end(&since, end_of(&view));
        }
        let seat = self.matches.get(&match_id).map(|active| active.seat);
        let seat = seat.or_else(|| view.seat_of(self.player?));
        let winner = view.outcome.as_ref().and_then(|outcome| outcome.winner);
        if winner.is_some() && winner == seat {
            self.summary.won += 1;
        } else if winner.is_some() {
            self.summary.lost += 1;
        }
        self.effects.push(Effect::Tell(Notice::Closed {
            view: Box::new(view),
            seat,
        }));
        self.finish(match_id);
    }

    /// True for a match that the session plays, is about to play, or waits for.
    fn knows(&self, match_id: MatchId) -> bool {
        self.matches.contains_key(&match_id)
            || self.accepted.contains_key(&match_id)
            || self.awaited == Some(match_id)
    }

    /// Counts a match that is over.
    fn finish(&mut self, match_id: MatchId) {
        self.summary.matches += 1;
        if self.awaited == Some(match_id) {
            self.awaited = None;
        }
        self.forget(match_id);
    }

    pub(super) fn heartbeat(&mut self, server_time: SystemTime, now: Instant) {
        self.clock.observe(server_time, now);
    }

    /// The decision of the bot's last answer.
    fn answered(&self, match_id: MatchId) -> Option<DecisionId> {
        self.matches.get(&match_id)?.answered()
    }

    fn answer_refused(&mut self, match_id: MatchId, error: &ClientError) {
        // An earlier program of the player may have given another answer to this decision, which was refused.
        if error.reason() == Some(&Reason::RequestIdReused)
            && let Some(active) = self.matches.get_mut(&match_id)
            && let Some(renamed) = active.answer_renamed()
        {
            warn!(%match_id, %error, "an answer is sent again under another request id");
            self.effects.push(Effect::Answer(renamed));
            return;
        }
        match Verdict::of(error.reason()) {
            Verdict::BotFailed => self.bot_failed(match_id, error.to_string()),
            Verdict::Overtaken => info!(%match_id, %error, "the answer came too late"),
            Verdict::Gone => {
                error!(%match_id, %error, "the match cannot be played any more");
                self.forget(match_id);
            }
            Verdict::Unclear => error!(%match_id, %error, "the answer was refused"),
        }
    }

    /// Resigns the match: the bot would fail again at the same decision, and the opponent should not have to wait
    /// for its clock.
    fn bot_failed(&mut self, match_id: MatchId, failure: String) {
        let Some(active) = self.matches.get_mut(&match_id) else {
            return;
        };
        error!(%match_id, failure, "the bot failed; resigning its match");
        self.effects.push(Effect::Resign(active.failed(&failure)));
        self.summary.failures += 1;
        self.effects
            .push(Effect::Tell(Notice::BotFailed { match_id, failure }));
    }

    fn forget(&mut self, match_id: MatchId) {
        if let Some(mut active) = self.matches.remove(&match_id) {
            // A bot that is thinking must stop, though nobody may have told how the match ended.
            active.end(&History::default(), MatchEnd::unknown());
        }
        self.accepted.remove(&match_id);
        self.invited.remove(&match_id);
        self.pauses.remove(&match_id);
        self.accept_more();
    }

    fn accept_more(&mut self) {
        while self.has_room()
            && let Some(match_id) = self.next_invitation()
            && let Some(invitation) = self.invited.remove(&match_id)
        {
            let waits = self.options.makes_bots_early;
            if waits {
                let info = Box::new(info_of(&invitation.view, invitation.seat));
                self.effects.push(Effect::MakeBot(match_id, info));
            }
            let accepted = Accepted {
                commitment: invitation.view.seed_commitment,
                waits,
                bot: None,
            };
            self.accepted.insert(match_id, accepted);
            self.accept(match_id);
        }
    }

    /// Takes the seat of an invitation that has room, unless its bot is still being made.
    fn accept(&mut self, match_id: MatchId) {
        let accepted = self.accepted.get(&match_id);
        let ready = accepted.filter(|accepted| !accepted.waits);
        self.effects
            .extend(ready.map(|accepted| Effect::Accept(match_id, accepted.commitment.clone())));
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
        let mut invited = self.invited.keys().copied();
        invited.find(|match_id| self.may_take(*match_id))
    }

    /// Returns false for a match that is not the one of this session.
    fn may_take(&self, match_id: MatchId) -> bool {
        match self.options.until {
            Until::Stopped | Until::Matches(_) => true,
            Until::Match(awaited) => match_id == awaited,
        }
    }
}

/// The question if a match is over, for which a token needs no more than to play.
fn probe(match_id: MatchId) -> Answer {
    Answer {
        match_id,
        decision_id: NEVER_DUE,
        action: "?".to_owned(),
        request_id: None,
        thinking: None,
    }
}

/// The result of a match that is over.
fn end_of(view: &MatchView) -> MatchEnd {
    MatchEnd {
        winner: view.outcome.as_ref().and_then(|outcome| outcome.winner),
        termination: view.outcome.as_ref().map_or_else(
            || MatchEnd::UNKNOWN.to_owned(),
            |outcome| outcome.termination.to_string(),
        ),
        score: Seat::BOTH.map(|seat| view.score.of(seat)),
        since: History::default(),
    }
}

/// The time by which the choice must be made, and that at which the clock runs out; `None` means no limit.
fn times(
    clock: &mut ServerClock,
    round_trips: &RoundTrips,
    active: &ActiveMatch,
    decision: &Decision,
    now: Instant,
) -> (Option<Instant>, Option<Instant>) {
    let Some(deadline) = decision.deadline else {
        return (None, None);
    };
    let stock = decision
        .clocks
        .and_then(|clocks| clocks[decision.seat.index()]);
    let whole = stock.map(|stock| allowance(active.control, stock));
    if active.fresh
        && let Some(start) = whole.and_then(|whole| deadline.checked_sub(whole))
    {
        clock.observe(start, now);
    }
    let left = whole.map_or_else(
        || clock.until(deadline, now),
        |whole| clock.left(deadline, whole, now),
    );
    let kept = SAFETY_MARGIN + round_trips.longest();
    let thinking = thinking_time(active.control, stock, left, kept);
    (now.checked_add(thinking), now.checked_add(left))
}

#[cfg(test)]
mod tests;
