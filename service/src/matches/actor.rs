use std::sync::Arc;

use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, Decided, MatchState, Rejection, decide};
use dragontooth_service_store::{MatchLog, StoredMatch};
use dragontooth_service_vocabulary::{
    MatchEvent, MatchId, PlayerId, Recorded, Sequence, Termination, Timestamp,
};
use tokio::sync::mpsc;
use tracing::{debug, error, info};

use super::index::Index;
use super::message::Message;
use super::presence::{GraceOver, Presence};
use super::{Accepted, DecisionView, Notice, Players, Refusal, SharedMatch};
use crate::limits::PendingInvitations;
use crate::metrics::{self, Forfeit};
use crate::wall_clock::WallClock;

/// The one task that changes a match: it decides, makes the events durable, and only then sends
/// notices and answers.
#[derive(Debug)]
pub(super) struct Actor {
    shared: Arc<SharedMatch>,
    log: MatchLog,
    clock: WallClock,
    players: Arc<Players>,
    index: Arc<Index>,
    mailbox: mpsc::Receiver<Box<Message>>,
    sent: [SentNotices; 2],
    presence: Option<Presence>,
    /// The invitations that wait for an answer.
    pending: PendingInvitations,
    timer_failed: bool,
}

/// The notices that a seat's player has been sent, and its stream.
#[derive(Clone, Copy, Debug, Default)]
struct SentNotices {
    stream: Option<u64>,
    opened: bool,
    closed: bool,
    decision: Option<Sequence>,
}

impl SentNotices {
    /// Returns true if the stream has had all that a seat's player is to be sent. Another stream announces itself by
    /// [`Message::StreamOpened`].
    fn are_all_of(&self, state: &MatchState, seat: Seat) -> bool {
        let due = state.due().filter(|due| due.seat == seat);
        self.opened
            && state.result().is_none()
            && due.is_none_or(|due| self.decision == Some(due.decision))
    }
}

impl Actor {
    pub(super) fn new(
        shared: Arc<SharedMatch>,
        log: MatchLog,
        clock: WallClock,
        players: Arc<Players>,
        index: Arc<Index>,
        pending: PendingInvitations,
        mailbox_messages: usize,
    ) -> (Self, mpsc::Sender<Box<Message>>) {
        let (sender, mailbox) = mpsc::channel(mailbox_messages.max(1));
        let sent = [SentNotices::default(); 2];
        let presence = presence_in(&shared.state(), clock.now(), &players);
        let timer_failed = false;
        (
            Self {
                shared,
                log,
                clock,
                players,
                index,
                mailbox,
                sent,
                presence,
                pending,
                timer_failed,
            },
            sender,
        )
    }

    /// Runs until the match is over or its mailbox has no senders left.
    pub(super) async fn run(mut self) {
        self.notify_players();
        while self.shared.state().result().is_none() {
            let deadline = self.next_timer().filter(|_| !self.timer_failed);
            let time_up = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(self.clock.instant(deadline)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                message = self.mailbox.recv() => match message {
                    Some(message) => self.handle(*message).await,
                    None => return,
                },
                () = time_up => {
                    let now = self.clock.now();
                    if let Err(refusal) = self.check_timers(now).await {
                        error!(%refusal, "the end of a match cannot be recorded");
                        self.timer_failed = true;
                    }
                }
            }
        }
        self.refuse_the_rest();
    }

    async fn handle(&mut self, message: Message) {
        // The message that says so may still be on its way.
        if self.timer_failed && self.log.health().is_ok() {
            self.resume_time();
        }
        match message {
            Message::StreamOpened(player, done) => {
                if let Some(seat) = self.place_of(player) {
                    self.notify(seat);
                }
                // The stream may have ended meanwhile.
                let _ = done.send(());
            }
            Message::Present(player, time) => self.note_presence(player, time),
            Message::LogBack => self.resume_time(),
            Message::Command {
                command,
                received,
                reply,
            } => {
                if let Some(player) = command.player() {
                    self.note_presence(player, received);
                    if self.presence.is_some() {
                        self.players.note_call(player, received);
                    }
                }
                let answer = match self.check_clock(received).await {
                    Ok(()) => self.obey(&command, received).await,
                    Err(refusal) => Err(refusal),
                };
                reply.send(answer);
                self.notify_players();
            }
        }
    }

    /// Returns the time of the next timer: the end of a clock, of a grace, or of the time to join.
    fn next_timer(&mut self) -> Option<Timestamp> {
        let deadline = {
            let state = self.shared.state();
            state.deadline().or_else(|| state.join_deadline())
        };
        let has_stream = self.has_stream();
        let Some(presence) = &self.presence else {
            return deadline;
        };
        let forfeits = presence.forfeits(has_stream);
        self.shared.set_forfeits(forfeits);
        forfeits.into_iter().chain([deadline]).flatten().min()
    }

    /// Starts the clock of the pending decision and the graces again, as after a restart of the service: none of them
    /// runs while the log is away.
    fn resume_time(&mut self) {
        let now = self.clock.now();
        let mut state = self.shared.state();
        state.state_mut().restart_clock(now);
        self.presence = presence_in(&state, now, &self.players);
        drop(state);
        self.timer_failed = false;
    }

