use std::fs;
use std::path::{Path, PathBuf};

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

/// The error for a file that does not have what it should have in PEM.
#[derive(Debug, thiserror::Error)]
pub enum PemFileError {
    /// It cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: std::io::Error,
    },
    /// It does not contain the expected certificate or key.
    #[error("{} has no {what} in PEM", path.display())]
    NotPem {
        /// The file.
        path: PathBuf,
        /// The missing PEM section.
        what: &'static str,
    },
    /// It contains a key that only a passphrase opens.
    #[error(
        "the key in {0} is encrypted; `openssl pkey -in {0} -out key.pem` decrypts it",
        path.display()
    )]
    Encrypted {
        /// The file.
        path: PathBuf,
    },
}

/// Reads a file that has a certificate in PEM, and perhaps more of them. Returns all of the file.
///
/// # Errors
///
/// The file cannot be read, or it does not begin with a sound certificate among its PEM sections.
pub fn read_certificates(path: &Path) -> Result<Vec<u8>, PemFileError> {
    read::<CertificateDer<'_>>(path, "CERTIFICATE")
}

/// Reads a file that has a private key in PEM. Returns all of the file.
///
/// # Errors
///
/// The file cannot be read, or it has no private key that can be used without a passphrase.
pub fn read_private_key(path: &Path) -> Result<Vec<u8>, PemFileError> {
    match read::<PrivateKeyDer<'_>>(path, "PRIVATE KEY") {
        Err(PemFileError::NotPem { path, .. }) if is_encrypted(&path) => {
            Err(PemFileError::Encrypted { path })
        }
        read => read,
    }
}

/// Returns true if the file has an encrypted private key, in either of the forms that OpenSSL writes.
fn is_encrypted(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
}

/// Reads a file that has a `T` in PEM, called `what`.
fn read<T: PemObject>(path: &Path, what: &'static str) -> Result<Vec<u8>, PemFileError> {
    let read = fs::read(path).map_err(|source| PemFileError::Read {
        path: path.to_owned(),
        source,
    })?;
    match T::from_pem_slice(&read) {
        Ok(_) => Ok(read),
        Err(_) => Err(PemFileError::NotPem {
            path: path.to_owned(),
            what,
        }),
    }
}
