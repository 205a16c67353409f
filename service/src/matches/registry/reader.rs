use std::collections::HashMap;
use std::sync::Arc;

use dragontooth_service_domain::Command;
use dragontooth_service_store::{
    EventsRead, MatchLog, MatchLogError, MatchReplay, ReadError, StoredMatch,
};
use dragontooth_service_vocabulary::{MatchId, Sight, Timestamp};
use tokio::runtime::Handle;
use tracing::error;

use super::Matches;
use crate::access::Viewer;
use crate::limits::{CallerKey, LimitExceeded};
use crate::matches::actor::{Duty, answer_when_ended};
use crate::matches::common_matches::{CommonMatches, common_matches};
use crate::matches::{Accepted, Filter, FoundMatch, Refusal, SharedMatch};
use crate::priority::Slice;

/// Reads matches from the disk and replays them, which may take long: only the threads of the pool have one.
#[derive(Debug)]
pub(crate) struct Reader {
    matches: Arc<Matches>,
    slice: Slice,
}

/// A page of a list.
pub(crate) struct MatchPage {
    pub(crate) matches: Vec<(MatchId, FoundMatch)>,
    /// Damaged matches among them, which may fit or not.
    pub(crate) damaged: Vec<(MatchId, Refusal)>,
    /// The match after which the next page begins; `None` if this is the last.
    pub(crate) next: Option<MatchId>,
}

/// Events that are read from the log at once.
const PAGE_EVENTS: usize = 64;

/// The most rounds in which a list looks for further matches, when the delay for spectators makes some that
/// it found not fit, or few have all that the filter asks for. After that the page is shorter.
const MAX_LIST_ROUNDS: usize = 8;

/// The least number of matches that a further round looks at, however small the page: the end of a page must not tell how many
/// matches a spectator does not see yet.
const FURTHER_MATCHES: usize = 50;

impl Matches {
    /// Has `work` done for a caller on a thread that may wait for the disk.
    ///
    /// # Errors
    ///
    /// Too much waits already, of the caller or in all.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        caller: CallerKey,
        work: impl AsyncFnOnce(&Reader) -> T + Send + 'static,
    ) -> Result<T, LimitExceeded> {
        let reader = Reader::new(Arc::clone(self));
        let work = move || Handle::current().block_on(work(&reader));
        self.replays.run(caller, work).await
    }

    /// The same, however much waits: for those of whom there are few.
    pub(crate) async fn read_anyway<T: Send + 'static>(
        self: &Arc<Self>,
        caller: CallerKey,
        work: impl AsyncFnOnce(&Reader) -> T + Send + 'static,
    ) -> T {
        let reader = Reader::new(Arc::clone(self));
        let work = move || Handle::current().block_on(work(&reader));
        self.replays.run_anyway(caller, work).await
    }

    /// A match, live or ended.
    pub(crate) async fn find(
        self: &Arc<Self>,
        id: MatchId,
        caller: CallerKey,
    ) -> Result<FoundMatch, Refusal> {
        self.catch_up(id).await?;
        if let Some(found) = self.at_hand(id) {
            self.learn_seed(&found).await;
            return Ok(found);
        }
        let find = async move |reader: &Reader| reader.find(id).await;
        self.read(caller, find).await?
    }

    /// The match after a change that this service has just made: what is at hand has it, and a log that goes away now does not make a
    /// refusal of what is done.
    pub(crate) async fn changed(
        self: &Arc<Self>,
        id: MatchId,
        caller: CallerKey,
    ) -> Result<FoundMatch, Refusal> {
        if let Some(found) = self.at_hand(id) {
            self.learn_seed(&found).await;
            return Ok(found);
        }
        self.find(id, caller).await
    }

    /// Learns if the seed of a match may be shown, if the match is over.
    async fn learn_seed(&self, found: &FoundMatch) {
        if self.log.is_shared() {
            let ended = found.with(|facts| facts.is_over().then(|| facts.created.clone()));
            self.seeds.learn(&ended).await;
        }
    }

    /// A match as the viewer may see it; not found if the viewer may not see it at all.
    pub(crate) async fn seen(
        self: &Arc<Self>,
        id: MatchId,
        viewer: &Viewer,
        caller: CallerKey,
    ) -> Result<FoundMatch, Refusal> {
        self.catch_up(id).await?;
        if let Some(found) = self.at_hand(id)
            && found.with(|facts| facts.sight(viewer)) == Sight::Whole
        {
            self.learn_seed(&found).await;
            return Ok(found);
        }
        let viewer = viewer.clone();
        let see = async move |reader: &Reader| reader.seen(id, &viewer).await;
        self.read(caller, see).await?
    }

    /// A match that need not be read.
    pub(super) fn at_hand(&self, id: MatchId) -> Option<FoundMatch> {
        let live = self.live(id).map(FoundMatch::Live);
        live.or_else(|| self.states.ended(id).map(FoundMatch::Settled))
    }

    /// The answer to a command in a match that is not live.
    pub(super) async fn answer_from_log(
        self: &Arc<Self>,
        id: MatchId,
        command: Command,
        received: Timestamp,
        caller: CallerKey,
    ) -> Result<Accepted, Refusal> {
        let answer = move |state: &StoredMatch| match state.result() {
            Some(_) => answer_when_ended(state, &command, received),
            None => Err(Refusal::Draining),
        };
        if let Some(ended) = self.states.ended(id) {
            return answer(&ended);
        }
        let replay = async move |reader: &Reader| answer(&*reader.replay(id).await?);
        self.read(caller, replay).await?
    }
}

