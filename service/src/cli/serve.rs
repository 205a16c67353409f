use std::process::ExitCode;

use super::output::fail;
use super::{EXIT_NOT_STARTED, EXIT_STOPPED, EXIT_USAGE, logging};
use crate::settings::{self, Flags, SettingsError};
use crate::{Config, Service};

/// Serves until it is told to stop.
pub(super) fn run(flags: &Flags) -> ExitCode {
    let config = match start_logging(flags) {
        Ok(config) => config,
        Err(error) => return fail(EXIT_USAGE, &error),
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(EXIT_NOT_STARTED, &error),
    };
    match runtime.block_on(serve(config)) {
        Ok(()) => ExitCode::from(EXIT_STOPPED),
        Err(error) => fail(EXIT_NOT_STARTED, &*error),
    }
}

fn start_logging(flags: &Flags) -> Result<Config, SettingsError> {
    let values = settings::resolve(flags)?.values;
    let (format, filter) = (values.log_format, values.log_filter.clone());
    let config = values.into_config()?;
    logging::start(format, &filter.0);
    Ok(config)
}

async fn serve(config: Config) -> Result<(), Box<dyn std::error::Error>> {
    let service = Service::start(config).await?;
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
