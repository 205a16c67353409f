use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use dragontooth_bots_engines::supervise::ProcessEnd;
use dragontooth_games::counted;
use dragontooth_runner_programs::{BotProgram, Supervised};
use dragontooth_runner_tournament::{FaultKind, Name};
use tokio::sync::{Mutex as AsyncMutex, watch};

use super::debut::Debut;
use super::health::{Vitals, Wanted};
use super::{LogExcerpt, PlayerError};
use crate::config::StartFailure;
use crate::record::{ProgramEnd, program_ends_in};

/// Number of exits after which a program is not restarted and forfeits the rest.
pub const MAX_ENDS: u32 = 5;
/// An exit does not count any more when this time has passed without another: an arena goes on for months.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(1);

/// Keeps the program of a bot running.
#[derive(Debug)]
pub(super) struct Restarter {
    /// The program.
    pub(super) program: BotProgram,
    /// Tells whether it has ever played.
    pub(super) debut: Debut,
    /// The consequence if it ends before.
    pub(super) start_failure: StartFailure,
    /// If it is started again for every match, the match that holds this lock plays.
    pub(super) turn: Option<Arc<AsyncMutex<()>>>,
}

impl Restarter {
    /// Keeps it running until a stop is ordered: starts it again when it ends by itself or a
    /// match asks for it, and reports that, but at most [`MAX_ENDS`] times in a row.
    ///
    /// A program that is started again for every match may end by itself when its match is over. The match may not know
    /// yet that it is: such an end counts only once the match has said that it lost by it.
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
        let mut ends = CountedEnds::default();
        // True if the program has the place of one that ended by itself during a match, or just after it.
        let mut is_spare = false;
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
                    let has_match = self.has_match();
                    let is_counted = is_spare || !has_match;
                    is_spare = has_match;
                    let count = if is_counted { ends.add(Instant::now()) } else { 0 };
                    self.start_again(&end, kind, log.as_ref(), count, &vitals).await
                }
                wanted = vitals.wanted() => {
                    if is_spare && wanted == (Wanted::Renewal { has_crashed: false }) {
                        is_spare = false;
                        let mut health = vitals.health();
                        health.renewals += 1;
                        vitals.tell(health);
                        continue;
                    }
                    let started = program.started;
                    let end = program.end().await;
                    self.note(started, &end);
                    let was_spare = std::mem::take(&mut is_spare);
                    match wanted {
                        Wanted::Replacement => {
                            let status = "it did nothing and was ended".to_owned();
                            let end = ProcessEnd { status, ..end };
                            let count = ends.add(Instant::now());
                            self.start_again(&end, FaultKind::Stall, None, count, &vitals).await
                        }
                        Wanted::Renewal { .. } => {
                            // Without a crash, it would have stayed.
                            let count = if was_spare { ends.add(Instant::now()) } else { 0 };
                            self.renew(count, &vitals).await
                        }
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

    /// Returns true if it is started again for every match, and one holds its turn.
    fn has_match(&self) -> bool {
        let turn = self.turn.as_ref();
        turn.is_some_and(|turn| turn.try_lock().is_err())
    }

    /// Records the resources that the program used.
    fn note(&self, started: SystemTime, end: &ProcessEnd) {
        note_end(self.program.log.folder(), &self.program.bot, started, end);
    }

    /// Restarts the program because a match is over, unless it has now ended too often.
    async fn renew(&self, ends: u32, vitals: &Vitals) -> Option<Supervised> {
        let mut health = vitals.health();
        health.renewals += 1;
        let next = if ends < MAX_ENDS {
            self.program
                .start()
                .await
                .map_err(|error| error.to_string())
        } else {
            Err(format!("{}; {}", health.last_end, too_many(ends)))
        };
        if let Err(reason) = &next {
            health.gone = true;
            health.last_end.clone_from(reason);
        }
        vitals.tell(health);
        next.ok()
    }

    /// Starts the program again, unless this many `ends` are too many, and reports its end, with the end of its log
    /// if there is one.
    async fn start_again(
        &self,
        end: &ProcessEnd,
        kind: FaultKind,
        log: Option<&LogExcerpt>,
        ends: u32,
        vitals: &Vitals,
    ) -> Option<Supervised> {
        let mut health = vitals.health();
        let status = end.exceeded.as_ref().unwrap_or(&end.status);
        health.ends += 1;
        let log = log.map_or_else(String::new, |log| format!("; {}", log.in_one_line()));
        health.last_end = format!("its program ended: {status}{log}");
        health.last_kind = kind;
        let next = if ends < MAX_ENDS {
            // Before the next one is started: a match that begins meanwhile has nothing to do with it.
            vitals.tell(health.clone());
            self.program
                .start()
                .await
                .map_err(|error| error.to_string())
        } else {
            Err(too_many(ends))
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

fn too_many(ends: u32) -> String {
    let times = counted(ends, "time");
    format!("it ended {times} and will not be started again")
}

/// The exits of a program, each within [`FORGOTTEN_AFTER`] of the one before.
#[derive(Debug, Default)]
struct CountedEnds {
    count: u32,
    last: Option<Instant>,
}

impl CountedEnds {
    /// Counts an exit `now`, and returns their number.
    fn add(&mut self, now: Instant) -> u32 {
        let last = self.last.replace(now);
        if last.is_some_and(|last| now - last >= FORGOTTEN_AFTER) {
            self.count = 0;
        }
        self.count += 1;
        self.count
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_forgotten_after_an_hour_without_another() {
        let mut ends = CountedEnds::default();
        let mut now = Instant::now();
        let mut after = |minutes| {
            now += Duration::from_mins(minutes);
            ends.add(now)
        };
        let counts = [0, 1, 59, 60, 1, 1, 1, 1].map(&mut after);
        assert_eq!(counts, [1, 2, 3, 1, 2, 3, 4, MAX_ENDS]);
    }
}
