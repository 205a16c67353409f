use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use dragontooth_service_client::{Scope, ServerAddress, TlsFiles};

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
    /// The name of the identity. Its player id stays the same whatever tokens it gets; two count at the
    /// same time.
    pub(super) name: String,
    /// What the token allows: play, watch, create, admin.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "SCOPE,…",
        default_value = "play,watch,create"
    )]
    pub(super) scopes: Vec<Scope>,
    /// How long it counts, such as 30days; without this for ever.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(super) life: Option<Duration>,
    #[command(flatten)]
    pub(super) place: Place,
    /// Print a JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct List {
    #[command(flatten)]
    pub(super) place: Place,
    /// Print a JSON object a line.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Revoke {
    /// The token's id, as `token list` prints it. (The secret is not wanted.)
    pub(super) id: String,
    #[command(flatten)]
    pub(super) place: Place,
    /// Print a JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// Where the tokens are.
#[derive(Debug, Args)]
pub(super) struct Place {
    /// The data folder of a service that does not run.
    #[arg(long, value_name = "FOLDER", conflicts_with = "server")]
    pub(super) data: Option<PathBuf>,
    /// The address of a service that runs. `DRAGONTOOTH_TOKEN` has a token of it with the scope admin.
    #[arg(
        long,
        env = "DRAGONTOOTH_SERVER",
        value_name = "URL",
        required_unless_present = "data"
    )]
    pub(super) server: Option<ServerAddress>,
    /// The authorities against which an https service is verified, in PEM; without this the system's.
    #[arg(long, env = "DRAGONTOOTH_TLS_CA", value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// The certificate to show to the service, in PEM.
    #[arg(long, env = "DRAGONTOOTH_TLS_CERT", value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// The key of that certificate, in PEM.
    #[arg(long, env = "DRAGONTOOTH_TLS_KEY", value_name = "FILE")]
    tls_key: Option<PathBuf>,
}

impl Place {
    pub(super) fn tls(&self) -> TlsFiles {
        TlsFiles {
            ca: self.tls_ca.clone(),
            cert: self.tls_cert.clone(),
            key: self.tls_key.clone(),
        }
    }
}
