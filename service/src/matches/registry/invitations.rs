use std::sync::Arc;
use std::time::Duration;

use dragontooth_service_domain::Command;
use dragontooth_service_store::MatchLogError;
use dragontooth_service_vocabulary::{Created, MatchId, PlayerId};
use futures::future::join_all;
use tokio::sync::oneshot;
use tracing::debug;

use super::Matches;
use crate::access::TokenFault;
use crate::matches::Reply;
use crate::matches::actor::Duty;
use crate::matches::message::Request;

/// The time within which a service knows what others have written about tokens.
const TOKENS_INTERVAL: Duration = Duration::from_millis(500);

impl Matches {
    /// Lets a player refuse the invitations of another, also those that wait for it.
    pub(crate) async fn block(
        self: &Arc<Self>,
        player: PlayerId,
        blocked: PlayerId,
    ) -> Result<(), TokenFault> {
        self.tokens.block(player, blocked, &self.limits).await?;
        self.decline_all(player, blocked).await;
        Ok(())
    }

    /// Follows what other services on the log write about tokens, if there may be some, for as long as it is polled.
    pub(crate) async fn follow_tokens(self: &Arc<Self>) {
        if !self.tokens.is_shared() {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(TOKENS_INTERVAL).await;
            if let Err(fault) = self.tokens.catch_up().await {
                debug!(%fault, "the tokens cannot be read");
            }
            // The other service may not have known an invitation that was on its way.
            for (player, blocked) in self.tokens.take_blocks() {
                self.decline_all(player, blocked).await;
            }
        }
    }

    /// Declines, for a player, all invitations by one that it blocks.
    async fn decline_all(self: &Arc<Self>, player: PlayerId, blocked: PlayerId) {
        let matches = Arc::clone(self);
        // In a separate task: a caller that goes away must not leave some of them.
        let declining = async move {
            let pending = matches.pending_of(player).await.into_iter();
            let pending = pending.filter(|id| matches.is_invited_by(*id, player, blocked));
            join_all(pending.map(|id| Arc::clone(&matches).decline(id, player))).await;
        };
        // It does not panic, and is not cancelled.
        let _ = self.tasks.spawn(declining).await;
    }

    /// The matches of a player that are not over and have an actor here. If services share the log, each of them is given one.
    async fn pending_of(self: &Arc<Self>, player: PlayerId) -> Vec<MatchId> {
        if !self.log.is_shared() {
            return self.players.matches(player);
        }
        let found = async {
            let found = self.log.catalogue().matches_of(vec![player]).await?;
            for id in &found {
                self.take_up_if_new(*id, Duty::None).await?;
            }
            Ok::<_, MatchLogError>(found)
        };
        found.await.unwrap_or_else(|error| {
            // Whoever takes one of them up declines it.
            debug!(%error, "the invitations of a player cannot be read");
            self.players.matches(player)
        })
    }

    /// The players with a reserved seat that block the creator.
    pub(super) fn refusing(&self, created: &Created) -> Vec<PlayerId> {
        let reserved = created.reserved.into_iter().flatten();
        let refuses = |player: &PlayerId| self.tokens.is_blocked(*player, created.creator);
        reserved.filter(refuses).collect()
    }

    /// Declines an invitation for a player. If it has joined, or the match is over, nothing happens.
    pub(super) async fn decline(self: Arc<Self>, id: MatchId, player: PlayerId) {
        let Some(live) = self.live_entry(id) else {
            return;
        };
        let (reply, answer) = oneshot::channel();
        let request = Box::new(Request {
            command: Command::Decline {
                player,
                reason: None,
                request_id: None,
            },
            received: self.now(),
            reply: Reply::Caller(reply),
        });
        if live.mailbox.requests.send(request).await.is_ok() {
            // Whether the match ends by this or has ended otherwise is the same here.
            let _ = answer.await;
        }
    }

    fn is_invited_by(&self, id: MatchId, player: PlayerId, inviter: PlayerId) -> bool {
        self.live(id).is_some_and(|shared| {
            let state = shared.state();
            state.created().creator == inviter && state.is_invited(player)
        })
    }
}
