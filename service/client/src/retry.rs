use std::future::Future;
use std::time::Duration;

use dragontooth_service_vocabulary::RequestId;
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::{Backoff, CONNECT_TIMEOUT, ClientError};

/// Repeats a call while it fails with a transient error and `patience` lasts. A try that is not answered by then fails,
/// but not before [`CONNECT_TIMEOUT`].
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
        let left = patience.saturating_sub(began.elapsed());
        let limit = left.max(CONNECT_TIMEOUT);
        let answered = timeout(limit, call()).await;
        match answered.unwrap_or_else(|_| Err(ClientError::too_late(limit))) {
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

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_call_without_an_answer_takes_no_longer_than_the_patience() {
        for (patience, expected) in [(1, 5), (7, 7), (60, 60)] {
            let began = Instant::now();
            let patience = Duration::from_secs(patience);
            let answered = retry(patience, pending::<Result<(), ClientError>>).await;
            assert!(answered.unwrap_err().is_transient());
            assert_eq!(began.elapsed().as_secs(), expected);
        }
    }
}