impl Reader {
    fn new(matches: Arc<Matches>) -> Self {
        let slice = Slice::default();
        Self { matches, slice }
    }

    /// The matches.
    pub(crate) const fn matches(&self) -> &Arc<Matches> {
        &self.matches
    }

    /// The log.
    pub(crate) fn log(&self) -> &MatchLog {
        &self.matches.log
    }

    /// Lets threads that serve players go first, if it is time. Whatever goes over many matches or events calls it
    /// after each of them.
    pub(crate) fn yield_to_players(&self) {
        self.slice.end_if_over();
    }

    /// A match, live or ended.
    pub(crate) async fn find(&self, id: MatchId) -> Result<FoundMatch, Refusal> {
        let found = self.find_anywhere(id).await?;
        self.matches.learn_seed(&found).await;
        Ok(found)
    }

    async fn find_anywhere(&self, id: MatchId) -> Result<FoundMatch, Refusal> {
        if let Some(found) = self.matches.at_hand(id) {
            return Ok(found);
        }
        let summary = self.matches.log.summary(id).await;
        if let Some(summary) = summary.map_err(|error| Refusal::unreadable(id, error))? {
            return Ok(FoundMatch::Summarised(Box::new(summary)));
        }
        let state = self.replay(id).await?;
        if state.result().is_none() && self.matches.log.is_shared() {
            // Nobody here was interested in it.
            self.matches.take_up_heard(id, (*state).clone(), Duty::None);
            if let Some(found) = self.matches.at_hand(id) {
                return Ok(found);
            }
        }
        Ok(FoundMatch::Settled(state))
    }

    /// A match that is not live, with its whole state.
    async fn replay(&self, id: MatchId) -> Result<Arc<StoredMatch>, Refusal> {
        let state = match self.replay_log(id).await {
            Ok(state) => state,
            Err(error) => return Err(self.unreadable(id, error).await),
        };
        let state = Arc::new(state.ok_or(Refusal::MatchNotFound(id))?);
        if state.result().is_some() {
            self.matches.states.keep(id, Arc::clone(&state));
            // It may have been missing.
            self.matches.log.summarise(id, &state).await;
        }
        Ok(state)
    }

    async fn replay_log(&self, id: MatchId) -> Result<Option<StoredMatch>, MatchLogError> {
        let mut replay = MatchReplay::new(id);
        loop {
            let page = self
                .matches
                .log
                .read(id, replay.head(), PAGE_EVENTS)
                .await?;
            if page.is_empty() {
                return Ok(replay.into_match());
            }
            for entry in &page {
                replay.push(entry)?;
                self.yield_to_players();
            }
        }
    }

