use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use dragontooth_games::chance::Seed;
use dragontooth_service_domain::{MatchState, create};
use dragontooth_service_store::{
    AppendError, EntryChange, Listing, MatchEntry, MatchLog, StoredMatch, creation_name,
};
use dragontooth_service_vocabulary::{
    Created, MatchEvent, MatchId, MatchSeed, NewMatch, PlayerId, Recorded, Sequence,
};
use tracing::info;
use uuid::Uuid;

use super::{Matches, Taken};
use crate::limits::{CallerKey, LimitExceeded, LimitName};
use crate::matches::Refusal;
use crate::matches::actor::Duty;
use crate::metrics;
use crate::random_bytes::random_bytes;

impl Matches {
    /// Creates a match. The same request of the same player creates it once.
    pub(crate) async fn create(
        self: &Arc<Self>,
        new: NewMatch,
        creator: PlayerId,
    ) -> Result<MatchId, Refusal> {
        self.refuse_when_draining()?;
        let matches = Arc::clone(self);
        // In a separate task: a caller that goes away must not leave a match half created.
        let creating = async move { matches.create_for_request(new, creator).await };
        let created = self.tasks.spawn(creating).await;
        created.unwrap_or(Err(Refusal::Draining))
    }

    async fn create_for_request(
        self: &Arc<Self>,
        new: NewMatch,
        creator: PlayerId,
    ) -> Result<MatchId, Refusal> {
        let fresh = MatchId::from_bytes(Uuid::now_v7().into_bytes());
        let Some(request_id) = new.request_id.clone() else {
            return self.create_within_limit(fresh, &new, creator).await;
        };
        let key = (creator, request_id);
        let cell = self.lock().create_requests.cell(key.clone());
        let id = cell
            .get_or_try_init(|| self.create_or_find(fresh, &new, creator))
            .await
            .copied();
        let id = {
            let requests = &mut self.lock().create_requests;
            if let Ok(id) = id {
                // Another service may have created it, and it may be over.
                requests.enter(key, id);
            } else {
                requests.forget(&key, cell);
            }
            id?
        };
        let found = self.find(id, CallerKey::Player(creator)).await?;
        if found.with(|facts| is_same(facts.created, &new)) {
            Ok(id)
        } else {
            Err(Refusal::RequestIdReused)
        }
    }

    /// Creates the match of a request with an id, unless another service has.
    async fn create_or_find(
        self: &Arc<Self>,
        fresh: MatchId,
        new: &NewMatch,
        creator: PlayerId,
    ) -> Result<MatchId, Refusal> {
        let created = self.create_within_limit(fresh, new, creator).await;
        let (Some(name), Err(refusal)) = (self.shared_name(new, creator), &created) else {
            return created;
        };
        if matches!(refusal, Refusal::LogUnavailable(_)) {
            return created;
        }
        // What refuses it now may be later than the match, or the match itself.
        let reserved = self.log.reserved(&name).await;
        match reserved.map_err(|error| Refusal::LogUnavailable(error.to_string()))? {
            Some(id) if self.is_there(id, creator).await? => Ok(id),
            Some(_) | None => created,
        }
    }

    /// The name of a request with an id in a log that services share.
    fn shared_name(&self, new: &NewMatch, creator: PlayerId) -> Option<Vec<u8>> {
        let request_id = new.request_id.as_ref().filter(|_| self.log.is_shared());
        request_id.map(|id| creation_name(creator, id))
    }

