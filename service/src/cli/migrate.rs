use std::process::ExitCode;

use clap::{ArgGroup, Args};
use dragontooth_service_postgres::{SCHEMA_FORMAT, migrate_postgres};

use super::EXIT_NOT_STARTED;
use super::database::Database;
use super::output::{fail, print};

/// The arguments of `migrate`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("place").required(true).args(["address"])))]
pub(super) struct Migrate {
    #[command(flatten)]
    database: Database,
}

pub(super) fn run(arguments: &Migrate) -> ExitCode {
    let options = arguments.database.options();
    let options = options.expect("the command line has an address");
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(EXIT_NOT_STARTED, &error),
    };
    match runtime.block_on(migrate_postgres(&options)) {
        Ok(SCHEMA_FORMAT) => print(&format!("format {SCHEMA_FORMAT}: nothing to do\n")),
        Ok(0) => print(&format!("made the tables, format {SCHEMA_FORMAT}\n")),
        Ok(before) => print(&format!("format {before} brought to {SCHEMA_FORMAT}\n")),
        Err(error) => fail(EXIT_NOT_STARTED, &error),
    }
}
