use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dragontooth_games::Seat;
use dragontooth_service::{Config, Service, Storage};
use dragontooth_service_client::{Answer, Client, MatchResignation, ServerAddress};
use dragontooth_service_store::{EventLog, MatchLog, SledLog};
use dragontooth_service_vocabulary::{MatchEvent, MatchId, NewMatch, Recorded};
use futures::stream::{self, StreamExt};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::figure::figure;
use crate::load::{any_action, connect, due};
use crate::scale::Scale;

/// Matches that are not over.
const MATCHES: usize = 10_000;
/// Events of each.
const EVENTS: [usize; 2] = [20, 100];
/// Appends under way at once while the log is made.
const AT_ONCE: usize = 512;

/// Prints the time from the start of a service until it serves, by the content of its log, which it replays
/// event by event.
pub(crate) fn print(scale: Scale) {
    let matches = scale.count(MATCHES);
    for events in EVENTS {
        let runtime = Runtime::new().expect("tokio starts");
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let template = runtime.block_on(template(folder.path(), events, false));
        let path = folder.path().join("log");
        runtime.block_on(fill(&path, matches, &template));
        let taken = runtime.block_on(start(&path));
        println!(
            "{matches} unfinished matches, {} events: {:.2} s",
            matches * events,
            taken.as_secs_f64()
        );
        let of_event = taken / u32::try_from(matches * events).expect("far fewer events");
        figure(
            &format!("recovery/{events}"),
            of_event.as_secs_f64() * 1e6,
            "µs",
        );
    }
}

/// The events of a match that continues after them, or ends with one more, by a resignation.
pub(crate) async fn template(folder: &Path, events: usize, ends: bool) -> Vec<Recorded> {
    let path = folder.join("template");
    let service = serve(&path).await;
    let address: ServerAddress = format!("http://{}", service.address())
        .parse()
        .expect("it is an address");
    let first = connect(&address, "the-first-player").await;
    let second = connect(&address, "the-second-player").await;
    let id = play(&[first.clone(), second], events).await;
    if ends {
        let resigned = first.resign_match(MatchResignation::by_choice(id)).await;
        resigned.expect("it is not over");
    }
    service.stop().await;
    let log: Arc<dyn EventLog> = Arc::new(SledLog::open(&path).expect("the service has stopped"));
    let log = MatchLog::new(log);
    let read = log.read(id, MatchLog::start(id), events + 1);
    let read = read.await.expect("the service wrote it");
    assert_eq!(read.len(), events + usize::from(ends));
    log.close().await;
    read.into_iter().map(|entry| entry.recorded).collect()
}

/// Plays a match until it has `events` events.
async fn play(clients: &[Client; 2], events: usize) -> MatchId {
    let mut new = NewMatch::new("kamisado", 15);
    // What is drawn, does not follow from the id of the match.
    new.seed = Some("a seed".parse().expect("a seed"));
    let mut view = clients[0].create_match(new).await.expect("created");
    let id = view.id;
    for seat in Seat::BOTH {
        let joined = clients[seat.index()].join_match(id, Some(seat), "", None);
        view = joined.await.expect("joined").view;
    }
    while view.head_sequence.0 < events as u64 {
        let (seat, decision_id) = due(&view).expect("the match is long");
        let position = view.position.as_deref();
        let answer = Answer {
            match_id: id,
            decision_id,
            action: any_action(position.expect("a decision has a position"), decision_id),
            request_id: None,
            thinking: None,
        };
        let submitted = clients[seat].submit_action(answer).await;
        view = submitted.expect("legal and in turn").view;
    }
    id.to_string().parse().expect("it is an id of a match")
}

/// Makes a log of copies of a match.
pub(crate) async fn fill(path: &Path, matches: usize, template: &[Recorded]) {
    let log: Arc<dyn EventLog> = Arc::new(SledLog::open(path).expect("a new folder"));
    let log = MatchLog::new(log);
    let time = template[0].time;
    let appends = (0..matches).map(|_| async {
        let id = MatchId::from_bytes(Uuid::now_v7().into_bytes());
        let mut events: Vec<MatchEvent> =
            template.iter().map(|event| event.event.clone()).collect();
        if let MatchEvent::Created(created) = &mut events[0] {
            created.id = id;
        }
        let mut head = MatchLog::start(id);
        for some in events.chunks(50) {
            let appended = log.append(id, head, time, some).await;
            head = appended.expect("the disk has room");
        }
    });
    stream::iter(appends)
        .for_each_concurrent(AT_ONCE, |append| append)
        .await;
    log.close().await;
}

async fn start(path: &Path) -> Duration {
    let started = Instant::now();
    let service = serve(path).await;
    let taken = started.elapsed();
    service.stop().await;
    taken
}

async fn serve(path: &Path) -> Service {
    let config = Config {
        listen: "127.0.0.1:0".parse().expect("it is an address"),
        storage: Storage::Folder(path.to_owned()),
        ..Config::default()
    };
    Service::start(config).await.expect("the service starts")
}
