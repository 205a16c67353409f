use std::fmt::Display;
use std::io;

use dragontooth_bots_engines::stdio::EngineFault;
use dragontooth_service_client::{ClientError, ServerAddress};

use super::Exit;
use crate::session::SessionError;

/// A failure of the program: a line for people and an exit code.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) exit: Exit,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn usage(message: impl Display) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.to_string(),
        }
    }

    pub(super) fn system(message: impl Display) -> Self {
        Self {
            exit: Exit::System,
            message: message.to_string(),
        }
    }

    pub(super) fn unfair(message: impl Display) -> Self {
        Self {
            exit: Exit::Unfair,
            message: message.to_string(),
        }
    }

    /// Failure of an engine at its start.
    pub(super) fn engine(fault: &EngineFault) -> Self {
        Self {
            exit: Exit::BotFailed,
            message: format!("the engine cannot be used: {fault}"),
        }
    }

    /// Failure to reach a service, with what the system says of the connection.
    pub(super) fn silent(server: &ServerAddress, cause: &str) -> Self {
        Self {
            exit: Exit::Unreachable,
            message: format!(
                "no service answers at {server}: {cause}; start one there with dragontooth-service serve, \
                 or name another with --server"
            ),
        }
    }

    fn hinted(exit: Exit, error: &impl Display, hint: &str) -> Self {
        Self {
            exit,
            message: format!("{error}; {hint}"),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::system(error)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match &error {
            ClientError::Unreachable { .. } => unreachable(&error),
            ClientError::Tls { .. } => Self {
                exit: Exit::Unreachable,
                message: error.to_string(),
            },
            ClientError::Setup { .. } => Self::hinted(
                Exit::Unreachable,
                &error,
                "--tls-ca names a file of the certificates to trust",
            ),
            ClientError::Identity { .. } => {
                Self::hinted(Exit::Usage, &error, "--tls-cert and --tls-key name them")
            }
            ClientError::Refused(_) | ClientError::Failed { .. } => Self {
                exit: Exit::Refused,
                message: error.to_string(),
            },
            ClientError::NoTls(_) => Self::hinted(
                Exit::Usage,
                &error,
                "leave out --tls-ca, --tls-cert and --tls-key and their variables, or use TLS",
            ),
            ClientError::ClearText(_) => Self::usage(format!("{error} with --insecure-no-tls")),
            ClientError::Request(_) => Self::usage(&error),
            ClientError::Response(_) => Self::hinted(
                Exit::Refused,
                &error,
                "the service may be newer than this program",
            ),
        }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Superseded => Self::hinted(
                Exit::Superseded,
                &error,
                "each program that plays at the same time needs its own token",
            ),
            SessionError::Lost { .. } => unreachable(&error),
            SessionError::TokenRefused(_) | SessionError::MatchUnavailable { .. } => Self {
                exit: Exit::Refused,
                message: error.to_string(),
            },
            SessionError::Service(error) => error.into(),
        }
    }
}

fn unreachable(error: &impl Display) -> Failure {
    let hint = "is the service running there, and is the address of --server right?";
    Failure::hinted(Exit::Unreachable, error, hint)
}
