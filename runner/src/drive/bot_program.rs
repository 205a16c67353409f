use std::path::{Path, PathBuf};
use std::time::SystemTime;

use dragontooth_bots_engines::supervise::End;
use dragontooth_service_client::{TlsFiles, Token};
use tokio::sync::watch;

use super::health::{Vitals, Wanted};
use super::stopped::stopped;
use super::supervised::{Supervised, supervisor};
use super::{PlayerError, log_file};
use crate::config::Command;
use crate::record::{ProgramEnd, program_ends_in};
use crate::tournament::{FaultKind, Name};

/// How often a program may end by itself before it is started no more and loses what is left.
pub const MAX_ENDS: u32 = 5;

/// A program that plays for a bot.
#[derive(Debug)]
pub(super) struct BotProgram {
    pub(super) bot: Name,
    pub(super) command: Command,
    pub(super) server: String,
    pub(super) tls: TlsFiles,
    pub(super) token: Token,
    /// Environment variables that are not for it: they hold the tokens of others.
    pub(super) hidden: Vec<String>,
    /// The file that gets what it writes.
    pub(super) log: PathBuf,
}

impl BotProgram {
    /// Starts it in a group of its own, with the server's address and its token in its
    /// environment.
    pub(super) async fn start(&self) -> Result<Supervised, PlayerError> {
        let log = |source| PlayerError::Log {
            path: self.log.clone(),
            source,
        };
        let failed = |source| PlayerError::Start {
            bot: self.bot.clone(),
            program: self.command.program.clone(),
            source,
        };
        let output = log_file::pipe_to(&self.log).map_err(log)?;
        let command = supervisor(&[], &self.command, &self.hidden).map_err(failed)?;
        let mut command = tokio::process::Command::from(command);
        command
            .env("DRAGONTOOTH_OPTIONS", self.command.options_text())
            .env("DRAGONTOOTH_SEED", self.command.seed_text())
            .env("DRAGONTOOTH_SERVER", &self.server)
            .env("DRAGONTOOTH_TOKEN", self.token.reveal())
            .envs(self.tls_variables())
            .stderr(output);
        Supervised::start(command).await.map_err(failed)
    }

    fn tls_variables(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let TlsFiles { ca, cert, key } = &self.tls;
        let files = [ca.as_ref(), cert.as_ref(), key.as_ref()];
        let names = [
            "DRAGONTOOTH_TLS_CA",
            "DRAGONTOOTH_TLS_CERT",
            "DRAGONTOOTH_TLS_KEY",
        ];
        let variables = names.into_iter().zip(files);
        variables.filter_map(|(name, file)| Some((name, file?)))
    }

    /// Keeps it running until it is told to stop: starts it again when it ends by itself or a
    /// match asks for it, and tells of that, but at most [`MAX_ENDS`] times.
    pub(super) async fn keep_running(
        self,
        mut program: Supervised,
        mut vitals: Vitals,
        stop: watch::Receiver<bool>,
    ) {
        loop {
            let next = tokio::select! {
                () = stopped(stop.clone()) => {
                    let started = program.started;
                    self.note(started, &program.end().await);
                    return;
                }
                end = program.ended() => {
                    self.note(program.started, &end);
                    let kind = kind_of(&end);
                    self.start_again(&end, kind, &vitals).await
                }
                wanted = vitals.wanted() => {
                    let started = program.started;
                    let end = program.end().await;
                    self.note(started, &end);
                    match wanted {
                        Wanted::Replacement => {
                            let status = "it did nothing and was ended".to_owned();
                            let end = End { status, ..end };
                            self.start_again(&end, FaultKind::Stall, &vitals).await
                        }
                        Wanted::Renewal => self.renew(&vitals).await,
                    }
                }
            };
            match next {
                Some(next) => program = next,
                None => return stopped(stop).await,
            }
        }
    }

    /// Writes down what the program took.
    fn note(&self, started: SystemTime, end: &End) {
        let logs = self.log.parent().unwrap_or(Path::new(""));
        note_end(logs, &self.bot, started, end);
    }

    /// Starts the program anew, because a match is over.
    async fn renew(&self, vitals: &Vitals) -> Option<Supervised> {
        let mut health = vitals.health();
        health.renewals += 1;
        let next = self.start().await;
        if let Err(error) = &next {
            health.gone = true;
            health.last_end = error.to_string();
        }
        vitals.tell(health);
        next.ok()
    }

    /// Starts the program again, unless it has ended too often, and tells of its end.
    async fn start_again(&self, end: &End, kind: FaultKind, vitals: &Vitals) -> Option<Supervised> {
        let mut health = vitals.health();
        let status = end.exceeded.as_ref().unwrap_or(&end.status);
        health.ends += 1;
        health.last_end = format!("its program ended: {status}");
        health.last_kind = kind;
        let ends = health.ends;
        let next = if ends < MAX_ENDS {
            // Before the next one is started: a match that begins meanwhile has nothing to do with it.
            vitals.tell(health.clone());
            self.start().await.map_err(|error| error.to_string())
        } else {
            Err(format!("it has ended {ends} times and is started no more"))
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

/// Writes down how a program of `bot` ended and what it took.
pub(super) fn note_end(logs: &Path, bot: &Name, started: SystemTime, end: &End) {
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

const fn kind_of(end: &End) -> FaultKind {
    if end.exceeded.is_some() {
        FaultKind::Resources
    } else {
        FaultKind::Crash
    }
}
