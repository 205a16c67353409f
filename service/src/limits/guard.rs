use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_service_domain::MatchState;
use dragontooth_service_store::PlayerCounts;
use dragontooth_service_vocabulary::{MatchId, PlayerId, Timestamp};

use super::counts::take;
use super::{
    BodyBudgets, BodyShare, Buckets, CallerKey, Counted, Counts, Invitations, LimitExceeded,
    LimitName, OpenConnection, OpenConnections, PendingInvitations, Rate, ResponseBudget,
};
use crate::config::Limits;
use crate::metrics::{OpenStream, StreamKind};

/// Keeps callers within their limits.
#[derive(Debug)]
pub(crate) struct Guard {
    actions: Buckets<PlayerId>,
    calls: Buckets<CallerKey>,
    calls_of_address: Counts<IpAddr>,
    bodies: BodyBudgets,
    responses: ResponseBudget,
    streams: Counts<()>,
    streams_of: Counts<CallerKey>,
    watchers_of: Counts<MatchId>,
    matches_of: Counts<PlayerId>,
    offers: Counts<()>,
    invitations: Invitations,
    invitations_sent_again: Buckets<PlayerId>,
    connections: Arc<OpenConnections>,
}

/// The use that a caller makes of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) limit: LimitName,
    /// The most at once; `None` means no limit.
    pub(crate) allowed: Option<u64>,
    /// The part of it in use.
    pub(crate) used: u64,
    /// The part that becomes free each second; zero for things that count until they end.
    pub(crate) per_second: u32,
    /// Time until all of it is free if nothing more is used; `None` for things that count until they
    /// end.
    pub(crate) reset_in: Option<Duration>,
}

/// An offer by a call, which counts until it is dropped.
#[derive(Debug)]
pub(crate) struct OfferSlot {
    _in_all: Counted<()>,
}

/// An open stream, which counts until it is dropped.
#[derive(Debug)]
pub(crate) struct StreamSlot {
    _in_all: Counted<()>,
    _of_caller: Counted<CallerKey>,
    _measured: OpenStream,
}

