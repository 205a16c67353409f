use std::collections::HashMap;
use std::sync::Arc;

use dragontooth_service_store::{NewHead, RESERVED_STREAM, StreamId};
use dragontooth_service_vocabulary::MatchId;
use tokio::sync::mpsc;
use tracing::debug;

use super::Matches;
use crate::access::Viewer;
use crate::limits::CallerKey;
use crate::matches::actor::is_followed;
use crate::matches::match_news::{ListChange, MissedNews, NewsPlace};
use crate::matches::{Filter, FoundMatch, MatchNews, SharedMatch};

/// Matches that are read at once.
const MATCHES_AT_ONCE: usize = 256;

/// A list of matches, for one who may see some of them.
#[derive(Clone, Debug)]
pub(crate) struct MatchList {
    pub(crate) viewer: Viewer,
    pub(crate) filter: Filter,
}

/// A match of which a watched list has news.
#[derive(Debug)]
pub(crate) struct ListedChange {
    pub(crate) id: MatchId,
    pub(crate) found: Arc<FoundMatch>,
    pub(crate) change: ListChange,
}

impl Matches {
    /// The news of matches, for those who watch lists.
    pub(crate) fn news(&self) -> &MatchNews {
        &self.news
    }

    /// The changes of a list after a place in the news, which is moved on by no more than `limit` of them.
    pub(crate) fn list_changes(
        &self,
        list: &MatchList,
        place: &mut NewsPlace,
        limit: usize,
    ) -> Result<Vec<ListedChange>, MissedNews> {
        let news = self.news.read(place, limit)?;
        let changes = news.into_iter().filter_map(|changed| {
            let change = changed.meaning(&list.viewer, &list.filter)?;
            Some(ListedChange {
                id: changed.id,
                found: changed.found,
                change,
            })
        });
        Ok(changes.collect())
    }

    /// Learns which seeds may be shown of the matches in changes that are over.
    pub(crate) async fn learn_seeds(&self, changes: &[ListedChange]) {
        let ended = changes.iter().filter_map(|listed| {
            let found = &listed.found;
            found.with(|facts| facts.is_over().then(|| facts.created.clone()))
        });
        self.seeds.learn(&ended.collect::<Vec<_>>()).await;
    }

    /// A match under way whose moves somebody follows here. It has an actor for as long as its head is followed.
    pub(crate) async fn followed(
        self: &Arc<Self>,
        id: MatchId,
        caller: CallerKey,
    ) -> Option<Arc<SharedMatch>> {
        if self.log.is_shared() && self.live(id).is_none() {
            self.find(id, caller).await.ok()?;
        }
        self.live(id)
    }

    /// Passes on the matches that others have changed in a way that lists show, if somebody watches one.
    pub(super) fn send_listed(
        &self,
        heads: &HashMap<StreamId, NewHead>,
        heard: &mpsc::Sender<Vec<MatchId>>,
    ) {
        if !self.news.is_watched() {
            return;
        }
        let listed = heads
            .iter()
            .filter(|(stream, new)| new.is_listed && **stream != RESERVED_STREAM)
            .map(|(stream, _)| MatchId::from_bytes(stream.0));
        let listed: Vec<_> = listed.collect();
        if !listed.is_empty() && heard.try_send(listed).is_err() {
            self.news.note_gap();
        }
    }

    /// Reads matches that others have changed, for those who watch lists. A match that somebody follows here is noted when it has grown.
    pub(super) async fn note_listed(self: &Arc<Self>, mut heard: mpsc::Receiver<Vec<MatchId>>) {
        while let Some(ids) = heard.recv().await {
            let is_unfollowed = |id: &MatchId| {
                let live = self.live(*id);
                live.is_none_or(|shared| !is_followed(&shared, &self.players))
            };
            let ids: Vec<_> = ids.into_iter().filter(is_unfollowed).collect();
            for some in ids.chunks(MATCHES_AT_ONCE) {
                self.note_from_log(some.to_vec()).await;
            }
        }
    }

    async fn note_from_log(self: &Arc<Self>, ids: Vec<MatchId>) {
        let find = async move |reader: &super::Reader| reader.find_in_log(&ids).await;
        match self.read_anyway(CallerKey::SERVICE, find).await {
            Ok(found) => {
                for (id, found) in found {
                    // A damaged match is not listed either.
                    if let Ok(found) = found {
                        self.news.note(id, found);
                    }
                }
            }
            Err(refusal) => {
                debug!(%refusal, "matches of other services cannot be read");
                self.news.note_gap();
            }
        }
    }
}
