use std::future::Future;
use std::time::Instant;

use dragontooth_service_client::{Backoff, Client, ClientError, TlsFiles, Token};
use tokio::runtime::{Builder, Runtime};

use super::arguments::Service;
use super::failure::Failure;
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

    /// Repeats a call until the service answers, for the time of `--wait`.
    pub(super) async fn retry<T, F>(&self, call: impl Fn() -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let started = Instant::now();
        let mut backoff = Backoff::new();
        loop {
            match call().await {
                Err(error) if error.is_transient() && started.elapsed() < self.wait => {
                    let left = self.wait.saturating_sub(started.elapsed());
                    let pause = backoff.pause(error.retry_after()).min(left);
                    tracing::warn!(%error, ?pause, "trying again");
                    tokio::time::sleep(pause).await;
                }
                result => return result,
            }
        }
    }
}

/// Creates the runtime for calls: one thread, since the bots think on their own.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system(format!("the program cannot start: {error}")))
}
