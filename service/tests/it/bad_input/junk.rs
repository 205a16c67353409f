use std::error::Error;

use dragontooth_proto::v1;
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataValue;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::pair::{Pair, to_points};
use crate::random_player::Draws;
use crate::raw::channel;
use crate::served::{Served, token};

/// Number of corrupted copies of each request.
const COPIES: usize = 60;

#[tokio::test]
async fn corrupted_bytes_get_an_answer_from_every_method() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let channel = channel(served.address()).await;
    let mut draws = Draws::new(77);
    for (method, request) in requests(&pair).await {
        for _ in 0..COPIES {
            let spoiled = spoil(request.clone(), &mut draws);
            if let Err(status) = call(&channel, method, spoiled.clone()).await {
                let broken = status.source().is_some();
                assert!(!broken, "{method} {spoiled:?}: {status}");
            }
        }
    }
    served.raw("anyone").await.who_am_i().await.unwrap();
}

#[tokio::test]
async fn text_that_is_not_utf_8_is_refused_with_its_field() {
    let served = Served::in_memory().await;
    let channel = channel(served.address()).await;
    let no_utf_8 = vec![0x0a, 0x02, 0xff, 0xfe];
    let get = "/dragontooth.v1.MatchService/GetMatch";
    let status = call(&channel, get, no_utf_8).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    assert!(status.message().contains("match_id"), "{status}");
}

#[tokio::test]
async fn bytes_that_are_not_http_2_disturb_no_one() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    for words in [
        &b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        &[0; 4096],
    ] {
        let mut stream = TcpStream::connect(served.address()).await.unwrap();
        stream.write_all(words).await.unwrap();
        stream.shutdown().await.unwrap();
        // The service closes the connection, in any way.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    pair.play().await.unwrap();
}

/// A well-formed request to each unary method.
async fn requests(pair: &Pair) -> Vec<(&'static str, Vec<u8>)> {
    let match_id = pair.match_id.clone();
    let get = v1::GetMatchRequest {
        match_id: match_id.clone(),
    };
    let join = v1::JoinMatchRequest {
        match_id: match_id.clone(),
        seat: 2,
        name: "name".to_owned(),
        seed: String::new(),
        request_id: "join".to_owned(),
    };
    let list = v1::ListMatchesRequest {
        page_size: 10,
        state: 2,
        game: "kamisado".to_owned(),
        player_id: pair.first.who_am_i().await.unwrap(),
        page_token: match_id.clone(),
        ..v1::ListMatchesRequest::default()
    };
    let question = v1::AnalyzePositionRequest {
        game: "kamisado".to_owned(),
        position: pair.view().await.position,
        actions: vec!["a1a2".to_owned(), "g8g7".to_owned()],
        with_results: true,
        ..v1::AnalyzePositionRequest::default()
    };
    let new = v1::CreateMatchRequest {
        title: "title".to_owned(),
        reservations: vec![v1::Reservation {
            seat: 1,
            player_id: list.player_id.clone(),
        }],
        time_control: Some(v1::TimeControl {
            kind: Some(v1::time_control::Kind::PerAction(
                v1::time_control::PerAction {
                    limit: Some(prost_types::Duration {
                        seconds: 3600,
                        nanos: 1,
                    }),
                },
            )),
        }),
        ..to_points(15)
    };
    vec![
        (
            "/dragontooth.v1.GameService/AnalyzePosition",
            question.encode_to_vec(),
        ),
        (
            "/dragontooth.v1.GameService/GetDecision",
            get.encode_to_vec(),
        ),
        (
            "/dragontooth.v1.GameService/SubmitAction",
            pair.answer("once").await.encode_to_vec(),
        ),
        (
            "/dragontooth.v1.MatchService/CreateMatch",
            new.encode_to_vec(),
        ),
        (
            "/dragontooth.v1.MatchService/JoinMatch",
            join.encode_to_vec(),
        ),
        ("/dragontooth.v1.MatchService/GetMatch", get.encode_to_vec()),
        (
            "/dragontooth.v1.MatchService/ListMatches",
            list.encode_to_vec(),
        ),
        (
            "/dragontooth.v1.MatchService/ExportMatch",
            get.encode_to_vec(),
        ),
        (
            "/dragontooth.v1.MatchService/ResignMatch",
            get.encode_to_vec(),
        ),
        (
            "/dragontooth.v1.MatchService/AbortMatch",
            get.encode_to_vec(),
        ),
        (
            "/dragontooth.v1.MatchService/DeclineInvitation",
            get.encode_to_vec(),
        ),
    ]
}

/// Changes a few bytes or cuts off the end.
fn spoil(mut bytes: Vec<u8>, draws: &mut Draws) -> Vec<u8> {
    let places: Vec<usize> = (0..bytes.len()).collect();
    let values: Vec<u8> = (0..=u8::MAX).collect();
    for _ in 0..*draws.one_of(&[1, 1, 2, 5]) {
        bytes[*draws.one_of(&places)] = *draws.one_of(&values);
    }
    if *draws.one_of(&[false, false, true]) {
        bytes.truncate(*draws.one_of(&places));
    }
    bytes
}

async fn call(channel: &Channel, method: &'static str, bytes: Vec<u8>) -> Result<Vec<u8>, Status> {
    let mut request = Request::new(bytes);
    let header = format!("Bearer {}", token("first"));
    let header = MetadataValue::try_from(header).unwrap();
    request.metadata_mut().insert("authorization", header);
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.unwrap();
    let answer = grpc.unary(request, method.parse().unwrap(), Bytes).await?;
    Ok(answer.into_inner())
}

/// A codec that passes messages on as raw bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        prost::bytes::BufMut::put_slice(to, &item);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut item = vec![0; prost::bytes::Buf::remaining(from)];
        prost::bytes::Buf::copy_to_slice(from, &mut item);
        Ok(Some(item))
    }
}
