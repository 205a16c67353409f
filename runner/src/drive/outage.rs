use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dragontooth_service_client::{Client, ClientError, retry_reporting};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Longest time that the runner tries to reach a known service again.
pub const PATIENCE: Duration = Duration::from_mins(10);

/// An outage is reported once it has lasted this long.
const WORTH_TELLING: Duration = Duration::from_secs(5);

/// An outage of the service. It is reported once when it has lasted for a while, even if many matches wait,
/// and once when the service answers again.
#[derive(Debug)]
pub(super) struct Outage {
    told: AtomicBool,
    teller: UnboundedSender<String>,
    news: Mutex<UnboundedReceiver<String>>,
}

impl Outage {
    /// Creates the state of a reachable service.
    pub(super) fn none() -> Self {
        let (teller, news) = unbounded_channel();
        Self {
            told: AtomicBool::new(false),
            teller,
            news: Mutex::new(news),
        }
    }

    /// The next message for people. Cancel safe.
    pub(super) async fn news(&self) -> String {
        let next = self.news.lock().await.recv().await;
        next.expect("this has the other end too")
    }

    /// Repeats a call of `client` while its errors are transient and [`PATIENCE`] lasts.
    pub(super) async fn retry<T, F>(
        &self,
        client: &Client,
        call: impl Fn() -> F + Send,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>> + Send,
    {
        let mut waited = false;
        let tell = |error: &ClientError, gone| waited |= self.lasts(error, gone);
        let answered = retry_reporting(client, PATIENCE, call, tell).await;
        if waited && answered.is_ok() {
            self.ended();
        }
        answered
    }

    /// The service has been away for so long because of this error. Returns true if that was worth telling.
    pub(super) fn lasts(&self, error: &ClientError, gone: Duration) -> bool {
        let is_worth_telling = gone >= WORTH_TELLING;
        if is_worth_telling {
            self.began(&error.to_string());
        }
        is_worth_telling
    }

    /// The service is waited for, because of this.
    pub(super) fn began(&self, reason: &str) {
        if !self.told.swap(true, Ordering::Relaxed) {
            let minutes = PATIENCE.as_secs() / 60;
            self.tell(format!(
                "waiting for the service, at most {minutes} minutes: {reason}"
            ));
        }
    }

    /// The service answers.
    pub(super) fn ended(&self) {
        if self.told.swap(false, Ordering::Relaxed) {
            self.tell("the service answers again".to_owned());
        }
    }

    fn tell(&self, text: String) {
        // This has the other end too.
        let _ = self.teller.send(text);
    }
}
