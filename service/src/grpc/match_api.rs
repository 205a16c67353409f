use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::match_service_server::MatchService;
use dragontooth_service_domain::Command;
use dragontooth_service_store::StoredMatch;
use dragontooth_service_vocabulary::{MatchId, PlayerId};
use dragontooth_service_wire::absences;
use futures::stream::BoxStream;
use tonic::{Request, Response, Status};

use super::admission::{caller, viewer};
use super::backend::Backend;
use super::fault::Fault;
use super::{from_proto, record, to_proto, watch};
use crate::access::Viewer;
use crate::matches::{FoundMatch, Matches};

/// The default size of a page of matches.
const DEFAULT_PAGE_MATCHES: usize = 50;

/// The greatest size of a page of matches.
const MAX_PAGE_MATCHES: usize = 500;

/// `MatchService`.
pub(super) struct MatchApi(pub(super) Backend);

#[tonic::async_trait]
impl MatchService for MatchApi {
    type WatchMatchStream = BoxStream<'static, Result<wire::WatchMatchResponse, Status>>;

    async fn create_match(
        &self,
        request: Request<wire::CreateMatchRequest>,
    ) -> Result<Response<wire::CreateMatchResponse>, Status> {
        let creator = caller(&request).player;
        let new = from_proto::new_match(request.into_inner()).map_err(Fault::from)?;
        let id = self
            .0
            .matches
            .create(new, creator)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(wire::CreateMatchResponse {
            r#match: Some(self.resource(id)?),
        }))
    }

    async fn join_match(
        &self,
        request: Request<wire::JoinMatchRequest>,
    ) -> Result<Response<wire::JoinMatchResponse>, Status> {
        let player = caller(&request).player;
        Ok(Response::new(self.join(player, request.get_ref()).await?))
    }

    async fn get_match(
        &self,
        request: Request<wire::GetMatchRequest>,
    ) -> Result<Response<wire::GetMatchResponse>, Status> {
        let viewer = viewer(&request);
        let id = from_proto::match_id(&request.get_ref().match_id).map_err(Fault::from)?;
        Ok(Response::new(wire::GetMatchResponse {
            r#match: Some(resource(
                &self.0.matches,
                id,
                &self.0.matches.seen(id, viewer).map_err(Fault::from)?,
            )),
        }))
    }

    async fn list_matches(
        &self,
        request: Request<wire::ListMatchesRequest>,
    ) -> Result<Response<wire::ListMatchesResponse>, Status> {
        let viewer = viewer(&request).clone();
        Ok(Response::new(self.list(&viewer, request.into_inner())?))
    }

    async fn watch_match(
        &self,
        request: Request<wire::WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        let id = from_proto::match_id(&request.get_ref().match_id).map_err(Fault::from)?;
        let ends = self.0.stream_ends(&request);
        let matches = Arc::clone(&self.0.matches);
        let after = request.get_ref().after_sequence;
        let stream = watch::watch(matches, ends, id, viewer(&request), after)?;
        Ok(Response::new(stream))
    }

    async fn resign_match(
        &self,
        request: Request<wire::ResignMatchRequest>,
    ) -> Result<Response<wire::ResignMatchResponse>, Status> {
        let player = caller(&request).player;
        let request = request.get_ref();
        let request_id = from_proto::request_id(&request.request_id).map_err(Fault::from)?;
        let command = Command::Resign {
            player,
            failure: from_proto::failure(&request.failure).map_err(Fault::from)?,
            request_id,
        };
        let resource = self.ask(&request.match_id, command).await?;
        Ok(Response::new(wire::ResignMatchResponse {
            r#match: Some(resource),
        }))
    }

    async fn abort_match(
        &self,
        request: Request<wire::AbortMatchRequest>,
    ) -> Result<Response<wire::AbortMatchResponse>, Status> {
        let player = caller(&request).player;
        let request = request.get_ref();
        let request_id = from_proto::request_id(&request.request_id).map_err(Fault::from)?;
        let command = Command::Abort { player, request_id };
        let resource = self.ask(&request.match_id, command).await?;
        Ok(Response::new(wire::AbortMatchResponse {
            r#match: Some(resource),
        }))
    }

    async fn decline_invitation(
        &self,
        request: Request<wire::DeclineInvitationRequest>,
    ) -> Result<Response<wire::DeclineInvitationResponse>, Status> {
        let player = caller(&request).player;
        let request = request.get_ref();
        let command = from_proto::decline(player, &request.reason, &request.request_id);
        let resource = self
            .ask(&request.match_id, command.map_err(Fault::from)?)
            .await?;
        Ok(Response::new(wire::DeclineInvitationResponse {
            r#match: Some(resource),
        }))
    }

    async fn export_match(
        &self,
        request: Request<wire::ExportMatchRequest>,
    ) -> Result<Response<wire::ExportMatchResponse>, Status> {
        let viewer = viewer(&request);
        let request = request.get_ref();
        let id = from_proto::match_id(&request.match_id).map_err(Fault::from)?;
        Ok(Response::new(record::export(
            &self.0.matches,
            viewer,
            id,
            request,
        )?))
    }

    async fn verify_match(
        &self,
        request: Request<wire::VerifyMatchRequest>,
    ) -> Result<Response<wire::VerifyMatchResponse>, Status> {
        let id = from_proto::match_id(&request.get_ref().match_id).map_err(Fault::from)?;
        let verified = record::verify(&self.0.matches, viewer(&request), id)?;
        Ok(Response::new(verified))
    }
}

