use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dragontooth_service_client::{
    PemFileError, identity_fault, read_certificates, read_private_key,
};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use tokio::time::timeout;
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
    /// The files as they were last looked at, whether they could be used or not.
    looked: Mutex<Stamps>,
    /// The server that was made of them the last time that they could be used.
    server: Mutex<Server>,
}

/// The longest wait for files that are looked at: a disk that is away must not keep clients out.
const PATIENCE: Duration = Duration::from_secs(1);

/// The files cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    #[error(transparent)]
    File(#[from] PemFileError),
    /// The key is that of another certificate, or one is damaged.
    #[error("{} and {}: {fault}", cert.display(), key.display())]
    Pair {
        cert: PathBuf,
        key: PathBuf,
        fault: String,
    },
}

/// The marks by which a change of the files shows; `None` for one that is missing or not a regular file.
type Stamps = [Option<Stamp>; 3];

impl PortServer {
    /// Reads the files, if there are any. `plain` has no TLS.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or the key is that of another certificate.
    pub(crate) fn open(plain: Server, files: Option<ServerTlsFiles>) -> Result<Self, TlsError> {
        let tls = files.map(|files| -> Result<_, TlsError> {
            let looked = Mutex::new(stamps(&files));
            let server = Mutex::new(with_tls(&plain, &files)?);
            Ok(Arc::new(Tls {
                files,
                looked,
                server,
            }))
        });
        let tls = tls.transpose()?;
        Ok(Self { plain, tls })
    }

    pub(crate) const fn has_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// The server for a connection that comes in now. Files that have changed and cannot be used are left until they
    /// change again: certificate and key are not replaced in one moment.
    pub(crate) async fn current(&self) -> Server {
        let Some(tls) = &self.tls else {
            return self.plain.clone();
        };
        let (looking, plain) = (Arc::clone(tls), self.plain.clone());
        let looked = tokio::task::spawn_blocking(move || looking.look(&plain));
        // If it takes longer, or fails, the last server serves on.
        let _ = timeout(PATIENCE, looked).await;
        tls.server().clone()
    }
}

impl Tls {
    fn server(&self) -> MutexGuard<'_, Server> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the files if they have changed, unless another connection has them looked at.
    fn look(&self, plain: &Server) {
        let Ok(mut looked) = self.looked.try_lock() else {
            return;
        };
        let stamps = stamps(&self.files);
        if stamps == *looked {
            return;
        }
        let is_whole = stamps[0].is_some() && stamps[1].is_some();
        let is_whole = is_whole && (stamps[2].is_some() || self.files.client_ca.is_none());
        *looked = stamps;
        let cert = self.files.cert.display();
        if !is_whole {
            warn!(%cert, "a TLS file is missing, or is no file: the old ones stay");
            return;
        }
        match with_tls(plain, &self.files) {
            Ok(server) => {
                info!(%cert, "certificate read again");
                *self.server() = server;
            }
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                warn!(%cert, error, "new TLS files cannot be used: the old ones stay");
            }
        }
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
        file.is_file().then(|| stamp(&file))
    })
}

/// The device, the number and the time of the last change of a file, of its permissions too.
#[cfg(unix)]
type Stamp = (u64, u64, i64, i64);

#[cfg(unix)]
fn stamp(file: &Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino(), file.ctime(), file.ctime_nsec())
}

/// The time of the last change of a file, and its length.
#[cfg(not(unix))]
type Stamp = (Option<std::time::SystemTime>, u64);

#[cfg(not(unix))]
fn stamp(file: &Metadata) -> Stamp {
    (file.modified().ok(), file.len())
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
    let server = plain.clone().tls_config(config);
    let server = server.map_err(|refusal| TlsError::Pair {
        cert: files.cert.clone(),
        key: files.key.clone(),
        fault: identity_fault(&refusal),
    })?;
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

/// Returns true if more users can read a key than its owner, or, if that is root, its group: systemd and Kubernetes give it
/// to a service so.
#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).is_ok_and(|file| is_open(file.uid(), file.mode()))
}

#[cfg(unix)]
const fn is_open(owner: u32, mode: u32) -> bool {
    let others = if owner == 0 { 0o037 } else { 0o077 };
    mode & others != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_path: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::is_open;

    /// As PostgreSQL has it for the key of a server.
    #[test]
    fn the_group_may_read_a_key_of_root() {
        for mode in [0o400, 0o600, 0o440, 0o640] {
            assert!(!is_open(0, 0o100_000 | mode), "{mode:o}");
        }
        for mode in [0o444, 0o644, 0o660, 0o641] {
            assert!(is_open(0, 0o100_000 | mode), "{mode:o}");
        }
        assert!(!is_open(1000, 0o100_600));
        assert!(is_open(1000, 0o100_640));
    }
}
