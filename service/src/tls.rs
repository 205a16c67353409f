use std::fs;
use std::path::{Path, PathBuf};

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tonic::transport::{Certificate, Identity, ServerTlsConfig};
use tracing::warn;

use crate::ServerTlsFiles;

/// The files of TLS cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file lacks the certificate or key that it should have.
    #[error("{} has no {what} in PEM", path.display())]
    NotPem {
        /// The file.
        path: PathBuf,
        /// The missing PEM section.
        what: &'static str,
    },
}

/// Reads the files; warns if others can read the key.
pub(crate) fn read(files: &ServerTlsFiles) -> Result<ServerTlsConfig, TlsError> {
    let cert = pem::<CertificateDer<'_>>(&files.cert, "CERTIFICATE")?;
    let key = pem::<PrivateKeyDer<'_>>(&files.key, "PRIVATE KEY")?;
    if is_open_to_others(&files.key) {
        warn!(key = %files.key.display(), "other users can read the key: chmod 600 keeps it secret");
    }
    let config = ServerTlsConfig::new().identity(Identity::from_pem(cert, key));
    Ok(match &files.client_ca {
        Some(path) => config.client_ca_root(Certificate::from_pem(pem::<CertificateDer<'_>>(
            path,
            "CERTIFICATE",
        )?)),
        None => config,
    })
}

/// Reads a file that has a `T` in PEM, called `what`.
fn pem<T: PemObject>(path: &Path, what: &'static str) -> Result<Vec<u8>, TlsError> {
    let read = fs::read(path).map_err(|source| TlsError::Read {
        path: path.to_owned(),
        source,
    })?;
    match T::from_pem_slice(&read) {
        Ok(_) => Ok(read),
        Err(_) => Err(TlsError::NotPem {
            path: path.to_owned(),
            what,
        }),
    }
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
