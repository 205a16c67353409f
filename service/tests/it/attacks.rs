//! Attacks on the service by clients that break the customs of gRPC, beside clients that keep them.

mod attack;
mod attacker;
mod bodies;
mod connections;
mod entrance;
mod frames;
mod memory;
mod page;
mod questions;
mod resets;

pub(crate) use entrance::Entrance;

use std::path::Path;

use dragontooth_service::OfflineTokens;
use dragontooth_service_vocabulary::Scope;
use tonic::Status;
use tonic_types::StatusExt;

use crate::refusals::reason_of;
use crate::served::issue_offline;

/// Issues a token with the scope `play` in the folder of a service that does not run yet.
async fn issue(folder: &Path) -> String {
    let offline = OfflineTokens::open(folder).await.unwrap();
    issue_offline(offline, "an honest bot", Scope::Play).await
}

/// The limit that a refusal names.
#[track_caller]
fn limit_in(status: &Status) -> String {
    let reason = reason_of(status);
    let is_limit = ["LIMIT_REACHED", "RATE_LIMITED"].map(str::to_owned);
    assert!(
        reason.is_some_and(|reason| is_limit.contains(&reason)),
        "{status}"
    );
    let details = status.get_error_details();
    details.error_info().unwrap().metadata["limit"].clone()
}
