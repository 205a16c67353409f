use std::net::SocketAddr;

use axum::body::Bytes;
use axum::http::{HeaderMap, Request, Response};
use h2::client::{ResponseFuture, SendRequest};
use h2::{Reason, RecvStream, SendStream};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tonic::Status;

use super::entrance::ByteStream;

/// A connection of a client that does with its requests what it likes.
#[derive(Debug)]
pub(super) struct Attacker {
    requests: SendRequest<Bytes>,
    connection: JoinHandle<()>,
}

/// A request without its end.
#[derive(Debug)]
pub(super) struct Begun {
    answer: ResponseFuture,
    body: SendStream<Bytes>,
}

impl Attacker {
    pub(super) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        Self::over(Box::new(stream)).await.unwrap()
    }

    /// A client that lets the service send headers alone.
    pub(super) async fn without_window(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        let mut client = h2::client::Builder::new();
        let (requests, connection) = client
            .initial_window_size(0)
            .handshake(stream)
            .await
            .unwrap();
        let connection = tokio::spawn(async {
            // It ends as the service wants.
            let _ = connection.await;
        });
        Self {
            requests,
            connection,
        }
    }

    /// A client on this connection; an error if the service ends it at once.
    pub(super) async fn over(stream: Box<dyn ByteStream>) -> Result<Self, h2::Error> {
        let (requests, connection) = h2::client::handshake(stream).await?;
        let connection = tokio::spawn(async {
            // It ends as the service wants.
            let _ = connection.await;
        });
        Ok(Self {
            requests,
            connection,
        })
    }

    /// Waits until the service ends the connection.
    pub(super) async fn ended(self) {
        self.connection.await.unwrap();
    }

    /// Sends the headers of a call; an error if the connection has ended.
    pub(super) async fn begin(
        &self,
        method: &str,
        headers: &[(&str, &str)],
    ) -> Result<Begun, h2::Error> {
        let mut request = Request::post(format!("http://here/{method}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut requests = self.requests.clone().ready().await?;
        let (answer, body) = requests.send_request(request.body(()).unwrap(), false)?;
        Ok(Begun { answer, body })
    }
}

impl Begun {
    /// Sends a part of the request, as far as the windows of the service allow.
    pub(super) fn send(&mut self, part: impl Into<Bytes>) {
        // If the service has ended the request, its answer says why.
        let _ = self.body.send_data(part.into(), false);
    }

    pub(super) fn end(&mut self) {
        let _ = self.body.send_data(Bytes::new(), true);
    }

    /// Breaks the call off.
    pub(super) fn cancel(mut self) {
        self.body.send_reset(Reason::CANCEL);
    }

    /// Waits for the headers of the answer, whose data stay unread as long as the result is kept.
    pub(super) async fn unread(self) -> Response<RecvStream> {
        self.answer.await.unwrap()
    }

    /// Waits for the answer. Returns its data and its status.
    pub(super) async fn answer(&mut self) -> Result<(Vec<u8>, Status), h2::Error> {
        let (head, mut body) = (&mut self.answer).await?.into_parts();
        let mut data = Vec::new();
        while let Some(chunk) = body.data().await {
            let chunk = chunk?;
            body.flow_control().release_capacity(chunk.len())?;
            data.extend_from_slice(&chunk);
        }
        let trailers = body.trailers().await?;
        let status = [Some(head.headers), trailers]
            .iter()
            .flatten()
            .find_map(status);
        Ok((data, status.expect("an answer has a status")))
    }
}

fn status(headers: &HeaderMap) -> Option<Status> {
    Status::from_header_map(headers)
}

/// The first bytes of a message of this length.
pub(super) fn unfinished(length: usize, sent: usize) -> Bytes {
    let mut bytes = vec![0];
    bytes.extend(u32::try_from(length).unwrap().to_be_bytes());
    bytes.resize(5 + sent, b'x');
    bytes.into()
}

/// A whole message.
pub(super) fn message(message: &impl prost::Message) -> Bytes {
    let encoded = message.encode_to_vec();
    let mut bytes = unfinished(encoded.len(), 0).to_vec();
    bytes.extend(encoded);
    bytes.into()
}
