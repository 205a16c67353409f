use std::collections::BTreeSet;
use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::Limits;
use futures::future::try_join_all;
use prost::Message;
use prost_types::{FileDescriptorSet, MethodDescriptorProto};
use tonic::{Code, Status, Streaming};
use v1::watch_match_response::Response;
use v1::{CloseReason, Scope, TokenState};

use super::{Guarded, token_request};
use crate::pair::to_points;
use crate::player::Player;
use crate::raw::{Raw, endpoint};
use crate::refusals::reason_of;

const ALL: [Scope; 3] = [Scope::Play, Scope::Watch, Scope::Create];

#[tokio::test]
async fn a_revoked_token_is_refused_and_its_streams_end() {
    let guarded = Guarded::start().await;
    let (token, ann) = guarded.issue(token_request("Ann", &ALL)).await;
    let (other, bob) = guarded.issue(token_request("Bob", &ALL)).await;
    let match_id = ann.create(to_points(1)).await.unwrap().id;
    let mut playing = Player::open(&ann).await;
    let mut others = Player::open(&bob).await;
    let mut watching = ann.watch(&match_id, 0).await.unwrap();

    let revoked = guarded.operator.revoke_token(&token.id).await.unwrap();
    assert_eq!(revoked.state(), TokenState::Revoked);
    assert!(revoked.revoke_time.is_some());
    assert_eq!(playing.closing().await, CloseReason::TokenEnded);
    assert_eq!(closing(&mut watching).await, CloseReason::TokenEnded);
    let refused = Player::begin(
        &ann,
        v1::play_request::Request::Start(v1::play_request::Start::default()),
    );
    assert_eq!(
        reason_of(&refused.await.unwrap_err()).unwrap(),
        "TOKEN_REVOKED"
    );

    // Revoking it again changes nothing, and other tokens are not affected.
    let again = guarded.operator.revoke_token(&token.id).await.unwrap();
    assert_eq!(again, revoked);
    bob.join(&match_id, v1::Seat::First).await.unwrap();
    guarded.operator.revoke_token(&other.id).await.unwrap();
    assert_eq!(others.closing().await, CloseReason::TokenEnded);

    let guarded = guarded.restart().await;
    let refused = crate::raw::Raw::with_secret(guarded.address(), "dgt_").await;
    assert!(refused.who_am_i().await.is_err());
    let listed = guarded.operator.list_tokens(0, "").await.unwrap().tokens;
    let states = listed
        .iter()
        .filter(|token| token.state() == TokenState::Revoked);
    assert_eq!(states.count(), 2);
}

/// Long enough for a few calls, even on a busy machine. The test then waits for the streams to
/// end when it runs out.
const SHORT_SECONDS: i64 = 2;

#[tokio::test]
async fn an_expired_token_is_refused_and_its_streams_end() {
    let guarded = Guarded::start().await;
    let request = v1::CreateTokenRequest {
        ttl: Some(prost_types::Duration {
            seconds: SHORT_SECONDS,
            nanos: 0,
        }),
        ..token_request("Ann", &ALL)
    };
    let (token, ann) = guarded.issue(request).await;
    let match_id = ann.create(to_points(1)).await.unwrap().id;
    let mut playing = Player::open(&ann).await;
    let mut watching = ann.watch(&match_id, 0).await.unwrap();
    assert_eq!(playing.closing().await, CloseReason::TokenEnded);
    assert_eq!(closing(&mut watching).await, CloseReason::TokenEnded);
    let refused = ann.who_am_i().await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "TOKEN_EXPIRED");
    let listed = guarded.operator.list_tokens(0, "").await.unwrap().tokens;
    let listed = listed.into_iter().find(|listed| listed.id == token.id);
    assert_eq!(listed.unwrap().state(), TokenState::Expired);
    // The ended token does not count towards the two.
    for _ in 0..2 {
        let request = token_request("Ann", &ALL);
        guarded.operator.create_token(request).await.unwrap();
    }
}

/// Reads to the end of the stream and returns the reason.
async fn closing(stream: &mut tonic::Streaming<v1::WatchMatchResponse>) -> CloseReason {
    loop {
        let message = stream.message().await.unwrap();
        let message = message.expect("the last message is `closing`");
        if let Some(Response::Closing(closing)) = message.response {
            assert_eq!(stream.message().await.unwrap(), None);
            return closing.reason();
        }
    }
}

/// The reason in a message, if it is `closing`.
macro_rules! closing {
    ($responses:ident, $message:expr) => {
        if let Some(v1::$responses::Response::Closing(closing)) = $message.response {
            Some(closing.reason())
        } else {
            None
        }
    };
}

/// Matches whose backup has more than one message: the service makes two before any is read.
const MATCHES: usize = 1200;

/// Starts a service that has matches; returns the id of one as well.
async fn with_matches() -> (Guarded, String) {
    let guarded = Guarded::start().await;
    let creator = guarded.player("Bob").await;
    let titled = v1::CreateMatchRequest {
        title: "A".repeat(100),
        ..to_points(1)
    };
    let created = (0..MATCHES).map(|_| creator.create(titled.clone()));
    let created = try_join_all(created).await.unwrap();
    (guarded, created[0].id.clone())
}

