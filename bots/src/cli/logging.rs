use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// What is logged unless `RUST_LOG` says otherwise.
const DEFAULT: &str = "warn";

/// Logs to standard error what `RUST_LOG` asks for.
pub(super) fn start() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}
