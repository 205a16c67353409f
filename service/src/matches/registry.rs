use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dragontooth_service_domain::Command;
use dragontooth_service_store::{MatchBrief, MatchLog, PlayerCounts, StoredMatch};
use dragontooth_service_vocabulary::{
    CloseReason, Created, IdentityName, MatchId, PlayerId, Timestamp,
};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, info_span};

use super::actor::{Actor, ActorEnd, Duty, Mailbox, Surroundings, forget, kept_for};
use super::create_requests::CreateRequests;
use super::message::{Message, Request};
use super::replay_pool::ReplayPool;
use super::{Accepted, MatchNews, Players, Refusal, Reply, SharedMatch, SpentSeeds, StateCache};
use crate::access::Tokens;
use crate::config::Limits;
use crate::limits::{
    CallerKey, Counted, Guard, LimitExceeded, LimitName, PendingInvitations, Quota,
};
use crate::metrics;
use crate::wall_clock::WallClock;

mod creation;
mod delayed_matches;
mod following;
mod invitations;
mod list_watch;
mod reader;
mod recovery;
mod streams;

pub(crate) use list_watch::{ListedChange, MatchList};
pub(crate) use reader::Reader;
pub(crate) use recovery::LiveMatches;

/// The times that a request is sent to a match which this service lets go of at that moment.
const ATTEMPTS: usize = 4;

/// All matches: the log of all, and the actors of those that are not over. Of a log that services share, only those have an actor that
/// somebody here plays or looks at, or that this service has acted in last.
#[derive(Debug)]
pub(crate) struct Matches {
    log: MatchLog,
    tokens: Arc<Tokens>,
    clock: WallClock,
    limits: Limits,
    guard: Guard,
    states: StateCache,
    replays: ReplayPool,
    players: Arc<Players>,
    seeds: Arc<SpentSeeds>,
    news: Arc<MatchNews>,
    tables: Mutex<Tables>,
    /// The matches that were not over at all services when that was last asked, and those that were created here since.
    live_anywhere: AtomicUsize,
    /// Matches that were found damaged, so that it is said once.
    damaged: Mutex<HashSet<MatchId>>,
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
    /// The time at which the log came back last.
    resumed: Timestamp,
}

/// The limits that a live match counts for, unless the catalogue is asked for them.
#[derive(Debug, Default)]
struct Taken {
    of_creator: Option<Counted<PlayerId>>,
    invitations: PendingInvitations,
}

#[derive(Clone, Debug)]
struct Live {
    shared: Arc<SharedMatch>,
    mailbox: Mailbox,
}

