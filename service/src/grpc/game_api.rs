use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::game_service_server::GameService;
use dragontooth_service_domain::Rejection;
use dragontooth_service_vocabulary::PlayerId;
use futures::stream::BoxStream;
use tonic::{Request, Response, Status, Streaming};

use super::admission::{caller, viewer};
use super::backend::Backend;
use super::fault::Fault;
use super::{analysis, from_proto, play, to_proto};
use crate::access::Viewer;
use crate::matches::{Accepted, DecisionView};

/// `GameService`.
pub(super) struct GameApi(pub(super) Backend);

#[tonic::async_trait]
impl GameService for GameApi {
    type PlayStream = BoxStream<'static, Result<wire::PlayResponse, Status>>;

    async fn list_games(
        &self,
        request: Request<wire::ListGamesRequest>,
    ) -> Result<Response<wire::ListGamesResponse>, Status> {
        Ok(Response::new(analysis::list_games(request.get_ref())?))
    }

    async fn analyse(
        &self,
        request: Request<wire::AnalyseRequest>,
    ) -> Result<Response<wire::AnalyseResponse>, Status> {
        Ok(Response::new(analysis::analyse(request.get_ref())?))
    }

    async fn get_decision(
        &self,
        request: Request<wire::GetDecisionRequest>,
    ) -> Result<Response<wire::GetDecisionResponse>, Status> {
        let decision = self.decision(viewer(&request), request.get_ref())?;
        Ok(Response::new(decision))
    }

    async fn submit_action(
        &self,
        request: Request<wire::SubmitActionRequest>,
    ) -> Result<Response<wire::SubmitActionResponse>, Status> {
        let player = caller(&request).player;
        Ok(Response::new(
            self.submit(player, request.into_inner()).await?,
        ))
    }

    async fn play(
        &self,
        request: Request<Streaming<wire::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let player = caller(&request).player;
        let ends = self.0.stream_ends(&request);
        let matches = Arc::clone(&self.0.matches);
        let stream = play::play(matches, player, ends, request.into_inner()).await?;
        Ok(Response::new(stream))
    }
}

impl GameApi {
    fn decision(
        &self,
        viewer: &Viewer,
        request: &wire::GetDecisionRequest,
    ) -> Result<wire::GetDecisionResponse, Fault> {
        let id = from_proto::match_id(&request.match_id)?;
        if let Some(player) = viewer.player() {
            self.0.matches.note_call(id, player);
        }
        let view = self.0.matches.seen(id, viewer)?.with(|state| {
            DecisionView::of(id, state, true).ok_or_else(|| match state.result() {
                Some(_) => Rejection::Ended,
                None => Rejection::NotStarted,
            })
        })?;
        Ok(wire::GetDecisionResponse {
            decision: Some(to_proto::decision(view)),
        })
    }

    async fn submit(
        &self,
        player: PlayerId,
        request: wire::SubmitActionRequest,
    ) -> Result<wire::SubmitActionResponse, Fault> {
        let id = from_proto::match_id(&request.match_id)?;
        let command = from_proto::act(
            player,
            request.decision_id,
            request.action,
            &request.request_id,
        )?;
        let (sequence, action) = match self.0.matches.ask(id, command).await? {
            Accepted::Acted { sequence, action } => (sequence.0, action),
            Accepted::Done => (0, String::new()),
        };
        let found = self.0.matches.find(id)?;
        let resource = found
            .with(|state| to_proto::match_resource(id, state, self.0.matches.reveals_seed(state)));
        Ok(wire::SubmitActionResponse {
            sequence,
            action,
            r#match: Some(resource),
        })
    }
}
