use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::Limits;
use tonic::Code;

use super::attacker::{Attacker, message};
use super::limit_in;
use crate::pair::Pair;
use crate::served::{Served, token};

const WHO_AM_I: &str = "dragontooth.v1.PlayerService/WhoAmI";

/// Timeout for an end that must come.
const PATIENCE: Duration = Duration::from_secs(30);

async fn who_am_i(attacker: &Attacker, name: &str) -> tonic::Status {
    let header = format!("Bearer {}", token(name));
    let headers = [("authorization", header.as_str())];
    let mut call = attacker.begin(WHO_AM_I, &headers).await.unwrap();
    call.send(message(&v1::WhoAmIRequest {}));
    call.end();
    call.answer().await.unwrap().1
}

/// Bots of one machine share its address. One of them takes all the connections that it can get, with its token and
/// without: the others come in and play.
#[tokio::test]
async fn one_bot_cannot_keep_the_others_of_its_address_out() {
    let limits = Limits {
        connections: 20,
        connections_of_address: 6,
        connections_of_player: 5,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let mut named = Vec::new();
    let refused = loop {
        let attacker = Attacker::connect(served.address()).await;
        let status = who_am_i(&attacker, "greedy").await;
        if status.code() != Code::Ok {
            break status;
        }
        named.push(attacker);
    };
    assert_eq!(limit_in(&refused), "connections_of_player");
    assert_eq!(named.len(), limits.connections_of_player);
    let mut nameless = Vec::new();
    for _ in 0..50 {
        nameless.push(Attacker::connect(served.address()).await);
    }
    let pair = Pair::seat(&served).await;
    pair.play().await.unwrap();
    // The oldest of those without a token have given way; those of the bot stay.
    let oldest = nameless.remove(0);
    tokio::time::timeout(PATIENCE, oldest.ended())
        .await
        .unwrap();
    for attacker in &named {
        assert_eq!(who_am_i(attacker, "greedy").await.code(), Code::Ok);
    }
}

/// Where connections without a token have taken all places, a new one gets that of the oldest.
#[tokio::test]
async fn connections_without_a_token_give_way_to_new_ones() {
    let limits = Limits {
        connections: 4,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let mut nameless = Vec::new();
    for _ in 0..20 {
        nameless.push(Attacker::connect(served.address()).await);
    }
    let raw = served.raw("honest").await;
    raw.who_am_i().await.unwrap();
    let oldest = nameless.remove(0);
    tokio::time::timeout(PATIENCE, oldest.ended())
        .await
        .unwrap();
}
