use std::net::SocketAddr;
use std::sync::Arc;

use futures::future::join_all;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tonic::service::Routes;
use tonic::transport::Server;
use tracing::info;

use super::start_error::StartError;
use crate::access::Gate;
use crate::config::{Config, Limits, Storage};
use crate::connections::{AcceptHandle, ConnectionLimits, Protocol, accept};
use crate::grpc::{AdmissionLayer, MeasureLayer};
use crate::matches::Matches;
use crate::side::{Readiness, SidePort};
use crate::tls::PortServer;
use crate::web::{WebLayer, WebThreads};

/// The ports of a service that does not serve yet: who connects waits.
pub(super) struct OpenPorts {
    server: PortServer,
    grpc: (TcpListener, SocketAddr),
    web: Option<((TcpListener, SocketAddr), WebThreads)>,
    side: Option<SidePort>,
}

/// The ports of a running service.
#[derive(Debug)]
pub(super) struct Ports {
    address: SocketAddr,
    accepting: AcceptHandle,
    web: Option<WebPort>,
    side: Option<SidePort>,
}

/// The port of the web page.
#[derive(Debug)]
struct WebPort {
    address: SocketAddr,
    accepting: AcceptHandle,
    /// They end when this is dropped.
    _threads: WebThreads,
}

impl OpenPorts {
    /// Reads the files of TLS and opens the ports. The side port answers from now on.
    pub(super) async fn open(config: &Config, readiness: &Readiness) -> Result<Self, StartError> {
        let server = limited(Server::builder(), &config.limits);
        let server = PortServer::open(server, config.tls.clone())?;
        let grpc = listen(config.listen, "listen").await?;
        let web = match config.web_listen {
            Some(address) => Some(listen_for_browsers(address).await?),
            None => None,
        };
        let side = match config.side_listen {
            Some(address) => Some(open_side(address, &config.storage, readiness).await?),
            None => None,
        };
        Ok(Self {
            server,
            grpc,
            web,
            side,
        })
    }

    /// Lets connections in.
    pub(super) fn serve(
        self,
        config: &Config,
        matches: &Arc<Matches>,
        gate: &Gate,
        routes: &Routes,
    ) -> Ports {
        let Self {
            server,
            grpc: (listener, address),
            web,
            side,
        } = self;
        let limits = &config.limits;
        let only_tls = server.has_tls();
        let connections = of_connections(limits);
        let open = || Arc::clone(matches.guard().connections());
        let web = web.map(|((listener, address), threads)| {
            let gate = gate.clone().with_public_watch(config.web_public_watch);
            let (server, routes) = (server.clone(), routes.clone());
            let page = WebLayer::new(matches, config.tls.as_ref(), &config.web_hosts);
            let admission = AdmissionLayer::new(matches, &gate, limits);
            let serve = move |incoming, end| {
                let (server, routes) = (server.clone(), routes.clone());
                let (page, admission) = (page.clone(), admission.clone());
                async move {
                    let server = server.current().await.accept_http1(true);
                    server
                        .layer(page)
                        .layer(MeasureLayer)
                        .layer(admission)
                        .add_routes(routes)
                        .serve_with_incoming_shutdown(incoming, end)
                        .await
                }
            };
            info!(%address, "web page open");
            let speaks = (Protocol::Web, only_tls);
            let runtime = threads.handle();
            let accepting = accept(runtime, listener, open(), connections, speaks, serve);
            WebPort {
                address,
                accepting,
                _threads: threads,
            }
        });
        let admission = AdmissionLayer::new(matches, gate, limits);
        let routes = routes.clone();
        let serve = move |incoming, end| {
            let (server, admission, routes) = (server.clone(), admission.clone(), routes.clone());
            async move {
                let server = server.current().await;
                server
                    .layer(MeasureLayer)
                    .layer(admission)
                    .add_routes(routes)
                    .serve_with_incoming_shutdown(incoming, end)
                    .await
            }
        };
        let speaks = (Protocol::Grpc, only_tls);
        let runtime = Handle::current();
        let accepting = accept(&runtime, listener, open(), connections, speaks, serve);
        Ports {
            address,
            accepting,
            web,
            side,
        }
    }
}

impl Ports {
    /// The address for gRPC.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the web page, if there is one.
    pub(super) fn web_address(&self) -> Option<SocketAddr> {
        self.web.as_ref().map(|web| web.address)
    }

    /// The address of the side port, if there is one.
    pub(super) fn side_address(&self) -> Option<SocketAddr> {
        self.side.as_ref().map(SidePort::address)
    }

    /// Lets nobody in any more. Ready when the connections have ended.
    pub(super) async fn stop(&mut self) {
        let web = self.web.as_mut().map(|web| &mut web.accepting);
        let accepting = web.into_iter().chain([&mut self.accepting]);
        join_all(accepting.map(AcceptHandle::stop)).await;
    }

    /// Ends all connections at once.
    pub(super) fn cut(&self) {
        let web = self.web.as_ref().map(|web| &web.accepting);
        let accepting = web.into_iter().chain([&self.accepting]);
        accepting.for_each(AcceptHandle::cut);
    }
}

async fn open_side(
    address: SocketAddr,
    storage: &Storage,
    readiness: &Readiness,
) -> Result<SidePort, StartError> {
    let data = match storage {
        Storage::Folder(folder) => Some(folder.clone()),
        Storage::Memory | Storage::Postgres(_) => None,
    };
    let port = SidePort::open(address, readiness.clone(), data).await;
    port.map_err(|source| StartError::Listen {
        address,
        setting: "side.listen",
        source,
    })
}

/// Opens the port of the web page, and starts the threads that serve it.
async fn listen_for_browsers(
    address: SocketAddr,
) -> Result<((TcpListener, SocketAddr), WebThreads), StartError> {
    let threads = WebThreads::start().map_err(StartError::WebThreads)?;
    Ok((listen(address, "web.listen").await?, threads))
}

/// The time limits of connections.
fn of_connections(limits: &Limits) -> ConnectionLimits {
    ConnectionLimits {
        greeting_timeout: limits.greeting_timeout,
        age: limits.connection_age,
        age_grace: limits.connection_age_grace,
    }
}

/// A server within the limits on connections.
fn limited(server: Server, limits: &Limits) -> Server {
    server
        .tcp_nodelay(true)
        .max_concurrent_streams(limits.streams_of_connection)
        .initial_stream_window_size(limits.stream_window_bytes)
        .initial_connection_window_size(limits.connection_window_bytes)
        .http2_max_header_list_size(limits.header_list_bytes)
        .http2_max_pending_accept_reset_streams(Some(limits.resets_of_connection))
        .http2_max_local_error_reset_streams(Some(limits.resets_of_connection))
        .http2_keepalive_interval(Some(limits.keepalive_interval))
        .http2_keepalive_timeout(Some(limits.keepalive_timeout))
}

/// Listens on the address of a setting. Returns the address that it has become, too.
async fn listen(
    address: SocketAddr,
    setting: &'static str,
) -> Result<(TcpListener, SocketAddr), StartError> {
    let listened = async {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    listened.await.map_err(|source| StartError::Listen {
        address,
        setting,
        source,
    })
}
