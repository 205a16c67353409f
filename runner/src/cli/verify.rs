use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use dragontooth_games::counted;

use super::{Failure, arena, cannot_run, look, print, usage, verify_arena};
use crate::exit_code::RunnerExit;
use crate::record::Fingerprint;
use crate::verify::{BookCheck, LogState, Reports, Verification, verify};

#[derive(Debug, Args)]
pub(super) struct Verify {
    /// The folder of the run.
    folder: PathBuf,
    /// The event digest that was published with the event, as `run` and its report show it: 64
    /// hexadecimal digits. Any change to the run changes it.
    #[arg(long, value_name = "HEX")]
    digest: Option<Fingerprint>,
    /// Of an arena, its event file: the definition is compared with it, and the results with the matches on the service
    /// that it names.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The book of openings of the event, with which the openings of the matches are compared. Needed only for a
    /// book that was too large to be copied into the folder.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
}

/// Replays a run and reports every disagreement.
pub(super) fn run(arguments: &Verify) -> Result<RunnerExit, Failure> {
    if let Some(event) = arena::event_in(&arguments.folder) {
        if arguments.book.is_some() {
            return Err(usage(BookOfArena));
        }
        let file = arguments.file.as_deref();
        return verify_arena::run(&arguments.folder, &event, arguments.digest, file);
    }
    if arguments.file.is_some() {
        return Err(usage(FileOfRun));
    }
    let manifest = look(&arguments.folder)?;
    let event = manifest.event().map_err(cannot_run)?;
    let book = arguments.book.as_deref();
    let book = BookCheck::new(&arguments.folder, &manifest, &event, book).map_err(usage)?;
    let found = verify(&arguments.folder, &event, arguments.digest, &book).map_err(cannot_run)?;
    print(&text(&found, &book))?;
    Ok(if found.disagreements.is_empty() {
        RunnerExit::Success
    } else {
        RunnerExit::Faults
    })
}

fn text(found: &Verification, book: &BookCheck) -> String {
    let scheduled = found.schedule.expected_matches();
    let Verification {
        disagreements,
        matches,
        beyond,
        verified,
        deals,
        rolls,
        plies,
        leftovers,
        in_use,
        torn_bytes,
        reports,
        log,
        event_digest,
        ..
    } = found;
    let mut text = String::new();
    for disagreement in disagreements {
        let _ = writeln!(text, "{disagreement}");
    }
    let _ = writeln!(
        text,
        "{matches} of {} are over; {verified} of them are verified: {} dealt again, {} drawn again, {} replayed",
        counted(scheduled, "match"),
        counted(*deals, "game"),
        counted(*rolls, "roll"),
        counted(*plies, "ply"),
    );
    if *beyond > 0 {
        let (were, count) = if *beyond == 1 {
            ("was", "does not count")
        } else {
            ("were", "do not count")
        };
        let _ = writeln!(
            text,
            "{beyond} more {were} over when the test was decided, and {count}"
        );
    }
    if *leftovers > 0 {
        let (were, results) = if *leftovers == 1 {
            ("was", "its result is")
        } else {
            ("were", "their results are")
        };
        let _ = if *in_use {
            writeln!(text, "{leftovers} {were} played; {results} being written")
        } else {
            writeln!(
                text,
                "{leftovers} {were} played without a result, because the run was stopped"
            )
        };
    }
    if *torn_bytes > 0 {
        let _ = writeln!(
            text,
            "the last line of results.jsonl is cut short ({})",
            counted(*torn_bytes, "byte")
        );
    }
    if let Some(summary) = book.summary() {
        let _ = writeln!(text, "{summary}");
    }
    match log {
        LogState::None => {}
        LogState::Compared => {
            let _ = writeln!(text, "the results were compared with the event log");
        }
        LogState::InUse => {
            let _ = writeln!(
                text,
                "a run is using the folder: the event log is compared once it is over"
            );
        }
        LogState::Missing => {
            let _ = writeln!(text, "the results were not compared with the event log");
        }
    }
    match reports {
        Reports::Of(covered) if *covered != matches + beyond => {
            let _ = writeln!(
                text,
                "the reports cover the first {}; `run` writes them again",
                counted(*covered, "match")
            );
        }
        Reports::Missing | Reports::Of(_) | Reports::Wrong | Reports::Unknown => {}
    }
    let _ = writeln!(text, "the event digest is {event_digest}");
    text
}

/// A book is given for an arena.
#[derive(Debug, thiserror::Error)]
#[error("--book is for events with a schedule: for an arena, --file compares with its service")]
struct BookOfArena;

/// A file is given for a run with a schedule.
#[derive(Debug, thiserror::Error)]
#[error("--file is for an arena: the records of this run are in its folder")]
struct FileOfRun;
