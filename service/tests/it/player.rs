use std::time::{Duration, SystemTime};

use dragontooth_proto::v1;
use futures::channel::mpsc;
use tonic::{Status, Streaming};
use v1::play_request::{AcceptInvitation, Answer, DeclineInvitation, Request, Resign, Start};
use v1::play_response::Response;

use crate::raw::Raw;

/// A player's open `Play` stream, message by message.
#[derive(Debug)]
pub(crate) struct Player {
    requests: mpsc::UnboundedSender<v1::PlayRequest>,
    responses: Streaming<v1::PlayResponse>,
}

impl Player {
    /// Opens the stream and reads `ready`.
    pub(crate) async fn open(raw: &Raw) -> Self {
        Self::open_with(raw, Start::default()).await
    }

    pub(crate) async fn open_with(raw: &Raw, start: Start) -> Self {
        let mut player = Self::begin(raw, Request::Start(start)).await.unwrap();
        let Response::Ready(ready) = player.next().await else {
            panic!("`ready` is the first message");
        };
        assert_eq!(ready.player_id, raw.who_am_i().await.unwrap());
        assert_eq!(ready.heartbeat_interval.unwrap().seconds, 10);
        player
    }

    /// Opens the stream and reads `ready`, its only match, and the decision that is due.
    pub(crate) async fn deciding(raw: &Raw) -> (Self, v1::Decision) {
        let mut player = Self::open(raw).await;
        player.opened().await;
        let due = player.decision().await;
        (player, due)
    }

    /// Opens a stream with any first request.
    pub(crate) async fn begin(raw: &Raw, first: Request) -> Result<Self, Status> {
        let (requests, sent) = mpsc::unbounded();
        let first = v1::PlayRequest {
            request: Some(first),
        };
        requests.unbounded_send(first).unwrap();
        let responses = raw.games.clone().play(sent).await?;
        Ok(Self {
            requests,
            responses: responses.into_inner(),
        })
    }

    pub(crate) fn send(&self, request: Option<Request>) {
        let request = v1::PlayRequest { request };
        self.requests.unbounded_send(request).unwrap();
    }

    pub(crate) fn accept(&self, match_id: &str) {
        let accept = AcceptInvitation {
            match_id: match_id.to_owned(),
            name: "a name".to_owned(),
            seed: String::new(),
            request_id: String::new(),
        };
        self.send(Some(Request::AcceptInvitation(accept)));
    }

    pub(crate) fn resign(&self, match_id: &str) {
        self.resign_because(match_id, "");
    }

    /// Declines an invitation.
    pub(crate) fn decline(&self, match_id: &str, reason: &str) {
        let decline = DeclineInvitation {
            match_id: match_id.to_owned(),
            reason: reason.to_owned(),
            request_id: String::new(),
        };
        self.send(Some(Request::DeclineInvitation(decline)));
    }

    /// Resigns a match because of a failure.
    pub(crate) fn resign_because(&self, match_id: &str, failure: &str) {
        let resign = Resign {
            match_id: match_id.to_owned(),
            request_id: String::new(),
            reason: failure.to_owned(),
        };
        self.send(Some(Request::Resign(resign)));
    }

    /// Answers a decision.
    pub(crate) fn answer(&self, due: &v1::Decision, action: &str, request_id: &str) {
        let answer = Answer {
            match_id: due.match_id.clone(),
            decision_id: due.decision_id,
            action: action.to_owned(),
            request_id: request_id.to_owned(),
            thinking: None,
        };
        self.send(Some(Request::Answer(answer)));
    }

    /// The next message other than a heartbeat.
    pub(crate) async fn next(&mut self) -> Response {
        loop {
            let response = self.read().await.unwrap();
            let response = response.expect("the last message is `closing`");
            println!("told: {:.60}", format!("{response:?}"));
            if !matches!(response, Response::Heartbeat(_)) {
                return response;
            }
        }
    }

    /// The next message. `None` at the end.
    pub(crate) async fn read(&mut self) -> Result<Option<Response>, Status> {
        let message = self.responses.message().await?;
        Ok(message.map(|message| message.response.unwrap()))
    }

    pub(crate) async fn decision(&mut self) -> v1::Decision {
        let Response::Decision(due) = self.next().await else {
            panic!("a decision was expected");
        };
        *due
    }

    pub(crate) async fn opened(&mut self) -> v1::Match {
        let Response::MatchOpened(opened) = self.next().await else {
            panic!("an opened match was expected");
        };
        opened.r#match.unwrap()
    }

    pub(crate) async fn accepted(&mut self) -> v1::play_response::AnswerAccepted {
        let Response::AnswerAccepted(accepted) = self.next().await else {
            panic!("an accepted answer was expected");
        };
        accepted
    }

    pub(crate) async fn refused(&mut self) -> v1::play_response::Refused {
        let Response::Refused(refused) = self.next().await else {
            panic!("a refusal was expected");
        };
        refused
    }

    pub(crate) async fn closed(&mut self) -> v1::Match {
        let Response::MatchClosed(closed) = self.next().await else {
            panic!("a closed match was expected");
        };
        closed.r#match.unwrap()
    }

    /// Reads to the end of the stream and returns the reason.
    pub(crate) async fn closing(&mut self) -> v1::CloseReason {
        loop {
            if let Response::Closing(closing) = self.next().await {
                assert_eq!(self.read().await.unwrap(), None, "it is the last message");
                return closing.reason();
            }
        }
    }

    /// Closes the sending side.
    pub(crate) fn fall_silent(self) -> Streaming<v1::PlayResponse> {
        self.responses
    }
}

/// Returns true if a time reported by the service is about now.
pub(crate) fn is_about_now(time: Option<prost_types::Timestamp>) -> bool {
    let time = SystemTime::try_from(time.unwrap()).unwrap();
    let now = SystemTime::now();
    let minute = Duration::from_mins(1);
    time > now - minute && time < now + minute
}

/// The reason in a refusal on a stream.
pub(crate) fn reason_in(refused: &v1::play_response::Refused) -> String {
    use prost::Message;
    let status = refused.status.as_ref().unwrap();
    let details = status.encode_to_vec().into();
    let code = tonic::Code::from(status.code);
    let status = Status::with_details(code, status.message.clone(), details);
    crate::refusals::reason_of(&status).expect("every refusal has its reason")
}
