use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dragontooth_service_domain::Command;
use dragontooth_service_store::{MatchBrief, MatchLog, StoredMatch};
use dragontooth_service_vocabulary::{
    CloseReason, Created, IdentityName, MatchId, PlayerId, Timestamp,
};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, info_span};

use super::actor::{Actor, forget, kept_for};
use super::create_requests::CreateRequests;
use super::index::Index;
use super::message::Message;
use super::replay_pool::ReplayPool;
use super::{Accepted, Players, Refusal, Reply, SharedMatch, StateCache};
use crate::access::Tokens;
use crate::config::Limits;
use crate::limits::{CallerKey, Counted, Guard, LimitExceeded, LimitName, PendingInvitations};
use crate::metrics;
use crate::wall_clock::WallClock;

mod creation;
mod following;
mod invitations;
mod reader;
mod recovery;
mod streams;

pub(crate) use reader::Reader;

/// All matches: the live ones with their actors, the ended ones as their summaries, and the log of all.
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
    /// The time at which the log came back last.
    resumed: Timestamp,
}

/// The limits that a live match counts for.
#[derive(Debug)]
struct Taken {
    of_creator: Counted<PlayerId>,
    invitations: PendingInvitations,
}

#[derive(Clone, Debug)]
struct Live {
    shared: Arc<SharedMatch>,
    mailbox: mpsc::Sender<Box<Message>>,
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
        let mut live = self.lock().live.get(&id).cloned();
        if live.is_none() && self.log.is_shared() {
            // Another service may just have created it.
            let caller = caller_of(&command);
            if let Err(refusal) = self.find(id, caller).await {
                return reply.send(Err(refusal));
            }
            live = self.lock().live.get(&id).cloned();
        }
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
            let caller = caller_of(&command);
            reply.send(self.answer_from_log(id, command, received, caller).await);
        }
    }

    /// Puts a request into the mailbox of a match; gives it back if the match is no longer live. When the
    /// mailbox is full, a request of a stream waits, so that the stream is not read, and a call is refused at once.
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
                    reply.send(Err(LimitExceeded::Count {
                        limit: LimitName::MatchMailbox,
                        allowed: self.limits.match_mailbox,
                    }
                    .into()));
                }
                Ok(())
            }
        }
    }

    /// Returns true if the server's seed of a match may be shown: this match and all others that share
    /// the seed are over.
    pub(crate) fn reveals_seed(&self, created: &Created, is_over: bool) -> bool {
        is_over && self.index.is_seed_spent(created)
    }

    /// The name of the identity that is a player, if there is one.
    pub(crate) fn name_of(&self, player: PlayerId) -> Option<IdentityName> {
        self.tokens.name_of(player)
    }

    /// A match that is not over.
    pub(crate) fn live(&self, id: MatchId) -> Option<Arc<SharedMatch>> {
        let tables = self.lock();
        tables.live.get(&id).map(|live| Arc::clone(&live.shared))
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
            let _ = live.mailbox.send(Box::new(Message::LogBack)).await;
        }
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

    /// Enters a match that is not over and gives it its actor, unless it has one already or its end is known. It counts for its creator
    /// as long as the actor runs.
    fn start_actor(self: &Arc<Self>, id: MatchId, state: StoredMatch, counted: Taken) {
        let shared = Arc::new(SharedMatch::new(id, state));
        let players = Arc::clone(&self.players);
        let index = Arc::clone(&self.index);
        let (actor, mailbox) = Actor::new(
            Arc::clone(&shared),
            self.log.clone(),
            self.clock.clone(),
            players,
            index,
            counted.invitations,
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
            self.index.put(id, &(&*state).into());
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
            let has_ended_it = actor.run().await;
            let ended = matches.put_away(&shared);
            drop((shared, counted.of_creator));
            if has_ended_it && let Some(ended) = ended {
                let creator = CallerKey::Player(ended.created().creator);
                let summarise =
                    async move |reader: &Reader| reader.log().summarise(id, &ended).await;
                matches.read_anyway(creator, summarise).await;
            }
        };
        self.tasks
            .spawn(run.instrument(info_span!("match", match_id = %id)));
    }

    /// Takes a match whose actor has ended from the live ones, and returns it if it is over. Its log stays.
    fn put_away(&self, shared: &SharedMatch) -> Option<Arc<StoredMatch>> {
        let id = shared.id();
        let ended = {
            let state = shared.state();
            state.result().is_some().then(|| Arc::new(state.clone()))
        };
        if let Some(ended) = &ended {
            // So that it need not be read as soon as it is over.
            self.states.keep(id, Arc::clone(ended));
            forget(&self.players, id, ended);
        }
        let mut tables = self.lock();
        tables.live.remove(&id);
        metrics::live_matches(tables.live.len());
        ended
    }

    /// Enters a match that is over and has not been entered.
    fn enter_ended(&self, id: MatchId, brief: MatchBrief) {
        self.enter_ended_in(&mut self.lock(), id, brief);
    }

    fn enter_ended_in(&self, tables: &mut Tables, id: MatchId, brief: MatchBrief) {
        self.index.put_ended(id, &brief);
        if let Some(request_id) = brief.request_id {
            let key = (brief.creator, request_id);
            tables.create_requests.enter(key, id);
        }
    }

    /// Returns true if a match is live or entered as one that is over.
    fn is_known(&self, tables: &Tables, id: MatchId) -> bool {
        // On a log of one service, a match begins once.
        self.log.is_shared() && (tables.live.contains_key(&id) || self.index.has_ended(id))
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
