//! Reading matches that are over, over gRPC on loopback: with their states kept in memory, and played
//! again from the log for every call.
//!
//! Fifty matches of Kamisado to 15 points between players that choose at random, in memory. One
//! unit is a match: of `GetMatch` called for one after the other, of `ListMatches` in a page of
//! all of them.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput};
use dragontooth_service::{Config, Limits, Service};
use dragontooth_service_client::{Answer, Client, MatchFilter, ServerAddress, Token};
use dragontooth_service_vocabulary::{MatchId, NewMatch};

/// As many as a page has.
const MATCHES: u64 = 50;

fn main() {
    let mut criterion = Criterion::default()
        .configure_from_args()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4));
    let runtime = tokio::runtime::Runtime::new().expect("tokio starts");
    for (kept_states, kind) in [(0, "from the log"), (4096, "kept")] {
        let (service, client, ids) = runtime.block_on(play(kept_states));
        let mut group = criterion.benchmark_group(kind);
        group.throughput(Throughput::Elements(1));
        let mut next = ids.iter().cycle();
        group.bench_function("GetMatch", |bencher| {
            bencher.iter_batched(
                || *next.next().expect("it never ends"),
                |id| runtime.block_on(client.get_match(id)).expect("it is there"),
                BatchSize::PerIteration,
            );
        });
        group.throughput(Throughput::Elements(MATCHES));
        group.bench_function("ListMatches", |bencher| {
            bencher.iter(|| {
                let listed = client.list_matches(MatchFilter::default(), None);
                black_box(runtime.block_on(listed).expect("they are there"))
            });
        });
        group.finish();
        runtime.block_on(service.stop());
    }
    criterion.final_summary();
}

/// A service with its matches, all of them over, and a client of it.
async fn play(kept_states: usize) -> (Service, Client, Vec<MatchId>) {
    let config = Config {
        listen: "127.0.0.1:0".parse().expect("it is an address"),
        limits: Limits {
            kept_states,
            ..Limits::default()
        },
        ..Config::default()
    };
    let service = Service::start(config).await.expect("the service starts");
    let address: ServerAddress = format!("http://{}", service.address())
        .parse()
        .expect("it is an address");
    let clients = [
        connect(&address, "the-first-player").await,
        connect(&address, "the-second-player").await,
    ];
    let mut ids = Vec::new();
    for _ in 0..MATCHES {
        ids.push(play_match(&clients).await);
    }
    let [client, _] = clients;
    (service, client, ids)
}

async fn connect(address: &ServerAddress, token: &str) -> Client {
    let token = Token::new(token).expect("it is a token");
    let client = Client::connect(address, &token).await;
    client.expect("the service accepts connections")
}

async fn play_match(clients: &[Client; 2]) -> MatchId {
    let created = clients[0].create_match(NewMatch::new("kamisado", 15)).await;
    let id = created.expect("created").id;
    for client in clients {
        let joined = client.join_match(id, None, "", None).await;
        joined.expect("joined");
    }
    // Until the match is over and no decision is due.
    while let Ok(decision) = clients[0].get_decision(id).await {
        let sequence = decision.id.sequence().0;
        let place = (sequence.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize;
        let answer = Answer {
            match_id: id,
            decision_id: decision.id,
            action: decision.legal_actions[place % decision.legal_actions.len()].clone(),
            request_id: None,
            thinking: None,
        };
        let submitted = clients[decision.seat.index()].submit_action(answer).await;
        submitted.expect("legal and in turn");
    }
    id
}
