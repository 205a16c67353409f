use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::Bytes;
use futures::task::AtomicWaker;

/// Bytes of a stream that wait to be sent, beyond which its next message is not made. HTTP/2 would take 400 KiB of each
/// stream whose client announces a large window and does not read; a page of events is longer than this.
const MOST_BYTES: usize = 16 << 10;

/// The bytes of a stream that are made and not sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsent(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    bytes: AtomicUsize,
    /// The body, which waits until there are fewer.
    body: AtomicWaker,
}

impl Unsent {
    /// Ready when there are few enough for one more message.
    pub(super) fn poll_few(&self, context: &Context<'_>) -> Poll<()> {
        if self.are_few() {
            return Poll::Ready(());
        }
        self.0.body.register(context.waker());
        // They may have been sent meanwhile.
        if self.are_few() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    fn are_few(&self) -> bool {
        self.0.bytes.load(Ordering::Acquire) <= MOST_BYTES
    }

    /// Bytes of the stream, which count until they are dropped.
    pub(super) fn hold(&self, bytes: Bytes) -> Bytes {
        self.0.bytes.fetch_add(bytes.len(), Ordering::AcqRel);
        Bytes::from_owner(UnsentBytes {
            bytes,
            unsent: self.clone(),
        })
    }
}

struct UnsentBytes {
    bytes: Bytes,
    unsent: Unsent,
}

impl AsRef<[u8]> for UnsentBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for UnsentBytes {
    fn drop(&mut self) {
        let Shared { bytes, body } = &*self.unsent.0;
        let before = bytes.fetch_sub(self.bytes.len(), Ordering::AcqRel);
        if before > MOST_BYTES && before - self.bytes.len() <= MOST_BYTES {
            body.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[tokio::test]
    async fn a_stream_waits_until_its_bytes_are_sent() {
        let unsent = Unsent::default();
        let few = || {
            let unsent = unsent.clone();
            poll_fn(move |context| unsent.poll_few(context))
        };
        let mut first = unsent.hold(vec![1; MOST_BYTES].into());
        few().await;
        let second = unsent.hold(vec![1; 1].into());
        let waiting = tokio::spawn(few());
        tokio::task::yield_now().await;
        // They count until all of them are sent.
        drop(first.split_to(MOST_BYTES / 2));
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.unwrap();
        drop(second);
    }
}
