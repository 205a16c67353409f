use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use dragontooth_service_store::{
    KnownMatch, MatchBrief, MatchEntry, MatchLog, MatchLogError, ReadError, StoredMatch,
};
use dragontooth_service_vocabulary::{MatchId, Sequence, Stage};
use futures::stream::{self, StreamExt};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{error, info};

use super::{Matches, Tables, Taken};
use crate::access::Tokens;
use crate::config::Limits;
use crate::limits::Guard;
use crate::matches::actor::Duty;
use crate::matches::create_requests::CreateRequests;
use crate::matches::replay_pool::ReplayPool;
use crate::matches::{Players, Refusal, SpentSeeds, StateCache};
use crate::wall_clock::WallClock;

/// Matches that are examined at once: a log behind a network has time for others while one waits for it.
const MATCHES_AT_ONCE: usize = 32;

/// The finding about a match.
#[derive(Debug)]
enum Found {
    /// It is over, as its summary says.
    Ended(MatchBrief),
    /// It is over, and had no summary.
    Replayed(MatchBrief),
    Live(Box<StoredMatch>),
    /// It has no events.
    Nothing,
    Damaged(MatchLogError),
}

/// The matches that have been found so far.
#[derive(Debug, Default)]
struct Tally {
    live: usize,
    ended: usize,
    /// Those of the ended ones that had to be replayed.
    summarised: usize,
    damaged: usize,
}

/// Matches that are not over, and that this service has to continue.
pub(crate) type LiveMatches = Vec<(MatchId, StoredMatch)>;

impl Matches {
    /// Reads the matches in `log`. Those that are over are not replayed, if their summaries are there. The
    /// `tokens` have the names of the players, and which of them block others. Returns the matches that are not over too, for
    /// [`continue_all`](Self::continue_all).
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub(crate) async fn recover(
        log: MatchLog,
        tokens: Arc<Tokens>,
        clock: WallClock,
        limits: &Limits,
    ) -> Result<(Arc<Self>, LiveMatches), MatchLogError> {
        let players = Players::new(clock.clone(), log.event_log().sessions());
        let resumed = clock.now();
        let matches = Arc::new(Self {
            seeds: Arc::new(SpentSeeds::new(log.clone())),
            log,
            tokens,
            clock,
            limits: *limits,
            guard: Guard::new(limits),
            states: StateCache::new(limits.kept_states),
            replays: ReplayPool::new(limits),
            players: Arc::new(players),
            news: Arc::default(),
            live_anywhere: AtomicUsize::default(),
            damaged: Mutex::default(),
            tables: Mutex::new(Tables {
                live: HashMap::new(),
                being_created: 0,
                create_requests: CreateRequests::new(limits.create_requests),
                resumed,
            }),
            tasks: TaskTracker::new(),
            draining: CancellationToken::new(),
            in_use: watch::Sender::new(()),
        });
        let mut tally = Tally::default();
        for (id, damage) in matches.log.damaged() {
            tally.damaged += 1;
            let (from, loss) = (damage.from.0, &damage.loss);
            error!(match_id = %id, sequence = from, %loss, "match is damaged and not resumed");
        }
        let mut unknown = Vec::new();
        let visit = |id, known| match known {
            KnownMatch::Ended(brief) => {
                tally.ended += 1;
                if let Some(catalogue) = matches.log.own_catalogue() {
                    catalogue.put_ended(id, &brief);
                }
                matches.note_creation(id, &brief);
            }
            KnownMatch::Unknown(head) => unknown.push((id, head)),
        };
        matches.log.visit(visit).await?;
        let live_matches = matches.resume_all(unknown, &mut tally).await?;
        if matches.log.is_shared() {
            tally.live = matches.log.catalogue().live().await?;
            matches.live_anywhere.store(tally.live, Ordering::Relaxed);
        }
        let Tally {
            live,
            ended,
            summarised,
            damaged,
        } = tally;
        info!(live, ended, summarised, damaged, "event log read");
        Ok((matches, live_matches))
    }

