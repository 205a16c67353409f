use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use dragontooth_runner_report::{LIVE_ICON, LIVE_SCRIPT, LIVE_STYLE, RunPhase};
use dragontooth_service_vocabulary::HostNames;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::EventPage;
use crate::connection::Door;
use crate::shared::Shared;
use crate::spectator::events;

/// The most spectators at once, each with a stream of events. Others see the page as it was when they loaded it, and
/// their browsers try again.
pub const MAX_SPECTATORS: usize = 200;

/// Nothing is loaded from anywhere else, and no other page may frame this one.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Time for a painting that the page waits for.
const PAINTING: Duration = Duration::from_secs(2);

/// Time for the connections to end after the run.
const FAREWELL: Duration = Duration::from_secs(2);

/// The address of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebAddress(SocketAddr);

/// Other machines could reach the page without TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} can be reached by other machines, and without TLS anyone on the network path can change what spectators see: listen on \
     the loopback behind a proxy with TLS, or set --web-insecure-no-tls if something else protects the connections"
)]
pub struct UnsafeAddress(SocketAddr);

impl WebAddress {
    /// An address of this machine alone, or any if `insecure_no_tls` says that this is intended.
    ///
    /// # Errors
    ///
    /// Other machines can reach it, and nothing says that this is intended.
    pub fn new(address: SocketAddr, insecure_no_tls: bool) -> Result<Self, UnsafeAddress> {
        if address.ip().to_canonical().is_loopback() || insecure_no_tls {
            Ok(Self(address))
        } else {
            Err(UnsafeAddress(address))
        }
    }
}

/// The port on which the page is served.
#[derive(Debug)]
pub struct PagePort {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<io::Result<()>>,
}

impl PagePort {
    /// Serves the page on an address, to browsers that reach it by an IP address, as `localhost` or by one of `names`.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on.
    pub async fn open(address: WebAddress, names: HostNames, page: &EventPage) -> io::Result<Self> {
        let listener = TcpListener::bind(address.0).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serving =
            axum::serve(Door::new(listener), router(page, names)).with_graceful_shutdown(async {
                // The port that is dropped ends, too.
                let _ = stopped.await;
            });
        Ok(Self {
            address,
            stop,
            serving: tokio::spawn(serving.into_future()),
        })
    }

    /// The address it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops listening, and lets the connections end, for 2 seconds at most. The run must have ended.
    pub async fn close(mut self) {
        let _ = self.stop.send(());
        if timeout(FAREWELL, &mut self.serving).await.is_err() {
            self.serving.abort();
        }
    }
}

/// The part of the page that a request needs.
#[derive(Clone)]
struct Served {
    shared: Arc<Shared>,
    places: Arc<Semaphore>,
}

fn router(page: &EventPage, names: HostNames) -> Router {
    let served = Served {
        shared: page.shared(),
        places: Arc::new(Semaphore::new(MAX_SPECTATORS)),
    };
    let style = LIVE_STYLE.concat();
    Router::new()
        .route("/", get(whole_page))
        .route("/events", get(stream))
        .route(
            "/page.css",
            get(async move || typed("text/css; charset=utf-8", style)),
        )
        .route(
            "/page.js",
            get(async || typed("text/javascript; charset=utf-8", LIVE_SCRIPT)),
        )
        .route("/icon.svg", get(async || typed("image/svg+xml", LIVE_ICON)))
        .fallback(async || (StatusCode::NOT_FOUND, "the page of the event is at /\n"))
        .layer(from_fn_with_state(Arc::new(names), refuse_other_site))
        .layer(map_response(protected))
        .with_state(served)
}

fn typed(kind: &'static str, body: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, kind)], body).into_response()
}

/// The headers of every response.
async fn protected(mut response: Response) -> Response {
    let headers: [(HeaderName, &'static str); 4] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// Refuses a request that a browser sends for another site.
async fn refuse_other_site(
    State(names): State<Arc<HostNames>>,
    request: Request,
    next: Next,
) -> Response {
    let host = request.headers().get(HOST);
    let host = host.map(|host| String::from_utf8_lossy(host.as_bytes()));
    let authority = request.uri().authority().map(Authority::as_str);
    // No browser leaves it out.
    let checked = authority
        .or(host.as_deref())
        .map_or(Ok(()), |host| names.check(host));
    match checked {
        Ok(()) => next.run(request).await,
        Err(error) => (StatusCode::MISDIRECTED_REQUEST, format!("{error}\n")).into_response(),
    }
}

async fn whole_page(State(served): State<Served>) -> Response {
    let shared = served.shared;
    let mut shown = shared.shown.subscribe();
    let is_painted = match &*shown.borrow_and_update() {
        // With another spectator it is painted all the time, and after the run it does not change.
        Some(snapshot) => snapshot.phase != RunPhase::Live || shared.spectators() > 1,
        None => false,
    };
    if !is_painted {
        shared.visit();
        // Otherwise the last painting has to do.
        let _ = timeout(PAINTING, shown.changed()).await;
    }
    let snapshot = shown.borrow().clone();
    let Some(snapshot) = snapshot else {
        let text = "the run has not begun; try again in a moment\n";
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    };
    typed("text/html; charset=utf-8", snapshot.page(&shared.event))
}

async fn stream(State(served): State<Served>, headers: HeaderMap, uri: Uri) -> Response {
    let Ok(place) = served.places.try_acquire_owned() else {
        let text = format!("the page has {MAX_SPECTATORS} spectators, as many as it takes\n");
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    };
    // The header is of a browser that has lost its stream, the other of a page that opens one.
    let last = headers.get("last-event-id");
    let last = last.and_then(|id| id.to_str().ok());
    let first = uri.query().and_then(|query| query.strip_prefix("since="));
    let id = last.or(first).unwrap_or_default().to_owned();
    let shown = served.shared.shown.subscribe();
    served.shared.visit();
    let body = Body::from_stream(events(shown, id, place));
    typed("text/event-stream", body)
}
