use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::settings::LogFormat;

/// Logs on standard error from here on.
pub(super) fn start(format: LogFormat, filter: &str) {
    let logging = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => logging.init(),
        LogFormat::Json => logging.json().init(),
    }
}
