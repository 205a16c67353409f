use std::net::SocketAddr;

use dragontooth_proto::v1;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use v1::admin_service_client::AdminServiceClient;
use v1::game_service_client::GameServiceClient;
use v1::match_service_client::MatchServiceClient;
use v1::player_service_client::PlayerServiceClient;

use crate::served::token;

/// The generated clients over one connection, with the same `authorization` header on every call.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) games: GameServiceClient<WithHeader>,
    pub(crate) matches: MatchServiceClient<WithHeader>,
    pub(crate) players: PlayerServiceClient<WithHeader>,
    pub(crate) admin: AdminServiceClient<WithHeader>,
}

pub(crate) type WithHeader = InterceptedService<Channel, Header>;

/// An `authorization` header, or none.
#[derive(Clone, Debug)]
pub(crate) struct Header(Option<MetadataValue<Ascii>>);

impl Raw {
    /// The player called `name`.
    pub(crate) async fn connect(address: SocketAddr, name: &str) -> Self {
        let header = format!("Bearer {}", token(name));
        Self::over(channel(address).await, Some(&header))
    }

    /// Clients with this `authorization` header.
    pub(crate) fn over(channel: Channel, authorization: Option<&str>) -> Self {
        let header = Header(authorization.map(|value| value.parse().unwrap()));
        let service = InterceptedService::new(channel, header);
        Self {
            games: GameServiceClient::new(service.clone()),
            matches: MatchServiceClient::new(service.clone()),
            players: PlayerServiceClient::new(service.clone()),
            admin: AdminServiceClient::new(service),
        }
    }

    /// Clients with this secret, over a new connection.
    pub(crate) async fn with_secret(address: SocketAddr, secret: &str) -> Self {
        Self::over(channel(address).await, Some(&format!("Bearer {secret}")))
    }

    pub(crate) async fn create_token(
        &self,
        request: v1::CreateTokenRequest,
    ) -> Result<v1::CreateTokenResponse, Status> {
        Ok(self.admin.clone().create_token(request).await?.into_inner())
    }

    pub(crate) async fn backup(&self) -> Result<tonic::Streaming<v1::BackupResponse>, Status> {
        let answer = self.admin.clone().backup(v1::BackupRequest {}).await?;
        Ok(answer.into_inner())
    }

    pub(crate) async fn revoke_token(&self, token_id: &str) -> Result<v1::Token, Status> {
        let token_id = token_id.to_owned();
        let request = v1::RevokeTokenRequest { token_id };
        let answer = self.admin.clone().revoke_token(request).await?;
        Ok(answer.into_inner().token.unwrap())
    }

    pub(crate) async fn list_tokens(
        &self,
        page_size: i32,
        page_token: &str,
    ) -> Result<v1::ListTokensResponse, Status> {
        let page_token = page_token.to_owned();
        let request = v1::ListTokensRequest {
            page_size,
            page_token,
        };
        Ok(self.admin.clone().list_tokens(request).await?.into_inner())
    }

    pub(crate) async fn who_am_i(&self) -> Result<String, Status> {
        let answer = self.players.clone().who_am_i(v1::WhoAmIRequest {}).await?;
        Ok(answer.into_inner().player_id)
    }

    pub(crate) async fn block(&self, player_id: &str) -> Result<(), Status> {
        let player_id = player_id.to_owned();
        let request = v1::BlockPlayerRequest { player_id };
        self.players.clone().block_player(request).await.map(drop)
    }

    pub(crate) async fn unblock(&self, player_id: &str) -> Result<(), Status> {
        let player_id = player_id.to_owned();
        let request = v1::UnblockPlayerRequest { player_id };
        self.players.clone().unblock_player(request).await.map(drop)
    }

    pub(crate) async fn blocked_players(&self) -> Result<Vec<String>, Status> {
        let request = v1::ListBlockedPlayersRequest {};
        let answer = self.players.clone().list_blocked_players(request).await?;
        Ok(answer.into_inner().player_ids)
    }

