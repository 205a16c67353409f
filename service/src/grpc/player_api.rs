use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::player_service_server::PlayerService;
use dragontooth_service_vocabulary::PlayerId;
use dragontooth_service_wire::{duration, timestamp};
use futures::stream::BoxStream;
use tonic::{Request, Response, Status};

use super::admission::{caller, caller_key, viewer};
use super::backend::Backend;
use super::fault::Fault;
use super::{call_cost, from_proto, to_proto, watch_players};
use crate::limits::Quota;

/// The players on a page by default, and at most.
const DEFAULT_PAGE: usize = 100;
const MAX_PAGE: usize = 1000;

/// `PlayerService`.
pub(super) struct PlayerApi(pub(super) Backend);

#[tonic::async_trait]
impl PlayerService for PlayerApi {
    type WatchPlayersStream = BoxStream<'static, Result<wire::WatchPlayersResponse, Status>>;

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

    async fn set_offer(
        &self,
        request: Request<wire::SetOfferRequest>,
    ) -> Result<Response<wire::SetOfferResponse>, Status> {
        let player = caller(&request).player;
        let request = request.into_inner();
        let matches = &self.0.matches;
        let since = from_proto::presence_id(&request.presence_id, matches.now());
        let since = since.map_err(Fault::from)?;
        let Some(offer) = request.offer else {
            let withdrawn = matches.withdraw_offer(player, since);
            withdrawn.map_err(Fault::from)?;
            return Ok(Response::new(wire::SetOfferResponse::default()));
        };
        let offer = from_proto::offer(offer).map_err(Fault::from)?;
        let ttl = from_proto::offer_ttl(request.ttl).map_err(Fault::from)?;
        let set = matches.set_offer(player, since, offer, ttl);
        let period = set.map_err(Fault::from)?;
        Ok(Response::new(wire::SetOfferResponse {
            presence_id: to_proto::presence_id(period.since),
            expire_time: Some(timestamp::to_proto(period.expires)),
        }))
    }

    async fn list_players(
        &self,
        request: Request<wire::ListPlayersRequest>,
    ) -> Result<Response<wire::ListPlayersResponse>, Status> {
        let (viewer, key) = (viewer(&request).clone(), caller_key(&request));
        let request = request.into_inner();
        let size = from_proto::page_size(request.page_size, DEFAULT_PAGE, MAX_PAGE);
        let size = size.map_err(Fault::from)?;
        let game = from_proto::filtered_game(&request.game).map_err(Fault::from)?;
        let game = game.map(|game| game.name);
        let pages = self.0.page_tokens.players(&viewer, game);
        let last = pages.place(&request.page_token).map_err(Fault::from)?;
        let last = last.map(PlayerId::from_bytes);
        self.0.charge(key, call_cost::of_page(size))?;
        let page = self.0.matches.present_players(game, last, size);
        let matches = &self.0.matches;
        let players = page.players.iter();
        let players = players.map(|present| to_proto::present_player(matches, present));
        Ok(Response::new(wire::ListPlayersResponse {
            players: players.collect(),
            next_page_token: (page.next)
                .map_or_else(String::new, |last| pages.token(&last.bytes())),
        }))
    }

    async fn watch_players(
        &self,
        request: Request<wire::WatchPlayersRequest>,
    ) -> Result<Response<Self::WatchPlayersStream>, Status> {
        let game = from_proto::filtered_game(&request.get_ref().game).map_err(Fault::from)?;
        let ends = self.0.stream_ends(&request);
        let matches = Arc::clone(&self.0.matches);
        let (reader, players) = matches.read_players(game.map(|game| game.name));
        self.0
            .charge(caller_key(&request), call_cost::of_page(players))?;
        let watched = watch_players::watch_players(matches, ends, reader);
        Ok(Response::new(watched))
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
