use dragontooth_service::Storage;
use dragontooth_service_client::wire_tap::{PLAY, RawCodec, SUBMIT_ACTION, TappedResponse};
use dragontooth_service_client::{Client, MatchView, PlayEvent, ServerAddress};
use dragontooth_service_vocabulary::NewMatch;
use futures::stream;
use prost::Message;
use prost::bytes::Bytes;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Streaming};

use crate::load::{any_action, connect, due, serve, submit};

/// Actions before those that are recorded: the first decision of a game has far more legal actions than any other.
const EARLIER_ACTIONS: usize = 8;

/// The messages with which a service answers an action, as it sent them.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// The first message on a stream.
    pub(crate) ready: Bytes,
    pub(crate) decision: Bytes,
    pub(crate) accepted: Bytes,
    /// The response to `SubmitAction`.
    pub(crate) submitted: Bytes,
}

/// An answer, in the form that it has as a request and on a stream.
#[derive(Clone, PartialEq, Message)]
struct AnswerMessage {
    #[prost(string, tag = "1")]
    match_id: String,
    #[prost(uint64, tag = "2")]
    decision_id: u64,
    #[prost(string, tag = "3")]
    action: String,
}

#[derive(Clone, PartialEq, Message)]
struct StreamRequest {
    #[prost(message, optional, tag = "1")]
    start: Option<()>,
    #[prost(message, optional, tag = "2")]
    answer: Option<AnswerMessage>,
}

impl Recorded {
    /// Records them of a service in memory.
    pub(crate) async fn record() -> Self {
        const TOKENS: [&str; 2] = ["the-first-player", "the-second-player"];
        let (service, address) = serve(Storage::Memory).await;
        let clients = [
            connect(&address, TOKENS[0]).await,
            connect(&address, TOKENS[1]).await,
        ];
        let mut view = seat(&clients).await;
        for _ in 0..EARLIER_ACTIONS {
            let (seat, decision) = due(&view).expect("the match is longer");
            view = submit(&clients[seat], view, decision).await;
        }
        let (seat, _) = due(&view).expect("the match is longer");
        let mut player = RawPlayer::connect(&address, TOKENS[seat]).await;
        let [ready, decision, accepted] = player.play(&view).await;
        let view = clients[0].get_match(view.id).await.expect("it exists");
        let (seat, _) = due(&view).expect("the match is longer");
        let mut player = RawPlayer::connect(&address, TOKENS[seat]).await;
        let submitted = player.submit(&view).await;
        drop((player, clients));
        service.stop().await;
        Self {
            ready,
            decision,
            accepted,
            submitted,
        }
    }
}

async fn seat(clients: &[Client; 2]) -> MatchView {
    let created = clients[0].create_match(NewMatch::new("kamisado", 15)).await;
    let id = created.expect("created").id;
    let join = |client: usize| clients[client].join_match(id, None, "", None);
    join(0).await.expect("joined");
    join(1).await.expect("joined").view
}

/// A player that sends and receives bytes.
struct RawPlayer {
    client: Grpc<Channel>,
    token: &'static str,
}

impl RawPlayer {
    async fn connect(address: &ServerAddress, token: &'static str) -> Self {
        let endpoint = Endpoint::from_shared(address.to_string()).expect("an address");
        let channel = endpoint.connect().await;
        let mut client = Grpc::new(channel.expect("the service accepts connections"));
        client.ready().await.expect("it is connected");
        Self { client, token }
    }

    /// Plays the due action of a match on a stream. Returns the first message, the decision and its acceptance.
    async fn play(&mut self, view: &MatchView) -> [Bytes; 3] {
        let start = StreamRequest {
            start: Some(()),
            answer: None,
        };
        let answer = StreamRequest {
            start: None,
            answer: Some(answer(view)),
        };
        let requests = [start, answer].map(|request| request.encode_to_vec().into());
        let requests = self.request(stream::iter(requests));
        let path = PathAndQuery::from_static(PLAY);
        let answers = self.client.streaming(requests, path, RawCodec).await;
        let mut answers = answers.expect("the stream opens").into_inner();
        let mut next =
            async |is_wanted: fn(&PlayEvent) -> bool| next(&mut answers, is_wanted).await;
        [
            next(|event| matches!(event, PlayEvent::Ready { .. })).await,
            next(|event| matches!(event, PlayEvent::Decision(_))).await,
            next(|event| matches!(event, PlayEvent::Accepted(_))).await,
        ]
    }

    /// Plays the due action of a match by a call, and returns the response.
    async fn submit(&mut self, view: &MatchView) -> Bytes {
        let request = self.request(Bytes::from(answer(view).encode_to_vec()));
        let path = PathAndQuery::from_static(SUBMIT_ACTION);
        let answer = self.client.unary(request, path, RawCodec).await;
        answer.expect("legal and in turn").into_inner()
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let token = format!("Bearer {}", self.token);
        let token = token.parse().expect("a token is visible ASCII");
        request.metadata_mut().insert("authorization", token);
        request
    }
}

/// The next message of a kind.
async fn next(answers: &mut Streaming<Bytes>, is_wanted: fn(&PlayEvent) -> bool) -> Bytes {
    loop {
        let message = answers.message().await.expect("the stream goes on");
        let message = message.expect("the stream goes on");
        if let TappedResponse::OnStream(event) = TappedResponse::read(PLAY, &message)
            && is_wanted(&event)
        {
            return message;
        }
    }
}

fn answer(view: &MatchView) -> AnswerMessage {
    let (_, decision) = due(view).expect("the match is longer");
    let position = view.position.as_deref();
    AnswerMessage {
        match_id: view.id.to_string(),
        decision_id: decision.sequence().0,
        action: any_action(position.expect("a decision has a position"), decision),
    }
}
