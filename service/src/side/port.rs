use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tracing::{info, warn};

use super::{Phase, Readiness, machine};
use crate::metrics;

/// Interval at which measured values are aggregated if none are requested, which bounds their memory.
const GATHER_INTERVAL: Duration = Duration::from_secs(5);

/// The form of Prometheus' text.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The answer to a request for another path.
const PATHS: &str = "there is /livez, /readyz and /metrics\n";

/// The side port, open until it is dropped.
#[derive(Debug)]
pub(crate) struct SidePort {
    address: SocketAddr,
    tasks: [JoinHandle<()>; 2],
}

impl SidePort {
    /// Opens the port of a service whose event log is in the folder `data`, if it is in one.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on.
    pub(crate) async fn open(
        address: SocketAddr,
        readiness: Readiness,
        data: Option<PathBuf>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let measured = readiness.clone();
        let ready = move || async move { answer_readiness(readiness.phase()) };
        let measure = move || answer_metrics(measured.phase(), data.clone());
        let router = Router::new()
            .route("/livez", get(|| async { "alive\n" }))
            .route("/readyz", get(ready))
            .route("/metrics", get(measure))
            .fallback(async || (StatusCode::NOT_FOUND, PATHS));
        info!(%address, "side port open");
        Ok(Self {
            address,
            tasks: [
                tokio::spawn(serve(listener, router)),
                tokio::spawn(gather()),
            ],
        })
    }

    /// The address it listens on.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for SidePort {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

async fn serve(listener: TcpListener, router: Router) {
    if let Err(error) = axum::serve(listener, router).await {
        warn!(%error, "the side port is closed");
    }
}

async fn gather() {
    let mut interval = tokio::time::interval(GATHER_INTERVAL);
    loop {
        interval.tick().await;
        metrics::gather();
    }
}

fn answer_readiness(phase: Phase) -> Response {
    let status = match phase {
        Phase::Ready => StatusCode::OK,
        Phase::Recovering | Phase::LogAway | Phase::LogFailed | Phase::Draining => {
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    (status, format!("{phase}\n")).into_response()
}

async fn answer_metrics(phase: Phase, data: Option<PathBuf>) -> Response {
    // On a separate thread: a disk that does not answer must not block other requests.
    let measured = tokio::task::spawn_blocking(move || machine::measure(phase, data.as_deref()));
    if let Err(error) = measured.await {
        warn!(%error, "the machine could not be measured");
    }
    match metrics::render() {
        Some(text) => ([(CONTENT_TYPE, METRICS_TYPE)], text).into_response(),
        // A service within another program leaves its metrics to that one.
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::healthcheck;
    use super::*;

    #[tokio::test]
    async fn the_port_says_how_far_the_service_is() {
        let readiness = Readiness::new();
        let address = "127.0.0.1:0".parse().unwrap();
        let port = SidePort::open(address, readiness.clone(), None)
            .await
            .unwrap();
        let address = port.address();
        let ask = async |path: &'static str| {
            let asked = tokio::task::spawn_blocking(move || healthcheck(address, path));
            asked.await.unwrap().map_err(|error| error.to_string())
        };
        let not_ready = |why: &str| Err(format!("the service is not ready: {why}"));
        assert_eq!(ask("/readyz").await, not_ready("recovering"));
        assert_eq!(ask("/livez").await, Ok(()));
        readiness.reach(Phase::Ready);
        assert_eq!(ask("/readyz").await, Ok(()));
        readiness.reach(Phase::LogFailed);
        assert_eq!(ask("/readyz").await, not_ready("log failed"));
        readiness.reach(Phase::Draining);
        assert_eq!(ask("/readyz").await, not_ready("draining"));
        assert_eq!(ask("/livez").await, Ok(()));
        let other = ask("/other").await.unwrap_err();
        assert!(other.contains("not a side port"), "{other}");
        drop(port);
    }
}