    async fn check_timers(&mut self, now: Timestamp) -> Result<(), Refusal> {
        self.check_clock(now).await?;
        let has_stream = self.has_stream();
        let over = self
            .presence
            .and_then(|presence| presence.grace_over(has_stream, now));
        match over {
            Some(GraceOver {
                seat,
                opponent_away,
            }) => {
                let end = Command::EndGrace {
                    seat,
                    opponent_away,
                };
                self.let_time_act(&end, now).await
            }
            None => Ok(()),
        }
    }

    async fn check_clock(&mut self, now: Timestamp) -> Result<(), Refusal> {
        self.let_time_act(&Command::CheckClock, now).await
    }

    async fn let_time_act(&mut self, command: &Command, now: Timestamp) -> Result<(), Refusal> {
        let decided = decide(&self.shared.state(), command, now)?;
        if let Decided::Events(events) = decided
            && !events.is_empty()
        {
            self.record(events).await?;
            self.notify_players();
        }
        Ok(())
    }

    fn note_presence(&mut self, player: PlayerId, time: Timestamp) {
        if let Some(presence) = &mut self.presence
            && let Some(seat) = self.shared.state().seat_of(player)
        {
            presence.note(seat, time);
        }
    }

    /// Which seats' players have a stream, if that matters. Notes when the last one of the others ended.
    fn has_stream(&mut self) -> [bool; 2] {
        let Some(presence) = &mut self.presence else {
            return [false; 2];
        };
        let state = self.shared.state();
        Seat::BOTH.map(|seat| {
            let seated = state.seated(seat);
            let player = seated.map(|seated| self.players.whereabouts(seated.player));
            player.is_some_and(|player| {
                presence.note(seat, player.seen);
                player.has_stream
            })
        })
    }

    async fn obey(&mut self, command: &Command, received: Timestamp) -> Result<Accepted, Refusal> {
        let decided = decide(&self.shared.state(), command, received);
        let events = match decided {
            Ok(Decided::Answered(answer)) => return Ok(answer.into()),
            Ok(Decided::Events(events)) => events,
            Ok(Decided::Refused { events, rejection }) => {
                self.record(events).await?;
                return Err(self.refuse(rejection));
            }
            Err(rejection) => return Err(self.refuse(rejection)),
        };
        let mut accepted = Accepted::Done;
        if let Some(MatchEvent::ActionPlayed { action, .. }) = events.first() {
            let sequence = self.shared.state().head().next();
            accepted = Accepted::Acted {
                sequence,
                action: action.clone(),
            };
        }
        if !events.is_empty() {
            self.record(events).await?;
        }
        Ok(accepted)
    }

    fn refuse(&self, rejection: Rejection) -> Refusal {
        debug!(%rejection, "command refused");
        if let Rejection::IllegalAction { .. } = rejection {
            metrics::answered_illegally(self.shared.state().play().game());
        }
        rejection.into()
    }

    /// Makes events durable, then part of the match.
    async fn record(&mut self, events: Vec<MatchEvent>) -> Result<(), Refusal> {
        let time = self.clock.now();
        let before = self.shared.state().chain_head();
        let head = self
            .log
            .append(self.shared.id(), before, time, &events)
            .await
            .map_err(|error| {
                error!(%error, "events cannot be recorded");
                Refusal::from(error)
            })?;
        // The time of the write is charged to neither seat, so the clock of a new decision starts only when it is
        // durable. A decision that was already due keeps its clock, or a refused action would gain time.
        let durable = self.clock.now();
        metrics::appended(durable.since(time));
        let mut listed_anew = false;
        let mut state = self.shared.state();
        let game = state.play().game();
        let mut recorded = Vec::with_capacity(events.len());
        let mut sequence = state.head();
        for event in events {
            count(game, &event);
            if let MatchEvent::SeatJoined { player, seat, .. } = &event {
                self.pending[seat.index()] = None;
                self.players.add_match(*player, self.shared.id());
                listed_anew = true;
            }
            sequence = sequence.next();
            recorded.push(Recorded {
                sequence,
                time,
                event,
            });
        }
        let was_due = state.due().map(|due| due.decision);
        state.evolve(&recorded, head);
        if state.due().map(|due| due.decision) != was_due {
            state.state_mut().restart_clock(durable);
        }
        if listed_anew {
            self.presence = presence_in(&state, durable, &self.players);
        }
        if state.result().is_some() {
            self.pending = [None, None];
        }
        if listed_anew || state.result().is_some() {
            self.index.put(self.shared.id(), &(&*state).into());
        }
        drop(state);
        self.shared.publish_head(head.sequence);
        Ok(())
    }

    fn notify_players(&mut self) {
        let has_news = {
            let state = self.shared.state();
            Seat::BOTH.map(|seat| !self.sent[seat.index()].are_all_of(&state, seat))
        };
        for seat in Seat::BOTH {
            if has_news[seat.index()] {
                self.notify(seat);
            }
        }
    }

