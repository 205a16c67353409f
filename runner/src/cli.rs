//! The command line of `dragontooth-runner`.

mod arena;
mod bot_argument;
mod check;
mod conformance;
mod event_flags;
mod init;
mod manual;
mod replay;
mod report;
mod stats;
mod supervise;
mod table;
mod table_format;
mod verify;
mod verify_arena;
mod web;

use std::error::Error;
use std::fs;
use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process;

use clap::{Args, Parser, Subcommand};
use dragontooth_cli::{Completions, Man};
use dragontooth_runner_report::{Forecast, write_schedule};
use dragontooth_runner_tournament::statistics::SprtDecision;
use dragontooth_runner_tournament::{Results, Schedule};
use dragontooth_service::StopSignals;
use tracing_subscriber::EnvFilter;

use crate::config::{MAX_CONCURRENCY, RunConfig};
use crate::drive::{self, Finish, RunOutcome};
use crate::exit_code::RunnerExit;
use crate::progress::{Progress, harmless};
use crate::record::{Cover, FolderError, Manifest, RunFolder, Seal, SessionStopwatch, try_whole};
use crate::reports::{PAGE, PastRun, ReportError, ReportsLock, UnknownLuck, luck_figures, publish};
use web::OpenPage;

/// Tournaments of bots at two-player board games.
///
/// Exit codes: 0 done, 1 bots had faults, 2 the command line or the file is wrong, 3 the
/// run cannot start or continue, 4 stopped at the first fault (`run --strict`), 130 interrupted. A sequential test ends with 0 accepted, 1
/// rejected, 2 undecided.
#[derive(Debug, Parser)]
#[command(name = "dragontooth-runner", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write an example of an event, ready to run.
    Init(init::Init),
    /// Play an event, or resume it, and print the tables.
    ///
    /// The event is described by a file, or by --game and --bot.
    Run(Run),
    /// Try every bot of an event before it is played.
    Check(check::Check),
    /// Test a bot in the situations that bots get wrong, and print what was expected and what happened.
    Conformance(conformance::Conformance),
    /// Print the schedule of an event; play nothing.
    Schedule {
        /// The file that describes the event.
        file: PathBuf,
    },
    /// Print the tables of a run, even during the run.
    Table(table::Table),
    /// Write the HTML report of a run, even during the run.
    Report(report::Report),
    /// Play one match of a run again from the same seed, optionally with another bot, and print where it
    /// diverges from the record.
    Replay(replay::Replay),
    /// Replay every match of a run by the rules, draw all dice and deals again, and report every
    /// disagreement.
    Verify(verify::Verify),
    /// Compute the strength of bots from counts or from the results of a run.
    #[command(subcommand)]
    Stats(stats::Stats),
    /// Print a script that completes the commands of this program in a shell.
    Completions(Completions),
    /// Print the man page of this program, or write one for each command.
    Man(Man),
    /// Start a program and end all that it has started: the runner's helper, not for people.
    #[command(hide = true)]
    Supervise(supervise::Supervise),
}

#[derive(Debug, Args)]
struct Run {
    /// The file that describes the event.
    #[arg(required_unless_present_any = ["game", "bot"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    event: event_flags::EventFlags,
    /// The run directory, instead of the one in the file or `runs/` and the event's name. A run
    /// resumes where it stopped.
    #[arg(long, visible_alias = "dir", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The number of matches played at the same time, instead of the number in the file; by default
    /// the number of processors.
    #[arg(long, value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// Stop at the first new fault of a bot, with exit code 4 if matches remain. The same command
    /// resumes the run.
    #[arg(long)]
    strict: bool,
    /// Play nothing; print the number of matches, the expected duration and the expected errors.
    #[arg(long = "dry-run")]
    plays_nothing: bool,
    /// With --dry-run, also print every match with its title.
    #[arg(long, requires = "plays_nothing")]
    verbose: bool,
    /// Also write the faults as JUnit XML to this file at the end.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    pages: report::Pages,
    #[command(flatten)]
    web: web::PageOptions,
}

