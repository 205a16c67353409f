use dragontooth_runner_tournament::Name;
use dragontooth_service_client::{
    Client, ClientError, Closing, PlayEvent, PlayOptions, PlaySession, PlayerView,
};
use dragontooth_service_vocabulary::{AcceptedGame, CloseReason, EndReason, Offer, PlayerId};

use super::arena_build::arena_build;
use super::arena_claimed::ArenaClaimed;
use super::arena_presence::Presence;
use super::outage::Outage;

/// The arena's own presence on the service. It is one player, and of a player there is one stream at a time, the
/// newest: so there is one arena for each token, on whatever machine.
pub(super) struct ArenaClaim<'a> {
    pub(super) client: &'a Client,
    pub(super) outage: &'a Outage,
    pub(super) player: PlayerId,
    pub(super) name: &'a Name,
    /// Its matches, as its offer shows them to players.
    pub(super) terms: AcceptedGame,
    /// The id of the run directory, by which a process that died is known from another arena.
    pub(super) id: &'a str,
}

/// The reason why a claim was lost.
#[derive(Debug)]
pub(super) enum ClaimLost {
    Claimed(ArenaClaimed),
    Client(ClientError),
}

impl From<ClientError> for ClaimLost {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl ArenaClaim<'_> {
    /// Opens the stream, unless another process has one. A predecessor in the same run directory does not count: the
    /// lock on the directory says that it is dead.
    pub(super) async fn open(&self) -> Result<PlaySession, ClaimLost> {
        let mut presence = Presence::new(self.client, self.outage);
        let present = presence.change().await?;
        let build = arena_build(self.id, self.name);
        let is_other = |one: &&PlayerView| {
            let theirs = one.offer.as_ref().map(|offer| &offer.build);
            theirs != Some(&build)
        };
        if let Some(other) = present.get(&self.player).filter(is_other) {
            let build = other.offer.as_ref().map(|offer| offer.build.to_string());
            let word = build.filter(|build| !build.is_empty());
            let word = word.unwrap_or_else(|| "a player that does not name its build".to_owned());
            return Err(ClaimLost::Claimed(ArenaClaimed::Before(word)));
        }
        let options = PlayOptions {
            omit_legal_actions: true,
            offer: Some(Offer {
                games: vec![self.terms.clone()],
                matches_at_once: None,
                build,
            }),
        };
        let play = || self.client.play(options.clone());
        Ok(self.outage.retry(self.client, play).await?)
    }

    /// Holds the stream, and opens it again when the connection is lost. Returns when another process has taken it.
    pub(super) async fn hold(&self, mut session: PlaySession) -> ClaimLost {
        loop {
            match session.receiver.next().await {
                Some(Ok(PlayEvent::Closing(Closing::Reason(CloseReason::Superseded)))) => {
                    return ClaimLost::Claimed(ArenaClaimed::Later);
                }
                // It declines its own by other means: they tell players something.
                Some(Ok(PlayEvent::Invitation(invitation)))
                    if invitation.view.creator != Some(self.player) =>
                {
                    let reason = EndReason::new("an arena does not play").ok();
                    // If the stream has ended, the next message says so.
                    let declined =
                        session
                            .sender
                            .decline_invitation(invitation.view.id, reason, None);
                    let _ = declined.await;
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => match self.open().await {
                    Ok(opened) => session = opened,
                    Err(lost) => return lost,
                },
            }
        }
    }
}
