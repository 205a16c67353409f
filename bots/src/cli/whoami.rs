use super::arguments::Service;
use super::failure::Failure;
use super::{Exit, output, service};

/// Prints which player the token stands for.
pub(super) fn run(service: &Service) -> Result<Exit, Failure> {
    let player = service::runtime()?.block_on(async {
        let client = service.client()?;
        service
            .insist(|| client.who_am_i())
            .await
            .map_err(Failure::from)
    })?;
    output::write(|output| writeln!(output, "{player}"))
}
