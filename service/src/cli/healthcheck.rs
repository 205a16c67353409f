use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Args;

use super::output::{fail, fail_by_all};
use super::{EXIT_STOPPED, EXIT_UNHEALTHY, EXIT_USAGE};
use crate::settings::{self, Flags, socket_address};
use crate::side::healthcheck;

#[derive(Debug, Args)]
pub(super) struct Healthcheck {
    /// The side port of the service, with `http://` before it or not; without this the one that `serve` has from `DRAGONTOOTH_SIDE_LISTEN`,
    /// the file at `DRAGONTOOTH_CONFIG`, or by default.
    #[arg(long, value_parser = address)]
    side: Option<SocketAddr>,
    /// Ask only whether the service lives, not whether it is ready.
    #[arg(long)]
    live: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("side.listen is off, so there is no port to ask")]
struct NoSidePort;

pub(super) fn run(check: &Healthcheck) -> ExitCode {
    let path = if check.live { "/livez" } else { "/readyz" };
    let side = match check.side {
        Some(side) => side,
        None => match settings::resolve(&Flags::default()) {
            Ok(resolved) => match resolved.values.config.side_listen {
                Some(side) => side,
                None => return fail(EXIT_USAGE, &NoSidePort),
            },
            Err(mistakes) => return fail_by_all(EXIT_USAGE, mistakes.iter()),
        },
    };
    match healthcheck(side, path) {
        Ok(()) => ExitCode::from(EXIT_STOPPED),
        Err(error) => fail(EXIT_UNHEALTHY, &error),
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let address = text.strip_prefix("http://").unwrap_or(text);
    socket_address(address.trim_end_matches('/'))
}
