use std::io;
use std::path::Path;

use dragontooth_games::counted;
use dragontooth_runner_report::{ArenaTables, arena_page};
use dragontooth_runner_tournament::Event;
use dragontooth_runner_tournament::arena::RatingHistory;

use super::table_format::TableFormat;
use super::web::{OpenPage, PageOptions};
use super::{Failure, cannot_run, print, say, stop_signal, usage};
use crate::config::RunConfig;
use crate::drive::run_arena;
use crate::exit_code::RunnerExit;
use crate::record::{RunFolder, arena_rules, read_arena};
use crate::reports::{PAGE, ReportsLock, export_pgn, write_file};

/// Runs an arena until a signal stops it.
pub(super) fn run(
    config: &RunConfig,
    folder: &Path,
    page: &PageOptions,
) -> Result<RunnerExit, Failure> {
    let runtime = tokio::runtime::Runtime::new().map_err(cannot_run)?;
    let web = page.open_arena(&runtime, &config.event, || {
        history_so_far(folder, &config.event)
    })?;
    let shown = web.as_ref().map(OpenPage::page);
    let ended = runtime.block_on(async {
        let stop = stop_signal().map_err(cannot_run)?;
        let run = run_arena(config, folder, &say, shown, stop);
        run.await.map_err(cannot_run)
    });
    let closed = web.map_or(Ok(()), |web| {
        web.end(None);
        web.close(&runtime, None)
    });
    runtime.shutdown_background();
    print(&ArenaTables::new(&config.event, &ended?).text())?;
    say("the arena has stopped: the same command resumes");
    closed.map(|()| RunnerExit::Success)
}

/// The ratings over time of an arena that is to go on; none of a new one.
fn history_so_far(folder: &Path, event: &Event) -> Result<RatingHistory, Failure> {
    let Some(there) = event_in(folder) else {
        return Ok(RatingHistory::new(0));
    };
    let rules = arena_rules(event).expect("it is an arena");
    if arena_rules(&there) != Some(rules.clone()) {
        // It will be refused.
        return Ok(RatingHistory::new(0));
    }
    let Ok(read) = read_arena(folder, rules, u64::MAX, |_, _| ()) else {
        // It has never run, or will be refused.
        return Ok(RatingHistory::new(0));
    };
    history(folder, event, read.state.counts().matches)
}

/// The event of a folder if it is an arena.
pub(super) fn event_in(folder: &Path) -> Option<Event> {
    let event = RunFolder::look(folder).ok()?.event().ok()?;
    event.format().is_arena().then_some(event)
}

/// Prints the table of an arena after the first `at` matches, or after all.
pub(super) fn table(
    folder: &Path,
    event: &Event,
    format: TableFormat,
    at: Option<u64>,
) -> Result<RunnerExit, Failure> {
    let rules = arena_rules(event).expect("it is an arena");
    let most = at.unwrap_or(u64::MAX);
    let read = read_arena(folder, rules.clone(), most, |_, _| ()).map_err(cannot_run)?;
    let matches = read.state.counts().matches;
    if at.is_some_and(|at| at > matches) {
        return Err(usage(TooLate(matches)));
    }
    if matches!(format, TableFormat::Pgn) {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let written = export_pgn(folder, event.name(), rules, most, &mut out);
        return match written.map_err(cannot_run)? {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_run(error)),
            Ok(()) | Err(_) => Ok(RunnerExit::Success),
        };
    }
    let tables = ArenaTables::new(event, &read.state);
    print(&match format {
        TableFormat::Text => tables.text(),
        TableFormat::Markdown => tables.markdown(),
        TableFormat::Csv => tables.csv(),
        TableFormat::Json => {
            let history = history(folder, event, matches)?;
            tables.with_history(&history).json()
        }
        TableFormat::OpeningsCsv => return Err(usage(NoOpenings)),
        TableFormat::Pgn => String::new(),
    })?;
    Ok(RunnerExit::Success)
}

/// Writes the report of an arena.
pub(super) fn report(
    folder: &Path,
    event: &Event,
    output: Option<&Path>,
) -> Result<RunnerExit, Failure> {
    let rules = arena_rules(event).expect("it is an arena");
    let read = read_arena(folder, rules, u64::MAX, |_, _| ()).map_err(cannot_run)?;
    let history = history(folder, event, read.state.counts().matches)?;
    let tables = ArenaTables::new(event, &read.state).with_history(&history);
    let usual = folder.join(PAGE);
    // Others may write the usual file at the same time.
    let _lock = match output {
        None => Some(ReportsLock::to_write(folder).map_err(cannot_run)?),
        Some(_) => None,
    };
    write_file(output.unwrap_or(&usual), &arena_page(&tables)).map_err(cannot_run)?;
    Ok(RunnerExit::Success)
}

/// The ratings over the first `matches` matches: the journal is read once more, because the points are spread over all
/// of it.
fn history(folder: &Path, event: &Event, matches: u64) -> Result<RatingHistory, Failure> {
    let rules = arena_rules(event).expect("it is an arena");
    let mut history = RatingHistory::new(matches);
    read_arena(folder, rules, matches, |_, state| history.follow(state)).map_err(cannot_run)?;
    Ok(history)
}

/// The table is wanted after more matches than there are.
#[derive(Debug, thiserror::Error)]
#[error("--at: the arena has {}", counted(*.0, "match"))]
struct TooLate(u64);

/// The table of openings is wanted of an event that has none.
#[derive(Debug, thiserror::Error)]
#[error("an arena has no openings")]
struct NoOpenings;
