use std::time::Duration;

use clap::{Args, Subcommand};
use dragontooth_service_vocabulary::{IdentityName, Scope};

use crate::cli::log_location::LogLocation;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Command {
    /// Issue a token to an identity, which is made if there is none of that name. The secret is printed
    /// once, and nowhere else.
    Create(Create),
    /// List the tokens, without their secrets.
    List(List),
    /// Revoke a token: it is refused from now on, and its streams end.
    Revoke(Revoke),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Create {
    /// The name of the identity. Its player id is the same for all of its tokens; two can be valid at the
    /// same time.
    pub(super) name: IdentityName,
    /// The scopes of the token: play, watch, create, admin.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "SCOPE,…",
        default_value = "play,watch,create"
    )]
    pub(super) scopes: Vec<Scope>,
    /// The time for which it is valid, such as 30days; without this, for ever.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, allow_hyphen_values = true)]
    pub(super) ttl: Option<Duration>,
    #[command(flatten)]
    pub(super) location: LogLocation,
    /// Print a JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct List {
    #[command(flatten)]
    pub(super) location: LogLocation,
    /// Print a JSON object a line.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Revoke {
    /// The token's id, as `token list` prints it. (The secret is not wanted.)
    pub(super) id: String,
    #[command(flatten)]
    pub(super) location: LogLocation,
    /// Print a JSON object.
    #[arg(long)]
    pub(super) json: bool,
}
