use std::future::Future;
use std::time::Duration;

use dragontooth_service_vocabulary::RequestId;
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::{Backoff, Client, ClientError};

/// Repeats a call of `client` while it fails with a transient error and `patience` lasts. A try that is not answered by then
/// fails, but not before each address of the service had [`CONNECT_TIMEOUT`](crate::CONNECT_TIMEOUT).
///
/// # Errors
///
/// The last error of the call.
pub async fn retry<T, F>(
    client: &Client,
    patience: Duration,
    call: impl Fn() -> F + Send,
) -> Result<T, ClientError>
where
    F: Future<Output = Result<T, ClientError>> + Send,
{
    retry_reporting(client, patience, call, |_, _| ()).await
}

/// Like [`retry`]; `report` receives each error that is followed by another try, and the time since the
/// first try.
///
/// # Errors
///
/// The last error of the call.
pub async fn retry_reporting<T, F>(
    client: &Client,
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
        let limit = left.max(client.round());
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
    use crate::Token;

    #[tokio::test(start_paused = true)]
    async fn a_call_without_an_answer_takes_no_longer_than_the_patience() {
        let one = "127.0.0.1:1";
        let three = "127.0.0.1:1,127.0.0.1:2,127.0.0.1:3";
        for (address, patience, expected) in [
            (one, 1, 5),
            (one, 7, 7),
            (one, 60, 60),
            (three, 1, 15),
            (three, 60, 60),
        ] {
            let address = address.parse().unwrap();
            let client = Client::connect_lazily(&address, &Token::random()).unwrap();
            let began = Instant::now();
            let patience = Duration::from_secs(patience);
            let answered = retry(&client, patience, pending::<Result<(), ClientError>>).await;
            assert!(answered.unwrap_err().is_transient());
            assert_eq!(began.elapsed().as_secs(), expected);
        }
    }
}
