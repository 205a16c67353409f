//! The limits of the service: calls beyond them are refused, and the service recovers.

mod connections;
mod counts;
mod kept_states;
mod rates;

use dragontooth_proto::v1;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::raw::Raw;
use crate::refusals::reason_of;

/// Asserts that a status is the refusal of a limit, with all details.
#[track_caller]
pub(crate) fn assert_limited(status: &Status, reason: &str, limit: &str) {
    assert_eq!(reason_of(status).as_deref(), Some(reason), "{status}");
    assert_eq!(status.code(), Code::ResourceExhausted);
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().metadata["limit"], limit);
    let violations = &details.quota_failure().unwrap().violations;
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].subject, limit);
    assert!(violations[0].description.contains(limit));
    assert!(details.retry_info().unwrap().retry_delay.is_some());
}

/// A player's use of a limit.
pub(crate) async fn quota(raw: &Raw, limit: &str) -> v1::Quota {
    let mut players = raw.players.clone();
    let asked = players.get_quotas(v1::GetQuotasRequest {}).await;
    let quotas = asked.unwrap().into_inner().quotas;
    let found = quotas.into_iter().find(|quota| quota.limit == limit);
    found.unwrap_or_else(|| panic!("there is no quota {limit}"))
}
