use super::ReasonInfo;
use super::reasons::REASONS;
use crate::cli::arguments::Explain;
use crate::cli::failure::Failure;
use crate::cli::{Exit, output};

/// Prints what reasons mean, in the order in which they are asked for.
pub(in crate::cli) fn run(arguments: &Explain) -> Result<Exit, Failure> {
    let found: Result<Vec<&ReasonInfo>, Failure> = match &arguments.reasons[..] {
        [] => Ok(REASONS.iter().collect()),
        names => names.iter().map(|name| find(name)).collect(),
    };
    let found = found?;
    output::write(|output| {
        for reason in found {
            let ReasonInfo {
                name,
                code,
                meaning,
                advice,
            } = reason;
            writeln!(output, "{name} ({code})\n  {meaning}\n  A bot: {advice}")?;
        }
        Ok(())
    })
}

fn find(name: &str) -> Result<&'static ReasonInfo, Failure> {
    let found = REASONS
        .iter()
        .find(|reason| reason.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        Failure::usage(format!(
            "there is no reason {name:?}; without one, explain prints all of them"
        ))
    })
}
