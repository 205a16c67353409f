use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use dragontooth_games::chance::Seed;
use dragontooth_service_domain::{
    Command, Created, Event, MatchId, MatchState, NewMatch, PlayerId, Recorded, Sequence, Sight,
    Timestamp, create,
};
use dragontooth_service_store::{MatchLog, MatchLogError, StoredMatch};
use futures::future::join_all;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, error, info, info_span};
use uuid::Uuid;

use super::actor::{Actor, Message, answer_when_ended, forget, kept_for};
use super::create_requests::CreateRequests;
use super::index::Index;
use super::{
    Accepted, CloseReason, Filter, Found, Outlet, Players, Refusal, Reply, Shared, Sink, States,
};
use crate::access::Viewer;
use crate::config::Limits;
use crate::limits::{Counted, Guard, LimitName};
use crate::metrics;
use crate::wall_clock::WallClock;

/// A part of a list.
pub(crate) struct MatchPage {
    pub(crate) matches: Vec<(MatchId, Found)>,
    /// After which match the next part begins; none if this is the last.
    pub(crate) next: Option<MatchId>,
}

/// How often a list looks for more matches, when it has found some whose delay for spectators hides that they
/// do not fit. After that it gives a shorter page.
const MAX_LIST_ROUNDS: usize = 8;

/// All matches: the live ones with their actors, the ended ones in the log.
#[derive(Debug)]
pub(crate) struct Matches {
    log: MatchLog,
    clock: WallClock,
    limits: Limits,
    guard: Guard,
    states: States,
    players: Arc<Players>,
    index: Arc<Index>,
    tables: Mutex<Tables>,
    tasks: TaskTracker,
    draining: CancellationToken,
    // Dropped after everything else.
    in_use: watch::Sender<()>,
}

#[derive(Debug)]
struct Tables {
    live: HashMap<MatchId, Live>,
    being_created: usize,
    create_requests: CreateRequests,
}

#[derive(Clone, Debug)]
struct Live {
    shared: Arc<Shared>,
    mailbox: mpsc::Sender<Box<Message>>,
}

impl Matches {
    /// Takes up the matches in `log`.
    pub(crate) fn recover(
        log: MatchLog,
        clock: WallClock,
        limits: Limits,
    ) -> Result<Arc<Self>, MatchLogError> {
        let matches = Arc::new(Self {
            log,
            clock,
            limits,
            guard: Guard::new(&limits),
            states: States::new(limits.kept_states),
            players: Arc::default(),
            index: Arc::default(),
            tables: Mutex::new(Tables {
                live: HashMap::new(),
                being_created: 0,
                create_requests: CreateRequests::new(limits.create_requests),
            }),
            tasks: TaskTracker::new(),
            draining: CancellationToken::new(),
            in_use: watch::Sender::new(()),
        });
        let (mut live, mut ended, mut damaged) = (0_usize, 0_usize, 0_usize);
        for (id, damage) in matches.log.damaged() {
            damaged += 1;
            let (from, loss) = (damage.from.get(), &damage.loss);
            error!(match_id = %id, sequence = from, %loss, "match is damaged and not taken up");
        }
        for id in matches.log.ids() {
            let id = id?;
            match matches.log.replay(id) {
                Ok(Some(state)) if state.result().is_some() => {
                    ended += 1;
                    matches.enter(id, &state);
                }
                Ok(Some(mut state)) => {
                    live += 1;
                    state.state_mut().restart_clock(clock.now());
                    matches.enter(id, &state);
                    let counted = matches.guard.take_up_match(state.created().creator);
                    matches.start_actor(id, state, counted);
                }
                Ok(None) => {}
                Err(error) => {
                    damaged += 1;
                    let refusal = Refusal::damaged(id, error);
                    error!(match_id = %id, %refusal, "match is damaged and not taken up");
                }
            }
        }
        info!(live, ended, damaged, "event log read");
        Ok(matches)
    }

    /// Creates a match. The same request of the same player creates it once.
    pub(crate) async fn create(self: &Arc<Self>, new: NewMatch) -> Result<MatchId, Refusal> {
        self.refuse_when_draining()?;
        let matches = Arc::clone(self);
        // In a task of its own: a caller that goes away must not leave a match half created.
        let creating = async move { matches.create_for_request(new).await };
        let created = self.tasks.spawn(creating).await;
        created.unwrap_or(Err(Refusal::Draining))
    }

