use crate::cli::arguments::Export;
use crate::cli::failure::Failure;
use crate::cli::{Exit, output, service};

/// Prints the record of a match of the service.
pub(super) fn run(arguments: &Export) -> Result<Exit, Failure> {
    let format = arguments.format.as_deref();
    let record = service::runtime()?.block_on(async {
        let client = arguments.service.client()?;
        arguments
            .service
            .insist(|| client.export_match(arguments.match_id, format))
            .await
            .map_err(Failure::from)
    })?;
    output::write(|output| output.write_all(record.text.as_bytes()))
}
