use std::path::Path;
use std::time::SystemTime;

use dragontooth_bots_engines::supervise::ProcessEnd;
use dragontooth_games::counted;
use dragontooth_runner_programs::{BotProgram, Supervised};
use dragontooth_runner_tournament::{FaultKind, Name};
use tokio::sync::watch;

use super::debut::Debut;
use super::health::{Vitals, Wanted};
use super::{LogExcerpt, PlayerError};
use crate::config::StartFailure;
use crate::record::{ProgramEnd, program_ends_in};

/// Number of exits after which a program is not restarted and forfeits the rest.
pub const MAX_ENDS: u32 = 5;

/// Keeps the program of a bot running.
#[derive(Debug)]
pub(super) struct Restarter {
    /// The program.
    pub(super) program: BotProgram,
    /// Tells whether it has ever played.
    pub(super) debut: Debut,
    /// The consequence if it ends before.
    pub(super) start_failure: StartFailure,
}

impl Restarter {
    /// Keeps it running until a stop is ordered: starts it again when it ends by itself or a
    /// match asks for it, and reports that, but at most [`MAX_ENDS`] times.
    ///
    /// # Errors
    ///
    /// It has ended before it took a seat, and the run is to end then.
    pub(super) async fn keep_running(
        self,
        mut program: Supervised,
        mut vitals: Vitals,
        stop: watch::Receiver<bool>,
    ) -> Result<(), PlayerError> {
        loop {
            let next = tokio::select! {
                () = stopped(stop.clone()) => {
                    let started = program.started;
                    self.note(started, &program.end().await);
                    return Ok(());
                }
                end = program.ended() => {
                    self.note(program.started, &end);
                    let kind = kind_of(&end);
                    let log = self.at_start(&end).await?;
                    self.start_again(&end, kind, log.as_ref(), &vitals).await
                }
                wanted = vitals.wanted() => {
                    let started = program.started;
                    let end = program.end().await;
                    self.note(started, &end);
                    match wanted {
                        Wanted::Replacement => {
                            let status = "it did nothing and was ended".to_owned();
                            let end = ProcessEnd { status, ..end };
                            self.start_again(&end, FaultKind::Stall, None, &vitals).await
                        }
                        Wanted::Renewal => self.renew(&vitals).await,
                    }
                }
            };
            if let Some(next) = next {
                program = next;
            } else {
                stopped(stop).await;
                return Ok(());
            }
        }
    }

    /// The end of its log, if it ended before it had ever taken a seat.
    async fn at_start(&self, end: &ProcessEnd) -> Result<Option<LogExcerpt>, PlayerError> {
        if self.debut.is_over().await {
            return Ok(None);
        }
        let log = LogExcerpt::of(&self.program.log, 0).await;
        match self.start_failure {
            StartFailure::Forfeit => Ok(Some(log)),
            StartFailure::Stop => Err(PlayerError::NeverStarted {
                bot: self.program.bot.clone(),
                status: end.exceeded.as_ref().unwrap_or(&end.status).clone(),
                log,
            }),
        }
    }

    /// Records the resources that the program used.
    fn note(&self, started: SystemTime, end: &ProcessEnd) {
        note_end(self.program.log.folder(), &self.program.bot, started, end);
    }

    /// Restarts the program because a match is over.
    async fn renew(&self, vitals: &Vitals) -> Option<Supervised> {
        let mut health = vitals.health();
        health.renewals += 1;
        let next = self.program.start().await;
        if let Err(error) = &next {
            health.gone = true;
            health.last_end = error.to_string();
        }
        vitals.tell(health);
        next.ok()
    }

    /// Starts the program again, unless it has ended too often, and reports its end, with the end of its log
    /// if there is one.
    async fn start_again(
        &self,
        end: &ProcessEnd,
        kind: FaultKind,
        log: Option<&LogExcerpt>,
        vitals: &Vitals,
    ) -> Option<Supervised> {
        let mut health = vitals.health();
        let status = end.exceeded.as_ref().unwrap_or(&end.status);
        health.ends += 1;
        let log = log.map_or_else(String::new, |log| format!("; {}", log.in_one_line()));
        health.last_end = format!("its program ended: {status}{log}");
        health.last_kind = kind;
        let ends = health.ends;
        let next = if ends < MAX_ENDS {
            // Before the next one is started: a match that begins meanwhile has nothing to do with it.
            vitals.tell(health.clone());
            self.program
                .start()
                .await
                .map_err(|error| error.to_string())
        } else {
            Err(format!(
                "it ended {} and will not be started again",
                counted(ends, "time")
            ))
        };
        match next {
            Ok(program) => Some(program),
            Err(reason) => {
                health.last_end = format!("{}; {reason}", health.last_end);
                health.gone = true;
                vitals.tell(health);
                None
            }
        }
    }
}

/// Records how a bot's program ended and the resources it used.
pub(super) fn note_end(logs: &Path, bot: &Name, started: SystemTime, end: &ProcessEnd) {
    let noted = ProgramEnd {
        status: end.status.clone(),
        exceeded: end.exceeded.clone(),
        cpu_ms: end.usage.cpu_ms,
        peak_kib: end.usage.peak_kib,
        ..ProgramEnd::new(bot.as_str(), started, end.ran)
    };
    // Like a log, it is not worth the end of a run.
    let _ = noted.append(&program_ends_in(logs));
}

const fn kind_of(end: &ProcessEnd) -> FaultKind {
    if end.exceeded.is_some() {
        FaultKind::Resources
    } else {
        FaultKind::Crash
    }
}

/// Waits until the bots have to stop, or the sender is gone.
pub(super) async fn stopped(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
