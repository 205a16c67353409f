use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tonic::{Code, Status};

use crate::tls_fault::tls_fault;
use crate::{InvalidResponse, Reason, Refusal};

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The service cannot be reached, the connection was lost, or an answer timed out.
    #[error("the service cannot be reached: {message}")]
    Unreachable {
        /// The failure with its causes.
        message: String,
        /// The underlying error; its text is part of the message.
        cause: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The TLS handshake failed. Retrying does not help.
    #[error("no TLS connection to the service: {message}")]
    Tls {
        /// The problem, and a hint.
        message: String,
        /// The underlying error; its text is part of the message.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// The connection cannot be set up with these settings.
    #[error("the connection cannot be set up: {message}")]
    Setup {
        /// The failure with its causes.
        message: String,
        /// The underlying error; its text is part of the message.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// The client's certificate or key is invalid, or they do not match.
    #[error("the client's certificate and its key cannot be used: {message}")]
    Identity {
        /// The problem.
        message: String,
        /// The underlying error; its text is part of the message.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// TLS settings for an address without TLS.
    #[error("{0} does not use TLS, so TLS files are no use: the address must begin with https://")]
    NoTls(String),
    /// The token would be sent to another machine without TLS.
    #[error(
        "the token would cross the network in the clear: {0} does not use TLS; use https://, or allow it"
    )]
    ClearText(String),
    /// The service refused the request.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// The call failed with an error that did not come from the service itself.
    #[error("the call failed: {message} ({code:?})")]
    Failed {
        /// The class of the error.
        code: Code,
        /// A description of the error.
        message: String,
    },
    /// The request cannot be encoded.
    #[error(transparent)]
    Request(#[from] InvalidRequest),
    /// The answer is malformed.
    #[error(transparent)]
    Response(#[from] InvalidResponse),
}

/// A request that cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the field {field} of the request is too large to send")]
pub struct InvalidRequest {
    /// The field.
    pub field: &'static str,
}

/// The addresses that a call tried in vain.
#[derive(Debug, Default)]
pub(crate) struct Unreached(Vec<(String, Arc<ClientError>)>);

impl ClientError {
    /// Returns the refusal, if this is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Unreachable { .. }
            | Self::Tls { .. }
            | Self::Setup { .. }
            | Self::Identity { .. }
            | Self::NoTls(_)
            | Self::ClearText(_)
            | Self::Failed { .. }
            | Self::Request(_)
            | Self::Response(_) => None,
        }
    }

    /// The reason of the refusal, if it is one.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        self.refusal().map(|refusal| &refusal.reason)
    }

    /// Returns the innermost cause of a service that cannot be reached, such as what the system says of the
    /// connection, or the text of any other error.
    #[must_use]
    pub fn first_cause(&self) -> String {
        let Self::Unreachable { message, cause } = self else {
            return self.to_string();
        };
        let Some(cause) = cause else {
            return message.clone();
        };
        let mut first: &(dyn Error + 'static) = &**cause;
        while let Some(source) = first.source() {
            first = source;
        }
        first.to_string()
    }

    /// Returns true if the same call may succeed later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused(refusal) => refusal.is_transient(),
            Self::Failed { code, .. } => matches!(
                code,
                Code::Unavailable
                    | Code::DeadlineExceeded
                    | Code::ResourceExhausted
                    | Code::Aborted
            ),
            Self::Tls { .. }
            | Self::Setup { .. }
            | Self::Identity { .. }
            | Self::NoTls(_)
            | Self::ClearText(_)
            | Self::Request(_)
            | Self::Response(_) => false,
        }
    }

    /// Returns the pause that the service asks for before a retry.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.refusal().and_then(|refusal| refusal.retry_after)
    }

    pub(crate) fn setup(source: tonic::transport::Error) -> Self {
        Self::Setup {
            message: chain(&source),
            cause: Box::new(source),
        }
    }

    /// The client's certificate or key was already rejected on this side.
    pub(crate) fn identity(source: tonic::transport::Error) -> Self {
        Self::Identity {
            message: identity_fault(&source),
            cause: Box::new(source),
        }
    }

    /// Converts a connection error.
    pub(crate) fn unreachable(source: impl Error + Send + Sync + 'static) -> Self {
        let message = chain(&source);
        let cause = Box::new(source);
        match tls_fault(&message) {
            Some(message) => Self::Tls { message, cause },
            None => Self::Unreachable {
                message,
                cause: Some(cause),
            },
        }
    }

    /// Creates the error of a stream that took longer than `limit` to open.
    pub(crate) fn too_late(limit: Duration) -> Self {
        let message = format!("no answer within {} s", limit.as_secs_f32());
        Self::Unreachable {
            message,
            cause: None,
        }
    }

    /// Creates the error of a stream that the other side ended early.
    pub(crate) fn ended() -> Self {
        Self::Unreachable {
            message: "the stream has ended".to_owned(),
            cause: None,
        }
    }
}