    async fn is_there(self: &Arc<Self>, id: MatchId, creator: PlayerId) -> Result<bool, Refusal> {
        match self.find(id, CallerKey::Player(creator)).await {
            Ok(_) => Ok(true),
            Err(Refusal::MatchNotFound(_)) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    async fn create_within_limit(
        self: &Arc<Self>,
        fresh: MatchId,
        new: &NewMatch,
        creator: PlayerId,
    ) -> Result<MatchId, Refusal> {
        let new = self.with_join_timeout(new)?;
        let event = create(&new, creator, fresh, &Seed::from_bytes(random_bytes()))?;
        if let MatchEvent::Created(created) = &event
            && let Some(player) = self.refusing(created).first()
        {
            return Err(Refusal::Blocked(*player));
        }
        let counted = Taken {
            of_creator: Some(self.guard.create_match(creator)?),
            invitations: self.guard.invite(creator, new.reserved)?,
        };
        self.check_standing(creator, new.reserved).await?;
        let allowed = self.limits.live_matches;
        {
            let mut tables = self.lock();
            let live = if self.log.is_shared() {
                self.live_anywhere.load(Ordering::Relaxed)
            } else {
                tables.live.len()
            };
            if live + tables.being_created >= allowed {
                let limit = LimitName::LiveMatches;
                return Err(LimitExceeded::Count { limit, allowed }.into());
            }
            tables.being_created += 1;
        }
        let created = self
            .create_named(fresh, &new, creator, event, counted)
            .await;
        self.lock().being_created -= 1;
        created
    }

    /// Creates the match under the id that its request has in a log that services share, if it has one. It gets that last of all: the
    /// time of an id is that of the creation, so a refusal must not leave one behind.
    async fn create_named(
        self: &Arc<Self>,
        fresh: MatchId,
        new: &NewMatch,
        creator: PlayerId,
        event: MatchEvent,
        counted: Taken,
    ) -> Result<MatchId, Refusal> {
        let Some(name) = self.shared_name(new, creator) else {
            return self.create_from(fresh, event, counted).await;
        };
        let reserved = self.log.reserve(&name, fresh).await;
        let id = reserved.map_err(|error| Refusal::LogUnavailable(error.to_string()))?;
        if id == fresh {
            return self.create_from(fresh, event, counted).await;
        }
        if self.is_there(id, creator).await? {
            return Ok(id);
        }
        // Another service is about to append it, or could not.
        let event = create(new, creator, id, &Seed::from_bytes(random_bytes()))?;
        self.create_from(id, event, counted).await
    }

    /// Checks what a player has at other services too. What it creates at this moment is counted here.
    async fn check_standing(
        &self,
        creator: PlayerId,
        reserved: [Option<PlayerId>; 2],
    ) -> Result<(), Refusal> {
        if !self.log.is_shared() {
            return Ok(());
        }
        // Before it is asked: what is appended meanwhile counts here or there.
        let begun = self.guard.begun(creator, reserved);
        let standing = self.log.catalogue().counts_of(creator, reserved).await;
        let standing = standing.map_err(|error| Refusal::LogUnavailable(error.to_string()))?;
        Ok(self.guard.check_standing(begun, standing)?)
    }

    /// The match with a time to join that the service allows.
    fn with_join_timeout(&self, new: &NewMatch) -> Result<NewMatch, Refusal> {
        let most = self.limits.join_timeout;
        let timeout = new.join_timeout.unwrap_or(most);
        if timeout > most {
            return Err(Refusal::JoinTimeoutTooLong { most });
        }
        Ok(NewMatch {
            join_timeout: Some(timeout),
            ..new.clone()
        })
    }

    async fn create_from(
        self: &Arc<Self>,
        id: MatchId,
        event: MatchEvent,
        counted: Taken,
    ) -> Result<MatchId, Refusal> {
        let time = self.clock.now();
        let before = MatchLog::start(id);
        let begun = Instant::now();
        let first = Recorded {
            sequence: Sequence(1),
            time,
            event: event.clone(),
        };
        let state = MatchState::new(&first).map_err(|error| Refusal::unreadable(id, error))?;
        let listing = Listing {
            entry: Some(Box::new(EntryChange {
                before: None,
                after: MatchEntry::of(&state),
            })),
            deadline: state.join_deadline(),
        };
        let events = std::slice::from_ref(&event);
        let appended = self.log.append_listed(id, before, time, events, listing);
        let head = match appended.await {
            // Another service has created it for the same request.
            Err(AppendError::Conflict { .. }) if self.log.is_shared() => return Ok(id),
            appended => appended?,
        };
        metrics::appended(begun.elapsed());
        let state = StoredMatch::new(state, head);
        let play = state.play();
        info!(match_id = %id, game = play.game(), target = play.target().points(), "match created");
        let created = state.created().clone();
        let counted = if self.log.is_shared() {
            self.live_anywhere.fetch_add(1, Ordering::Relaxed);
            Taken::default()
        } else {
            counted
        };
        self.start_actor(id, state, counted, Duty::OfLast);
        if self.news.is_watched()
            && let Some(found) = self.at_hand(id)
        {
            self.news.note(id, found);
        }
        // A block that came meanwhile may have missed it.
        for player in self.refusing(&created) {
            Arc::clone(self).decline(id, player).await;
        }
        Ok(id)
    }
}

fn is_same(created: &Created, new: &NewMatch) -> bool {
    let drawn = created.seed.server_seed();
    let Ok(MatchEvent::Created(mut again)) = create(new, created.creator, created.id, &drawn)
    else {
        return false;
    };
    if new.join_timeout.is_none() {
        again.join_timeout = created.join_timeout;
    }
    if let MatchSeed::Given(text) = &created.seed
        && again.seed.given() == Some(text)
    {
        // An earlier version created it from the same request.
        again.seed = created.seed.clone();
    }
    *again == *created
}
