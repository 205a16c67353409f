use std::sync::Arc;

use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, Decided, MatchState, Rejection, decide};
use dragontooth_service_store::{AppendError, MatchLog};
use dragontooth_service_vocabulary::{MatchEvent, MatchId, PlayerId, Recorded, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tracing::{debug, error, info};

use self::growth::Growth;
use self::notices::SentNotices;
pub(super) use self::timekeeping::{clock_start, clock_start_elsewhere, is_followed};
use super::message::{Message, Request};
use super::presence::Presence;
use super::{Accepted, MatchNews, Players, Refusal, SharedMatch, SpentSeeds};
use crate::limits::PendingInvitations;
use crate::metrics;
use crate::wall_clock::WallClock;

mod append;
mod following;
mod growth;
mod notices;
mod timekeeping;

/// The most times that a command is decided because other services act in the match at the same time.
const DECISIONS: usize = 16;

/// The messages that wait for one match. Who has more to say waits, or comes again.
const MESSAGES: usize = 64;

/// The one task of this service that changes a match: it decides, makes the events durable, and only then sends
/// notices and answers. Other services on the log may have one too: the head that an append names decides who is first, and
/// the others decide again on what they have missed.
#[derive(Debug)]
pub(super) struct Actor {
    shared: Arc<SharedMatch>,
    log: MatchLog,
    clock: WallClock,
    players: Arc<Players>,
    seeds: Arc<SpentSeeds>,
    news: Arc<MatchNews>,
    requests: mpsc::Receiver<Box<Request>>,
    messages: mpsc::Receiver<Box<Message>>,
    sent: [SentNotices; 2],
    presence: Option<Presence>,
    /// The invitations that wait for an answer.
    pending: PendingInvitations,
    timer_failed: bool,
    /// The time of the last look at the timers: one that was up then and has ended nothing waits a while for the next one.
    looked: Timestamp,
    /// The time since which clocks run here: nobody pays for what was before.
    resumed: Timestamp,
    /// Tells whether the log is there, if it may be away for a while.
    available: Option<watch::Receiver<bool>>,
    /// Other services may append to the match too.
    is_shared: bool,
    duty: Duty,
    /// No client of this service follows the match any more.
    is_at_rest: bool,
    /// The moment at which the log was last looked at for events of other services, and read.
    read_at: Option<Instant>,
}

/// The ways to an actor.
#[derive(Clone, Debug)]
pub(super) struct Mailbox {
    pub(super) requests: mpsc::Sender<Box<Request>>,
    pub(super) messages: mpsc::Sender<Box<Message>>,
}

/// All that an actor has to do with.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) log: MatchLog,
    pub(super) clock: WallClock,
    pub(super) players: Arc<Players>,
    pub(super) seeds: Arc<SpentSeeds>,
    pub(super) news: Arc<MatchNews>,
}

/// The part of this service in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duty {
    /// Others see to the timers, or nobody needs to.
    None,
    /// It has appended the last event, so that it sees to the timers.
    OfLast,
    /// It sees to the timers in place of a service that is gone.
    OfGone,
}

/// The end of an actor.
#[derive(Debug)]
pub(super) enum ActorEnd {
    /// The match is over. True if this service has ended it.
    Over(bool),
    /// The service drains.
    Draining,
    /// The match goes on, but no client of this service follows it; with the commands that came too late.
    AtRest(Vec<Request>),
}

/// The next that an actor has received.
enum Received {
    Request(Box<Request>),
    Message(Box<Message>),
}

/// The reason why a command has come to nothing so far.
enum Undone {
    /// Another service has appended events first.
    Overtaken,
    /// Refused on the state that is known here.
    Rejected(Rejection),
    /// Refused for good.
    Refused(Refusal),
}

