use dragontooth_proto::v1;
use dragontooth_service_vocabulary::PlayerId;

use crate::client::call;
use crate::{Client, ClientError, from_proto};

/// Calls about other players.
impl Client {
    /// Blocks a player: its invitations that wait for the player of the token are declined, and it can send no more.
    ///
    /// # Errors
    ///
    /// It is the player itself, a limit is reached, or the call failed.
    pub async fn block_player(&self, player: PlayerId) -> Result<(), ClientError> {
        let request = call(v1::BlockPlayerRequest {
            player_id: player.to_string(),
        });
        let answer = self.players.clone().block_player(request).await;
        answer.map(drop).map_err(ClientError::from_status)
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
        let answer = self.players.clone().unblock_player(request).await;
        answer.map(drop).map_err(ClientError::from_status)
    }

    /// Returns the blocked players, in the order of their ids.
    ///
    /// # Errors
    ///
    /// The call failed.
    pub async fn blocked_players(&self) -> Result<Vec<PlayerId>, ClientError> {
        let request = call(v1::ListBlockedPlayersRequest {});
        let answer = self.players.clone().list_blocked_players(request).await;
        let answer = answer.map_err(ClientError::from_status)?.into_inner();
        let players = answer.player_ids.iter();
        let players = players.map(|player| from_proto::player_id(player));
        Ok(players.collect::<Result<_, _>>()?)
    }
}
