use std::path::PathBuf;

use dragontooth_runner_tournament::Name;
use dragontooth_service_client::{TlsFiles, Token};

use super::supervised::supervisor;
use super::{ProgramCommand, ProgramError, ProgramLog, Supervised};

/// A program that plays for a bot on a service.
#[derive(Debug)]
pub struct BotProgram {
    /// The bot.
    pub bot: Name,
    /// The program and its arguments.
    pub command: ProgramCommand,
    /// The address of the service.
    pub server: String,
    /// True if its token may be sent in the clear to another machine.
    pub insecure_no_tls: bool,
    /// The files of TLS by which it connects.
    pub tls: TlsFiles,
    /// Its token.
    pub token: Token,
    /// The secret from which its shares of the seeds follow; `None` for its own.
    pub draw_secret: Option<String>,
    /// The file that receives its output.
    pub log: ProgramLog,
}

impl BotProgram {
    /// Starts it in a process group of its own, with the server's address and its token in the
    /// environment.
    ///
    /// # Errors
    ///
    /// The log cannot be written, or the program cannot be started.
    pub async fn start(&self) -> Result<Supervised, ProgramError> {
        let log = |source| ProgramError::Log {
            path: self.log.path().to_owned(),
            source,
        };
        let failed = |source| ProgramError::Start {
            bot: self.bot.clone(),
            program: self.command.program.clone(),
            source,
        };
        let output = self.log.pipe().map_err(log)?;
        let command = supervisor(&[], &self.command).map_err(failed)?;
        let mut command = tokio::process::Command::from(command);
        command
            .env("DRAGONTOOTH_OPTIONS", self.command.options_text())
            .env("DRAGONTOOTH_SEED", self.command.seed_text())
            .env("DRAGONTOOTH_SERVER", &self.server)
            .env("DRAGONTOOTH_TOKEN", self.token.reveal())
            .envs(self.tls_variables())
            .envs(
                self.insecure_no_tls
                    .then_some(("DRAGONTOOTH_INSECURE_NO_TLS", "true")),
            )
            .envs(
                self.draw_secret
                    .iter()
                    .map(|secret| ("DRAGONTOOTH_DRAW_SECRET", secret)),
            )
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
}
