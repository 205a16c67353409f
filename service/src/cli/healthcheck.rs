use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Args;

use super::output::fail;
use super::{EXIT_STOPPED, EXIT_UNHEALTHY};
use crate::settings::socket_address;
use crate::side::healthcheck;

#[derive(Debug, Args)]
pub(super) struct Healthcheck {
    /// The side port of the service, with `http://` before it or not.
    #[arg(long, env = "DRAGONTOOTH_SIDE_LISTEN", default_value = "127.0.0.1:4641", value_parser = address)]
    side: SocketAddr,
    /// Ask only whether the service lives, not whether it is ready.
    #[arg(long)]
    live: bool,
}

pub(super) fn run(check: &Healthcheck) -> ExitCode {
    let path = if check.live { "/livez" } else { "/readyz" };
    match healthcheck(check.side, path) {
        Ok(()) => ExitCode::from(EXIT_STOPPED),
        Err(error) => fail(EXIT_UNHEALTHY, &error),
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let address = text.strip_prefix("http://").unwrap_or(text);
    socket_address(address.trim_end_matches('/'))
}