impl Guard {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            actions: Buckets::new(Rate::new(limits.actions_per_second, limits.action_burst)),
            calls: Buckets::new(Rate::new(limits.calls_per_second, limits.call_burst)),
            calls_of_address: Counts::new(limits.calls_of_address),
            bodies: BodyBudgets::new(limits),
            responses: ResponseBudget::new(limits.response_bytes_of_caller, limits.response_bytes),
            streams: Counts::new(limits.streams),
            streams_of: Counts::new(limits.streams_of_caller),
            watchers_of: Counts::new(limits.watchers_of_match),
            matches_of: Counts::new(limits.matches_of_player),
            offers: Counts::new(limits.offers),
            invitations: Invitations::new(limits),
            invitations_sent_again: Buckets::new(Rate::new(
                limits.calls_per_second,
                limits.call_burst,
            )),
            connections: Arc::new(OpenConnections::new(
                limits.connections,
                limits.connections_of_address,
                limits.connections_of_player,
            )),
        }
    }

    /// Charges a player for a request that changes a match.
    pub(crate) fn spend_action(
        &self,
        player: PlayerId,
        now: Timestamp,
    ) -> Result<(), LimitExceeded> {
        let spent = self.actions.spend(player, now);
        spent.map_err(|wait| LimitExceeded::Rate {
            limit: LimitName::Actions,
            wait,
        })
    }

    /// Charges a caller for a call that changes nothing.
    pub(crate) fn spend_call(
        &self,
        caller: CallerKey,
        now: Timestamp,
    ) -> Result<(), LimitExceeded> {
        let spent = self.calls.spend(caller, now);
        spent.map_err(|wait| LimitExceeded::Rate {
            limit: LimitName::Calls,
            wait,
        })
    }

    /// Charges a caller for the rest of a call that costs as much as `cost` calls and has been charged as one.
    pub(crate) fn spend_rest_of_call(
        &self,
        caller: CallerKey,
        cost: u32,
        now: Timestamp,
    ) -> Result<(), LimitExceeded> {
        let spent = self.calls.spend_rest(caller, cost, now);
        spent.map_err(|wait| LimitExceeded::Rate {
            limit: LimitName::Calls,
            wait,
        })
    }

    /// Charges a caller for work that costs as much as `cost` calls and can wait, from what it has above half of a
    /// burst, so that the rest is left for its calls.
    ///
    /// # Errors
    ///
    /// It has to wait for this time.
    pub(crate) fn spend_spare_calls(
        &self,
        caller: CallerKey,
        cost: u32,
        now: Timestamp,
    ) -> Result<(), Duration> {
        self.calls.spend_spare(caller, cost, now)
    }

    /// Counts a call of an address without a token, until the returned slot is dropped.
    pub(crate) fn begin_call(&self, address: IpAddr) -> Result<Counted<IpAddr>, LimitExceeded> {
        take(&self.calls_of_address, address, LimitName::CallsOfAddress)
    }

    /// The share of a request body in the budgets of those that are not complete.
    pub(crate) fn body(&self, connection: &OpenConnection, caller: CallerKey) -> BodyShare {
        self.bodies.share(connection, caller)
    }

    /// The share of a response in the budget of those that its caller has not read.
    pub(crate) fn begin_response(
        &self,
        caller: CallerKey,
    ) -> Result<Counted<CallerKey>, LimitExceeded> {
        self.responses.begin(caller)
    }

    /// Counts a stream that a caller opens.
    pub(crate) fn open_stream(
        &self,
        caller: CallerKey,
        kind: StreamKind,
    ) -> Result<StreamSlot, LimitExceeded> {
        Ok(StreamSlot {
            _in_all: take(&self.streams, (), LimitName::Streams)?,
            _of_caller: take(&self.streams_of, caller, LimitName::StreamsOfCaller)?,
            _measured: OpenStream::new(kind),
        })
    }

    /// Counts an offer that a player makes by a call.
    pub(crate) fn make_offer(&self) -> Result<OfferSlot, LimitExceeded> {
        Ok(OfferSlot {
            _in_all: take(&self.offers, (), LimitName::Offers)?,
        })
    }

    /// Counts a stream that watches a match, until the returned slot is dropped.
    pub(crate) fn watch_match(&self, id: MatchId) -> Result<Counted<MatchId>, LimitExceeded> {
        take(&self.watchers_of, id, LimitName::WatchersOfMatch)
    }

    /// Counts a match that a player creates, until the returned slot is dropped.
    pub(crate) fn create_match(
        &self,
        creator: PlayerId,
    ) -> Result<Counted<PlayerId>, LimitExceeded> {
        take(&self.matches_of, creator, LimitName::MatchesOfPlayer)
    }

    /// The matches and invitations of a player that count here: those that it creates at this moment, if the catalogue has the others.
    pub(crate) fn begun(&self, creator: PlayerId, reserved: [Option<PlayerId>; 2]) -> PlayerCounts {
        self.invitations
            .begun(creator, reserved, self.matches_of.of(&creator))
    }

    /// Checks the matches and invitations that a player creates at this moment together with all others that it has.
    ///
    /// # Errors
    ///
    /// A limit has no room for them.
    pub(crate) fn check_standing(
        &self,
        begun: PlayerCounts,
        others: PlayerCounts,
    ) -> Result<(), LimitExceeded> {
        let allowed = self.matches_of.allowed();
        if begun.matches + others.matches > allowed {
            let limit = LimitName::MatchesOfPlayer;
            return Err(LimitExceeded::Count { limit, allowed });
        }
        self.invitations.check_standing(begun, others)
    }

    /// Counts a match of an earlier run that is not over, even beyond the limit.
    pub(crate) fn take_up_match(&self, creator: PlayerId) -> Counted<PlayerId> {
        self.matches_of.take_anyway(creator)
    }

    /// Counts the invitations to a match that a player creates, until each is dropped.
    pub(crate) fn invite(
        &self,
        creator: PlayerId,
        reserved: [Option<PlayerId>; 2],
    ) -> Result<PendingInvitations, LimitExceeded> {
        self.invitations.send(creator, reserved)
    }

    /// Counts the invitations to a match of an earlier run, even beyond the limits.
    pub(crate) fn take_up_invitations(&self, state: &MatchState) -> PendingInvitations {
        self.invitations.take_up(state)
    }

    /// Returns how long the next invitation that is sent to a player again has to wait. They come as fast as a caller
    /// may call, and cost the player none of its own calls: others decide how many there are.
    pub(crate) fn send_invitation_again(
        &self,
        player: PlayerId,
        now: Timestamp,
    ) -> Result<(), Duration> {
        self.invitations_sent_again.spend(player, now)
    }

    /// The connections that are open.
    pub(crate) const fn connections(&self) -> &Arc<OpenConnections> {
        &self.connections
    }

    /// The use that a player makes of each of its limits.
    /// The `others` are its matches and invitations that do not count here.
    pub(crate) fn quotas(
        &self,
        player: PlayerId,
        others: PlayerCounts,
        now: Timestamp,
    ) -> [Quota; 5] {
        let caller = CallerKey::Player(player);
        let mut quotas = [
            of_bucket(LimitName::Actions, &self.actions, &player, now),
            of_bucket(LimitName::Calls, &self.calls, &caller, now),
            of_count(LimitName::MatchesOfPlayer, &self.matches_of, &player),
            of_count(
                LimitName::InvitationsOfInviter,
                self.invitations.inviters(),
                &player,
            ),
            of_count(LimitName::StreamsOfCaller, &self.streams_of, &caller),
        ];
        quotas[2].used += others.matches as u64;
        quotas[3].used += others.invitations as u64;
        quotas
    }
}

fn of_bucket<K: Copy + Eq + std::hash::Hash>(
    limit: LimitName,
    buckets: &Buckets<K>,
    key: &K,
    now: Timestamp,
) -> Quota {
    let allowed = buckets.rate().map(|rate| u64::from(rate.burst()));
    let held = buckets.of(key, now);
    Quota {
        limit,
        allowed,
        used: allowed
            .zip(held)
            .map_or(0, |(allowed, (tokens, _))| allowed - tokens),
        per_second: buckets.rate().map_or(0, Rate::per_second),
        reset_in: held.map(|(_, rest)| rest),
    }
}

fn of_count<K: Copy + Eq + std::hash::Hash>(
    limit: LimitName,
    counts: &Counts<K>,
    key: &K,
) -> Quota {
    Quota {
        limit,
        allowed: Some(counts.allowed() as u64),
        used: counts.of(key) as u64,
        per_second: 0,
        reset_in: None,
    }
}
