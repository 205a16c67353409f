use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dragontooth_service_domain::{Command, MatchState};
use dragontooth_service_store::{MatchLog, MatchLogError, StoredMatch};
use dragontooth_service_vocabulary::{CloseReason, MatchId, PlayerId, Sight, Timestamp};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, error, info, info_span};

use super::actor::{Actor, answer_when_ended, forget, kept_for};
use super::create_requests::CreateRequests;
use super::index::Index;
use super::message::Message;
use super::{Accepted, Filter, FoundMatch, Players, Refusal, Reply, SharedMatch, StateCache};
use crate::access::Viewer;
use crate::config::Limits;
use crate::limits::{Counted, Guard, LimitExceeded, LimitName};
use crate::metrics;
use crate::wall_clock::WallClock;

mod creation;
mod streams;

/// A page of a list.
pub(crate) struct MatchPage {
    pub(crate) matches: Vec<(MatchId, FoundMatch)>,
    /// The match after which the next page begins; `None` if this is the last.
    pub(crate) next: Option<MatchId>,
}

/// The most rounds in which a list looks for further matches, when the delay for spectators makes some that
/// it found not fit. After that the page is shorter.
const MAX_LIST_ROUNDS: usize = 8;

/// All matches: the live ones with their actors, the ended ones in the log.
#[derive(Debug)]
pub(crate) struct Matches {
    log: MatchLog,
    clock: WallClock,
    limits: Limits,
    guard: Guard,
    states: StateCache,
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
    shared: Arc<SharedMatch>,
    mailbox: mpsc::Sender<Box<Message>>,
}

impl Matches {
    /// Resumes the matches in `log`.
    pub(crate) fn recover(
        log: MatchLog,
        clock: WallClock,
        limits: &Limits,
    ) -> Result<Arc<Self>, MatchLogError> {
        let matches = Arc::new(Self {
            log,
            clock,
            limits: *limits,
            guard: Guard::new(limits),
            states: StateCache::new(limits.kept_states),
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
            let (from, loss) = (damage.from.0, &damage.loss);
            error!(match_id = %id, sequence = from, %loss, "match is damaged and not resumed");
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
                    state.state_mut().limit_joining(limits.join_timeout);
                    matches.enter(id, &state);
                    let counted = matches.guard.take_up_match(state.created().creator);
                    matches.start_actor(id, state, counted);
                }
                Ok(None) => {}
                Err(error) => {
                    damaged += 1;
                    let refusal = Refusal::unreadable(id, error);
                    error!(match_id = %id, %refusal, "match is not resumed");
                }
            }
        }
        info!(live, ended, damaged, "event log read");
        Ok(matches)
    }

    /// Sends a command to a match and waits for the answer.
    pub(crate) async fn ask(&self, id: MatchId, command: Command) -> Result<Accepted, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(id, command, Reply::Caller(reply)).await;
        answer.await.unwrap_or(Err(Refusal::Draining))
    }

    /// Sends a command to a match; the answer goes to `reply`.
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

    /// A match, live or ended.
    pub(crate) fn find(&self, id: MatchId) -> Result<FoundMatch, Refusal> {
        if let Some(live) = self.lock().live.get(&id) {
            return Ok(FoundMatch::Live(Arc::clone(&live.shared)));
        }
        if let Some(state) = self.states.ended(id) {
            return Ok(FoundMatch::Ended(state));
        }
        match self.log.replay(id) {
            Ok(Some(state)) => {
                let state = Arc::new(state);
                if state.result().is_some() {
                    self.states.keep(id, Arc::clone(&state));
                }
                Ok(FoundMatch::Ended(state))
            }
            Ok(None) => Err(Refusal::MatchNotFound(id)),
            Err(error) => Err(Refusal::unreadable(id, error)),
        }
    }

    /// A match as the viewer may see it; not found if the viewer may not see it at all.
    pub(crate) fn seen(&self, id: MatchId, viewer: &Viewer) -> Result<FoundMatch, Refusal> {
        let found = self.find(id)?;
        let sight = found.with(|state| state.sight(viewer.player(), viewer.is_admin()));
        match (sight, &found) {
            (Sight::Nothing, _) => Err(Refusal::MatchNotFound(id)),
            (Sight::Delayed(delay), FoundMatch::Live(shared)) => {
                let time = self.clock.now().before(delay);
                let earlier = shared.earlier(&self.log, time);
                let earlier = earlier.map_err(|error| Refusal::unreadable(id, error))?;
                let earlier = earlier.ok_or(Refusal::MatchNotFound(id))?;
                Ok(FoundMatch::Earlier(Box::new(earlier)))
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
                    FoundMatch::Earlier(state) => filter.fits(state),
                    FoundMatch::Live(_) | FoundMatch::Ended(_) => true,
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

    /// Returns true if the server's seed of a match may be shown: this match and all others that share
    /// the seed are over.
    pub(crate) fn reveals_seed(&self, state: &MatchState) -> bool {
        self.index.is_seed_spent(state.created().id, state)
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
        let shared = Arc::new(SharedMatch::new(id, state));
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
            // The drain has already taken the live matches, or will take this one with them.
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
    fn put_away(&self, shared: &SharedMatch) {
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
