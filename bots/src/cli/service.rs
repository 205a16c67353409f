use std::future::Future;

use dragontooth_service_client::{Client, ClientError, TlsFiles, Token, retry_reporting};
use tokio::runtime::{Builder, Runtime};

use super::arguments::Service;
use super::failure::Failure;
use super::output;
use crate::error_chain;

impl Service {
    /// Creates a client of the service.
    pub(super) fn client(&self) -> Result<Client, Failure> {
        let token = Token::new(self.token.as_str())
            .map_err(|error| Failure::usage(format!("the value of --token is wrong: {error}")))?;
        let files = TlsFiles {
            ca: self.tls_ca.clone(),
            cert: self.tls_cert.clone(),
            key: self.tls_key.clone(),
        };
        let tls = files.read();
        let tls = tls.map_err(|error| Failure::usage(error_chain(&error)))?;
        let server = self.server.clone().insecure(self.insecure_no_tls);
        Ok(Client::connect_lazily_with(&server, &token, &tls)?)
    }

    /// Repeats a call of `client` until the service answers, for the time of `--wait`. Says once that it waits, and for what.
    pub(super) async fn retry<T, F>(
        &self,
        client: &Client,
        call: impl Fn() -> F + Send,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, ClientError>> + Send,
    {
        let mut waits = false;
        let tell = |error: &ClientError, _| {
            if !std::mem::replace(&mut waits, true) {
                let (server, cause) = (&self.server, error.first_cause());
                let most = humantime::format_duration(self.wait);
                output::note(&format!(
                    "waiting for the service at {server}, at most {most}: {cause}"
                ));
            }
        };
        let answered = retry_reporting(client, self.wait, call, tell).await;
        answered.map_err(|error| self.failure(error))
    }

    /// The failure of a call.
    fn failure(&self, error: ClientError) -> Failure {
        if matches!(error, ClientError::Unreachable { .. }) {
            return Failure::silent(&self.server, &error.first_cause());
        }
        error.into()
    }
}

/// Runs the calls of a command. What still blocks at their end, such as the resolution of a host name, does not keep the
/// program from ending.
pub(super) fn run<T>(calls: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = runtime()?;
    let result = runtime.block_on(calls);
    runtime.shutdown_background();
    result
}

/// Creates the runtime for calls: one thread, since the bots think on their own.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system(format!("the program cannot start: {error}")))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use tokio::task::spawn_blocking;

    use super::*;

    #[test]
    fn what_blocks_does_not_keep_the_program_from_ending() {
        let (end, ended) = channel::<()>();
        let ran = run(async {
            spawn_blocking(move || ended.recv());
            Ok(4)
        });
        assert_eq!(ran.unwrap(), 4);
        drop(end);
    }
}