    async fn create_for_request(self: &Arc<Self>, new: NewMatch) -> Result<MatchId, Refusal> {
        let Some(request_id) = new.request_id.clone() else {
            return self.create_within_limit(&new).await;
        };
        let key = (new.creator, request_id);
        let cell = self.lock().create_requests.cell(key.clone());
        let id = cell
            .get_or_try_init(|| self.create_within_limit(&new))
            .await
            .copied();
        if id.is_err() {
            self.lock().create_requests.forget(&key, &cell);
        }
        let id = id?;
        let same = |state: &StoredMatch| is_same(state.created(), &new);
        if self.find(id)?.with(same) {
            Ok(id)
        } else {
            Err(Refusal::RequestIdReused)
        }
    }

    async fn create_within_limit(self: &Arc<Self>, new: &NewMatch) -> Result<MatchId, Refusal> {
        let id = MatchId::from_bytes(Uuid::now_v7().into_bytes());
        let event = create(new, id, &drawn_seed())?;
        let counted = self.guard.create_match(new.creator)?;
        let allowed = self.limits.live_matches;
        {
            let mut tables = self.lock();
            if tables.live.len() + tables.being_created >= allowed {
                let limit = LimitName::LiveMatches;
                return Err(Refusal::LimitReached { limit, allowed });
            }
            tables.being_created += 1;
        }
        let created = self.create_from(id, event, counted).await;
        self.lock().being_created -= 1;
        created
    }

    async fn create_from(
        self: &Arc<Self>,
        id: MatchId,
        event: Event,
        counted: Counted<PlayerId>,
    ) -> Result<MatchId, Refusal> {
        let time = self.clock.now();
        let before = MatchLog::start(id);
        let begun = Instant::now();
        let head = self
            .log
            .append(id, before, time, std::slice::from_ref(&event))
            .await?;
        metrics::appended(begun.elapsed());
        let first = Recorded {
            sequence: Sequence(1),
            time,
            event,
        };
        let state = MatchState::new(&first).map_err(|error| Refusal::damaged(id, error))?;
        let state = StoredMatch::new(state, head);
        let play = state.play();
        info!(match_id = %id, game = play.game(), target = play.target().points(), "match created");
        self.enter(id, &state);
        self.start_actor(id, state, counted);
        Ok(id)
    }

