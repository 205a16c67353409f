//! `dragontooth-service token`.

mod arguments;
mod failure;
mod offline;
mod online;
mod shown;

use std::future::Future;
use std::io::Write;
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use tokio::time::timeout;

pub(super) use arguments::Command;

use super::output;
use failure::TokenCommandError;
use shown::{Issued, Shown};

/// Runs the command and prints its result.
pub(super) fn run(command: &Command) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(super::EXIT_NOT_STARTED, &error),
    };
    match runtime.block_on(patiently(done(command))) {
        Ok(text) => output::print(&text),
        Err(failure) => output::fail(failure.exit_code(), &failure),
    }
}

/// The time after which somebody at a terminal wonders.
const PATIENCE: Duration = Duration::from_secs(5);

/// Says that a command waits, and for what.
async fn patiently<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    if let Ok(done) = timeout(PATIENCE, &mut work).await {
        return done;
    }
    // Nobody may read it.
    let _ = writeln!(
        std::io::stderr(),
        "dragontooth-service: no answer for {} s, as when the synchronous standbys of a database are away: waiting. \
         If you end this, it may be done all the same: look with `token list`",
        PATIENCE.as_secs()
    );
    work.await
}

async fn done(command: &Command) -> Result<String, TokenCommandError> {
    match command {
        Command::Create(create) => {
            let issued: Issued = match create.location.offline() {
                Some(log) => offline::create(&log, create).await?,
                None => online::create(create).await?,
            };
            Ok(issued.text(create.json))
        }
        Command::List(list) => {
            let tokens: Vec<Shown> = match list.location.offline() {
                Some(log) => offline::list(&log).await?,
                None => online::list(&list.location).await?,
            };
            Ok(shown::list(&tokens, list.json))
        }
        Command::Revoke(revoke) => {
            let token = match revoke.location.offline() {
                Some(log) => offline::revoke(&log, &revoke.id).await?,
                None => online::revoke(&revoke.location, &revoke.id).await?,
            };
            Ok(token.text(revoke.json))
        }
    }
}
