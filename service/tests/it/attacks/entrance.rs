use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

/// The way into a service.
#[derive(Clone)]
pub(crate) struct Entrance {
    address: SocketAddr,
    tls: Option<TlsConnector>,
}

/// A connection before its first byte of HTTP/2.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// A file of `tests/data/tls`.
pub(super) fn tls_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/tls")
        .join(name)
}

impl Entrance {
    /// To a service without TLS.
    pub(super) fn plain(address: SocketAddr) -> Self {
        Self { address, tls: None }
    }

    /// To a service that shows `server.pem`.
    pub(crate) fn with_tls(address: SocketAddr) -> Self {
        let mut roots = RootCertStore::empty();
        let ca = CertificateDer::from_pem_file(tls_file("ca.pem")).unwrap();
        roots.add(ca).unwrap();
        let mut config = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec()];
        Self {
            address,
            tls: Some(TlsConnector::from(Arc::new(config))),
        }
    }

    /// Opens a connection of an attacker; an error if the service ends it at once.
    pub(crate) async fn connect(&self) -> io::Result<Box<dyn ByteStream>> {
        let tcp = TcpStream::connect(self.address).await?;
        let Some(tls) = &self.tls else {
            return Ok(Box::new(tcp));
        };
        let name = ServerName::from(self.address.ip());
        Ok(Box::new(tls.connect(name, tcp).await?))
    }

    /// Opens a connection of an honest client.
    pub(super) async fn channel(&self) -> Channel {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let mut endpoint = Endpoint::new(format!("{scheme}://{}", self.address)).unwrap();
        if self.tls.is_some() {
            let ca = std::fs::read(tls_file("ca.pem")).unwrap();
            let trusting = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(ca));
            endpoint = endpoint.tls_config(trusting).unwrap();
        }
        endpoint.connect().await.unwrap()
    }
}
