use std::error::Error;
use std::time::Duration;

use tonic::{Code, Status};

use crate::tls_fault::tls_fault;
use crate::{InvalidResponse, Reason, Refusal};

/// Why a call gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The service cannot be reached, the connection broke, or an answer came too late.
    #[error("the service cannot be reached: {message}")]
    Unreachable {
        /// What failed, down to the cause.
        message: String,
        /// The failure, whose text is in the message.
        cause: Option<Box<dyn Error + Send + Sync>>,
    },
    /// Client and service do not agree on TLS, or on each other's certificates: every further try ends
    /// in the same way.
    #[error("the service cannot be spoken with: {message}")]
    Tls {
        /// What is the case, and what may be done about it.
        message: String,
        /// The failure, whose text is in the message.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// The connection cannot be set up as asked for.
    #[error("the connection cannot be set up: {message}")]
    Setup {
        /// What failed, down to the cause.
        message: String,
        /// The failure, whose text is in the message.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// The client's own certificate or its key is none, or they do not belong together.
    #[error("the client's certificate and its key cannot be used: {message}")]
    Identity {
        /// What is the case.
        message: String,
        /// The failure, whose text is in the message.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// There is something to prove over TLS, and the address is one without.
    #[error(
        "the connection to {0} has no TLS, so there is nothing to prove: such an address begins with https://"
    )]
    NoTls(String),
    /// The service refused the request.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// What answered gave an error that is not the service's own.
    #[error("the call failed: {message} ({code:?})")]
    Failed {
        /// The class of the error.
        code: Code,
        /// What is the case.
        message: String,
    },
    /// The request cannot be written.
    #[error(transparent)]
    Request(#[from] InvalidRequest),
    /// The answer cannot be read.
    #[error(transparent)]
    Response(#[from] InvalidResponse),
}

/// A request that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the field {field} of the request is too large to be sent")]
pub struct InvalidRequest {
    /// The field.
    pub field: &'static str,
}

impl ClientError {
    /// What the service refused, if it did.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Unreachable { .. }
            | Self::Tls { .. }
            | Self::Setup { .. }
            | Self::Identity { .. }
            | Self::NoTls(_)
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

    /// Whether the same call may succeed later.
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
            | Self::Request(_)
            | Self::Response(_) => false,
        }
    }

    /// How long the service asks to wait before the next try.
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

    /// The client's certificate or its key is not taken on this side already.
    pub(crate) fn identity(source: tonic::transport::Error) -> Self {
        let text = chain(&source);
        let message = if text.contains("KeyMismatch") {
            "the key is not that of the certificate".to_owned()
        } else if text.contains("UnsupportedCertVersion") {
            "the certificate is not of version 3 of X.509".to_owned()
        } else {
            text
        };
        Self::Identity {
            message,
            cause: Box::new(source),
        }
    }

    /// A connection that failed.
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

    /// The opening of a stream took longer than `limit`.
    pub(crate) fn too_late(limit: Duration) -> Self {
        let message = format!("there was no answer within {} s", limit.as_secs_f32());
        Self::Unreachable {
            message,
            cause: None,
        }
    }

    /// The other side ended a stream that should have gone on.
    pub(crate) fn ended() -> Self {
        Self::Unreachable {
            message: "the stream has ended".to_owned(),
            cause: None,
        }
    }

    /// What a call that ends with this status gives.
    #[must_use]
    pub fn from_status(status: Status) -> Self {
        if let Some(refusal) = Refusal::from_status(&status) {
            return Self::Refused(Box::new(refusal));
        }
        // A status that this side made, because the connection failed, has a source; one that the
        // other side sent has none.
        if status.source().is_some() {
            return Self::unreachable(status);
        }
        Self::Failed {
            code: status.code(),
            message: status.message().to_owned(),
        }
    }
}

/// The causes of an error from the outermost to the first, without repetitions.
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
        let error = ClientError::from_status(Status::from_error(Box::new(broken)));
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
        let error = ClientError::from_status(Status::unimplemented("no such method"));
        assert!(!error.is_transient());
        assert_eq!(
            error.to_string(),
            "the call failed: no such method (Unimplemented)"
        );
        assert!(ClientError::from_status(Status::unavailable("")).is_transient());
    }
}
