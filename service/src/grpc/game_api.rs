use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::game_service_server::GameService;
use dragontooth_service_vocabulary::PlayerId;
use futures::stream::{self, Empty};
use tonic::{Request, Response, Status, Streaming};

use super::admission::{caller, caller_key, viewer};
use super::backend::Backend;
use super::fault::Fault;
use super::{analysis, encoded, from_proto, play, to_proto};
use crate::limits::CallerKey;
use crate::matches::Accepted;

/// `GameService`.
pub(super) struct GameApi(pub(super) Backend);

#[tonic::async_trait]
impl GameService for GameApi {
    /// The body of an answer is a `PlayBody` instead.
    type PlayStream = Empty<Result<wire::PlayResponse, Status>>;

    async fn list_games(
        &self,
        request: Request<wire::ListGamesRequest>,
    ) -> Result<Response<wire::ListGamesResponse>, Status> {
        Ok(Response::new(analysis::list_games(request.get_ref())?))
    }

    async fn analyze_position(
        &self,
        request: Request<wire::AnalyzePositionRequest>,
    ) -> Result<Response<wire::AnalyzePositionResponse>, Status> {
        Ok(Response::new(analysis::analyze_position(
            request.get_ref(),
        )?))
    }

    async fn get_decision(
        &self,
        request: Request<wire::GetDecisionRequest>,
    ) -> Result<Response<wire::GetDecisionResponse>, Status> {
        let decision = self.decision(&request).await?;
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
        let caller = caller(&request).clone();
        let ends = self.0.stream_ends(&request);
        let matches = Arc::clone(&self.0.matches);
        let body = play::play(matches, caller, ends, request.into_inner()).await?;
        Ok(encoded::with_body(Response::new(stream::empty()), body))
    }
}

impl GameApi {
    async fn decision(
        &self,
        request: &Request<wire::GetDecisionRequest>,
    ) -> Result<wire::GetDecisionResponse, Fault> {
        let id = from_proto::match_id(&request.get_ref().match_id)?;
        let (viewer, matches) = (viewer(request), &self.0.matches);
        if let Some(player) = viewer.player() {
            matches.note_call(id, player);
        }
        let found = matches.seen(id, viewer, caller_key(request)).await?;
        Ok(wire::GetDecisionResponse {
            decision: Some(to_proto::decision(found.decision(id)?)),
        })
    }

    async fn submit(
        &self,
        player: PlayerId,
        request: wire::SubmitActionRequest,
    ) -> Result<wire::SubmitActionResponse, Fault> {
        let id = from_proto::match_id(&request.match_id)?;
        let (thinking, note) = from_proto::thinking(request.thinking);
        let command = from_proto::act(
            player,
            request.decision_id,
            request.action,
            thinking,
            &request.request_id,
        )?;
        let (sequence, action, thinking_fault) = match self.0.matches.ask(id, command).await? {
            Accepted::Acted {
                seat,
                sequence,
                action,
            } => (sequence.0, action, to_proto::thinking_fault(note, seat)),
            Accepted::Done => (0, String::new(), None),
        };
        let found = self
            .0
            .matches
            .changed(id, CallerKey::Player(player))
            .await?;
        Ok(wire::SubmitActionResponse {
            sequence,
            action,
            r#match: Some(found.with(|facts| to_proto::shown_match(&self.0.matches, facts))),
            thinking_fault,
        })
    }
}
