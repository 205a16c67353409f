use std::fmt;
use std::path::PathBuf;

use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use crate::pem_file::{PemFileError, read_certificates, read_private_key};

/// TLS settings of a connection.
///
/// By default the service is verified against the certificates of the system, or of the file in
/// `SSL_CERT_FILE`, and the client shows no certificate.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tls {
    ca: Option<Vec<u8>>,
    identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl Tls {
    /// Trusts only these certificate authorities, in PEM.
    #[must_use]
    pub fn with_ca(self, pem: impl Into<Vec<u8>>) -> Self {
        Self {
            ca: Some(pem.into()),
            ..self
        }
    }

    /// Shows this certificate chain with its key, both in PEM.
    #[must_use]
    pub fn with_identity(self, cert: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        Self {
            identity: Some((cert.into(), key.into())),
            ..self
        }
    }

    /// Removes the client's certificate.
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

/// Hides the key.
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
    /// The certificate authorities to trust; `None` means those of the system.
    pub ca: Option<PathBuf>,
    /// The client's certificate.
    pub cert: Option<PathBuf>,
    /// The key of that certificate.
    pub key: Option<PathBuf>,
}

/// The reason why the files are not valid TLS settings.
#[derive(Debug, thiserror::Error)]
pub enum TlsFileError {
    /// A file does not have what it should have.
    #[error(transparent)]
    File(#[from] PemFileError),
    /// A certificate without its key, or a key without its certificate.
    #[error("a client certificate needs its key, and a key its certificate")]
    Halved,
}

impl TlsFiles {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// A file cannot be read or is not in PEM, or the certificate or its key is missing.
    pub fn read(&self) -> Result<Tls, TlsFileError> {
        let tls = match &self.ca {
            Some(path) => Tls::default().with_ca(read_certificates(path)?),
            None => Tls::default(),
        };
        match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => {
                Ok(tls.with_identity(read_certificates(cert)?, read_private_key(key)?))
            }
            (None, None) => Ok(tls),
            (Some(_), None) | (None, Some(_)) => Err(TlsFileError::Halved),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

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