/// An error and the exit code that it means.
type Failure = (RunnerExit, Box<dyn Error>);

/// Runs the program.
#[must_use]
pub fn main() -> RunnerExit {
    let cli = match dragontooth_cli::parse::<Cli>() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    start_logging();
    let done = match cli.command {
        Command::Init(what) => init::run(&what),
        Command::Check(what) => check::run(&what),
        Command::Conformance(what) => conformance::run(&what),
        Command::Run(arguments) => run(arguments),
        Command::Schedule { file } => schedule(&file),
        Command::Table(arguments) => table::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Stats(what) => stats::run(what),
        Command::Completions(what) => manual::completions(what),
        Command::Man(what) => manual::man(&what),
        Command::Supervise(what) => supervise::run(&what),
    };
    done.unwrap_or_else(|(exit, error)| {
        complain(&*error);
        exit
    })
}

/// Tells what is wrong with the command line, or the help that was asked for.
fn refuse(error: &clap::Error) -> RunnerExit {
    // Nobody is there to be told that it cannot be told.
    let _ = error.print();
    let beginning: Vec<_> = std::env::args_os().skip(1).take(2).collect();
    if !error.use_stderr() {
        RunnerExit::Success
    } else if beginning == ["stats", "sprt"] {
        // A test that is undecided ends with the code that is usual for this.
        RunnerExit::CannotRun
    } else {
        RunnerExit::Usage
    }
}

fn run(arguments: Run) -> Result<RunnerExit, Failure> {
    let mut config = match &arguments.file {
        Some(file) => RunConfig::load(file).map_err(usage)?,
        None => arguments.event.config(arguments.folder.as_deref())?,
    };
    config.concurrency = arguments.concurrency.or(config.concurrency);
    config.limits.strict = arguments.strict;
    if arguments.plays_nothing {
        if config.event.format().is_arena() {
            return Err(usage(NoSchedule));
        }
        config.opening_notes().iter().for_each(|text| say(text));
        return dry_run(config, arguments.verbose);
    }
    let folder = arguments.folder.unwrap_or_else(|| config.run_folder());
    if config.event.format().is_arena() {
        if arguments.strict || arguments.junit.is_some() {
            return Err(usage(NoEnd));
        }
        return arena::run(&config, &folder, &arguments.web);
    }
    if let Some(file) = &arguments.junit {
        try_junit(file, &folder)?;
    }
    let stopwatch = SessionStopwatch::start();
    let runtime = tokio::runtime::Runtime::new().map_err(cannot_run)?;
    let web = arguments.web.open(&runtime, &config.event)?;
    let page = web.as_ref().map(OpenPage::page);
    let outcome = runtime.block_on(async {
        let stop = stop_signal().map_err(cannot_run)?;
        let progress = |schedule: &Schedule| Progress::on_stderr(schedule).and_on(page);
        let run = drive::run(&config, &folder, config.limits, progress, stop);
        run.await.map_err(cannot_run)
    });
    let finish = outcome.as_ref().ok().map(|outcome| outcome.finish);
    let mut watcher = None;
    let ended = outcome.and_then(|outcome| {
        let signal = {
            let _inside = runtime.enter();
            stop_signal().map_err(cannot_run)?
        };
        note_session(stopwatch, &outcome)?;
        let seal = Seal::write(outcome.folder.path()).map_err(cannot_run)?;
        // The reports may take a while, and can be made again.
        watcher = Some(runtime.spawn(async move {
            signal.await;
            process::exit(RunnerExit::Interrupted.code().into());
        }));
        EndedRun::read(outcome, seal)
    });
    if let Some(web) = &web {
        // The last state that open pages get is the one at the end.
        if let Ok(ended) = &ended {
            web.show_results(&ended.past);
        }
        web.end(finish);
    }
    let exit = ended.and_then(|ended| ended.conclude(arguments.junit.as_deref(), arguments.pages));
    if let Some(watcher) = watcher {
        // A signal that closes a page that stays changes no outcome.
        watcher.abort();
    }
    let closed = web.map_or(Ok(()), |web| web.close(&runtime, finish));
    // A bot that still thinks is not waited for, whatever the end.
    runtime.shutdown_background();
    exit.and_then(|exit| closed.map(|()| exit))
}

