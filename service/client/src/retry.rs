use std::future::Future;
use std::time::{Duration, Instant};

use dragontooth_service_vocabulary::RequestId;
use tokio::time::sleep;
use uuid::Uuid;

use super::{Backoff, ClientError};

/// Repeats a call while it fails with a transient error and `patience` lasts.
///
/// # Errors
///
/// The last error of the call.
pub async fn retry<T, F>(patience: Duration, call: impl Fn() -> F + Send) -> Result<T, ClientError>
where
    F: Future<Output = Result<T, ClientError>> + Send,
{
    retry_reporting(patience, call, |_, _| ()).await
}

/// Like [`retry`]; `report` receives each error that is followed by another try, and the time since the
/// first try.
///
/// # Errors
///
/// The last error of the call.
pub async fn retry_reporting<T, F>(
    patience: Duration,
    call: impl Fn() -> F + Send,
    mut report: impl FnMut(&ClientError, Duration) + Send,
) -> Result<T, ClientError>
where
    F: Future<Output = Result<T, ClientError>> + Send,
{
    let began = Instant::now();
    let mut backoff = Backoff::new();
    loop {
        match call().await {
            Err(error) if error.is_transient() && began.elapsed() < patience => {
                let gone = began.elapsed();
                report(&error, gone);
                let left = patience.saturating_sub(gone);
                sleep(backoff.pause(error.retry_after()).min(left)).await;
            }
            answered => return answered,
        }
    }
}

/// Returns a unique request id: a random UUID.
#[must_use]
pub fn random_request_id() -> RequestId {
    RequestId::new(&Uuid::new_v4().hyphenated().to_string())
        .expect("a UUID is short and visible ASCII")
}
