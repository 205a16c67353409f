//! Programs that speak over standard input and output, as the bots of a run.

use std::io::Write;
use std::process;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dragontooth_bots_engines::stdio::{EngineFault, Engines, Launch};
use dragontooth_bots_engines::supervise::ProcessEnd;
use dragontooth_runner_programs::{ProgramCommand, ProgramError, ProgramLog, supervisor};
use dragontooth_runner_tournament::{FaultKind, Name};
use tokio::task::spawn_blocking;

use super::affinity::Processor;
use super::restarter::{MAX_ENDS, note_end};
use super::{LogExcerpt, PlayerError};
use crate::config::StartFailure;

/// The most processes of an engine that are started before the first match; others are started when
/// they are needed.
const WARM_MAX: usize = 64;
/// The pipes into the log of an engine that stay open when its processes have ended: that of the notes.
const NOTES: usize = 1;

/// The engine of a bot.
#[derive(Debug)]
pub(super) struct EngineProgram {
    pub(super) bot: Name,
    pub(super) command: ProgramCommand,
    /// The file that receives its standard error and its protocol errors.
    pub(super) log: ProgramLog,
    /// The matches that are played at the same time.
    pub(super) matches: usize,
    /// The processor on which it is started; `None` for all.
    pub(super) processor: Option<Processor>,
    /// Longest wait for its greeting.
    pub(super) start_limit: Duration,
    /// The consequence if it does not.
    pub(super) start_failure: StartFailure,
}

impl EngineProgram {
    /// Starts it, as often as its matches need it, and sees whether it plays the game.
    pub(super) async fn start(self, game: &str) -> Result<Engines, PlayerError> {
        let (bot, matches, log) = (self.bot.clone(), self.matches, self.log.clone());
        let (start_failure, processor) = (self.start_failure, self.processor);
        let engines = Engines::new(self.launch()?);
        let warm = engines.clone();
        let warmed = spawn_blocking(move || {
            let _pinned = processor.and_then(Processor::pin);
            let about = warm.warm_up(1)?;
            let each = usize::try_from(about.matches).unwrap_or(1);
            warm.warm_up(matches.div_ceil(each).min(WARM_MAX))
        });
        let warmed = warmed
            .await
            .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        let fault = match warmed {
            Ok(about) if about.games.iter().any(|plays| plays == game) => return Ok(engines),
            Ok(about) => EngineFault::OtherGame {
                game: game.to_owned(),
                games: about.games,
            },
            // It is started again for its matches, and loses those for which it does not start.
            Err(_) if start_failure == StartFailure::Forfeit => return Ok(engines),
            Err(fault) => fault,
        };
        close([engines.clone()]).await;
        let log = LogExcerpt::of(&log, NOTES).await;
        Err(PlayerError::Engine { bot, fault, log })
    }

    fn launch(self) -> Result<Launch, ProgramError> {
        let log = |source| ProgramError::Log {
            path: self.log.path().to_owned(),
            source,
        };
        let notes = Mutex::new(self.log.pipe().map_err(log)?);
        let logs = self.log.folder().to_owned();
        let (options, seed) = (self.command.options.clone(), self.command.seed());
        let (restart, processes_max) = (self.command.restart, self.matches.max(1));
        let (bot, start_limit) = (self.bot.clone(), self.start_limit);
        Ok(Launch {
            command: Box::new(move || self.supervisor()),
            bridge: concat!("dragontooth-runner ", env!("CARGO_PKG_VERSION")).to_owned(),
            options,
            seed,
            start_limit,
            processes_max,
            restart,
            ends_max: Some(MAX_ENDS),
            note: Box::new(move |text| {
                let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
                // A log is not worth the end of a run.
                // In one piece: the engine writes to the same log.
                let line = format!("dragontooth-runner: {text}\n");
                let _ = notes.write_all(line.as_bytes());
            }),
            info: Box::new(|_| {}),
            on_end: Box::new(move |started, end: &ProcessEnd| note_end(&logs, &bot, started, end)),
            idle: Mutex::default(),
        })
    }

    /// The command of a supervisor that starts it whenever it is wanted.
    fn supervisor(&self) -> std::io::Result<process::Command> {
        let output = self.log.pipe()?;
        let mut command = supervisor(&["--keep"], &self.command)?;
        command.stderr(output);
        Ok(command)
    }
}

/// Has engines end, and waits until they have.
pub(super) async fn close(engines: impl IntoIterator<Item = Engines>) {
    let engines: Vec<Engines> = engines.into_iter().collect();
    if engines.is_empty() {
        return;
    }
    let closed = spawn_blocking(move || {
        for engines in engines {
            engines.close();
        }
    });
    // If it cannot be closed, it ends with the runner.
    let _ = closed.await;
}

/// The kind of an engine's fault.
pub(super) const fn kind_of(fault: &EngineFault) -> FaultKind {
    match fault {
        EngineFault::NotStarted(_)
        | EngineFault::TooManyEnds { .. }
        | EngineFault::Ended(_)
        | EngineFault::EndedEarly(_)
        | EngineFault::MatchOver => FaultKind::Crash,
        EngineFault::Exceeded(_) => FaultKind::Resources,
        EngineFault::NoHello(_)
        | EngineFault::NotReady(_)
        | EngineFault::NotStopped(_)
        | EngineFault::Idle(_) => FaultKind::Stall,
        EngineFault::Late => FaultKind::Time,
        EngineFault::Illegal { .. } => FaultKind::Illegal,
        EngineFault::BadHello { .. }
        | EngineFault::OtherGame { .. }
        | EngineFault::NotReading(_)
        | EngineFault::LongLine { .. }
        | EngineFault::Flood { .. }
        | EngineFault::Refused { .. } => FaultKind::Protocol,
    }
}
