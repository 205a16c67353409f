use std::path::Path;

use dragontooth_games::record::{ReadError, read_text};
use dragontooth_games::verify::verify_draws;

use super::file;
use crate::cli::failure::Failure;
use crate::cli::{Exit, output};

/// Checks that the server's seed is the one to which it had committed, and that every deal and
/// every roll of a match follows from the seeds.
pub(super) fn run(path: &Path) -> Result<Exit, Failure> {
    let name = path.display();
    let text = file::read(path)?;
    let (record, headers) = read_text(&text)
        .map_err(|ReadError { line, why }| Failure::usage(format!("{name}:{line}: {why}")))?;
    let Some(draws) = headers.draws() else {
        let message = format!(
            "{name} has no server seed: it is told when the match is over, in a record in the \
             format text"
        );
        return Err(Failure::usage(message));
    };
    match headers.keeps_commitment() {
        Some(true) => {}
        Some(false) => {
            let message = "the server's seed is not the one to which it had committed";
            return Err(Failure::unfair(message));
        }
        None => {
            let message = format!("{name} has no commitment to the server's seed");
            return Err(Failure::usage(message));
        }
    }
    let checked = verify_draws(&record, &draws).map_err(Failure::unfair)?;
    let is_normal = headers.result.ends_with(" normal");
    if (is_normal || checked.result.is_some()) && checked.result.as_ref() != Some(&headers.result) {
        let played = checked.result.as_deref().unwrap_or("not played to its end");
        let message = format!(
            "the result is said to be {:?}, but the match is {played}",
            headers.result
        );
        return Err(Failure::unfair(message));
    }
    output::write(|output| {
        writeln!(
            output,
            "the seed is the one that was committed to; the deals ({}) and the rolls ({}) follow \
             from it; the result is {}",
            checked.deals,
            checked.rolls,
            checked.result.as_deref().unwrap_or(&headers.result)
        )
    })
}
