use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::player_service_server::PlayerService;
use tonic::{Request, Response, Status};

use super::fault::Fault;
use crate::auth;

/// `PlayerService`.
pub(super) struct PlayerApi;

#[tonic::async_trait]
impl PlayerService for PlayerApi {
    async fn who_am_i(
        &self,
        request: Request<wire::WhoAmIRequest>,
    ) -> Result<Response<wire::WhoAmIResponse>, Status> {
        let player = auth::player(request.metadata()).map_err(Fault::from)?;
        Ok(Response::new(wire::WhoAmIResponse {
            player_id: player.to_string(),
        }))
    }
}