impl Unreached {
    pub(crate) fn push(&mut self, address: &str, failure: Arc<ClientError>) {
        self.0.push((address.to_owned(), failure));
    }

    /// True if TLS failed at each address, so that retrying does not help.
    fn is_tls(&self) -> bool {
        let mut failures = self.0.iter();
        failures.all(|(_, failure)| matches!(**failure, ClientError::Tls { .. }))
    }
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (address, failure)) in self.0.iter().enumerate() {
            let separator = if place == 0 { "" } else { "; " };
            match &**failure {
                ClientError::Unreachable { message, .. } | ClientError::Tls { message, .. } => {
                    write!(f, "{separator}{address}: {message}")?;
                }
                failure @ (ClientError::Setup { .. }
                | ClientError::Identity { .. }
                | ClientError::NoTls(_)
                | ClientError::ClearText(_)
                | ClientError::Refused(_)
                | ClientError::Failed { .. }
                | ClientError::Request(_)
                | ClientError::Response(_)) => write!(f, "{separator}{address}: {failure}")?,
            }
        }
        Ok(())
    }
}

impl Error for Unreached {}

/// Converts the status of a call.
impl From<Status> for ClientError {
    fn from(status: Status) -> Self {
        if let Some(refusal) = Refusal::from_status(&status) {
            return Self::Refused(Box::new(refusal));
        }
        // A status created on this side, because the connection failed, has a source; one sent by
        // the other side has none.
        if let Some(source) = status.source() {
            return match source.downcast_ref::<Unreached>() {
                Some(unreached) => unreached.into(),
                None => Self::unreachable(status),
            };
        }
        Self::Failed {
            code: status.code(),
            message: status.message().to_owned(),
        }
    }
}

impl From<&Unreached> for ClientError {
    fn from(unreached: &Unreached) -> Self {
        let message = unreached.to_string();
        if unreached.is_tls() {
            let cause = message.clone().into();
            Self::Tls { message, cause }
        } else {
            let cause = None;
            Self::Unreachable { message, cause }
        }
    }
}

/// Returns what is wrong with a certificate and its key, which TLS refuses so.
#[must_use]
pub fn identity_fault(refusal: &tonic::transport::Error) -> String {
    let text = chain(refusal);
    if text.contains("KeyMismatch") {
        "the key does not match the certificate".to_owned()
    } else if text.contains("UnsupportedCertVersion") {
        "the certificate is not an X.509 version 3 certificate".to_owned()
    } else {
        text
    }
}

/// Returns the causes of an error from the outermost to the first, without repetitions.
fn chain(error: &(dyn Error + 'static)) -> String {
    let first = match error.downcast_ref::<Status>() {
        Some(status) => status.message().to_owned(),
        None => error.to_string(),
    };
    let mut text = first;
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_broken_connection_is_unreachable() {
        let broken = io::Error::new(io::ErrorKind::ConnectionReset, "connection reset");
        let error = ClientError::from(Status::from_error(Box::new(broken)));
        assert!(
            matches!(error, ClientError::Unreachable { .. }),
            "{error:?}"
        );
        assert!(error.is_transient());
        assert_eq!(
            error.to_string(),
            "the service cannot be reached: connection reset"
        );
    }

    #[test]
    fn a_status_from_elsewhere_is_a_failure() {
        let error = ClientError::from(Status::unimplemented("no such method"));
        assert!(!error.is_transient());
        assert_eq!(
            error.to_string(),
            "the call failed: no such method (Unimplemented)"
        );
        assert!(ClientError::from(Status::unavailable("")).is_transient());
    }
}