    /// Sends the player of `seat` the notices that it has not had on its stream.
    fn notify(&mut self, seat: Seat) {
        let state = self.shared.state();
        let id = self.shared.id();
        let kept_for = state.created().reserved[seat.index()];
        let joined = state.seated(seat).map(|seated| seated.player);
        let Some(player) = joined.or(kept_for) else {
            return;
        };
        let Some(stream) = self.players.stream(player) else {
            return;
        };
        let notices = &mut self.sent[seat.index()];
        if notices.stream != Some(stream.number()) {
            *notices = SentNotices {
                stream: Some(stream.number()),
                ..SentNotices::default()
            };
            if joined.is_none() && state.result().is_none() {
                stream.send(Notice::Invitation {
                    seat,
                    state: boxed(&state),
                });
            }
        }
        if !notices.opened && state.is_full() && joined.is_some() {
            notices.opened = true;
            stream.send(Notice::Opened {
                seat,
                state: boxed(&state),
            });
        }
        if state.result().is_some() {
            if !notices.closed {
                notices.closed = true;
                stream.send(Notice::Closed {
                    state: boxed(&state),
                });
            }
            return;
        }
        if let Some(due) = state.due()
            && due.seat == seat
            && notices.decision != Some(due.decision)
        {
            notices.decision = Some(due.decision);
            if let Some(view) = DecisionView::of(id, &state, stream.with_legal_actions()) {
                stream.send(Notice::Decision(Box::new(view)));
            }
        }
    }

    /// The seat that a player has or that is kept for it.
    fn place_of(&self, player: PlayerId) -> Option<Seat> {
        let state = self.shared.state();
        let kept = |seat: &Seat| {
            state.seated(*seat).is_none() && state.created().reserved[seat.index()] == Some(player)
        };
        state
            .seat_of(player)
            .or_else(|| Seat::BOTH.into_iter().find(kept))
    }

    /// The match is over: what still waits is answered by the rules of an ended match.
    fn refuse_the_rest(&mut self) {
        if let Some(result) = self.shared.state().result() {
            info!(
                match_id = %self.shared.id(),
                winner = ?result.winner,
                termination = ?result.termination,
                "match ended"
            );
        }
        self.mailbox.close();
        while let Ok(message) = self.mailbox.try_recv() {
            if let Message::Command {
                command,
                received,
                reply,
            } = *message
            {
                reply.send(answer_when_ended(&self.shared.state(), &command, received));
            }
        }
    }
}

/// Counts an event of a match in the operator's metrics.
fn count(game: &'static str, event: &MatchEvent) {
    match event {
        MatchEvent::ActionPlayed { .. } => metrics::acted(game),
        MatchEvent::MatchEnded { outcome, .. } => match outcome.termination {
            Termination::Timeout => metrics::forfeited(Forfeit::Time),
            Termination::Disconnect => metrics::forfeited(Forfeit::Disconnect),
            Termination::IllegalAction => metrics::forfeited(Forfeit::IllegalAction),
            Termination::Normal
            | Termination::Resignation
            | Termination::Aborted
            | Termination::Expired
            | Termination::Declined => {}
        },
        MatchEvent::Created(_)
        | MatchEvent::SeatJoined { .. }
        | MatchEvent::GameStarted { .. }
        | MatchEvent::ActionRefused { .. }
        | MatchEvent::Rolled { .. }
        | MatchEvent::TurnPassed { .. }
        | MatchEvent::GameEnded { .. } => {}
    }
}

/// The answer to a command in a match that is over.
pub(super) fn answer_when_ended(
    state: &MatchState,
    command: &Command,
    received: Timestamp,
) -> Result<Accepted, Refusal> {
    match decide(state, command, received)? {
        Decided::Answered(answer) => Ok(answer.into()),
        Decided::Events(events) if events.is_empty() => Ok(Accepted::Done),
        Decided::Events(_) | Decided::Refused { .. } => Err(Rejection::Ended.into()),
    }
}

/// The presence of the players of a match in which they can be away for too long.
fn presence_in(state: &MatchState, begun: Timestamp, players: &Players) -> Option<Presence> {
    let grace = state.created().disconnect_grace?;
    if !state.is_full() {
        return None;
    }
    Some(Presence::new(
        grace.duration() + players.hearing_time(),
        begun,
    ))
}

fn boxed(state: &StoredMatch) -> Box<StoredMatch> {
    Box::new(state.clone())
}

/// The players of a match: those with a seat and those for whom one is kept.
pub(super) fn kept_for(state: &MatchState) -> impl Iterator<Item = PlayerId> + '_ {
    let seated = Seat::BOTH.map(|seat| state.seated(seat).map(|seated| seated.player));
    state.created().reserved.into_iter().chain(seated).flatten()
}

/// The players that have to forget a match that is over.
pub(super) fn forget(players: &Players, id: MatchId, state: &MatchState) {
    for player in kept_for(state) {
        players.remove_match(player, id);
    }
}
