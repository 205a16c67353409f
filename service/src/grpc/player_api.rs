use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::player_service_server::PlayerService;
use dragontooth_service_wire::{duration, timestamp};
use tonic::{Request, Response, Status};

use super::admission::caller;
use super::backend::Backend;
use super::fault::Fault;
use super::{from_proto, to_proto};
use crate::limits::Quota;

/// `PlayerService`.
pub(super) struct PlayerApi(pub(super) Backend);

#[tonic::async_trait]
impl PlayerService for PlayerApi {
    async fn who_am_i(
        &self,
        request: Request<wire::WhoAmIRequest>,
    ) -> Result<Response<wire::WhoAmIResponse>, Status> {
        let caller = caller(&request);
        Ok(Response::new(wire::WhoAmIResponse {
            player_id: caller.player.to_string(),
            name: caller
                .name
                .as_ref()
                .map_or_else(String::new, ToString::to_string),
            scopes: to_proto::scopes(caller.scopes),
            expire_time: caller.expires.map(timestamp::to_proto),
            token_id: caller
                .token
                .map_or_else(String::new, |token| token.to_string()),
        }))
    }

    async fn get_quotas(
        &self,
        request: Request<wire::GetQuotasRequest>,
    ) -> Result<Response<wire::GetQuotasResponse>, Status> {
        let player = caller(&request).player;
        let matches = &self.0.matches;
        let quotas = matches.quotas(player).await.map_err(Fault::from)?;
        Ok(Response::new(wire::GetQuotasResponse {
            quotas: quotas.iter().map(quota).collect(),
        }))
    }

    async fn get_player(
        &self,
        request: Request<wire::GetPlayerRequest>,
    ) -> Result<Response<wire::GetPlayerResponse>, Status> {
        let player = from_proto::player_id(&request.get_ref().player_id).map_err(Fault::from)?;
        let name = self.0.gate.tokens().name_of(player);
        let name = name.ok_or(Fault::PlayerNotFound(player))?;
        Ok(Response::new(wire::GetPlayerResponse {
            player_id: player.to_string(),
            name: name.to_string(),
        }))
    }

    async fn block_player(
        &self,
        request: Request<wire::BlockPlayerRequest>,
    ) -> Result<Response<wire::BlockPlayerResponse>, Status> {
        let player = caller(&request).player;
        let blocked = from_proto::player_id(&request.get_ref().player_id).map_err(Fault::from)?;
        let matches = &self.0.matches;
        matches.block(player, blocked).await.map_err(Fault::from)?;
        Ok(Response::new(wire::BlockPlayerResponse {}))
    }

    async fn unblock_player(
        &self,
        request: Request<wire::UnblockPlayerRequest>,
    ) -> Result<Response<wire::UnblockPlayerResponse>, Status> {
        let player = caller(&request).player;
        let blocked = from_proto::player_id(&request.get_ref().player_id).map_err(Fault::from)?;
        let tokens = self.0.gate.tokens();
        tokens.unblock(player, blocked).await.map_err(Fault::from)?;
        Ok(Response::new(wire::UnblockPlayerResponse {}))
    }

    async fn list_blocked_players(
        &self,
        request: Request<wire::ListBlockedPlayersRequest>,
    ) -> Result<Response<wire::ListBlockedPlayersResponse>, Status> {
        let blocked = self.0.gate.tokens().blocked_by(caller(&request).player);
        Ok(Response::new(wire::ListBlockedPlayersResponse {
            player_ids: blocked.iter().map(ToString::to_string).collect(),
        }))
    }
}

fn quota(quota: &Quota) -> wire::Quota {
    let allowed = quota.allowed.unwrap_or(0);
    wire::Quota {
        limit: quota.limit.to_string(),
        unlimited: quota.allowed.is_none(),
        allowed,
        available: allowed.saturating_sub(quota.used),
        per_second: quota.per_second,
        reset_in: quota.reset_in.map(duration::to_proto),
    }
}