    /// A match whose log cannot be read. If that is damaged, nothing that was read of it before counts any more.
    pub(crate) async fn unreadable(&self, id: MatchId, error: impl Into<MatchLogError>) -> Refusal {
        let refusal = Refusal::unreadable(id, error);
        if matches!(refusal, Refusal::LogDamaged { .. }) {
            self.matches.states.forget(id);
            self.matches.log.forget_summary(id).await;
        }
        refusal
    }

    /// Several matches, live or ended, as [`find`](Self::find). Of a log that services share they are read together, and those that nobody here
    /// follows get no actor.
    async fn find_many(
        &self,
        ids: &[MatchId],
    ) -> Result<HashMap<MatchId, Result<FoundMatch, Refusal>>, Refusal> {
        let mut found = HashMap::with_capacity(ids.len());
        if !self.matches.log.is_shared() {
            for id in ids {
                found.insert(*id, self.find(*id).await);
                self.yield_to_players();
            }
            return Ok(found);
        }
        let at_hand = ids
            .iter()
            .filter_map(|id| Some((*id, self.matches.at_hand(*id)?)));
        found.extend(at_hand.map(|(id, at_hand)| (id, Ok(at_hand))));
        let missing = |found: &HashMap<MatchId, _>| {
            let missing = ids.iter().filter(|id| !found.contains_key(id));
            missing.copied().collect::<Vec<_>>()
        };
        found.extend(self.find_in_log(&missing(&found)).await?);
        let ended = found.values().flatten();
        let ended = ended
            .filter_map(|found| found.with(|facts| facts.is_over().then(|| facts.created.clone())));
        let ended: Vec<_> = ended.collect();
        self.matches.seeds.learn(&ended).await;
        Ok(found)
    }

    /// Several matches of a log that services share, as they stand in it.
    pub(super) async fn find_in_log(
        &self,
        ids: &[MatchId],
    ) -> Result<HashMap<MatchId, Result<FoundMatch, Refusal>>, Refusal> {
        let mut found = HashMap::with_capacity(ids.len());
        let missing = |found: &HashMap<MatchId, _>| {
            let missing = ids.iter().filter(|id| !found.contains_key(id));
            missing.copied().collect::<Vec<_>>()
        };
        let unavailable = |error: ReadError| Refusal::LogUnavailable(error.to_string());
        let summaries = self.matches.log.summaries(ids).await;
        for (id, summary) in summaries.map_err(unavailable)? {
            found.insert(id, Ok(FoundMatch::Summarised(Box::new(summary))));
        }
        let mut replays: HashMap<_, _> = missing(&found)
            .into_iter()
            .map(|id| (id, MatchReplay::new(id)))
            .collect();
        while !replays.is_empty() {
            let heads = replays.iter().map(|(id, replay)| (*id, replay.head()));
            let read = self
                .matches
                .log
                .read_many(&heads.collect(), PAGE_EVENTS)
                .await;
            let mut read = read.map_err(unavailable)?;
            for (id, mut replay) in std::mem::take(&mut replays) {
                match self.push_page(&mut replay, read.remove(&id).unwrap_or(Ok(Vec::new()))) {
                    Ok(true) => drop(replays.insert(id, replay)),
                    Ok(false) => drop(found.insert(id, self.settled(id, replay).await)),
                    Err(error) => drop(found.insert(id, Err(self.unreadable(id, error).await))),
                }
            }
        }
        Ok(found)
    }

    /// Continues a replay by a page of events. Returns true if there may be more.
    fn push_page(&self, replay: &mut MatchReplay, page: EventsRead) -> Result<bool, MatchLogError> {
        let page = page?;
        for entry in &page {
            replay.push(entry)?;
            self.yield_to_players();
        }
        Ok(page.len() == PAGE_EVENTS)
    }

    /// A match that has been replayed to its end.
    async fn settled(&self, id: MatchId, replay: MatchReplay) -> Result<FoundMatch, Refusal> {
        let state = replay.into_match().ok_or(Refusal::MatchNotFound(id))?;
        if state.result().is_some() {
            // It was missing.
            self.matches.log.summarise(id, &state).await;
        }
        Ok(FoundMatch::Settled(Arc::new(state)))
    }

