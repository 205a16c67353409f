use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

/// What a service has to prove, and what the client proves to it, on an https address.
///
/// By default the service's certificate is verified against the system's, or those in the file that
/// `SSL_CERT_FILE` names, and the client shows none.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tls {
    ca: Option<Vec<u8>>,
    identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl Tls {
    /// The service's certificate is verified against these alone, in PEM.
    #[must_use]
    pub fn with_ca(self, pem: impl Into<Vec<u8>>) -> Self {
        Self {
            ca: Some(pem.into()),
            ..self
        }
    }

    /// The client shows this certificate with its chain, and has its key; both in PEM.
    #[must_use]
    pub fn with_identity(self, cert: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        Self {
            identity: Some((cert.into(), key.into())),
            ..self
        }
    }

    /// The same for a client that shows no certificate.
    pub(crate) fn without_identity(&self) -> Self {
        Self {
            ca: self.ca.clone(),
            identity: None,
        }
    }

    pub(crate) fn config(&self) -> ClientTlsConfig {
        let config = ClientTlsConfig::new();
        let config = match &self.ca {
            Some(pem) => config.ca_certificate(Certificate::from_pem(pem)),
            None => config.with_native_roots(),
        };
        match &self.identity {
            Some((cert, key)) => config.identity(Identity::from_pem(cert, key)),
            None => config,
        }
    }
}

/// Without the key.
impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("own_ca", &self.ca.is_some())
            .field("own_identity", &self.identity.is_some())
            .finish()
    }
}

/// The files that hold a [`Tls`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificates against which the service's is verified; none for the system's.
    pub ca: Option<PathBuf>,
    /// The client's certificate.
    pub cert: Option<PathBuf>,
    /// The key of that certificate.
    pub key: Option<PathBuf>,
}

/// Why the files do not make a [`Tls`].
#[derive(Debug, thiserror::Error)]
pub enum TlsFileError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
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
    /// A certificate without its key, or the other way round.
    #[error("a client's certificate and its key come together")]
    Halved,
}

impl TlsFiles {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// One of them cannot be read or is not in PEM, or one of certificate and key is missing.
    pub fn read(&self) -> Result<Tls, TlsFileError> {
        let tls = match &self.ca {
            Some(path) => Tls::default().with_ca(pem::<CertificateDer<'_>>(path, "CERTIFICATE")?),
            None => Tls::default(),
        };
        match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => Ok(tls.with_identity(
                pem::<CertificateDer<'_>>(cert, "CERTIFICATE")?,
                pem::<PrivateKeyDer<'_>>(key, "PRIVATE KEY")?,
            )),
            (None, None) => Ok(tls),
            (Some(_), None) | (None, Some(_)) => Err(TlsFileError::Halved),
        }
    }
}

/// Reads a file that has a `T` in PEM, called `what`.
fn pem<T: PemObject>(path: &Path, what: &'static str) -> Result<Vec<u8>, TlsFileError> {
    let read = fs::read(path).map_err(|source| TlsFileError::Read {
        path: path.to_owned(),
        source,
    })?;
    match T::from_pem_slice(&read) {
        Ok(_) => Ok(read),
        Err(_) => Err(TlsFileError::NotPem {
            path: path.to_owned(),
            what,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_nowhere() {
        let tls = Tls::default().with_identity("cert", "secret key");
        assert!(!format!("{tls:?}").contains("secret"), "{tls:?}");
    }

    #[test]
    fn files_that_are_not_what_they_are_to_be_are_named() {
        let missing = TlsFiles {
            ca: Some("no/such/file.pem".into()),
            ..TlsFiles::default()
        };
        let error = missing.read().unwrap_err().to_string();
        assert!(error.contains("no/such/file.pem"), "{error}");
        let this = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let other = TlsFiles {
            ca: Some(this),
            ..TlsFiles::default()
        };
        let error = other.read().unwrap_err().to_string();
        assert!(error.contains("no CERTIFICATE in PEM"), "{error}");
        let halved = TlsFiles {
            cert: Some("cert.pem".into()),
            ..TlsFiles::default()
        };
        assert!(matches!(halved.read(), Err(TlsFileError::Halved)));
    }
}