impl From<Rejection> for Undone {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl Actor {
    pub(super) fn new(
        shared: Arc<SharedMatch>,
        surroundings: Surroundings,
        (pending, duty): (PendingInvitations, Duty),
        most_requests: usize,
    ) -> (Self, Mailbox) {
        let Surroundings {
            log,
            clock,
            players,
            seeds,
            news,
        } = surroundings;
        let (request, requests) = mpsc::channel(most_requests.max(1));
        let (message, messages) = mpsc::channel(MESSAGES);
        let sent = [SentNotices::default(); 2];
        let resumed = clock.now();
        let presence = timekeeping::presence_in(&shared.state(), resumed, &players);
        let (is_shared, available) = (log.is_shared(), log.availability());
        let mut actor = Self {
            shared,
            log,
            clock,
            players,
            seeds,
            news,
            requests,
            messages,
            sent,
            presence,
            pending,
            timer_failed: false,
            looked: Timestamp::default(),
            resumed,
            available,
            is_shared,
            duty: if is_shared { duty } else { Duty::OfLast },
            is_at_rest: false,
            read_at: None,
        };
        // The match can be read before the actor runs.
        actor.publish_forfeits();
        let mailbox = Mailbox {
            requests: request,
            messages: message,
        };
        (actor, mailbox)
    }

    /// Runs until the match is over, its mailbox has no senders left, or nobody here follows it.
    pub(super) async fn run(mut self) -> ActorEnd {
        self.notify_players().await;
        // After those who play have had their answers: thousands may watch.
        self.shared.publish_head();
        while self.shared.state().result().is_none() {
            if self.is_at_rest {
                return self.rest().await;
            }
            let timer = self.next_timer();
            let time_up = async {
                match timer {
                    Some(time) if time <= self.clock.now() => {}
                    Some(time) => tokio::time::sleep_until(self.clock.instant(time)).await,
                    None => std::future::pending().await,
                }
            };
            // In turn, so that neither keeps the other waiting. One that has ended does not end the other, which may still be full.
            let received = async {
                tokio::select! {
                    Some(request) = self.requests.recv() => Some(Received::Request(request)),
                    Some(message) = self.messages.recv() => Some(Received::Message(message)),
                    else => None,
                }
            };
            tokio::select! {
                biased;
                // What was received in time counts, however late it is read.
                received = received => {
                    let Some(received) = received else {
                        return ActorEnd::Draining;
                    };
                    // The message that says so may still be on its way.
                    if self.timer_failed && self.log.health().is_ok() {
                        self.resume_time();
                    }
                    match received {
                        Received::Request(request) => self.answer_request(*request).await,
                        Received::Message(message) => self.handle(*message).await,
                    }
                }
                () = time_up => self.time_is_up().await,
                () = self.shared.has_heard() => {}
            }
            self.shared.publish_head();
        }
        self.refuse_the_rest().await;
        ActorEnd::Over(self.duty == Duty::OfLast)
    }

    /// Lets go of the match. What waits is for the next actor.
    async fn rest(mut self) -> ActorEnd {
        self.shared.rest();
        self.requests.close();
        let mut unread = Vec::new();
        // It waits for those who have their place already.
        while let Some(request) = self.requests.recv().await {
            unread.push(*request);
        }
        ActorEnd::AtRest(unread)
    }

    async fn answer_request(&mut self, request: Request) {
        let Request {
            command,
            received,
            reply,
        } = request;
        self.note_caller(&command, received);
        reply.send(self.answer(&command, received).await);
        self.notify_players().await;
    }

    async fn handle(&mut self, message: Message) {
        match message {
            Message::StreamOpened(player, done) => {
                if let Some(seat) = self.place_of(player) {
                    self.read_for_stream(seat).await;
                    self.notify(seat);
                }
                // The stream may have ended meanwhile.
                let _ = done.send(());
            }
            Message::LogBack => {
                if self.is_shared
                    && let Err(refusal) = self.catch_up().await
                {
                    debug!(%refusal, "the log has gone again");
                }
                self.resume_time();
                self.notify_players().await;
            }
            Message::Grown(events) => {
                if let Err(refusal) = self.follow(events).await {
                    error!(%refusal, "the match cannot be followed");
                }
                self.notify_players().await;
            }
            Message::Overtaken(head) => {
                if self.shared.state().head() >= head {
                    return;
                }
                self.duty = Duty::None;
                if self.may_rest() {
                    self.is_at_rest = true;
                } else if let Err(refusal) = self.catch_up().await {
                    debug!(%refusal, "the match cannot be followed");
                }
                self.notify_players().await;
            }
            Message::CatchUp { asked, reply } => {
                // Those who asked while another one was answered are answered together.
                let is_current = self.read_at.is_some_and(|begun| begun > asked);
                let answer = if is_current {
                    Ok(())
                } else {
                    self.catch_up().await
                };
                // Who asked may have gone.
                let _ = reply.send(answer);
                self.notify_players().await;
            }
        }
    }