/// A stream of every method that has one, each of which has more to say. The client reads nothing until the end.
struct Streams {
    play: Player,
    watch_match: Streaming<v1::WatchMatchResponse>,
    watch_matches: Streaming<v1::WatchMatchesResponse>,
    watch_players: Streaming<v1::WatchPlayersResponse>,
    export_matches: Streaming<v1::ExportMatchesResponse>,
    backup: Streaming<v1::BackupResponse>,
}

impl Streams {
    /// Opens them with a new token, whose id is returned.
    async fn open(guarded: &Guarded, match_id: &str) -> (String, Self) {
        let scopes = [ALL.as_slice(), &[Scope::Admin]].concat();
        let issued = guarded.operator.create_token(token_request("Ann", &scopes));
        let issued = issued.await.unwrap();
        let channel = endpoint(guarded.address()).initial_stream_window_size(16 * 1024);
        let channel = channel.connect().await.unwrap();
        let ann = Raw::over(channel, Some(&format!("Bearer {}", issued.secret)));
        let export = v1::ExportMatchesRequest::default();
        let export = ann.matches.clone().export_matches(export).await;
        let streams = Self {
            play: Player::open(&ann).await,
            watch_match: ann.watch(match_id, 0).await.unwrap(),
            watch_matches: ann.watch_matches(<_>::default()).await.unwrap(),
            watch_players: ann.watch_players("").await.unwrap(),
            export_matches: export.unwrap().into_inner(),
            backup: ann.backup().await.unwrap(),
        };
        (issued.token.unwrap().id, streams)
    }

    /// Waits until the first one ends for this reason, and checks that all others do then. Returns the status of the
    /// one that has no message for it.
    async fn end(mut self, reason: CloseReason) -> Status {
        assert_eq!(self.play.closing().await, reason, "Play");
        let watch_match = end(self.watch_match, |message| {
            closing!(watch_match_response, message)
        });
        let watch_matches = end(self.watch_matches, |message| {
            closing!(watch_matches_response, message)
        });
        let watch_players = end(self.watch_players, |message| {
            closing!(watch_players_response, message)
        });
        let export_matches = end(self.export_matches, |message| {
            closing!(export_matches_response, message)
        });
        let ends = [
            ("MatchService/WatchMatch", watch_match.await),
            ("MatchService/WatchMatches", watch_matches.await),
            ("PlayerService/WatchPlayers", watch_players.await),
            ("MatchService/ExportMatches", export_matches.await),
        ];
        let backup = end(self.backup, |_| None).await;
        let mut streaming = BTreeSet::from(["GameService/Play", "AdminService/Backup"]);
        for (method, ended) in ends {
            assert_eq!(ended.unwrap(), Some(reason), "{method}");
            streaming.insert(method);
        }
        let described = streaming_methods();
        assert!(described.iter().map(String::as_str).eq(streaming));
        backup.expect_err("the backup is not cut off")
    }
}

/// Reads to the end of a stream. Returns the reason in its last message.
async fn end<M>(
    mut stream: Streaming<M>,
    reason: impl Fn(M) -> Option<CloseReason>,
) -> Result<Option<CloseReason>, Status> {
    let mut last = None;
    while let Some(message) = stream.message().await? {
        last = reason(message);
    }
    Ok(last)
}

/// The methods of this API that answer with a stream.
fn streaming_methods() -> BTreeSet<String> {
    let files = FileDescriptorSet::decode(dragontooth_proto::DESCRIPTORS).unwrap();
    let services = files.file.into_iter().flat_map(|file| file.service);
    let methods = services.flat_map(|service| {
        let streaming = service.method.clone().into_iter();
        let streaming = streaming.filter(MethodDescriptorProto::server_streaming);
        streaming.map(move |method| format!("{}/{}", service.name(), method.name()))
    });
    methods.collect()
}

#[tokio::test]
async fn every_stream_ends_with_its_token() {
    let (guarded, match_id) = with_matches().await;
    let (token, streams) = Streams::open(&guarded, &match_id).await;
    guarded.operator.revoke_token(&token).await.unwrap();
    let status = streams.end(CloseReason::TokenEnded).await;
    assert_eq!(reason_of(&status).unwrap(), "TOKEN_REVOKED");
}

#[tokio::test]
async fn every_stream_ends_with_the_service() {
    let (guarded, match_id) = with_matches().await;
    let (_, streams) = Streams::open(&guarded, &match_id).await;
    let (status, ()) = tokio::join!(streams.end(CloseReason::Draining), guarded.served.stop());
    assert_eq!(reason_of(&status).unwrap(), "DRAINING");
}

#[tokio::test]
async fn every_stream_ends_with_the_age_of_its_connection() {
    let limits = Limits {
        connection_age: Duration::from_secs(SHORT_SECONDS.unsigned_abs()),
        ..Limits::default()
    };
    let (guarded, match_id) = with_matches().await;
    let guarded = guarded.restart_with(&limits).await;
    let (_, streams) = Streams::open(&guarded, &match_id).await;
    let status = streams.end(CloseReason::ConnectionAged).await;
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("maximum age"), "{status}");
}
