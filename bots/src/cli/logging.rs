use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// Default for `RUST_LOG`.
const DEFAULT: &str = "warn";

/// Starts logging to standard error, filtered by `RUST_LOG`.
pub(super) fn start() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}
