use std::net::SocketAddr;
use std::path::PathBuf;

use dragontooth_service_client::PemFileError;
use dragontooth_service_postgres::PostgresError;
use dragontooth_service_store::{
    MatchLogError, OpenError, RESTORE_COMMAND, StorageError, TokenLogError,
};

use crate::config::UnsafeConfig;
use crate::tls::TlsError;

/// The reason why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error(
        "cannot listen on {address}, the setting `{setting}` (option `{}`)",
        option_of(setting)
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Which of its addresses it is: `listen`, `side.listen` or `web.listen`.
        setting: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// The threads that serve browsers cannot be started.
    #[error("cannot start the threads of the web page")]
    WebThreads(#[source] std::io::Error),
    /// It would be open to more people than its operator may think.
    #[error(transparent)]
    Unsafe(#[from] UnsafeConfig),
    /// The files of TLS cannot be used.
    #[error("cannot use the files of TLS")]
    Tls(#[from] PemFileError),
    /// The certificate, its key or the clients' authorities are none.
    #[error("cannot use the certificate {} with the key {}: {fault}", cert.display(), key.display())]
    Certificate {
        /// The file of the certificate.
        cert: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// The fault.
        fault: String,
    },
    /// The event log cannot be opened.
    #[error("cannot open the event log")]
    Open(#[from] OpenError),
    /// The event log on PostgreSQL cannot be opened.
    #[error("cannot open the event log")]
    OpenPostgres(#[from] PostgresError),
    /// The event log cannot be read.
    #[error("cannot read the event log")]
    Read(#[from] MatchLogError),
    /// The time of the event log cannot be read.
    #[error("cannot read the time of the event log")]
    Time(#[source] StorageError),
    /// The tokens cannot be read.
    #[error(
        "cannot read the tokens in {folder}, which say who may do what; keep a copy of the folder, restore \
         the last backup with `{RESTORE_COMMAND}`, and serve the new folder"
    )]
    Tokens {
        /// The data folder.
        folder: String,
        /// Why.
        source: TokenLogError,
    },
    /// The descriptions of the API for reflection are unfit.
    #[error("cannot describe the API")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// The option of the command line for one of the addresses.
fn option_of(setting: &str) -> &'static str {
    match setting {
        "side.listen" => "--side-listen",
        "web.listen" => "--web",
        _ => "--listen",
    }
}

impl From<TlsError> for StartError {
    fn from(error: TlsError) -> Self {
        match error {
            TlsError::File(error) => Self::Tls(error),
            TlsError::Pair { cert, key, fault } => Self::Certificate { cert, key, fault },
        }
    }
}