    /// A match as the viewer may see it; not found if the viewer may not see it at all.
    pub(crate) async fn seen(&self, id: MatchId, viewer: &Viewer) -> Result<FoundMatch, Refusal> {
        let found = self.find(id).await?;
        self.shown(id, found, viewer).await
    }

    async fn shown(
        &self,
        id: MatchId,
        found: FoundMatch,
        viewer: &Viewer,
    ) -> Result<FoundMatch, Refusal> {
        match (found.with(|facts| facts.sight(viewer)), &found) {
            (Sight::Nothing, _) => Err(Refusal::MatchNotFound(id)),
            (Sight::Delayed(delay), FoundMatch::Live(shared)) => {
                let time = self.matches.now().before(delay);
                match shared.earlier(&self.matches.log, time).await {
                    Ok(Some(earlier)) => Ok(FoundMatch::Earlier(Box::new(earlier))),
                    Ok(None) => Err(Refusal::MatchNotFound(id)),
                    Err(error) => Err(self.unreadable(id, error).await),
                }
            }
            (Sight::Delayed(delay), FoundMatch::Settled(state)) if state.result().is_none() => {
                // Nobody here follows it.
                let shared = SharedMatch::new(id, (**state).clone());
                let time = self.matches.now().before(delay);
                match shared.earlier(&self.matches.log, time).await {
                    Ok(Some(earlier)) => Ok(FoundMatch::Earlier(Box::new(earlier))),
                    Ok(None) => Err(Refusal::MatchNotFound(id)),
                    Err(error) => Err(self.unreadable(id, error).await),
                }
            }
            (Sight::Whole | Sight::Delayed(_), _) => Ok(found),
        }
    }

    /// At most `limit` matches after `last` that somebody may see and that pass a filter, in its order, and after which
    /// the next page begins, if there may be more. There are more, seen by the viewer, unless the rounds came to their end.
    pub(crate) async fn list(
        &self,
        viewer: &Viewer,
        filter: &Filter,
        last: Option<MatchId>,
        limit: usize,
    ) -> Result<MatchPage, Refusal> {
        let order = filter.order;
        let lists = filter.shelves(viewer);
        let (mut page, mut damaged) = (Vec::new(), Vec::new());
        let begin = [last, filter.begin()].into_iter().flatten();
        let mut last = begin.max_by(|one, other| order.compare(*one, *other));
        let mut wanted = limit + 1;
        for _ in 0..MAX_LIST_ROUNDS {
            let catalogue = self.matches.log.catalogue();
            let listed = common_matches(&*catalogue, &lists, order, last, wanted).await;
            let CommonMatches { mut ids, next } =
                listed.map_err(|error| Refusal::LogUnavailable(error.to_string()))?;
            ids.retain(|id| !filter.is_past_end(*id));
            let next = next.filter(|next| !filter.is_past_end(*next));
            self.yield_to_players();
            let mut found = self.find_many(&ids).await?;
            for id in ids {
                let found = found.remove(&id).unwrap_or(Err(Refusal::MatchNotFound(id)));
                let shown = match found {
                    Ok(found) => self.shown(id, found, viewer).await,
                    Err(refusal) => Err(refusal),
                };
                let found = match shown {
                    Ok(found) => found,
                    // It was sound at the start. It must not hide the others.
                    Err(refusal @ Refusal::LogDamaged { .. }) => {
                        error!(match_id = %id, %refusal, "match is damaged and not listed");
                        damaged.push((id, refusal));
                        continue;
                    }
                    Err(refusal) => return Err(refusal),
                };
                // What a spectator does not see yet does not count for the filter either.
                if found.with(|facts| filter.fits(facts)) {
                    page.push((id, found));
                }
                if page.len() > limit {
                    break;
                }
            }
            last = next;
            if last.is_none() || page.len() > limit {
                break;
            }
            wanted = (limit + 1 - page.len()).max(FURTHER_MATCHES);
        }
        if page.len() > limit {
            page.truncate(limit);
            last = page.last().map(|(id, _)| *id);
            damaged.retain(|(id, _)| last.is_some_and(|last| order.compare(*id, last).is_lt()));
        }
        Ok(MatchPage {
            matches: page,
            damaged,
            next: last,
        })
    }
}