/// Finds out before the event whether the file can be written after it.
fn try_junit(file: &Path, folder: &Path) -> Result<(), Failure> {
    // It may be in the folder of the run. If that cannot be made, the run itself says so.
    let _ = fs::create_dir_all(folder);
    try_whole(file).map_err(cannot_run)
}

/// Notes what the runner took of the machine, if anything was played.
fn note_session(stopwatch: SessionStopwatch, outcome: &RunOutcome) -> Result<(), Failure> {
    let (matches, actions) = outcome.before;
    let matches = outcome.results.played().saturating_sub(matches) as u64;
    let actions = outcome.results.actions().saturating_sub(actions);
    if matches == 0 {
        return Ok(());
    }
    let path = RunFolder::sessions_in(outcome.folder.path());
    stopwatch
        .stop(matches, actions)
        .append_to(&path)
        .map_err(cannot_run)
}

/// A run that has ended, as its files tell it.
struct EndedRun {
    finish: Finish,
    folder: RunFolder,
    seal: Seal,
    past: PastRun,
}

impl EndedRun {
    /// Reads the sealed folder of a run.
    fn read(outcome: RunOutcome, seal: Seal) -> Result<Self, Failure> {
        let RunOutcome {
            finish,
            folder,
            schedule,
            results,
            ..
        } = outcome;
        // The reports follow from the files. What is in memory goes first: it may be large.
        drop((schedule, results));
        let past = past_run_with_luck(folder.path(), seal.cover(), false)?;
        Ok(Self {
            finish,
            folder,
            seal,
            past,
        })
    }

    /// Prints the tables, writes them and the report into the folder, and says how it went.
    fn conclude(self, junit: Option<&Path>, pages: report::Pages) -> Result<RunnerExit, Failure> {
        let Self {
            finish,
            folder,
            seal,
            past,
        } = self;
        // First what tells the outcome: the reports may fail, or wait for others.
        let printed = print(&format!(
            "{}{}",
            past.document().text(),
            past.programs_text()
        ));
        let left = match finish {
            Finish::Interrupted => "interrupted: the same command resumes\n",
            Finish::Faulted => "stopped at a fault: the same command resumes\n",
            Finish::Complete => "",
        };
        let digest = seal.event_digest();
        say(format!("the event digest is {digest}\n{left}").trim_end());
        if let Some(file) = junit {
            past.write_junit(file).map_err(cannot_run)?;
        }
        let lock = ReportsLock::to_write(folder.path()).map_err(cannot_run)?;
        publish(&lock, &past, &pages.covered(seal.cover())).map_err(cannot_run)?;
        say(&format!(
            "the report is {}",
            lock.folder().join(PAGE).display()
        ));
        printed?;
        Ok(match finish {
            Finish::Interrupted => RunnerExit::Interrupted,
            Finish::Faulted => RunnerExit::Stopped,
            Finish::Complete => verdict(&past.schedule, &past.results),
        })
    }
}

/// The description of the run in a folder.
fn look(folder: &Path) -> Result<Manifest, Failure> {
    RunFolder::look(folder).map_err(|error| {
        if matches!(error, FolderError::NoRun { .. }) {
            usage(error)
        } else {
            cannot_run(error)
        }
    })
}

/// Reads a run, whose folder is neither locked nor changed.
fn past_run(folder: &Path, lines: Cover) -> Result<PastRun, Failure> {
    PastRun::read(folder, lines).map_err(|error| match error {
        ReportError::NoRun(error) => usage(error),
        error @ (ReportError::Event(_)
        | ReportError::Journal(_)
        | ReportError::Folder(_)
        | ReportError::Programs(_)
        | ReportError::Record { .. }
        | ReportError::Seal(_)
        | ReportError::Covered { .. }) => cannot_run(error),
    })
}

