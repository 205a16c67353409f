use std::path::PathBuf;

use clap::Args;
use dragontooth_service_postgres::{PostgresAddress, PostgresOptions};

/// The database of an event log.
#[derive(Debug, Args)]
pub(super) struct Database {
    /// The PostgreSQL database of the event log, as for `serve`. Services may run on it.
    #[arg(long = "log", value_name = "URL")]
    address: Option<PostgresAddress>,
    /// The file with its password, instead of one in the address.
    #[arg(long = "log-password-file", value_name = "PATH", requires = "address")]
    password_file: Option<PathBuf>,
    /// The PEM file with the authorities of its certificate. Required unless it is on this machine.
    #[arg(long = "log-ca", value_name = "PATH", requires = "address")]
    ca: Option<PathBuf>,
}

impl Database {
    /// The options of the log, if one is named.
    pub(super) fn options(&self) -> Option<PostgresOptions> {
        let address = self.address.clone()?;
        Some(PostgresOptions {
            password_file: self.password_file.clone(),
            ca: self.ca.clone(),
            ..PostgresOptions::new(address)
        })
    }
}
