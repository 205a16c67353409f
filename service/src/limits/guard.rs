use std::sync::Arc;

use dragontooth_service_vocabulary::{MatchId, PlayerId, Timestamp};

use super::{Buckets, Budget, Caller, Counted, Counts, LimitName, Rate};
use crate::config::Limits;
use crate::connections::OpenConnections;
use crate::matches::Refusal;
use crate::metrics::{OpenStream, StreamKind};

/// Keeps callers within their limits.
#[derive(Debug)]
pub(crate) struct Guard {
    actions: Buckets<PlayerId>,
    calls: Buckets<Caller>,
    streams: Counts<()>,
    streams_of: Counts<Caller>,
    watchers_of: Counts<MatchId>,
    matches_of: Counts<PlayerId>,
    connections: Arc<OpenConnections>,
}

/// An open stream, which counts until it is dropped.
#[derive(Debug)]
pub(crate) struct StreamSlot {
    _in_all: Counted<()>,
    _of_caller: Counted<Caller>,
    _of_match: Option<Counted<MatchId>>,
    _measured: OpenStream,
}

impl Guard {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            actions: Buckets::new(Rate::new(limits.actions_per_second, limits.action_burst)),
            calls: Buckets::new(Rate::new(limits.calls_per_second, limits.call_burst)),
            streams: Counts::new(limits.streams),
            streams_of: Counts::new(limits.streams_of_caller),
            watchers_of: Counts::new(limits.watchers_of_match),
            matches_of: Counts::new(limits.matches_of_player),
            connections: Arc::new(OpenConnections::new(
                limits.connections,
                limits.connections_of_address,
            )),
        }
    }

    /// A player asks for a change of a match.
    pub(crate) fn spend_action(&self, player: PlayerId, now: Timestamp) -> Result<(), Refusal> {
        let spent = self.actions.spend(player, now);
        spent.map_err(|wait| Refusal::TooFast {
            limit: LimitName::Actions,
            wait,
        })
    }

    /// Somebody makes a call that changes nothing.
    pub(crate) fn spend_call(&self, caller: Caller, now: Timestamp) -> Result<(), Refusal> {
        let spent = self.calls.spend(caller, now);
        spent.map_err(|wait| Refusal::TooFast {
            limit: LimitName::Calls,
            wait,
        })
    }

    /// Somebody opens a stream, to watch `watched` or to play.
    pub(crate) fn open_stream(
        &self,
        caller: Caller,
        watched: Option<MatchId>,
    ) -> Result<StreamSlot, Refusal> {
        let kind = match watched {
            Some(_) => StreamKind::Watch,
            None => StreamKind::Play,
        };
        let of_match = watched
            .map(|id| take(&self.watchers_of, id, LimitName::WatchersOfMatch))
            .transpose()?;
        Ok(StreamSlot {
            _in_all: take(&self.streams, (), LimitName::Streams)?,
            _of_caller: take(&self.streams_of, caller, LimitName::StreamsOfCaller)?,
            _of_match: of_match,
            _measured: OpenStream::new(kind),
        })
    }

    /// A player creates a match. It counts until what is given is dropped.
    pub(crate) fn create_match(&self, creator: PlayerId) -> Result<Counted<PlayerId>, Refusal> {
        take(&self.matches_of, creator, LimitName::MatchesOfPlayer)
    }

    /// A match of an earlier run that is not over.
    pub(crate) fn take_up_match(&self, creator: PlayerId) -> Counted<PlayerId> {
        self.matches_of.take_anyway(creator)
    }

    /// The connections that are open.
    pub(crate) const fn connections(&self) -> &Arc<OpenConnections> {
        &self.connections
    }

    /// What a player has of each limit of its own.
    pub(crate) fn budgets(&self, player: PlayerId, now: Timestamp) -> [Budget; 4] {
        let caller = Caller::Player(player);
        [
            of_bucket(LimitName::Actions, &self.actions, &player, now),
            of_bucket(LimitName::Calls, &self.calls, &caller, now),
            of_count(LimitName::MatchesOfPlayer, &self.matches_of, &player),
            of_count(LimitName::StreamsOfCaller, &self.streams_of, &caller),
        ]
    }
}

fn take<K: Copy + Eq + std::hash::Hash>(
    counts: &Counts<K>,
    key: K,
    limit: LimitName,
) -> Result<Counted<K>, Refusal> {
    counts.take(key).ok_or_else(|| Refusal::LimitReached {
        limit,
        allowed: counts.allowed(),
    })
}

fn of_bucket<K: Copy + Eq + std::hash::Hash>(
    limit: LimitName,
    buckets: &Buckets<K>,
    key: &K,
    now: Timestamp,
) -> Budget {
    let allowed = buckets.rate().map(|rate| u64::from(rate.burst()));
    let held = buckets.of(key, now);
    Budget {
        limit,
        allowed,
        used: allowed
            .zip(held)
            .map_or(0, |(allowed, (tokens, _))| allowed - tokens),
        per_second: buckets.rate().map_or(0, Rate::per_second),
        full_in: held.map(|(_, rest)| rest),
    }
}

fn of_count<K: Copy + Eq + std::hash::Hash>(
    limit: LimitName,
    counts: &Counts<K>,
    key: &K,
) -> Budget {
    Budget {
        limit,
        allowed: Some(counts.allowed() as u64),
        used: counts.of(key) as u64,
        per_second: 0,
        full_in: None,
    }
}
