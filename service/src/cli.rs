//! The command line of `dragontooth-service`.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::{Config, Limits, Service, Storage};

/// The service runs matches of two-player board games between bots, over gRPC.
#[derive(Debug, Parser)]
#[command(name = "dragontooth-service", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve until SIGINT or SIGTERM.
    Serve(Serve),
}

#[derive(Debug, Args)]
struct Serve {
    /// Where to listen, an IP address and a port. Port 0 lets the system choose one.
    #[arg(long, env = "DRAGONTOOTH_LISTEN", default_value = "127.0.0.1:4640")]
    listen: SocketAddr,
    /// The folder of the event log; made if it does not exist.
    #[arg(long, env = "DRAGONTOOTH_DATA", required_unless_present = "in_memory")]
    data: Option<PathBuf>,
    /// Keep the event log in memory: it is gone when the service ends.
    #[arg(long, conflicts_with = "data")]
    in_memory: bool,
    /// The most matches that are not over; at least 1.
    #[arg(long, env = "DRAGONTOOTH_MAX_LIVE_MATCHES", default_value_t = Limits::default().live_matches,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    max_live_matches: usize,
    /// The most bytes of a request; at least 1024.
    #[arg(long, env = "DRAGONTOOTH_MAX_REQUEST_BYTES", default_value_t = Limits::default().request_bytes,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1024..))]
    max_request_bytes: usize,
    /// The most messages that wait for the reader of a Play stream before it is closed; at least 16.
    #[arg(long, env = "DRAGONTOOTH_MAX_WAITING_MESSAGES", default_value_t = Limits::default().waiting_messages,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(16..))]
    max_waiting_messages: usize,
    /// How to log, on standard error. What to log is in `RUST_LOG`, `info` if it is not set.
    #[arg(
        long,
        env = "DRAGONTOOTH_LOG_FORMAT",
        value_enum,
        default_value = "text"
    )]
    log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    /// Lines for people.
    Text,
    /// A JSON object a line.
    Json,
}

/// The service stopped as it was told.
pub const EXIT_STOPPED: u8 = 0;
/// The command line is wrong. (The parser of the command line ends the program with it.)
pub const EXIT_USAGE: u8 = 2;
/// The service could not start: the address or the data folder is not to be had.
pub const EXIT_NOT_STARTED: u8 = 3;

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let Cli {
        command: Command::Serve(serve),
    } = Cli::parse();
    start_logging(serve.log_format);
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return not_started(&error),
    };
    match runtime.block_on(run(serve)) {
        Ok(()) => ExitCode::from(EXIT_STOPPED),
        Err(error) => not_started(&*error),
    }
}

async fn run(serve: Serve) -> Result<(), Box<dyn std::error::Error>> {
    let storage = serve.data.map_or(Storage::Memory, Storage::Folder);
    let limits = Limits {
        live_matches: serve.max_live_matches,
        request_bytes: serve.max_request_bytes,
        waiting_messages: serve.max_waiting_messages,
        ..Limits::usual_at(serve.listen.ip())
    };
    let service = Service::start(Config {
        listen: serve.listen,
        storage,
        limits,
    })
    .await?;
    wait_for_signal().await?;
    tracing::info!("told to stop");
    tokio::select! {
        () = service.stop() => {}
        result = wait_for_signal() => result?,
    }
    Ok(())
}

async fn wait_for_signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

fn start_logging(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let logging = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => logging.init(),
        LogFormat::Json => logging.json().init(),
    }
}

#[expect(
    clippy::print_stderr,
    reason = "the last word of a program that cannot start"
)]
fn not_started(error: &dyn std::error::Error) -> ExitCode {
    let mut message = format!("dragontooth-service: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        message = format!("{message}: {cause}");
        source = cause.source();
    }
    eprintln!("{message}");
    ExitCode::from(EXIT_NOT_STARTED)
}
