//! `dragontooth-service match`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use dragontooth_service_client::{ClientError, random_request_id};
use dragontooth_service_vocabulary::{EndReason, MatchId};

use super::service_location::{ConnectError, ServiceLocation};
use super::{EXIT_NOT_STARTED, EXIT_REFUSED, output};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Abort a match that is not over, also one under way. It has no winner.
    Abort(Abort),
}

#[derive(Debug, Args)]
pub(super) struct Abort {
    /// The match's id.
    id: MatchId,
    /// The reason. Everyone who can see the match can read it.
    #[arg(long, value_name = "TEXT")]
    reason: EndReason,
    #[command(flatten)]
    service: ServiceLocation,
}

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
enum MatchCommandError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Service(#[from] ClientError),
}

/// Runs the command and prints its result.
pub(super) fn run(command: &Command) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(EXIT_NOT_STARTED, &error),
    };
    let Command::Abort(abort) = command;
    match runtime.block_on(done(abort)) {
        Ok(()) => output::print(&format!("match {} is aborted\n", abort.id)),
        Err(MatchCommandError::Connect(error)) => output::fail(error.exit_code(), &error),
        Err(MatchCommandError::Service(error)) => output::fail(EXIT_REFUSED, &error),
    }
}

async fn done(abort: &Abort) -> Result<(), MatchCommandError> {
    let client = abort.service.connect().await?;
    let request_id = Some(random_request_id());
    client
        .abort_match_as_operator(abort.id, abort.reason.clone(), request_id)
        .await?;
    Ok(())
}
