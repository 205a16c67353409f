use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use dragontooth_service_client::{TlsFiles, Token};
use tokio::process::Child;
use tokio::sync::watch;

use super::health::{Health, Vitals};
use super::players::stopped;
use super::{PlayerError, group, log_file};
use crate::config::Command;
use crate::tournament::Name;

/// How often a program may end by itself before it is started no more and loses what is left.
pub const MAX_ENDS: u32 = 5;
/// How long a program may take to end when it is told to.
pub const GRACE: Duration = Duration::from_secs(2);

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
    pub(super) fn start(&self) -> Result<Child, PlayerError> {
        let log = |source| PlayerError::Log {
            path: self.log.clone(),
            source,
        };
        let output = log_file::pipe_to(&self.log).map_err(log)?;
        let errors = output.try_clone().map_err(log)?;
        let mut command = tokio::process::Command::new(&self.command.program);
        for variable in &self.hidden {
            command.env_remove(variable);
        }
        command
            .args(self.command.arguments())
            .env("DRAGONTOOTH_SERVER", &self.server)
            .env("DRAGONTOOTH_TOKEN", self.token.reveal())
            .envs(self.tls_variables())
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .process_group(0)
            .kill_on_drop(true);
        command.spawn().map_err(|source| PlayerError::Start {
            bot: self.bot.clone(),
            program: self.command.program.clone(),
            source,
        })
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
        mut child: Child,
        mut vitals: Vitals,
        stop: watch::Receiver<bool>,
    ) {
        loop {
            let leader = group::leader(&child);
            let end = tokio::select! {
                () = stopped(stop.clone()) => return group::end(&mut child, GRACE).await,
                status = child.wait() => describe(status),
                () = vitals.replacement_wanted() => {
                    group::end(&mut child, GRACE).await;
                    "it did nothing and was ended".to_owned()
                }
            };
            leader.into_iter().for_each(group::kill);
            match self.start_again(&end, &vitals) {
                Some(next) => child = next,
                None => return stopped(stop).await,
            }
        }
    }

    /// Starts the program again, unless it has ended too often, and tells of its end.
    fn start_again(&self, end: &str, vitals: &Vitals) -> Option<Child> {
        let ends = vitals.ends() + 1;
        let next = if ends < MAX_ENDS {
            self.start().map_err(|error| error.to_string())
        } else {
            Err(format!("it has ended {ends} times and is started no more"))
        };
        let (child, last_end) = match next {
            Ok(child) => (Some(child), format!("its program ended: {end}")),
            Err(reason) => (None, format!("its program ended: {end}; {reason}")),
        };
        vitals.tell(Health {
            ends,
            last_end,
            gone: child.is_none(),
        });
        child
    }
}

fn describe(status: io::Result<std::process::ExitStatus>) -> String {
    status.map_or_else(|error| error.to_string(), |status| status.to_string())
}
