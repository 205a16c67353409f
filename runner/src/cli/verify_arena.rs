use std::fmt::Write as _;
use std::path::Path;

use dragontooth_games::counted;
use dragontooth_runner_tournament::Event;

use super::{Failure, cannot_run, print, usage};
use crate::config::{RunConfig, ServiceConfig};
use crate::exit_code::RunnerExit;
use crate::record::{Fingerprint, FolderError, Manifest, RunFolder, arena_rules};
use crate::verify::{ArenaVerification, ServedCheck, compare_served, verify_arena};

/// Verifies an arena in a folder and reports every disagreement. It must have had the digest, if one is given; with
/// the event `file` it is compared with its service.
pub(super) fn run(
    folder: &Path,
    event: &Event,
    digest: Option<Fingerprint>,
    file: Option<&Path>,
) -> Result<RunnerExit, Failure> {
    let config = file.map(RunConfig::load).transpose();
    let config = config.map_err(usage)?;
    if let Some(config) = &config {
        match RunFolder::compare(folder, &Manifest::new(config)) {
            Err(error @ FolderError::OtherEvent { .. }) => {
                return Err((RunnerExit::Faults, error.into()));
            }
            compared => compared.map_err(cannot_run)?,
        }
    }
    let rules = arena_rules(event).expect("it is an arena");
    let found = verify_arena(folder, event, rules.clone(), digest);
    let mut found = found.map_err(cannot_run)?;
    let mut served = None;
    if let Some(config) = &config
        && let ServiceConfig::Remote(remote) = &config.service
    {
        let runtime = tokio::runtime::Runtime::new().map_err(cannot_run)?;
        let compared = compare_served(config, remote, folder, &rules, &mut found);
        served = Some(runtime.block_on(compared).map_err(cannot_run)?);
        runtime.shutdown_background();
    }
    print(&text(&found, served))?;
    Ok(if found.disagreements.is_empty() {
        RunnerExit::Success
    } else {
        RunnerExit::Faults
    })
}

fn text(found: &ArenaVerification, served: Option<ServedCheck>) -> String {
    let mut text = String::new();
    for disagreement in &found.disagreements {
        let _ = writeln!(text, "{disagreement}");
    }
    let counts = found.counts;
    let _ = writeln!(
        text,
        "{} of {} over: {} void, {} repeated",
        counted(counts.matches, "match"),
        counted(counts.encounters, "encounter"),
        counts.void,
        counts.repeated
    );
    if found.torn_bytes > 0 {
        let bytes = counted(found.torn_bytes, "byte");
        let _ = writeln!(text, "the last line of the journal is cut short ({bytes})");
    }
    match served {
        Some(ServedCheck {
            compared,
            to_record,
        }) => {
            let compared = counted(compared as u64, "match");
            let _ = writeln!(text, "compared with the service: {compared}");
            if to_record > 0 {
                let _ = writeln!(
                    text,
                    "just ended there, for `run` to record: {}",
                    counted(to_record as u64, "match")
                );
            }
        }
        None => text += "the results were not compared with the service: --file FILE does it\n",
    }
    if let Some(matches) = found.published_after {
        let _ = writeln!(
            text,
            "the given event digest is that after {}",
            counted(matches, "match")
        );
    }
    let _ = writeln!(text, "the event digest is {}", found.event_digest);
    text
}