/// The same with the results without the luck in the dice, if they are asked for or computed unasked.
fn past_run_with_luck(folder: &Path, lines: Cover, is_asked: bool) -> Result<PastRun, Failure> {
    let mut past = past_run(folder, lines)?;
    let luck = luck_figures(folder, &past.schedule, &past.results, is_asked);
    past.luck = luck.map_err(|error| match error {
        UnknownLuck::Game(_) => usage(error),
        UnknownLuck::Match { .. } | UnknownLuck::Report(_) | UnknownLuck::NoRecord(_) => {
            cannot_run(error)
        }
    })?;
    Ok(past)
}

fn schedule(file: &Path) -> Result<RunnerExit, Failure> {
    let config = RunConfig::load(file).map_err(usage)?;
    if config.event.format().is_arena() {
        return Err(usage(NoSchedule));
    }
    print(&schedule_text(&Schedule::new(config.event))?)?;
    Ok(RunnerExit::Success)
}

/// Prints a summary of what would be played, and every match if it is to be verbose.
fn dry_run(config: RunConfig, is_verbose: bool) -> Result<RunnerExit, Failure> {
    let concurrency = config.concurrency.unwrap_or_else(drive::processors);
    let time_controls = config.time_controls(config.event.bots());
    let schedule = Schedule::new(config.event);
    let forecast = Forecast {
        schedule: &schedule,
        time_controls: &time_controls,
        concurrency,
    };
    print(&forecast.text())?;
    if is_verbose {
        print(&format!("\n{}", schedule_text(&schedule)?))?;
    }
    Ok(RunnerExit::Success)
}

/// Something is wanted of an arena that belongs to the end of a run.
#[derive(Debug, thiserror::Error)]
#[error("--strict and --junit: an arena has no end")]
struct NoEnd;

/// The schedule of an arena is wanted.
#[derive(Debug, thiserror::Error)]
#[error("an arena has no end and no schedule")]
struct NoSchedule;

fn schedule_text(schedule: &Schedule) -> Result<String, Failure> {
    let mut out = Vec::new();
    write_schedule(&mut out, schedule).map_err(cannot_run)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Returns the exit code: the decision of a sequential test, or else success without faults.
fn verdict(schedule: &Schedule, results: &Results) -> RunnerExit {
    if let Some(test) = schedule.sequential() {
        match test.decision() {
            SprtDecision::Accepted => RunnerExit::Success,
            SprtDecision::Rejected => RunnerExit::Rejected,
            SprtDecision::Undecided => RunnerExit::Undecided,
        }
    } else if results.faults() + results.void() > 0 {
        RunnerExit::Faults
    } else {
        RunnerExit::Success
    }
}

fn concurrency(text: &str) -> Result<NonZeroUsize, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number: &NonZeroUsize| number.get() <= MAX_CONCURRENCY);
    number.ok_or_else(|| format!("must be from 1 to {MAX_CONCURRENCY}"))
}

/// Returns a future that is ready when a signal asks the program to stop.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut signals = StopSignals::listen()?;
    Ok(async move { signals.next().await })
}

/// Logs to standard error what `RUST_LOG` asks for, by default nothing: what matters is reported
/// as progress.
fn start_logging() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("off"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
}

/// Prints to standard output. A reader that has seen enough is no failure.
fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

fn print_bytes(text: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_run(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Prints a message to standard error. A failure is ignored: nobody reads it, and the exit code counts.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints an error with its causes. Each line of a list has the program's name in front.
fn complain(error: &dyn Error) {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    for line in text.lines() {
        say(&format!("dragontooth-runner: {}", harmless(line)));
    }
}

fn usage(error: impl Error + 'static) -> Failure {
    (RunnerExit::Usage, Box::new(error))
}

fn cannot_run(error: impl Error + 'static) -> Failure {
    (RunnerExit::CannotRun, Box::new(error))
}