impl MatchApi {
    /// The match, as those concerned see it.
    fn resource(&self, id: MatchId) -> Result<wire::Match, Fault> {
        Ok(resource(&self.0.matches, id, &self.0.matches.find(id)?))
    }

    async fn ask(&self, match_id: &str, command: Command) -> Result<wire::Match, Fault> {
        let id = from_proto::match_id(match_id)?;
        self.0.matches.ask(id, command).await?;
        self.resource(id)
    }

    async fn join(
        &self,
        player: PlayerId,
        request: &wire::JoinMatchRequest,
    ) -> Result<wire::JoinMatchResponse, Fault> {
        let id = from_proto::match_id(&request.match_id)?;
        let seat = from_proto::seat_or_any("seat", request.seat)?;
        let name = from_proto::player_name(&request.name)?;
        let join = Command::Join {
            player,
            seat,
            name,
            seed: from_proto::seed(&request.seed)?,
            request_id: from_proto::request_id(&request.request_id)?,
        };
        self.0.matches.ask(id, join).await?;
        let matches = &self.0.matches;
        Ok(matches.find(id)?.with(|state| wire::JoinMatchResponse {
            r#match: Some(to_proto::match_resource(
                id,
                state,
                matches.reveals_seed(state),
            )),
            seat: to_proto::seat(state.seat_of(player)),
        }))
    }

    fn list(
        &self,
        viewer: &Viewer,
        request: wire::ListMatchesRequest,
    ) -> Result<wire::ListMatchesResponse, Fault> {
        let size =
            from_proto::page_size(request.page_size, DEFAULT_PAGE_MATCHES, MAX_PAGE_MATCHES)?;
        let before = from_proto::page_token(&request.page_token)?;
        let filter = from_proto::filter(request)?;
        let page = self.0.matches.list(viewer, &filter, before, size)?;
        let matches = page.matches.iter();
        let matches = matches.map(|(id, found)| resource(&self.0.matches, *id, found));
        Ok(wire::ListMatchesResponse {
            matches: matches.collect(),
            next_page_token: page.next.map_or_else(String::new, |id| id.to_string()),
        })
    }
}

fn resource(matches: &Matches, id: MatchId, found: &FoundMatch) -> wire::Match {
    let shown =
        |state: &StoredMatch| to_proto::match_resource(id, state, matches.reveals_seed(state));
    let mut resource = found.with(shown);
    resource.absences = absences::to_proto(found.forfeits());
    resource
}
