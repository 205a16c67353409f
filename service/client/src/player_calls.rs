use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{Offer, PlayerId};
use dragontooth_service_wire::offer;

use crate::client::{call, call_once};
use crate::{Client, ClientError, OfferUntil, PresenceId, from_proto, to_proto};

/// Calls about other players.
impl Client {
    /// Says what the player accepts, for one without a `Play` stream, and makes it present for `ttl`, from 1 second to 1 hour. `presence`
    /// is that of the first call, to make the offer again or change it; without one, this is the first, which
    /// replaces other programs with the same token.
    ///
    /// # Errors
    ///
    /// A field of the offer or the time is refused, a newer program of the player has replaced this one
    /// ([`Reason::Superseded`](crate::Reason)), a limit is reached, or the call failed.
    pub async fn set_offer(
        &self,
        offer: &Offer,
        ttl: Duration,
        presence: Option<&PresenceId>,
    ) -> Result<OfferUntil, ClientError> {
        let message = v1::SetOfferRequest {
            offer: Some(offer::to_proto(offer)),
            ttl: Some(to_proto::duration(ttl, "ttl")?),
            presence_id: to_proto::presence_id(presence),
        };
        // The first one sent twice would be two programs.
        let request = match presence {
            Some(_) => call(message),
            None => call_once(message),
        };
        let answer = self.players.clone().set_offer(request).await?;
        Ok(from_proto::offer_until(answer.into_inner())?)
    }

    /// Withdraws what the player has said by [`set_offer`](Self::set_offer); without a `presence`, that of any of its programs.
    ///
    /// # Errors
    ///
    /// A newer program of the player has replaced this one, or the call failed.
    pub async fn withdraw_offer(&self, presence: Option<&PresenceId>) -> Result<(), ClientError> {
        let request = call(v1::SetOfferRequest {
            offer: None,
            ttl: None,
            presence_id: to_proto::presence_id(presence),
        });
        self.players.clone().set_offer(request).await?;
        Ok(())
    }

    /// Blocks a player: its invitations that wait for the player of the token are declined, and it can send no more.
    ///
    /// # Errors
    ///
    /// It is the player itself, a limit is reached, or the call failed.
    pub async fn block_player(&self, player: PlayerId) -> Result<(), ClientError> {
        let request = call(v1::BlockPlayerRequest {
            player_id: player.to_string(),
        });
        self.players.clone().block_player(request).await?;
        Ok(())
    }

    /// Removes a block, if there is one.
    ///
    /// # Errors
    ///
    /// The call failed.
    pub async fn unblock_player(&self, player: PlayerId) -> Result<(), ClientError> {
        let request = call(v1::UnblockPlayerRequest {
            player_id: player.to_string(),
        });
        self.players.clone().unblock_player(request).await?;
        Ok(())
    }

    /// Returns the blocked players, in the order of their ids.
    ///
    /// # Errors
    ///
    /// The call failed.
    pub async fn blocked_players(&self) -> Result<Vec<PlayerId>, ClientError> {
        let request = call(v1::ListBlockedPlayersRequest {});
        let answer = self.players.clone().list_blocked_players(request).await?;
        let players = answer.into_inner().player_ids.into_iter();
        let players = players.map(|player| from_proto::player_id(&player));
        Ok(players.collect::<Result<_, _>>()?)
    }
}
