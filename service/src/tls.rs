use std::fs;
use std::path::Path;

use dragontooth_service_client::{PemFileError, read_certificates, read_private_key};
use tonic::transport::{Certificate, Identity, ServerTlsConfig};
use tracing::warn;

use crate::ServerTlsFiles;

/// Reads the files; warns if others can read the key.
pub(crate) fn read(files: &ServerTlsFiles) -> Result<ServerTlsConfig, PemFileError> {
    let cert = read_certificates(&files.cert)?;
    let key = read_private_key(&files.key)?;
    if is_open_to_others(&files.key) {
        warn!(key = %files.key.display(), "other users can read the key: chmod 600 keeps it secret");
    }
    let config = ServerTlsConfig::new().identity(Identity::from_pem(cert, key));
    Ok(match &files.client_ca {
        Some(path) => config.client_ca_root(Certificate::from_pem(read_certificates(path)?)),
        None => config,
    })
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
