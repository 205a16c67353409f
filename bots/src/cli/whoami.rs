use super::arguments::Service;
use super::failure::Failure;
use super::{Exit, output, service};

/// Prints the id of the player of the token.
pub(super) fn run(service: &Service) -> Result<Exit, Failure> {
    let player = service::run(async {
        let client = service.client()?;
        service.retry(&client, || client.who_am_i()).await
    })?;
    output::write(|output| writeln!(output, "{player}"))
}
