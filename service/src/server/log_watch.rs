//! The work beside the calls, until the service drains.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tonic_health::server::HealthReporter;
use tracing::{info, warn};

use crate::access::{RECORD_USES_INTERVAL, Tokens};
use crate::grpc;
use crate::log_time;
use crate::matches::Matches;
use crate::metrics;
use crate::side::{Phase, Readiness};

/// Reports the failure of the event log, and that it is away and back, until the service drains.
pub(super) async fn watch_log(matches: Arc<Matches>, readiness: Readiness, health: HealthReporter) {
    tokio::select! {
        () = matches.draining().cancelled() => {}
        () = matches.log().failed() => {
            metrics::log_failed();
            readiness.reach(Phase::LogFailed);
            grpc::not_serving(&health).await;
        }
        () = follow_log(&matches, &readiness, &health) => {}
        () = matches.follow_matches() => {}
        () = matches.exchange_sessions() => {}
        () = matches.follow_tokens() => {}
        () = matches.follow_delayed_matches() => {}
        () = log_time::follow(matches.log().event_log(), matches.clock().clone()) => {}
    }
}

/// Reports that the event log is away and that it is back, as long as it may be either.
async fn follow_log(matches: &Matches, readiness: &Readiness, health: &HealthReporter) {
    if let Some(mut available) = matches.log().availability() {
        while available.wait_for(|available| !available).await.is_ok() {
            say_away(matches);
            readiness.reach(Phase::LogAway);
            grpc::not_serving(health).await;
            if available.wait_for(|available| *available).await.is_err() {
                break;
            }
            info!("the event log is back");
            matches.log_is_back().await;
            readiness.log_is_back();
            grpc::serving(health).await;
        }
    }
    // It stays as it is.
    std::future::pending::<()>().await;
}

fn say_away(matches: &Matches) {
    let why = matches.log().event_log().health().err();
    warn!(
        error = why.as_ref().and_then(std::error::Error::source),
        "the event log is away: no clock runs, and calls that need it are refused"
    );
}

/// Records from time to time when tokens were last used.
pub(super) async fn record_uses(tokens: Arc<Tokens>, draining: CancellationToken) {
    loop {
        tokio::select! {
            () = draining.cancelled() => return,
            () = tokio::time::sleep(RECORD_USES_INTERVAL) => tokens.record_uses().await,
        }
    }
}
