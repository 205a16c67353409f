use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use dragontooth_service::{Config, Service, Storage};
use dragontooth_service_client::{Answer, Client, MatchView, ServerAddress};
use dragontooth_service_vocabulary::NewMatch;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::figure::figure;
use crate::load::{any_action, connect, due};
use crate::scale::Scale;

/// Actions a second.
const RATES: [u32; 3] = [1000, 5000, 10_000];
/// Matches that take the actions in turn.
const MATCHES: usize = 512;
/// Pairs of players, each with separate connections.
const PAIRS: usize = 8;
/// Time for which a rate is kept up.
const TIME: Duration = Duration::from_secs(8);

/// A match that waits for its next action.
struct Table {
    clients: Arc<[Client; 2]>,
    view: MatchView,
}

/// Prints the latency of a durable `SubmitAction` at a fixed rate, from the time at which it was due to be
/// sent: a wait because the service or this client is behind counts.
pub(crate) fn print(scale: Scale) {
    let time = scale.time(TIME);
    println!("durable SubmitAction, open loop, from the scheduled time, in milliseconds");
    println!("rate/s   actions     p50     p99   p99.9      max");
    for rate in RATES {
        let runtime = Runtime::new().expect("tokio starts");
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let storage = Storage::Folder(folder.path().to_owned());
        let mut times =
            runtime.block_on(measure(storage, rate, time, scale.count(MATCHES).max(16)));
        times.sort_unstable();
        let at = |per_mille: usize| {
            let place = (times.len() * per_mille / 1000).min(times.len() - 1);
            times[place].as_secs_f64() * 1000.0
        };
        println!(
            "{rate:>6} {:>9} {:>7.2} {:>7.2} {:>7.2} {:>8.2}",
            times.len(),
            at(500),
            at(990),
            at(999),
            at(1000)
        );
        for (name, per_mille) in [("p50", 500), ("p99", 990)] {
            figure(&format!("latency/{rate}/{name}"), at(per_mille), "ms");
        }
    }
}

async fn measure(storage: Storage, rate: u32, time: Duration, matches: usize) -> Vec<Duration> {
    let config = Config {
        listen: "127.0.0.1:0".parse().expect("it is an address"),
        storage,
        ..Config::default()
    };
    let service = Service::start(config).await.expect("the service starts");
    let address: ServerAddress = format!("http://{}", service.address())
        .parse()
        .expect("it is an address");
    let (free, mut ready) = mpsc::unbounded_channel();
    let mut seating = JoinSet::new();
    for pair in 0..PAIRS {
        let (address, free) = (address.clone(), free.clone());
        seating.spawn(async move {
            let first = connect(&address, &format!("first-player-{pair:04}")).await;
            let second = connect(&address, &format!("second-player-{pair:04}")).await;
            let clients = Arc::new([first, second]);
            for _ in 0..matches.div_ceil(PAIRS) {
                let table = Table::seat(Arc::clone(&clients)).await;
                free.send(table)
                    .unwrap_or_else(|_| unreachable!("it is received below"));
            }
        });
    }
    seating.join_all().await;

    let mut due_at = schedule(rate, time);
    let mut playing = JoinSet::new();
    while let Some(scheduled) = due_at.recv().await {
        let table = ready.recv().await.expect("a match comes back");
        let free = free.clone();
        playing.spawn(async move {
            let table = table.act().await;
            let taken = scheduled.elapsed();
            // At the end no task receives it.
            let _ = free.send(table.seated_again().await);
            taken
        });
    }
    let times = playing.join_all().await;
    service.stop().await;
    times
}

/// The moments at which actions are due, each sent when it has come.
fn schedule(rate: u32, time: Duration) -> mpsc::UnboundedReceiver<Instant> {
    let (tell, told) = mpsc::unbounded_channel();
    thread::spawn(move || {
        let started = Instant::now();
        for number in 0.. {
            let after = Duration::from_secs(1) * number / rate;
            if after > time {
                return;
            }
            let due = started + after;
            while Instant::now() < due {
                thread::park_timeout(due.saturating_duration_since(Instant::now()));
            }
            if tell.send(due).is_err() {
                return;
            }
        }
    });
    told
}

impl Table {
    async fn seat(clients: Arc<[Client; 2]>) -> Self {
        let created = clients[0].create_match(NewMatch::new("kamisado", 15)).await;
        let id = created.expect("created").id;
        let join = |client: usize| clients[client].join_match(id, None, "", None);
        join(0).await.expect("joined");
        let view = join(1).await.expect("joined").view;
        Self { clients, view }
    }

    /// Plays the action that is due.
    async fn act(mut self) -> Self {
        let (seat, decision_id) = due(&self.view).expect("an action is due");
        let position = self.view.position.as_deref();
        let answer = Answer {
            match_id: self.view.id,
            decision_id,
            action: any_action(position.expect("a decision has a position"), decision_id),
            request_id: None,
            thinking: None,
        };
        let submitted = self.clients[seat].submit_action(answer).await;
        self.view = submitted.expect("legal and in turn").view;
        self
    }

    /// The same match, or another one if it is over.
    async fn seated_again(self) -> Self {
        if due(&self.view).is_some() {
            return self;
        }
        Self::seat(self.clients).await
    }
}
