//! `dragontooth-service token`.

mod arguments;
mod failure;
mod offline;
mod online;
mod shown;

use std::process::ExitCode;

pub(super) use arguments::Command;

use super::output;
use failure::Failure;
use shown::{Issued, Shown};

/// Does what is asked, and prints what comes of it.
pub(super) fn run(command: &Command) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(super::EXIT_NOT_STARTED, &error),
    };
    match runtime.block_on(done(command)) {
        Ok(text) => output::print(&text),
        Err(failure) => output::fail(failure.exit_code(), &failure),
    }
}

async fn done(command: &Command) -> Result<String, Failure> {
    match command {
        Command::Create(create) => {
            let issued: Issued = match &create.place.data {
                Some(folder) => offline::create(folder, create).await?,
                None => online::create(create).await?,
            };
            Ok(issued.text(create.json))
        }
        Command::List(list) => {
            let tokens: Vec<Shown> = match &list.place.data {
                Some(folder) => offline::list(folder).await?,
                None => online::list(&list.place).await?,
            };
            Ok(shown::list(&tokens, list.json))
        }
        Command::Revoke(revoke) => {
            let token = match &revoke.place.data {
                Some(folder) => offline::revoke(folder, &revoke.id).await?,
                None => online::revoke(&revoke.place, &revoke.id).await?,
            };
            Ok(token.text(revoke.json))
        }
    }
}