    pub(crate) async fn create(&self, new: v1::CreateMatchRequest) -> Result<v1::Match, Status> {
        let answer = self.matches.clone().create_match(new).await?;
        Ok(answer.into_inner().r#match.unwrap())
    }

    pub(crate) async fn rematch(
        &self,
        match_id: &str,
        request_id: &str,
    ) -> Result<v1::Match, Status> {
        let request = v1::CreateRematchRequest {
            match_id: match_id.to_owned(),
            request_id: request_id.to_owned(),
            join_timeout: None,
        };
        let answer = self.matches.clone().create_rematch(request).await?;
        Ok(answer.into_inner().r#match.unwrap())
    }

    pub(crate) async fn join(&self, match_id: &str, seat: v1::Seat) -> Result<v1::Match, Status> {
        self.join_with(match_id, seat, "").await
    }

    pub(crate) async fn join_with(
        &self,
        match_id: &str,
        seat: v1::Seat,
        seed: &str,
    ) -> Result<v1::Match, Status> {
        let request = v1::JoinMatchRequest {
            match_id: match_id.to_owned(),
            seat: seat.into(),
            name: String::new(),
            seed: seed.to_owned(),
            request_id: String::new(),
        };
        self.take_seat(request).await
    }

    pub(crate) async fn take_seat(
        &self,
        request: v1::JoinMatchRequest,
    ) -> Result<v1::Match, Status> {
        let answer = self.matches.clone().join_match(request).await?;
        Ok(answer.into_inner().r#match.unwrap())
    }

    pub(crate) async fn name_of(&self, player_id: &str) -> Result<String, Status> {
        let player_id = player_id.to_owned();
        let request = v1::GetPlayerRequest { player_id };
        let answer = self.players.clone().get_player(request).await?.into_inner();
        assert_eq!(answer.player_id.len(), 32);
        Ok(answer.name)
    }

    /// The present players that accept a game, or any, by pages of two.
    pub(crate) async fn present_players(
        &self,
        game: &str,
    ) -> Result<Vec<v1::PresentPlayer>, Status> {
        let mut found = Vec::new();
        let mut request = v1::ListPlayersRequest {
            page_size: 2,
            game: game.to_owned(),
            ..v1::ListPlayersRequest::default()
        };
        loop {
            let answer = self.players.clone().list_players(request.clone()).await?;
            let answer = answer.into_inner();
            found.extend(answer.players);
            request.page_token = answer.next_page_token;
            if request.page_token.is_empty() {
                return Ok(found);
            }
        }
    }

    pub(crate) async fn watch_players(
        &self,
        game: &str,
    ) -> Result<tonic::Streaming<v1::WatchPlayersResponse>, Status> {
        let request = v1::WatchPlayersRequest {
            game: game.to_owned(),
        };
        let answer = self.players.clone().watch_players(request).await?;
        Ok(answer.into_inner())
    }

    pub(crate) async fn watch_matches(
        &self,
        request: v1::WatchMatchesRequest,
    ) -> Result<tonic::Streaming<v1::WatchMatchesResponse>, Status> {
        let answer = self.matches.clone().watch_matches(request).await?;
        Ok(answer.into_inner())
    }

    pub(crate) async fn get(&self, match_id: &str) -> Result<v1::Match, Status> {
        let match_id = match_id.to_owned();
        let request = v1::GetMatchRequest { match_id };
        let answer = self.matches.clone().get_match(request).await?;
        Ok(answer.into_inner().r#match.unwrap())
    }

    pub(crate) async fn decision(&self, match_id: &str) -> Result<v1::Decision, Status> {
        let match_id = match_id.to_owned();
        let request = v1::GetDecisionRequest { match_id };
        let answer = self.games.clone().get_decision(request).await?;
        Ok(answer.into_inner().decision.unwrap())
    }

    pub(crate) async fn submit(
        &self,
        request: v1::SubmitActionRequest,
    ) -> Result<v1::SubmitActionResponse, Status> {
        Ok(self
            .games
            .clone()
            .submit_action(request)
            .await?
            .into_inner())
    }

    pub(crate) async fn resign(
        &self,
        match_id: &str,
        request_id: &str,
    ) -> Result<v1::Match, Status> {
        self.resign_because(match_id, request_id, "").await
    }

    pub(crate) async fn resign_because(
        &self,
        match_id: &str,
        request_id: &str,
        failure: &str,
    ) -> Result<v1::Match, Status> {
        let request = v1::ResignMatchRequest {
            match_id: match_id.to_owned(),
            request_id: request_id.to_owned(),
            reason: failure.to_owned(),
        };
        let answer = self.matches.clone().resign_match(request).await?;
        Ok(answer.into_inner().r#match.unwrap())
    }

    pub(crate) async fn abort(
        &self,
        match_id: &str,
        request_id: &str,
    ) -> Result<v1::Match, Status> {
        let request = v1::AbortMatchRequest {
            match_id: match_id.to_owned(),
            request_id: request_id.to_owned(),
        };
        let answer = self.matches.clone().abort_match(request).await?;
        Ok(answer.into_inner().r#match.unwrap())
    }

    pub(crate) async fn decline(
        &self,
        match_id: &str,
        reason: &str,
        request_id: &str,
    ) -> Result<v1::Match, Status> {
        let request = v1::DeclineInvitationRequest {
            match_id: match_id.to_owned(),
            reason: reason.to_owned(),
            request_id: request_id.to_owned(),
        };
        let answer = self.matches.clone().decline_invitation(request).await?;
        Ok(answer.into_inner().r#match.unwrap())
    }

    pub(crate) async fn abort_as_operator(
        &self,
        match_id: &str,
        reason: &str,
        request_id: &str,
    ) -> Result<v1::Match, Status> {
        let request = v1::AdminServiceAbortMatchRequest {
            match_id: match_id.to_owned(),
            reason: reason.to_owned(),
            request_id: request_id.to_owned(),
        };
        let answer = self.admin.clone().abort_match(request).await?;
        Ok(answer.into_inner().r#match.unwrap())
    }

    pub(crate) async fn export(&self, match_id: &str) -> Result<v1::ExportMatchResponse, Status> {
        self.export_as(match_id, "").await
    }

    pub(crate) async fn verify(&self, match_id: &str) -> Result<v1::VerifyMatchResponse, Status> {
        let request = v1::VerifyMatchRequest {
            match_id: match_id.to_owned(),
        };
        let answer = self.matches.clone().verify_match(request).await?;
        Ok(answer.into_inner())
    }

    pub(crate) async fn export_as(
        &self,
        match_id: &str,
        format: &str,
    ) -> Result<v1::ExportMatchResponse, Status> {
        let request = v1::ExportMatchRequest {
            match_id: match_id.to_owned(),
            format: format.to_owned(),
            raw_records: false,
        };
        Ok(self
            .matches
            .clone()
            .export_match(request)
            .await?
            .into_inner())
    }

    /// The record of a match with the stored bytes of its events.
    pub(crate) async fn export_raw(
        &self,
        match_id: &str,
    ) -> Result<v1::ExportMatchResponse, Status> {
        let request = v1::ExportMatchRequest {
            match_id: match_id.to_owned(),
            format: String::new(),
            raw_records: true,
        };
        let answer = self.matches.clone().export_match(request).await?;
        Ok(answer.into_inner())
    }

    pub(crate) async fn analyze_position(
        &self,
        request: v1::AnalyzePositionRequest,
    ) -> Result<v1::AnalyzePositionResponse, Status> {
        Ok(self
            .games
            .clone()
            .analyze_position(request)
            .await?
            .into_inner())
    }

    pub(crate) async fn watch(
        &self,
        match_id: &str,
        after_sequence: u64,
    ) -> Result<tonic::Streaming<v1::WatchMatchResponse>, Status> {
        let request = v1::WatchMatchRequest {
            match_id: match_id.to_owned(),
            after_sequence,
        };
        Ok(self
            .matches
            .clone()
            .watch_match(request)
            .await?
            .into_inner())
    }
}

impl Interceptor for Header {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request
                .metadata_mut()
                .insert("authorization", value.clone());
        }
        Ok(request)
    }
}

/// A connection to a service.
pub(crate) async fn channel(address: SocketAddr) -> Channel {
    endpoint(address).connect().await.unwrap()
}

pub(crate) fn endpoint(address: SocketAddr) -> Endpoint {
    Endpoint::from_shared(format!("http://{address}")).unwrap()
}
