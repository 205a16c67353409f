use dragontooth_proto::v1;
use tonic::Streaming;
use v1::watch_match_response::Response;

use crate::raw::Raw;

/// The messages of a watch.
#[derive(Debug)]
pub(crate) struct Watched {
    stream: Streaming<v1::WatchMatchResponse>,
    pub(crate) after: u64,
    pub(crate) events: Vec<v1::MatchEvent>,
    pub(crate) batches: usize,
    pub(crate) caught_up: Vec<u64>,
    pub(crate) closing: Option<(v1::CloseReason, u64)>,
}

impl Watched {
    pub(crate) async fn open(raw: &Raw, match_id: &str, after: u64) -> Self {
        Self {
            stream: raw.watch(match_id, after).await.unwrap(),
            after,
            events: Vec::new(),
            batches: 0,
            caught_up: Vec::new(),
            closing: None,
        }
    }

    /// The sequence of the last event received.
    pub(crate) fn last(&self) -> u64 {
        self.after + self.events.len() as u64
    }

    /// Reads one message. Events must come without a gap.
    pub(crate) async fn read(&mut self) -> Response {
        assert_eq!(self.closing, None, "the last message has come");
        let message = self.stream.message().await.unwrap();
        let response = message.expect("the last message is `closing`").response;
        let response = response.unwrap();
        match &response {
            Response::Batch(batch) => {
                assert!(!batch.events.is_empty());
                self.batches += 1;
                for event in &batch.events {
                    assert_eq!(event.sequence, self.last() + 1);
                    self.events.push(event.clone());
                }
            }
            Response::CaughtUp(reached) => {
                assert_eq!(reached.head_sequence, self.last());
                self.caught_up.push(reached.head_sequence);
            }
            Response::Heartbeat(heartbeat) => assert_eq!(heartbeat.head_sequence, self.last()),
            Response::Closing(closing) => {
                self.closing = Some((closing.reason(), closing.resume_after_sequence));
            }
        }
        response
    }

    pub(crate) async fn read_until_caught_up(&mut self) {
        while self.caught_up.is_empty() {
            self.read().await;
        }
    }

    pub(crate) async fn read_to_the_end(&mut self) {
        while self.closing.is_none() {
            self.read().await;
        }
        assert!(self.stream.message().await.unwrap().is_none());
    }
}
