use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgGroup, Args};
use dragontooth_games::counted;
use dragontooth_service_store::{MatchLog, ReadError, TokenLog};
use dragontooth_service_vocabulary::MatchId;
use futures::TryStreamExt;
use tokio::runtime::Runtime;

use super::database::Database;
use super::log_location::{OfflineLog, OfflineLogError};
use super::output::{fail, print};
use super::{EXIT_DAMAGED, EXIT_NOT_STARTED, EXIT_STOPPED};
use crate::grpc::audit;

/// The arguments of `verify`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("log").required(true).multiple(true).args(["data", "address"]))]
pub(super) struct Verify {
    /// The folder of the event log of a service that does not run, unless a database is named.
    #[arg(long, env = "DRAGONTOOTH_DATA")]
    data: Option<PathBuf>,
    #[command(flatten)]
    database: Database,
    /// Only this match.
    #[arg(long = "match", value_name = "ID")]
    only: Option<MatchId>,
}

/// The folder cannot be verified.
#[derive(Debug, thiserror::Error)]
enum VerifyError {
    #[error(transparent)]
    Open(#[from] OfflineLogError),
    #[error("the streams of the event log cannot be listed")]
    List(#[from] ReadError),
    #[error("there is no match {0}")]
    NoMatch(MatchId),
}

/// The findings so far, with the text to print.
#[derive(Debug, Default)]
struct Findings {
    text: String,
    sound: usize,
    damaged: usize,
    unfair: usize,
    are_tokens_damaged: bool,
}

pub(super) fn run(verify: &Verify) -> ExitCode {
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(EXIT_NOT_STARTED, &error),
    };
    match runtime.block_on(examine(verify)) {
        Ok(findings) => {
            print(&findings.text);
            let is_sound = findings.damaged + findings.unfair == 0 && !findings.are_tokens_damaged;
            ExitCode::from(if is_sound { EXIT_STOPPED } else { EXIT_DAMAGED })
        }
        Err(error) => fail(EXIT_NOT_STARTED, &error),
    }
}

async fn examine(verify: &Verify) -> Result<Findings, VerifyError> {
    let offline = OfflineLog::of(verify.data.as_deref(), &verify.database);
    let log = offline
        .expect("the command line has one of them")
        .open()
        .await?;
    let mut findings = Findings::default();
    let matches = MatchLog::new(Arc::clone(&log));
    if let Some(id) = verify.only {
        if !findings.take(&matches, id, true).await {
            return Err(VerifyError::NoMatch(id));
        }
        return Ok(findings);
    }
    let mut ids = matches.ids();
    while let Some(id) = ids.try_next().await? {
        findings.take(&matches, id, false).await;
    }
    for (id, _) in matches.damaged() {
        findings.take(&matches, id, false).await;
    }
    let tokens = match TokenLog::new(log).replay().await {
        Ok(_) => "sound",
        Err(error) => {
            findings.line(&format!("tokens: damaged: {error}"));
            findings.are_tokens_damaged = true;
            "damaged"
        }
    };
    let Findings {
        sound,
        damaged,
        unfair,
        ..
    } = findings;
    findings.line(&format!(
        "{}: {sound} sound, {damaged} damaged, {unfair} with other draws than their seeds \
         give; tokens {tokens}",
        counted(sound + damaged + unfair, "match")
    ));
    Ok(findings)
}

impl Findings {
    /// Audits a match; prints a line for a sound one only if `prints_all`. Returns true if the match exists.
    async fn take(&mut self, log: &MatchLog, id: MatchId, prints_all: bool) -> bool {
        match audit(log, id).await {
            Ok(None) => return false,
            Ok(Some(audit)) => {
                let (head, hash) = (audit.stored.head().0, audit.stored.head_hash());
                match audit.draws {
                    Ok(checked) => {
                        self.sound += 1;
                        if prints_all {
                            self.line(&format!(
                                "match {id}: sound: {} with the head hash {hash}, {} and {} as the seeds give them",
                                counted(head, "event"),
                                counted(checked.deals, "deal"),
                                counted(checked.rolls, "roll")
                            ));
                        }
                    }
                    Err(fault) => {
                        self.unfair += 1;
                        self.line(&format!("match {id}: other draws: {fault}"));
                    }
                }
            }
            Err(error) => {
                self.damaged += 1;
                let mut why = error.to_string();
                let mut source = std::error::Error::source(&error);
                while let Some(cause) = source {
                    why = format!("{why}: {cause}");
                    source = cause.source();
                }
                let from = error.sequence().map_or_else(
                    || "at an unknown place".to_owned(),
                    |from| format!("from event {} on", from.0),
                );
                self.line(&format!("match {id}: damaged {from}: {why}"));
            }
        }
        true
    }

    fn line(&mut self, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }
}
