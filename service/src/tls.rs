use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use dragontooth_service_client::{PemFileError, read_certificates, read_private_key};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use tonic::transport::{Certificate, Identity, Server, ServerTlsConfig};
use tracing::{info, warn};
use x509_cert::der::Decode;

use crate::{ServerTlsFiles, metrics};

/// The server of a port, before what it serves: with TLS by the files, as they are when a client connects, or without.
#[derive(Clone, Debug)]
pub(crate) struct PortServer {
    /// Without TLS.
    plain: Server,
    tls: Option<Arc<Tls>>,
}

#[derive(Debug)]
struct Tls {
    files: ServerTlsFiles,
    current: Mutex<Current>,
}

/// The server that was made of the files the last time that they could be used.
#[derive(Debug)]
struct Current {
    server: Server,
    /// The files as they were last looked at, whether they could be used or not.
    stamps: Stamps,
}

/// The files cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    #[error(transparent)]
    File(#[from] PemFileError),
    /// The key is that of another certificate, or one is damaged.
    #[error(transparent)]
    Pair(#[from] tonic::transport::Error),
}

/// The times of the last change and the lengths of the files; `None` for one that is not there.
type Stamps = [Option<(SystemTime, u64)>; 3];

impl PortServer {
    /// Reads the files, if there are any. `plain` has no TLS.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or the key is that of another certificate.
    pub(crate) fn open(plain: Server, files: Option<ServerTlsFiles>) -> Result<Self, TlsError> {
        let tls = files.map(|files| -> Result<_, TlsError> {
            let stamps = stamps(&files);
            let current = Mutex::new(Current {
                server: with_tls(&plain, &files)?,
                stamps,
            });
            Ok(Arc::new(Tls { files, current }))
        });
        let tls = tls.transpose()?;
        Ok(Self { plain, tls })
    }

    pub(crate) const fn has_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// The server for a connection that comes in now. Files that have changed and cannot be used are left until they
    /// change again: certificate and key are not replaced in one moment.
    pub(crate) fn current(&self) -> Server {
        let Some(tls) = &self.tls else {
            return self.plain.clone();
        };
        let mut current = tls.current.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = stamps(&tls.files);
        if stamps != current.stamps {
            current.stamps = stamps;
            let cert = tls.files.cert.display();
            match with_tls(&self.plain, &tls.files) {
                Ok(server) => {
                    info!(%cert, "certificate read again");
                    current.server = server;
                }
                Err(error) => {
                    let error = &error as &dyn std::error::Error;
                    warn!(%cert, error, "new TLS files cannot be used: the old ones stay");
                }
            }
        }
        current.server.clone()
    }
}

fn stamps(files: &ServerTlsFiles) -> Stamps {
    let paths = [
        Some(&files.cert),
        Some(&files.key),
        files.client_ca.as_ref(),
    ];
    paths.map(|path| {
        let file = fs::metadata(path?).ok()?;
        Some((file.modified().ok()?, file.len()))
    })
}

/// Reads the files; warns if others can read the key.
fn with_tls(plain: &Server, files: &ServerTlsFiles) -> Result<Server, TlsError> {
    let cert = read_certificates(&files.cert)?;
    let key = read_private_key(&files.key)?;
    if is_open_to_others(&files.key) {
        warn!(key = %files.key.display(), "other users can read the key: chmod 600 keeps it secret");
    }
    let expiry = expiry_seconds(&cert);
    let mut config = ServerTlsConfig::new().identity(Identity::from_pem(cert, key));
    if let Some(path) = &files.client_ca {
        config = config.client_ca_root(Certificate::from_pem(read_certificates(path)?));
    }
    let server = plain.clone().tls_config(config)?;
    if let Some(seconds) = expiry {
        metrics::certificate_expires(seconds);
    }
    Ok(server)
}

/// The end of the validity of the first certificate, the service's own, in seconds since 1970. `None` if its form is
/// beyond the reader: TLS takes what it can use.
fn expiry_seconds(pem: &[u8]) -> Option<u64> {
    let first = CertificateDer::from_pem_slice(pem).ok()?;
    let certificate = x509_cert::Certificate::from_der(&first).ok()?;
    let validity = certificate.tbs_certificate.validity;
    Some(validity.not_after.to_unix_duration().as_secs())
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_path: &Path) -> bool {
    false
}