    fn note_caller(&mut self, command: &Command, received: Timestamp) {
        if let Some(player) = command.player()
            && let Some(presence) = &mut self.presence
        {
            if let Some(seat) = self.shared.state().seat_of(player) {
                presence.note(seat, received);
            }
            self.players.note_call(player, received);
        }
    }

    /// Obeys a command, however often other services are first. What seems wrong here may be right by what they have appended.
    async fn answer(
        &mut self,
        command: &Command,
        received: Timestamp,
    ) -> Result<Accepted, Refusal> {
        let mut is_current = !self.is_shared;
        for _ in 0..DECISIONS {
            match self.obey(command, received).await {
                Ok(accepted) => return Ok(accepted),
                Err(Undone::Refused(refusal)) => return Err(refusal),
                Err(Undone::Rejected(rejection)) if is_current => {
                    return Err(self.refuse(rejection));
                }
                Err(Undone::Rejected(_) | Undone::Overtaken) => {
                    self.catch_up().await?;
                    is_current = true;
                }
            }
        }
        Err(overtaken())
    }

    async fn obey(&mut self, command: &Command, received: Timestamp) -> Result<Accepted, Undone> {
        let time = self.judged_at(received);
        self.let_time_act(&Command::CheckClock, time).await?;
        let decided = decide(&self.shared.state(), command, time)?;
        let events = match decided {
            Decided::Answered(answer) => return Ok(answer.into()),
            Decided::Events(events) => events,
            Decided::Refused { events, rejection } => {
                self.record(events).await?;
                return Err(Undone::Refused(self.refuse(rejection)));
            }
        };
        let mut accepted = Accepted::Done;
        if let Some(MatchEvent::ActionPlayed { seat, action, .. }) = events.first() {
            let sequence = self.shared.state().head().next();
            accepted = Accepted::Acted {
                seat: *seat,
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
    async fn record(&mut self, events: Vec<MatchEvent>) -> Result<(), Undone> {
        let (before, last_time) = {
            let state = self.shared.state();
            (state.chain_head(), state.last_time())
        };
        // The clocks of services may differ a little, and this one's may have been set back.
        let time = self.clock.now().max(last_time);
        let head = match self.append(before, time, &events).await {
            Ok(head) => head,
            Err(AppendError::Conflict { .. }) => {
                metrics::overtaken();
                return Err(Undone::Overtaken);
            }
            Err(error) => {
                if let AppendError::Unavailable(_) = error {
                    // The service says it once for all.
                    debug!(%error, "events cannot be recorded");
                } else {
                    error!(%error, "events cannot be recorded");
                }
                return Err(Undone::Refused(error.into()));
            }
        };
        // The time of the write is charged to neither seat, so the clock of a new decision starts only when it is
        // durable. A decision that was already due keeps its clock, or a refused action would gain time.
        let durable = self.clock.now();
        metrics::appended(durable.since(time));
        let mut sequence = before.sequence;
        let events = events.into_iter().map(|event| {
            sequence = sequence.next();
            Recorded {
                sequence,
                time,
                event,
            }
        });
        let events: Vec<_> = events.collect();
        self.grow(&events, Growth::Appended { head, durable });
        Ok(())
    }

    /// The match is over: what still waits is answered by the rules of an ended match.
    async fn refuse_the_rest(&mut self) {
        if let Some(result) = self.shared.state().result() {
            // The span has the match's id.
            info!(
                winner = result.winner.map(display),
                termination = %result.termination,
                "match ended"
            );
        }
        self.requests.close();
        while let Some(request) = self.requests.recv().await {
            let Request {
                command,
                received,
                reply,
            } = *request;
            reply.send(answer_when_ended(&self.shared.state(), &command, received));
        }
    }
}

/// The answer to a command that others have overtaken again and again.
fn overtaken() -> Refusal {
    let others = "other services act in the match all the time";
    Refusal::LogUnavailable(others.to_owned())
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
