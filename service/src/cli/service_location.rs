use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use dragontooth_service_client::{
    Client, ClientError, InvalidServerAddress, InvalidToken, ServerAddress, Tls, TlsFileError,
    TlsFiles, Token,
};

use super::{EXIT_REFUSED, EXIT_USAGE};

/// The variable with the operator's token, which must not show in a list of processes.
const TOKEN_VARIABLE: &str = "DRAGONTOOTH_TOKEN";

/// The variable with the address of a service.
const SERVER_VARIABLE: &str = "DRAGONTOOTH_SERVER";

/// Number of attempts to connect to a service that cannot be reached.
const CONNECT_TRIES: u32 = 10;
/// Time after which no further attempt is made.
const CONNECT_PATIENCE: Duration = Duration::from_secs(1);

/// A running service, and how to reach it as an operator.
#[derive(Debug, Args)]
pub(super) struct ServiceLocation {
    /// The address of a service that runs, or those of its replicas, separated by commas; without this the variable
    /// `DRAGONTOOTH_SERVER`. `DRAGONTOOTH_TOKEN` has a token of it with the scope admin.
    // Not a variable of the parser, for which it would stand against `--data`.
    #[arg(long, value_name = "URL")]
    server: Option<ServerAddress>,
    /// The authorities against which an https service is verified, in PEM; without this the system's.
    #[arg(long, env = "DRAGONTOOTH_TLS_CA", value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    // For `serve` the variables of these mean its own certificate, and that it may listen without TLS. Beside such a service they must
    // not decide what is sent to another one.
    /// The certificate to show to the service, in PEM.
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// The key of that certificate, in PEM.
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Send the token in the clear to http addresses other than the loopback, where anyone on the way can read
    /// it.
    #[arg(long)]
    insecure_no_tls: bool,
}

/// The service cannot be reached.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    #[error(
        "name a folder by --data, a database by --log, or a service by --server or DRAGONTOOTH_SERVER"
    )]
    NoPlace,
    #[error("name a service by --server or DRAGONTOOTH_SERVER")]
    NoService,
    #[error("the value of DRAGONTOOTH_SERVER is wrong")]
    Address(#[source] InvalidServerAddress),
    #[error("set DRAGONTOOTH_TOKEN to a token of the service with the scope admin")]
    NoToken,
    #[error("the value of DRAGONTOOTH_TOKEN is wrong")]
    Token(#[source] InvalidToken),
    #[error(transparent)]
    Tls(#[from] TlsFileError),
    #[error("{0}; leave out --tls-ca (or DRAGONTOOTH_TLS_CA), --tls-cert and --tls-key")]
    NoTls(#[source] ClientError),
    #[error("{0} with --insecure-no-tls")]
    ClearText(#[source] ClientError),
    #[error("{0}; --tls-cert and --tls-key name them")]
    Identity(#[source] ClientError),
    #[error(transparent)]
    Service(ClientError),
}

impl ConnectError {
    pub(super) const fn exit_code(&self) -> u8 {
        match self {
            Self::NoPlace
            | Self::NoService
            | Self::Address(_)
            | Self::NoToken
            | Self::Token(_)
            | Self::Tls(_)
            | Self::NoTls(_)
            | Self::ClearText(_)
            | Self::Identity(_) => EXIT_USAGE,
            Self::Service(_) => EXIT_REFUSED,
        }
    }
}

impl ServiceLocation {
    /// Connects to the service.
    pub(super) async fn connect(&self) -> Result<Client, ConnectError> {
        let server = self.server()?.insecure(self.insecure_no_tls);
        let secret = std::env::var(TOKEN_VARIABLE).map_err(|_| ConnectError::NoToken)?;
        let token = Token::new(secret).map_err(ConnectError::Token)?;
        let files = TlsFiles {
            ca: self.tls_ca.clone(),
            cert: self.tls_cert.clone(),
            key: self.tls_key.clone(),
        };
        let tls = files.read()?;
        let connected = connect(&server, &token, &tls).await;
        connected.map_err(|error| match error {
            ClientError::NoTls(_) => ConnectError::NoTls(error),
            ClientError::ClearText(_) => ConnectError::ClearText(error),
            ClientError::Identity { .. } => ConnectError::Identity(error),
            ClientError::Unreachable { .. }
            | ClientError::Tls { .. }
            | ClientError::Setup { .. }
            | ClientError::Refused(_)
            | ClientError::Failed { .. }
            | ClientError::Request(_)
            | ClientError::Response(_) => ConnectError::Service(error),
        })
    }

    fn server(&self) -> Result<ServerAddress, ConnectError> {
        match &self.server {
            Some(server) => Ok(server.clone()),
            None => std::env::var(SERVER_VARIABLE)
                .map_err(|_| ConnectError::NoService)?
                .parse()
                .map_err(ConnectError::Address),
        }
    }
}

/// Connects, and checks that calls are answered.
///
/// A connection over TLS is there for the client before the service has looked at the client's
/// certificate. If the service does not take it, what it says about it may be lost with the connection,
/// and is there with one of the next.
async fn connect(server: &ServerAddress, token: &Token, tls: &Tls) -> Result<Client, ClientError> {
    let began = Instant::now();
    for _ in 1..CONNECT_TRIES {
        match connect_once(server, token, tls).await {
            Err(ClientError::Unreachable { .. }) if began.elapsed() < CONNECT_PATIENCE => {}
            connected => return connected,
        }
    }
    connect_once(server, token, tls).await
}

async fn connect_once(
    server: &ServerAddress,
    token: &Token,
    tls: &Tls,
) -> Result<Client, ClientError> {
    let client = Client::connect_with(server, token, tls).await?;
    match client.who_am_i().await {
        Err(error @ (ClientError::Unreachable { .. } | ClientError::Tls { .. })) => Err(error),
        // Any other error will be reported by the actual call.
        Ok(_) | Err(_) => Ok(client),
    }
}
