use std::future::Future;
use std::time::{Duration, Instant};

use dragontooth_service_client::{Backoff, ClientError};
use tokio::time::sleep;

/// How long the runner tries to reach a service again that it has reached before.
pub const PATIENCE: Duration = Duration::from_mins(10);

/// Makes a call again as long as it may succeed later and `patience` lasts.
pub(super) async fn insist<T, F>(
    patience: Duration,
    call: impl Fn() -> F + Send,
) -> Result<T, ClientError>
where
    F: Future<Output = Result<T, ClientError>> + Send,
{
    insist_telling(patience, call, |_, _| ()).await
}

/// The same; `tell` gets each failure after which it is tried again, and how long that has lasted.
pub(super) async fn insist_telling<T, F>(
    patience: Duration,
    call: impl Fn() -> F + Send,
    mut tell: impl FnMut(&ClientError, Duration) + Send,
) -> Result<T, ClientError>
where
    F: Future<Output = Result<T, ClientError>> + Send,
{
    let began = Instant::now();
    let mut backoff = Backoff::new();
    loop {
        match call().await {
            Err(error) if error.is_transient() && began.elapsed() < patience => {
                tell(&error, began.elapsed());
                sleep(backoff.pause(error.retry_after())).await;
            }
            answered => return answered,
        }
    }
}
