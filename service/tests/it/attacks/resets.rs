use dragontooth_proto::v1;
use futures::future::{FutureExt, join_all};
use v1::play_request::{Request, Start};

use super::attacker::message;
use super::frames::{DATA, Frames, GO_AWAY, PING, RST_STREAM, frame, headers};
use crate::pair::Pair;
use crate::player::Player;
use crate::served::{Served, token};

const CANCEL: [u8; 4] = [0, 0, 0, 8];

/// Three bursts of sixty calls that are cancelled in the packet in which they begin.
#[tokio::test]
async fn bursts_of_cancelled_calls_do_not_end_a_connection() {
    let served = Served::in_memory().await;
    let mut frames = Frames::connect(served.address()).await;
    let token = token("fickle");
    let start = v1::PlayRequest {
        request: Some(Request::Start(Start::default())),
    };
    let play = headers(1, "/dragontooth.v1.GameService/Play", &token, &[]);
    frames.write(&play).await.unwrap();
    frames
        .write(&frame(DATA, 0, 1, &message(&start)))
        .await
        .unwrap();
    let ready = loop {
        let frame = frames.read().await.unwrap();
        if frame.kind == DATA {
            break frame;
        }
    };
    assert_eq!(ready.stream, 1);
    let mut stream = 1;
    for burst in 0..3_u8 {
        let mut bytes = Vec::new();
        for _ in 0..60 {
            stream += 2;
            let method = "/dragontooth.v1.PlayerService/WhoAmI";
            bytes.extend(headers(stream, method, &token, &[]));
            bytes.extend(frame(RST_STREAM, 0, stream, &CANCEL));
        }
        bytes.extend(frame(PING, 0, 0, &[burst; 8]));
        frames.write(&bytes).await.unwrap();
        loop {
            let frame = frames.read().await.unwrap();
            let text = String::from_utf8_lossy(&frame.payload);
            assert_ne!(frame.kind, GO_AWAY, "{text}");
            assert!(frame.kind != RST_STREAM || frame.stream != 1, "{frame:?}");
            if frame.kind == PING && frame.payload == [burst; 8] {
                break;
            }
        }
    }
}

/// A program that cancels hundreds of calls at once, beside its stream on the same connection.
#[tokio::test]
async fn a_stream_survives_cancelled_calls_beside_it() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let (mut player, due) = Player::deciding(&pair.first).await;
    for _ in 0..10 {
        let calls = (0..100).map(|_| Box::pin(pair.first.who_am_i()));
        let mut calls: Vec<_> = calls.collect();
        // Each is sent; the first answer that comes breaks all the others off.
        let first = futures::future::select_all(&mut calls).await;
        first.0.unwrap();
        drop(calls);
        let begun = (0..100).map(|_| pair.first.who_am_i());
        assert!(join_all(begun).now_or_never().is_none());
    }
    player.answer(&due, "a1a2", "");
    assert_eq!(player.accepted().await.decision_id, due.decision_id);
}
