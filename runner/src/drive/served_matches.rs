use std::path::Path;

use dragontooth_games::Seat;
use dragontooth_service_client::{
    Client, ClientError, MatchFilter, MatchView, Page, PageToken, Reason, Resume, WatchUpdate,
    WatchedEvent,
};
use dragontooth_service_vocabulary::{MatchId, PlayerId, Scope, Sequence, Stage};

use super::apply_event::Facts;
use super::credentials::{Credential, Holder};
use super::host::Host;
use super::match_progress::MatchProgress;
use super::outage::{Outage, PATIENCE};
use super::{HostError, RunError};
use crate::adjudicator::EarlyEnd;
use crate::config::{Remote, RunConfig};
use crate::record::{Fingerprint, Origin, Played, RunFolder, Secret, ServiceKind};

/// The matches of a page, as many as a service gives at most.
const PAGE: u16 = 500;

/// The matches of an arena as its service has them.
pub(crate) struct ServedMatches {
    client: Client,
    outage: Outage,
    host: Host,
    own: PlayerId,
    filter: MatchFilter,
}

impl ServedMatches {
    /// Connects to the service of an arena with the token of its event file, or that of its folder.
    ///
    /// # Errors
    ///
    /// The token cannot be read, or the service cannot be used.
    pub(crate) async fn connect(
        config: &RunConfig,
        remote: &Remote,
        folder: &Path,
    ) -> Result<Self, RunError> {
        let source = remote.token.as_ref();
        let token = match source {
            Some(source) => source.read()?,
            None => Secret::read(&RunFolder::secret_in(folder))?.runner_token(),
        };
        let credential = Credential {
            token,
            holder: Holder::new(None, source, "service".to_owned()),
            scopes: &[Scope::Watch],
        };
        let host = Host::elsewhere(remote).map_err(HostError::Tls)?;
        let (client, own) = host.client(&credential).await?;
        let rules = config.event.rules();
        Ok(Self {
            client,
            outage: Outage::none(),
            host,
            own,
            filter: MatchFilter {
                state: Some(Stage::Ended),
                game: Some(rules.game().to_owned()),
                creator: Some(own),
                page_size: Some(PAGE),
                ..MatchFilter::default()
            },
        })
    }

    /// The player that creates the matches.
    pub(crate) const fn own(&self) -> PlayerId {
        self.own
    }

    /// A page of the matches that are over, the newest first.
    pub(crate) async fn page(&self, page: Option<PageToken>) -> Result<Page<MatchView>, RunError> {
        let list = || self.client.list_matches(self.filter.clone(), page.clone());
        let listed = self.outage.retry(&self.client, list).await;
        listed.map_err(|source| self.unusable(source))
    }

    /// A match; `None` if there is none.
    pub(crate) async fn find(&self, id: MatchId) -> Result<Option<MatchView>, RunError> {
        let get = || self.client.get_match(id);
        match self.outage.retry(&self.client, get).await {
            Ok(view) => Ok(Some(view)),
            Err(error) if error.reason() == Some(&Reason::MatchNotFound) => Ok(None),
            Err(source) => Err(self.unusable(source)),
        }
    }

    /// A match that is over as it was played, or the reason why it cannot be read. It has the faults that the service
    /// shows, and no others.
    pub(crate) async fn played(
        &self,
        view: &MatchView,
        early_end: EarlyEnd,
    ) -> Result<Result<Played, String>, RunError> {
        let mut progress = MatchProgress::new(early_end);
        let mut watch = self
            .client
            .watch(view.id, Sequence::START, Resume::For(PATIENCE));
        loop {
            match watch.next().await {
                Some(Ok(WatchUpdate::Events(events))) => {
                    for WatchedEvent { recorded, facts } in events {
                        let score = facts.score.unwrap_or_default();
                        let facts = Facts {
                            score: Seat::BOTH.map(|seat| score.of(seat)),
                            rule: facts.rule.as_deref(),
                        };
                        progress.apply_event(recorded, facts);
                    }
                    if let Some(played) = progress.played(view.id) {
                        let origin = Origin {
                            service: ServiceKind::Remote,
                            head_hash: view.head_hash.parse::<Fingerprint>().ok(),
                        };
                        return Ok(Ok(Played { origin, ..played }));
                    }
                }
                Some(Ok(WatchUpdate::CaughtUp { .. } | WatchUpdate::Heartbeat { .. })) => {}
                Some(Ok(WatchUpdate::Closing(_))) | None => {
                    return Ok(Err("its events end before it does".to_owned()));
                }
                Some(Err(error)) if error.reason() == Some(&Reason::LogDamaged) => {
                    return Ok(Err(error.to_string()));
                }
                Some(Err(source)) => return Err(self.unusable(source)),
            }
        }
    }

    fn unusable(&self, source: ClientError) -> RunError {
        HostError::unusable(self.host.address().clone(), source).into()
    }
}
