use std::io;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::runtime::Runtime;
use tracing::{error, info, warn};

use super::output::{fail, fail_by_all};
use super::service_manager::ServiceManager;
use super::{
    EXIT_LOG_FAILED, EXIT_NOT_STARTED, EXIT_SECOND_SIGNAL, EXIT_STOPPED, EXIT_TOO_SLOW, EXIT_USAGE,
    logging,
};
use crate::settings::{self, Flags};
use crate::{Config, Service, StopSignals, metrics};

/// Serves until a signal stops it.
pub(super) fn run(flags: &Flags) -> ExitCode {
    let settled = settings::resolve(flags).and_then(|resolved| {
        let config = resolved.config()?;
        Ok((resolved.values, config))
    });
    let (values, config) = match settled {
        Ok(settled) => settled,
        Err(mistakes) => return fail_by_all(EXIT_USAGE, mistakes.iter()),
    };
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(EXIT_NOT_STARTED, &error),
    };
    let export = {
        let _within = runtime.enter();
        match logging::start(&values) {
            Ok(export) => export,
            Err(error) => return fail(EXIT_USAGE, &error),
        }
    };
    for each in settings::misspelt_variables() {
        warn!(variable = %each.name, nearest = %each.meant, "unknown setting");
    }
    if config.side_listen.is_some() {
        metrics::install();
    }
    let code = match runtime.block_on(serve(config, values.end_on_log_failure)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => fail(EXIT_NOT_STARTED, &*error),
    };
    export.end();
    // Tasks that still run may be dropped: everything that was acknowledged is durable.
    runtime.shutdown_background();
    code
}

/// Serves to the end, and gives the exit code of the program.
async fn serve(config: Config, end_on_log_failure: bool) -> Result<u8, Box<dyn std::error::Error>> {
    let shutdown_timeout = config.shutdown_timeout;
    let mut signals = StopSignals::listen()?;
    let manager = ServiceManager::of_environment();
    manager.recovering();
    let service = tokio::select! {
        service = Service::start(config) => service?,
        () = signals.next() => {
            info!("stop signal received before serving");
            return Ok(EXIT_STOPPED);
        }
    };
    manager.ready(service.address());
    let code = tokio::select! {
        () = signals.next() => EXIT_STOPPED,
        () = service.log_failed(), if end_on_log_failure => EXIT_LOG_FAILED,
    };
    end_after(shutdown_timeout)?;
    manager.stopping();
    // A log that nobody reads holds whoever writes to it, but not this task, which hears the next signal.
    let stopped = tokio::spawn(async move {
        if code == EXIT_LOG_FAILED {
            error!(
                "the event log has failed, so the service ends; it resumes all matches when it is restarted"
            );
        } else {
            info!("stop signal received");
        }
        if service.stop().await || code == EXIT_LOG_FAILED {
            code
        } else {
            EXIT_TOO_SLOW
        }
    });
    tokio::select! {
        stopped = stopped => stopped.map_err(Into::into),
        () = signals.next() => end_at_once(EXIT_SECOND_SIGNAL, || {
            warn!("second stop signal received, ending at once");
        }),
    }
}

/// Time limit for the line that says why the process ends.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Ends the process after a time, whatever it is doing. A separate thread depends on nothing that may hang.
fn end_after(time: Duration) -> io::Result<()> {
    let end = move || {
        thread::sleep(time);
        end_at_once(EXIT_TOO_SLOW, || error!("the shutdown took too long"));
    };
    thread::Builder::new()
        .name("shutdown-timeout".to_owned())
        .spawn(end)
        .map(drop)
}

/// Ends the process, after its last words if the log takes them.
fn end_at_once(code: u8, last_words: impl FnOnce() + Send + 'static) -> ! {
    let (said, is_said) = mpsc::channel();
    thread::spawn(move || {
        last_words();
        let _ = said.send(());
    });
    let _ = is_said.recv_timeout(LAST_WORDS);
    std::process::exit(code.into())
}
