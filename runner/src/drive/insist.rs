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
    let began = Instant::now();
    let mut backoff = Backoff::new();
    loop {
        match call().await {
            Err(error) if error.is_transient() && began.elapsed() < patience => {
                sleep(backoff.pause(error.retry_after())).await;
            }
            answered => return answered,
        }
    }
}
