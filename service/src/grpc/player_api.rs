use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::player_service_server::PlayerService;
use tonic::{Request, Response, Status};

use super::fault::Fault;
use super::{admission, to_proto};
use crate::auth;
use crate::limits::Budget;
use crate::matches::Matches;

/// `PlayerService`.
pub(super) struct PlayerApi(pub(super) Arc<Matches>);

#[tonic::async_trait]
impl PlayerService for PlayerApi {
    async fn who_am_i(
        &self,
        request: Request<wire::WhoAmIRequest>,
    ) -> Result<Response<wire::WhoAmIResponse>, Status> {
        let player = auth::player(request.metadata()).map_err(Fault::from)?;
        admission::call(&self.0, &request)?;
        Ok(Response::new(wire::WhoAmIResponse {
            player_id: player.to_string(),
        }))
    }

    async fn get_budgets(
        &self,
        request: Request<wire::GetBudgetsRequest>,
    ) -> Result<Response<wire::GetBudgetsResponse>, Status> {
        let player = auth::player(request.metadata()).map_err(Fault::from)?;
        admission::call(&self.0, &request)?;
        let budgets = self.0.guard().budgets(player, self.0.now());
        Ok(Response::new(wire::GetBudgetsResponse {
            budgets: budgets.iter().map(budget).collect(),
        }))
    }
}

fn budget(budget: &Budget) -> wire::Budget {
    let allowed = budget.allowed.unwrap_or(0);
    wire::Budget {
        limit: budget.limit.to_string(),
        unlimited: budget.allowed.is_none(),
        allowed,
        available: allowed.saturating_sub(budget.used),
        per_second: budget.per_second,
        full_in: budget.full_in.map(to_proto::duration),
    }
}
