use dragontooth_proto::v1;
use dragontooth_service_vocabulary::PlayerId;

use crate::client::call;
use crate::{Client, ClientError, Page, PageToken, PlayerView, from_proto, to_proto};

/// Calls about other players.
impl Client {
    /// Lists the players that are present, those that accept a game or any, in the order of their ids. A page may be
    /// empty although another follows.
    ///
    /// # Errors
    ///
    /// The game is not in the catalogue, the page is not one of this list, or the call failed.
    pub async fn list_players(
        &self,
        game: Option<&str>,
        page: Option<PageToken>,
    ) -> Result<Page<PlayerView>, ClientError> {
        let request = call(v1::ListPlayersRequest {
            page_size: 0,
            page_token: to_proto::page_token(page),
            game: game.unwrap_or_default().to_owned(),
        });
        let answer = self.players.clone().list_players(request).await;
        let answer = answer.map_err(ClientError::from_status)?.into_inner();
        Ok(Page {
            items: from_proto::present_players(answer.players)?,
            next: from_proto::page_token(answer.next_page_token),
        })
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
