use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::admin_service_server::AdminService;
use dragontooth_service_domain::Command;
use dragontooth_service_domain::access::TokenState;
use dragontooth_service_vocabulary::{PlayerId, TokenId};
use dragontooth_service_wire::{timestamp, token_standing};
use futures::stream::BoxStream;
use tonic::{Request, Response, Status};

use super::admission::{caller, viewer};
use super::backend::Backend;
use super::fault::{Fault, InvalidField};
use super::page_tokens::PagedList;
use super::{backup_stream, from_proto, to_proto};
use crate::limits::CallerKey;

/// The default size of a page of tokens.
const DEFAULT_PAGE_TOKENS: usize = 100;

/// The greatest size of a page of tokens.
const MAX_PAGE_TOKENS: usize = 1000;

/// `AdminService`.
pub(super) struct AdminApi(pub(super) Backend);

#[tonic::async_trait]
impl AdminService for AdminApi {
    type BackupStream = BoxStream<'static, Result<wire::BackupResponse, Status>>;

    async fn backup(
        &self,
        request: Request<wire::BackupRequest>,
    ) -> Result<Response<Self::BackupStream>, Status> {
        let ends = self.0.stream_ends(&request);
        Ok(Response::new(backup_stream::open(&self.0.matches, ends)))
    }

    async fn abort_match(
        &self,
        request: Request<wire::AdminServiceAbortMatchRequest>,
    ) -> Result<Response<wire::AdminServiceAbortMatchResponse>, Status> {
        let operator = caller(&request).player;
        Ok(Response::new(
            self.abort(operator, request.get_ref()).await?,
        ))
    }

    async fn create_token(
        &self,
        request: Request<wire::CreateTokenRequest>,
    ) -> Result<Response<wire::CreateTokenResponse>, Status> {
        let admin = caller(&request).player;
        let new = from_proto::new_token(request.get_ref()).map_err(Fault::from)?;
        let tokens = self.0.gate.tokens();
        let issued = tokens.issue(new, Some(admin)).await.map_err(Fault::from)?;
        Ok(Response::new(wire::CreateTokenResponse {
            token: Some(self.resource(&issued.token)),
            secret: issued.secret.reveal().to_owned(),
        }))
    }

    async fn list_tokens(
        &self,
        request: Request<wire::ListTokensRequest>,
    ) -> Result<Response<wire::ListTokensResponse>, Status> {
        let list = self.0.page_tokens.tokens(viewer(&request));
        Ok(Response::new(self.list(&list, request.get_ref())?))
    }

    async fn revoke_token(
        &self,
        request: Request<wire::RevokeTokenRequest>,
    ) -> Result<Response<wire::RevokeTokenResponse>, Status> {
        let admin = caller(&request).player;
        let id = request.get_ref().token_id.parse();
        let id = id
            .map_err(|error| InvalidField::new("token_id", error))
            .map_err(Fault::from)?;
        let revoked = self.0.gate.tokens().revoke(id, Some(admin)).await;
        let revoked = revoked.map_err(Fault::from)?;
        Ok(Response::new(wire::RevokeTokenResponse {
            token: Some(self.resource(&revoked)),
        }))
    }
}

impl AdminApi {
    async fn abort(
        &self,
        operator: PlayerId,
        request: &wire::AdminServiceAbortMatchRequest,
    ) -> Result<wire::AdminServiceAbortMatchResponse, Fault> {
        let id = from_proto::match_id(&request.match_id)?;
        let reason = from_proto::end_reason(&request.reason)?;
        let command = Command::AbortAsOperator {
            operator,
            reason: reason.ok_or_else(|| InvalidField::new("reason", "it is missing"))?,
            request_id: from_proto::request_id(&request.request_id)?,
        };
        let matches = &self.0.matches;
        matches.ask(id, command).await?;
        let found = matches.changed(id, CallerKey::Player(operator)).await?;
        let shown = found.with(|facts| to_proto::shown_match(matches, facts));
        Ok(wire::AdminServiceAbortMatchResponse {
            r#match: Some(shown),
        })
    }

    fn list(
        &self,
        list: &PagedList,
        request: &wire::ListTokensRequest,
    ) -> Result<wire::ListTokensResponse, Fault> {
        let size = from_proto::page_size(request.page_size, DEFAULT_PAGE_TOKENS, MAX_PAGE_TOKENS)?;
        let after = list.place(&request.page_token)?.map(TokenId::from_bytes);
        let (tokens, more) = self.0.gate.tokens().list(after, size);
        let next = tokens.last().filter(|_| more);
        Ok(wire::ListTokensResponse {
            next_page_token: next.map_or_else(String::new, |last| list.token(&last.id().bytes())),
            tokens: tokens.iter().map(|token| self.resource(token)).collect(),
        })
    }

    fn resource(&self, token: &TokenState) -> wire::Token {
        let standing = self.0.gate.tokens().standing(token);
        wire::Token {
            id: token.id().to_string(),
            player_id: token.player.to_string(),
            name: token.name.to_string(),
            scopes: to_proto::scopes(token.scopes),
            state: token_standing::to_proto(standing),
            create_time: Some(timestamp::to_proto(token.issued)),
            expire_time: token.expires().map(timestamp::to_proto),
            revoke_time: token.revoked.map(timestamp::to_proto),
            last_use_time: token.last_used.map(timestamp::to_proto),
        }
    }
}
