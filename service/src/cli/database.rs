use std::path::PathBuf;

use clap::Args;
use clap::error::{ContextKind, ContextValue};
use dragontooth_service_postgres::{PostgresAddress, PostgresOptions};

/// The database of an event log.
#[derive(Debug, Args)]
pub(super) struct Database {
    /// The PostgreSQL database of the event log, as for `serve`.
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

/// Takes the address of a database, which may have a password, out of what is said of the command line.
pub(super) fn without_address(mut error: clap::Error) -> clap::Error {
    let argument = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    if argument.is_some_and(|argument| argument.starts_with("--log ")) {
        let hidden = ContextValue::String("…".to_owned());
        error.insert(ContextKind::InvalidValue, hidden);
    }
    error
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Cli {
        #[command(flatten)]
        _database: Database,
    }

    #[test]
    fn an_address_that_is_none_is_not_repeated() {
        for address in ["postgres://u:ge@heim@h/d", "postgres://u:geheim@h:x/d"] {
            let error = Cli::try_parse_from(["serve", "--log", address]).unwrap_err();
            assert!(error.to_string().contains("heim"));
            let text = without_address(error).to_string();
            assert!(!text.contains("heim"), "{text}");
            assert!(text.contains("'--log <URL>'"), "{text}");
        }
    }
}