impl Matches {
    /// Sends a command to a match and waits for the answer.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        id: MatchId,
        command: Command,
    ) -> Result<Accepted, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(id, command, self.now(), Reply::Caller(reply))
            .await;
        answer.await.unwrap_or(Err(Refusal::Draining))
    }

    /// Sends a command to a match, received just now; the answer goes to `reply`.
    pub(crate) async fn send(
        self: &Arc<Self>,
        id: MatchId,
        command: Command,
        received: Timestamp,
        reply: Reply,
    ) {
        if let Err(refusal) = self.refuse_when_draining() {
            return reply.send(Err(refusal));
        }
        let caller = caller_of(&command);
        let mut request = Box::new(Request {
            command,
            received,
            reply,
        });
        for _ in 0..ATTEMPTS {
            let mut live = self.live_entry(id);
            if live.is_none() && self.log.is_shared() {
                if let Err(refusal) = self.find(id, caller).await {
                    return request.reply.send(Err(refusal));
                }
                live = self.live_entry(id);
            }
            let Some(live) = live else {
                break;
            };
            match self.put(&live, request).await {
                Ok(()) => return,
                Err(unsent) => request = unsent,
            }
            if !live.shared.is_at_rest() {
                // It is over.
                break;
            }
        }
        let Request {
            command,
            received,
            reply,
        } = *request;
        reply.send(self.answer_from_log(id, command, received, caller).await);
    }

    /// Puts a command into the mailbox of a match; gives it back if the match is no longer live. When the
    /// mailbox is full, a command of a stream waits, so that the stream is not read, and a call is refused at once.
    async fn put(&self, live: &Live, request: Box<Request>) -> Result<(), Box<Request>> {
        let requests = &live.mailbox.requests;
        if let Reply::Stream(..) = request.reply {
            return requests.send(request).await.map_err(|unsent| unsent.0);
        }
        if self.log.is_shared() {
            live.shared.note_call();
        }
        match requests.try_send(request) {
            Ok(()) => Ok(()),
            Err(mpsc::error::TrySendError::Closed(unsent)) => Err(unsent),
            Err(mpsc::error::TrySendError::Full(unsent)) => {
                let limit = LimitName::MatchMailbox;
                let allowed = self.limits.match_mailbox;
                let refusal = LimitExceeded::Count { limit, allowed }.into();
                unsent.reply.send(Err(refusal));
                Ok(())
            }
        }
    }

    /// Returns true if the server's seed of a match may be shown: this match and all others that share
    /// the seed are over.
    pub(crate) fn reveals_seed(&self, created: &Created, is_over: bool) -> bool {
        is_over && self.seeds.has(created)
    }

    /// The seeds that may be shown.
    pub(crate) fn seeds(&self) -> &SpentSeeds {
        &self.seeds
    }

    /// The name of the identity that is a player, if there is one.
    pub(crate) fn name_of(&self, player: PlayerId) -> Option<IdentityName> {
        self.tokens.name_of(player)
    }

    /// A match that is not over, if it has an actor here.
    pub(crate) fn live(&self, id: MatchId) -> Option<Arc<SharedMatch>> {
        self.live_entry(id).map(|live| live.shared)
    }

    fn live_entry(&self, id: MatchId) -> Option<Live> {
        let tables = self.lock();
        let live = tables.live.get(&id)?;
        (!live.shared.is_at_rest()).then(|| live.clone())
    }

    /// The log, for those who follow a match.
    pub(crate) const fn log(&self) -> &MatchLog {
        &self.log
    }

    /// Cache of match states.
    pub(crate) const fn states(&self) -> &StateCache {
        &self.states
    }

    /// The guard of the callers' limits.
    pub(crate) const fn guard(&self) -> &Guard {
        &self.guard
    }

    /// The service's clock.
    pub(crate) const fn clock(&self) -> &WallClock {
        &self.clock
    }

    /// The service's time.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The most bytes of a message that the service sends.
    pub(crate) const fn response_bytes(&self) -> usize {
        self.limits.response_bytes
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

    /// Tells the live matches that the event log is back after it was away.
    pub(crate) async fn log_is_back(&self) {
        let live = {
            let mut tables = self.lock();
            tables.resumed = self.clock.now();
            tables.live.values().cloned().collect::<Vec<_>>()
        };
        for live in live {
            // A match that has ended meanwhile needs no word.
            let _ = live.mailbox.messages.send(Box::new(Message::LogBack)).await;
        }
    }

    /// Refuses what is new from now on.
    pub(crate) fn begin_drain(&self) {
        self.draining.cancel();
    }

    /// Lets the matches and the tokens finish what they have begun, ends the streams and closes the log. The
    /// streams wait for the matches no longer than `patience`: while the log is away, what has begun does not end.
    pub(crate) async fn drain(&self, patience: Duration) {
        self.begin_drain();
        let live = std::mem::take(&mut self.lock().live);
        drop(live);
        self.tasks.close();
        let streams = async {
            let _ = timeout(patience, self.tasks.wait()).await;
            self.players.close_all_streams(CloseReason::Draining);
        };
        tokio::join!(streams, self.tasks.wait(), self.tokens.close());
        self.log.close().await;
    }

    /// Gives a match that is not over its actor, unless it has one already. It counts for its creator as long as the actor runs.
    fn start_actor(self: &Arc<Self>, id: MatchId, state: StoredMatch, counted: Taken, duty: Duty) {
        let shared = Arc::new(SharedMatch::new(id, state));
        shared.note_call();
        let (actor, mailbox) = Actor::new(
            Arc::clone(&shared),
            Surroundings {
                log: self.log.clone(),
                clock: self.clock.clone(),
                players: Arc::clone(&self.players),
                seeds: Arc::clone(&self.seeds),
                news: Arc::clone(&self.news),
            },
            (counted.invitations, duty),
            self.limits.match_mailbox,
        );
        let live = Live {
            shared: Arc::clone(&shared),
            mailbox,
        };
        {
            let mut tables = self.lock();
            // The drain has already taken the live matches, or will take this one with them.
            if self.draining.is_cancelled() || self.is_known(&tables, id) {
                return;
            }
            let state = shared.state();
            let created = state.created();
            if let Some(request_id) = &created.request_id {
                let key = (created.creator, request_id.clone());
                tables.create_requests.enter(key, id);
            }
            for player in kept_for(&state) {
                self.players.add_match(player, id);
            }
            drop(state);
            tables.live.insert(id, live);
            metrics::live_matches(tables.live.len());
        }
        let matches = Arc::clone(self);
        let run = async move {
            let end = actor.run().await;
            let ended = matches.put_away(&shared);
            drop((shared, counted.of_creator));
            match end {
                ActorEnd::Over(true) => {
                    if let Some(ended) = ended {
                        let creator = CallerKey::Player(ended.created().creator);
                        let summarise =
                            async move |reader: &Reader| reader.log().summarise(id, &ended).await;
                        matches.read_anyway(creator, summarise).await;
                    }
                }
                ActorEnd::AtRest(unread) => matches.send_again(id, unread),
                ActorEnd::Over(false) | ActorEnd::Draining => {}
            }
        };
        self.tasks
            .spawn(run.instrument(info_span!("match", match_id = %id)));
    }

    /// Sends commands to the next actor of a match, in their order.
    fn send_again(self: &Arc<Self>, id: MatchId, unread: Vec<Request>) {
        let matches = Arc::clone(self);
        tokio::spawn(async move {
            for Request {
                command,
                received,
                reply,
            } in unread
            {
                matches.send(id, command, received, reply).await;
            }
        });
    }

    /// Takes a match whose actor has ended from the live ones, and returns it if it is over. Its log stays.
    fn put_away(&self, shared: &Arc<SharedMatch>) -> Option<Arc<StoredMatch>> {
        let id = shared.id();
        let state = Arc::new(shared.state().clone());
        let is_over = state.result().is_some();
        if is_over {
            // So that it need not be read as soon as it is over.
            self.states.keep(id, Arc::clone(&state));
        }
        let mut tables = self.lock();
        // If this actor was at rest, there may be another one already.
        let live = tables.live.get(&id);
        let is_last = live.is_none_or(|live| Arc::ptr_eq(&live.shared, shared));
        if is_last {
            tables.live.remove(&id);
            forget(&self.players, id, &state);
        }
        metrics::live_matches(tables.live.len());
        is_over.then_some(state)
    }

    /// Notes the request by which a match was created that is over.
    fn note_creation(&self, id: MatchId, brief: &MatchBrief) {
        if let Some(request_id) = &brief.request_id {
            let key = (brief.creator, request_id.clone());
            self.lock().create_requests.enter(key, id);
        }
    }

    /// The use that a player makes of each of its limits.
    pub(crate) async fn quotas(&self, player: PlayerId) -> Result<[Quota; 5], Refusal> {
        let mut others = PlayerCounts::default();
        if self.log.is_shared() {
            let standing = self.log.catalogue().counts_of(player, [None; 2]).await;
            others = standing.map_err(|error| Refusal::LogUnavailable(error.to_string()))?;
        }
        Ok(self.guard.quotas(player, others, self.now()))
    }

    /// Returns true if a match has an actor here already.
    fn is_known(&self, tables: &Tables, id: MatchId) -> bool {
        // On a log of one service, a match begins once.
        let is_live = |live: &Live| !live.shared.is_at_rest();
        self.log.is_shared() && tables.live.get(&id).is_some_and(is_live)
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

/// The caller whose limits a command counts for.
fn caller_of(command: &Command) -> CallerKey {
    let player = command.player();
    player.map_or(CallerKey::SERVICE, CallerKey::Player)
}
