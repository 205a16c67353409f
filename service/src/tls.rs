use std::fs;
use std::path::{Path, PathBuf};

use tonic::transport::{Certificate, Identity, ServerTlsConfig};
use tracing::warn;

use crate::TlsFiles;

/// Why the files of TLS cannot be used.
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
    /// A file has none of what it is to have.
    #[error("{} has no {what} in PEM", path.display())]
    NotPem {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
}

/// Reads the files; warns of a key that others can read.
pub(crate) fn read(files: &TlsFiles) -> Result<ServerTlsConfig, TlsError> {
    let cert = pem(&files.cert, "CERTIFICATE")?;
    let key = pem(&files.key, "PRIVATE KEY")?;
    if is_open_to_others(&files.key) {
        warn!(key = %files.key.display(), "the key can be read by others: chmod 600 keeps it secret");
    }
    let config = ServerTlsConfig::new().identity(Identity::from_pem(cert, key));
    Ok(match &files.client_ca {
        Some(path) => config.client_ca_root(Certificate::from_pem(pem(path, "CERTIFICATE")?)),
        None => config,
    })
}

fn pem(path: &Path, what: &'static str) -> Result<Vec<u8>, TlsError> {
    let read = fs::read(path).map_err(|source| TlsError::Read {
        path: path.to_owned(),
        source,
    })?;
    let text = String::from_utf8_lossy(&read);
    let is_there = text
        .lines()
        .any(|line| line.starts_with("-----BEGIN ") && line.contains(what));
    if is_there {
        Ok(read)
    } else {
        Err(TlsError::NotPem {
            path: path.to_owned(),
            what,
        })
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
