use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use dragontooth_service_postgres::PostgresAddress;

use crate::Config;

/// All that can be set, with its type. What [`Default`] gives is what holds if nothing is set.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// The configuration of the service. Its storage follows from `data` and `in_memory`.
    pub(crate) config: Config,
    /// The folder of the event log.
    pub(crate) data: Option<PathBuf>,
    /// True if the event log is in memory.
    pub(crate) in_memory: bool,
    /// The database of the event log.
    pub(crate) database: Option<PostgresAddress>,
    /// The file with its password.
    pub(crate) database_password: Option<PathBuf>,
    /// The authorities of its certificate.
    pub(crate) database_ca: Option<PathBuf>,
    /// True if it must have a synchronous standby.
    pub(crate) requires_standby: bool,
    /// The service's certificate.
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of that certificate.
    pub(crate) tls_key: Option<PathBuf>,
    /// The authorities of the clients' certificates.
    pub(crate) tls_client_ca: Option<PathBuf>,
    /// True if the service ends when its event log has failed.
    pub(crate) end_on_log_failure: bool,
    /// The format of the log.
    pub(crate) log_format: LogFormat,
    /// The filter of the log.
    pub(crate) log_filter: LogFilter,
    /// The collector that receives traces, by OTLP over gRPC.
    pub(crate) otlp_endpoint: Option<String>,
}

/// The format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

/// The filter of the log, in the syntax of `tracing_subscriber`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogFilter(pub(crate) String);

impl Default for LogFilter {
    fn default() -> Self {
        Self("info".to_owned())
    }
}

impl Default for Values {
    fn default() -> Self {
        Self {
            config: Config {
                side_listen: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 4641))),
                ..Config::default()
            },
            data: None,
            in_memory: false,
            database: None,
            database_password: None,
            database_ca: None,
            requires_standby: false,
            tls_cert: None,
            tls_key: None,
            tls_client_ca: None,
            end_on_log_failure: false,
            log_format: LogFormat::default(),
            log_filter: LogFilter::default(),
            otlp_endpoint: None,
        }
    }
}
