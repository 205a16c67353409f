use std::future::Future;
use std::io;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request as HttpRequest;
use axum::http::uri::PathAndQuery;
use axum::response::Response as HttpResponse;
use bytes::Bytes;
use dragontooth_service_client::wire_tap::RawCodec;
use dragontooth_service_client::{MAX_RESPONSE_BYTES, ServerAddress};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tonic::codec::CompressionEncoding;
use tonic::server::{Grpc, StreamingService};
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};

use super::call::{Answers, carry};
use super::fault_injection::FaultInjection;
use super::tcp_relay::TcpRelay;
use super::traffic_log::{Traffic, TrafficLog};
use super::wire::Wire;

/// A proxy between a bot and the service. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Proxy {
    wire: Arc<Wire>,
    relay: TcpRelay,
    /// Ends when it is dropped.
    _serving: JoinSet<()>,
}

impl Proxy {
    /// A proxy in front of the service at an address without TLS.
    pub(crate) async fn before(service: &ServerAddress) -> io::Result<Self> {
        let service = Endpoint::from_shared(service.to_string()).map_err(io::Error::other)?;
        let service = service.tcp_nodelay(true).connect_lazy();
        let wire = Arc::new(Wire {
            service,
            log: Arc::new(TrafficLog::new()),
            injection: watch::Sender::new(FaultInjection::Nothing),
            cuts: watch::Sender::new(0),
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let inside = listener.local_addr()?;
        let relay = TcpRelay::open(inside, wire.cuts.subscribe()).await?;
        let served = Arc::clone(&wire);
        let any_call = Router::new().fallback(move |request: HttpRequest| {
            let wire = Arc::clone(&served);
            async move { serve(wire, request).await }
        });
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            // It is served until the check is over; a connection that fails is the bot's to open again.
            let _ = Server::builder()
                .add_routes(Routes::from(any_call))
                .serve_with_incoming(incoming)
                .await;
        });
        Ok(Self {
            wire,
            relay,
            _serving: serving,
        })
    }

    /// The address that the bot connects to.
    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.relay.address)
    }

    /// The traffic so far.
    pub(crate) fn log(&self) -> &TrafficLog {
        &self.wire.log
    }

    /// The traffic, shared, to wait for an entry.
    pub(crate) fn shared_log(&self) -> Arc<TrafficLog> {
        Arc::clone(&self.wire.log)
    }

    /// From now on another process of the bot plays: its first call is not taken for one of those before it.
    pub(crate) fn begin_process(&self) {
        self.wire.log.note(Traffic::Changed);
    }

    /// From now on injects this fault.
    pub(crate) fn inject(&self, injection: FaultInjection) {
        let ends_streams = injection == FaultInjection::Drained;
        self.wire.log.note(if ends_streams {
            Traffic::Cut
        } else {
            Traffic::Changed
        });
        self.wire.injection.send_replace(injection);
    }

    /// Cuts all connections of the bot. It may connect again.
    pub(crate) fn cut(&self) {
        self.wire.cut();
    }
}

/// Serves a call, whatever it is.
async fn serve(wire: Arc<Wire>, request: HttpRequest) -> HttpResponse<tonic::body::Body> {
    let path = request.uri().path_and_query().cloned();
    let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
    Grpc::new(RawCodec)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_RESPONSE_BYTES)
        .streaming(Carrier { wire, path }, request)
        .await
}

/// Carries one call.
struct Carrier {
    wire: Arc<Wire>,
    path: PathAndQuery,
}

impl StreamingService<Bytes> for Carrier {
    type Response = Bytes;
    type ResponseStream = Answers;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Answers>, Status>> + Send>>;

    fn call(&mut self, request: Request<Streaming<Bytes>>) -> Self::Future {
        Box::pin(carry(Arc::clone(&self.wire), self.path.clone(), request))
    }
}
