mod reasons;

use reasons::REASONS;

use super::arguments::Explain;
use super::failure::Failure;
use super::{Exit, output};

/// The documentation of a reason of refusals.
struct ReasonInfo {
    /// Its name on the wire.
    name: &'static str,
    /// The gRPC code.
    code: &'static str,
    /// Its meaning.
    meaning: &'static str,
    /// Advice for a bot.
    advice: &'static str,
}

/// Prints the documentation of reasons, in the order of the arguments.
pub(super) fn run(arguments: &Explain) -> Result<Exit, Failure> {
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
            "there is no reason {name:?}; without an argument, explain prints all of them"
        ))
    })
}