    /// Enters the matches in the catalogue and returns those that this service has to continue.
    async fn resume_all(
        self: &Arc<Self>,
        unknown: Vec<(MatchId, Sequence)>,
        tally: &mut Tally,
    ) -> Result<LiveMatches, MatchLogError> {
        let mut live = Vec::new();
        let examined = stream::iter(unknown).map(|(id, head)| {
            let matches = Arc::clone(self);
            async move { (id, matches.examine(id, head).await) }
        });
        let mut examined = examined.buffered(MATCHES_AT_ONCE);
        while let Some((id, found)) = examined.next().await {
            live.extend(
                self.resume(id, found?, tally)
                    .await?
                    .map(|state| (id, state)),
            );
        }
        Ok(live)
    }

    /// Continues matches, and those that are taken up later, from the same moment, which is that of serving: before, no player can act.
    pub(crate) fn continue_all(self: &Arc<Self>, live: LiveMatches) {
        let now = self.clock.now();
        self.lock().resumed = now;
        for (id, mut state) in live {
            state.state_mut().restart_clock(now);
            self.take_up(id, state, Duty::None);
        }
    }

    /// Reads a match of which it is not known that it is over.
    ///
    /// # Errors
    ///
    /// The storage has failed: the match may be whole.
    async fn examine(&self, id: MatchId, head: Sequence) -> Result<Found, MatchLogError> {
        // One that cannot be read is as good as none.
        if let Ok(Some(summary)) = self.log.checked_summary(id, head).await {
            self.log.note_end(id, &summary).await;
            return Ok(Found::Ended(MatchBrief::of(&summary)));
        }
        let state = match self.log.replay(id).await {
            Ok(Some(state)) => state,
            Ok(None) => return Ok(Found::Nothing),
            Err(error) if error.is_unavailable() => return Err(error),
            Err(error) => return Ok(Found::Damaged(error)),
        };
        let summary = self.log.summarise(id, &state).await;
        Ok(match summary {
            Some(summary) => Found::Replayed(MatchBrief::of(&summary)),
            None => Found::Live(Box::new(state)),
        })
    }

    /// Enters a match in the catalogue and returns it if this service has to continue it.
    async fn resume(
        self: &Arc<Self>,
        id: MatchId,
        found: Found,
        tally: &mut Tally,
    ) -> Result<Option<StoredMatch>, MatchLogError> {
        match found {
            Found::Ended(brief) => {
                tally.ended += 1;
                self.enter(id, &MatchEntry::ended(brief)).await?;
            }
            Found::Replayed(brief) => {
                tally.ended += 1;
                tally.summarised += 1;
                self.enter(id, &MatchEntry::ended(brief)).await?;
            }
            Found::Live(state) => {
                tally.live += 1;
                self.enter(id, &MatchEntry::of(&state)).await?;
                // Of a log that services share, they take it up as they need it.
                return Ok((!self.log.is_shared()).then_some(*state));
            }
            Found::Nothing => {}
            Found::Damaged(error) => {
                tally.damaged += 1;
                let refusal = Refusal::unreadable(id, error);
                error!(match_id = %id, %refusal, "match is not resumed");
            }
        }
        Ok(None)
    }

    /// Enters a match in the catalogue, which does not know it yet. Its timers are due at once, so that somebody takes it up.
    async fn enter(&self, id: MatchId, entry: &MatchEntry) -> Result<(), MatchLogError> {
        if entry.stage == Stage::Ended {
            self.note_creation(id, &entry.brief);
        }
        let deadline = (entry.stage != Stage::Ended).then(|| self.now());
        let entered = self.log.catalogue().enter(id, entry, deadline).await;
        Ok(entered.map_err(ReadError::Storage)?)
    }

    /// Goes on with a match that is not over.
    pub(super) fn take_up(self: &Arc<Self>, id: MatchId, mut state: StoredMatch, duty: Duty) {
        state.state_mut().limit_joining(self.limits.join_timeout);
        let counted = if self.log.is_shared() {
            Taken::default()
        } else {
            Taken {
                of_creator: Some(self.guard.take_up_match(state.created().creator)),
                invitations: self.guard.take_up_invitations(&state),
            }
        };
        let refusing = self.refusing(state.created());
        self.start_actor(id, state, counted, duty);
        // A service may have ended between a block and the end of the match.
        for player in refusing {
            self.tasks.spawn(Arc::clone(self).decline(id, player));
        }
    }
}