    /// Asks something of a match and waits for the answer.
    pub(crate) async fn ask(&self, id: MatchId, command: Command) -> Result<Accepted, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(id, command, Reply::Caller(reply)).await;
        answer.await.unwrap_or(Err(Refusal::Draining))
    }

    /// Asks something of a match; the answer goes to `reply`.
    pub(crate) async fn send(&self, id: MatchId, command: Command, reply: Reply) {
        let received = self.clock.now();
        if let Err(refusal) = self.refuse_when_draining() {
            return reply.send(Err(refusal));
        }
        let live = self.lock().live.get(&id).cloned();
        let message = Message::Command {
            command,
            received,
            reply,
        };
        let unsent = match live {
            None => message,
            Some(live) => match self.put(&live, Box::new(message)).await {
                Ok(()) => return,
                Err(unsent) => *unsent,
            },
        };
        if let Message::Command {
            command,
            received,
            reply,
        } = unsent
        {
            reply.send(self.answer_from_log(id, &command, received));
        }
    }

    /// Puts a request into the mailbox of a match; gives it back if the match is no longer live. When
    /// the mailbox is full a stream is read no further, and a caller is refused at once.
    async fn put(&self, live: &Live, message: Box<Message>) -> Result<(), Box<Message>> {
        if matches!(
            *message,
            Message::Command {
                reply: Reply::Stream(..),
                ..
            }
        ) {
            return live.mailbox.send(message).await.map_err(|unsent| unsent.0);
        }
        match live.mailbox.try_send(message) {
            Ok(()) => Ok(()),
            Err(mpsc::error::TrySendError::Closed(unsent)) => Err(unsent),
            Err(mpsc::error::TrySendError::Full(unsent)) => {
                if let Message::Command { reply, .. } = *unsent {
                    reply.send(Err(Refusal::LimitReached {
                        limit: LimitName::MatchMailbox,
                        allowed: self.limits.match_mailbox,
                    }));
                }
                Ok(())
            }
        }
    }

    fn answer_from_log(
        &self,
        id: MatchId,
        command: &Command,
        received: Timestamp,
    ) -> Result<Accepted, Refusal> {
        self.find(id)?.with(|state| match state.result() {
            Some(_) => answer_when_ended(state, command, received),
            None => Err(Refusal::Draining),
        })
    }

    /// Opens the stream of a player, on which its matches tell it what is due.
    pub(crate) fn open_stream(
        self: &Arc<Self>,
        player: PlayerId,
        with_legal_actions: bool,
    ) -> Result<(Sink, Outlet), Refusal> {
        self.refuse_when_draining()?;
        let capacity = self.limits.waiting_messages;
        let (sink, outlet, open) = self
            .players
            .open_stream(player, with_legal_actions, capacity);
        // Whoever drains closes this stream with the others, or has closed them before.
        if self.draining.is_cancelled() {
            sink.close(CloseReason::Draining);
        }
        let matches = Arc::clone(self);
        let told = sink.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = async {
                    matches.tell_what_is_due(player, &told, open).await;
                    std::future::pending::<()>().await;
                } => {}
                () = told.closed() => matches.tell_that_it_left(player).await,
                () = matches.draining.cancelled() => {}
            }
        });
        Ok((sink, outlet))
    }

    /// Lets the matches tell a player what is due, no faster than the player reads.
    async fn tell_what_is_due(&self, player: PlayerId, sink: &Sink, open: Vec<MatchId>) {
        // A match tells up to three things, and half of the queue is free.
        let at_once = (self.limits.waiting_messages / 8).max(1);
        for some in open.chunks(at_once) {
            sink.has_room().await;
            join_all(some.iter().map(|id| self.ask_what_is_due(*id, player))).await;
        }
    }

    /// Tells the matches in which a player can be away for too long that its stream has ended.
    async fn tell_that_it_left(&self, player: PlayerId) {
        let left = self.now();
        for id in self.players.matches(player) {
            if let Some(live) = self.live_with_grace(id) {
                let message = Box::new(Message::Heard(player, left));
                // A match that has just ended does not mind.
                let _ = live.mailbox.send(message).await;
            }
        }
    }

    /// Takes note that a player has called. Where the match has too much to do to take note, it
    /// knows of its players.
    pub(crate) fn hear_of(&self, id: MatchId, player: PlayerId) {
        if let Some(live) = self.live_with_grace(id) {
            let message = Box::new(Message::Heard(player, self.now()));
            let _ = live.mailbox.try_send(message);
        }
    }

    fn live_with_grace(&self, id: MatchId) -> Option<Live> {
        let live = self.lock().live.get(&id).cloned()?;
        let has_grace = live.shared.state().created().disconnect_grace.is_some();
        has_grace.then_some(live)
    }

    /// Lets a match tell a player what is due, and waits until it has.
    async fn ask_what_is_due(&self, id: MatchId, player: PlayerId) {
        let live = self.lock().live.get(&id).cloned();
        if let Some(live) = live {
            let (tell, told) = oneshot::channel();
            let message = Box::new(Message::StreamOpened(player, tell));
            // A match that has just ended has told the player already.
            if live.mailbox.send(message).await.is_ok() {
                let _ = told.await;
            }
        }
    }

    /// A match, live or ended.
    pub(crate) fn find(&self, id: MatchId) -> Result<Found, Refusal> {
        if let Some(live) = self.lock().live.get(&id) {
            return Ok(Found::Live(Arc::clone(&live.shared)));
        }
        if let Some(state) = self.states.ended(id) {
            return Ok(Found::Ended(state));
        }
        match self.log.replay(id) {
            Ok(Some(state)) => {
                let state = Arc::new(state);
                if state.result().is_some() {
                    self.states.keep(id, Arc::clone(&state));
                }
                Ok(Found::Ended(state))
            }
            Ok(None) => Err(Refusal::MatchNotFound(id)),
            Err(error) => Err(Refusal::damaged(id, error)),
        }
    }

    /// A match as somebody may see it. Who may not see it is told that there is none.
    pub(crate) fn seen(&self, id: MatchId, viewer: &Viewer) -> Result<Found, Refusal> {
        let found = self.find(id)?;
        let sight = found.with(|state| state.sight(viewer.player(), viewer.is_admin()));
        match (sight, &found) {
            (Sight::Nothing, _) => Err(Refusal::MatchNotFound(id)),
            (Sight::Delayed(delay), Found::Live(shared)) => {
                let time = self.clock.now().before(delay);
                let earlier = shared.earlier(&self.log, time);
                let earlier = earlier.map_err(|error| Refusal::damaged(id, error))?;
                let earlier = earlier.ok_or(Refusal::MatchNotFound(id))?;
                Ok(Found::Earlier(Box::new(earlier)))
            }
            (Sight::Whole | Sight::Delayed(_), _) => Ok(found),
        }
    }

    /// At most `limit` matches older than `before` that somebody may see, the newest first, and after which
    /// the next page begins, if there may be more. Damaged matches are left out.
    pub(crate) fn list(
        &self,
        viewer: &Viewer,
        filter: &Filter,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<MatchPage, Refusal> {
        let mut page = Vec::new();
        let mut last = before;
        for _ in 0..MAX_LIST_ROUNDS {
            let wanted = limit - page.len();
            let (ids, more) = self.index.list(viewer, filter, last, wanted);
            for id in ids {
                last = Some(id);
                let found = match self.seen(id, viewer) {
                    Ok(found) => found,
                    // It was sound at the start. It must not hide the others.
                    Err(refusal @ Refusal::LogDamaged { .. }) => {
                        error!(match_id = %id, %refusal, "match is damaged and not listed");
                        continue;
                    }
                    Err(refusal) => return Err(refusal),
                };
                // What a spectator does not see yet does not count for the filter either.
                let fits = match &found {
                    Found::Earlier(state) => filter.fits(state),
                    Found::Live(_) | Found::Ended(_) => true,
                };
                if fits {
                    page.push((id, found));
                }
            }
            if !more {
                return Ok(MatchPage {
                    matches: page,
                    next: None,
                });
            }
            if page.len() == limit {
                break;
            }
        }
        Ok(MatchPage {
            matches: page,
            next: last,
        })
    }

    /// The log, for those who follow a match.
    pub(crate) const fn log(&self) -> &MatchLog {
        &self.log
    }

    /// States of matches that are kept.
    pub(crate) const fn states(&self) -> &States {
        &self.states
    }

    /// What keeps callers within their limits.
    pub(crate) const fn guard(&self) -> &Guard {
        &self.guard
    }

    /// The service's time.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Ready when the service's time is `time`.
    pub(crate) async fn sleep_until(&self, time: Timestamp) {
        tokio::time::sleep_until(self.clock.instant(time)).await;
    }

    /// Cancelled when the service shuts down.
    pub(crate) const fn draining(&self) -> &CancellationToken {
        &self.draining
    }

    /// Closed when the last user of the matches is gone and the log with them.
    pub(crate) fn in_use(&self) -> watch::Receiver<()> {
        self.in_use.subscribe()
    }

    /// Refuses what is new, lets the matches finish what they have begun, ends the streams and
    /// closes the log.
    pub(crate) async fn drain(&self) {
        self.draining.cancel();
        let live = std::mem::take(&mut self.lock().live);
        drop(live);
        self.tasks.close();
        self.tasks.wait().await;
        self.players.close_all_streams(CloseReason::Draining);
        self.log.close().await;
    }

    /// Gives a live match its actor. It counts for its creator as long as that runs.
    fn start_actor(self: &Arc<Self>, id: MatchId, state: StoredMatch, counted: Counted<PlayerId>) {
        for player in kept_for(&state) {
            self.players.add_match(player, id);
        }
        let shared = Arc::new(Shared::new(id, state));
        let players = Arc::clone(&self.players);
        let index = Arc::clone(&self.index);
        let (actor, mailbox) = Actor::new(
            Arc::clone(&shared),
            self.log.clone(),
            self.clock,
            players,
            index,
            self.limits.match_mailbox,
        );
        let live = Live {
            shared: Arc::clone(&shared),
            mailbox,
        };
        {
            let mut tables = self.lock();
            // Whoever drains has taken the live matches, or will take this one with them.
            if self.draining.is_cancelled() {
                return;
            }
            tables.live.insert(id, live);
            metrics::live_matches(tables.live.len());
        }
        let matches = Arc::clone(self);
        let run = async move {
            actor.run().await;
            matches.put_away(&shared);
            drop(counted);
        };
        self.tasks
            .spawn(run.instrument(info_span!("match", match_id = %id)));
    }

    /// Takes a match whose actor has ended from the live ones. Its log stays.
    fn put_away(&self, shared: &Shared) {
        {
            let mut tables = self.lock();
            tables.live.remove(&shared.id());
            metrics::live_matches(tables.live.len());
        }
        let state = shared.state();
        if state.result().is_some() {
            forget(&self.players, shared.id(), &state);
        }
    }

    fn enter(&self, id: MatchId, state: &MatchState) {
        self.index.put(id, state);
        let created = state.created();
        if let Some(request_id) = &created.request_id {
            let key = (created.creator, request_id.clone());
            self.lock().create_requests.enter(key, id);
        }
    }

    fn refuse_when_draining(&self) -> Result<(), Refusal> {
        if self.draining.is_cancelled() {
            Err(Refusal::Draining)
        } else {
            Ok(())
        }
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A seed from the randomness of the operating system, by way of two ids of 122 random bits each.
fn drawn_seed() -> Seed {
    let [first, second] = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::into_bytes);
    let mut bytes = [0; Seed::BYTES];
    bytes[..16].copy_from_slice(&first);
    bytes[16..].copy_from_slice(&second);
    Seed::from_bytes(bytes)
}

fn is_same(created: &Created, new: &NewMatch) -> bool {
    let drawn = created.seed.server_seed();
    create(new, created.id, &drawn) == Ok(Event::Created(Box::new(created.clone())))
}
