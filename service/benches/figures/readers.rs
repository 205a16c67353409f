use std::collections::BTreeMap;
use std::hint;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dragontooth_service_client::{Answer, Client, MatchFilter, MatchView, ServerAddress};
use dragontooth_service_vocabulary::{MatchId, NewMatch};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::figure::figure;
use crate::load::{any_action, connect, due};
use crate::neighbour::{Neighbour, ready, wait_for_end};
use crate::program::Program;
use crate::raw_readers::RawReaders;
use crate::recovery::{fill, template};
use crate::scale::Scale;
use crate::times::{HEAD, Times};

/// The role of a neighbour that only computes.
pub(crate) const BUSY_ROLE: &str = "busy";

/// Matches that are over.
const MATCHES: usize = 100_000;
/// Events of most of them, and of each of the long ones that are exported.
const EVENTS: usize = 20;
const LONG_EVENTS: usize = 150;
/// Number of long matches.
const LONG_MATCHES: usize = 500;
/// Callers that list and export without pause.
const READERS: usize = 8;
/// Threads that compute without pause.
const BUSY: usize = 8;
/// Time for which a player is measured, alone and beside others, and the number of rounds that it is divided into.
const TIME: Duration = Duration::from_secs(15);
const ROUNDS: u32 = 5;

/// Prints the time that a service takes to start among ended matches, its memory, and the latency of a player's actions
/// alone, beside threads that only compute, and beside callers that list and export without pause.
///
/// Readers elsewhere are a process that gets only the time that others leave, and do not decode what they get: of what
/// happens on their machines this is the part that cannot be left out. Readers here are threads of the lowest priority in
/// the player's process, and decode.
pub(crate) fn print(scale: Scale) {
    let runtime = Runtime::new().expect("tokio starts");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("log");
    let (matches, long) = (scale.count(MATCHES), scale.count(LONG_MATCHES));
    runtime.block_on(make(folder.path(), &path, matches, long));
    for what in ["without summaries", "with summaries"] {
        let begun = Instant::now();
        let program = Program::serve(&path);
        println!(
            "start among {} ended matches, {what}: {:.2} s, {:.0} MiB",
            matches + long,
            begun.elapsed().as_secs_f64(),
            program.resident_kib() / 1024.0
        );
        program.stop();
    }
    let program = Program::serve(&path);
    let ids = runtime.block_on(long_matches(program.address(), long));
    let (mut rows, mut answers) = (BTreeMap::<_, Vec<_>>::new(), 0);
    let time = scale.time(TIME) / ROUNDS;
    for _ in 0..ROUNDS {
        let mut measure = |row| {
            let played = runtime.block_on(play(program.address(), time));
            rows.entry(row).or_default().extend(played);
        };
        measure(Row::Nobody);
        beside_busy_threads(false, || measure(Row::BusyThreads));
        beside_busy_threads(true, || measure(Row::BusyThreadsThatGiveWay));
        let mut busy = Neighbour::start(BUSY_ROLE, &[]);
        busy.begin();
        measure(Row::BusyProcess);
        busy.stop();
        let readers = RawReaders::start(program.address(), READERS, &ids);
        measure(Row::ReadersElsewhere);
        answers += readers.stop();
        beside_readers_here(program.address(), &ids, || measure(Row::ReadersHere));
    }
    println!("a player's SubmitAction, one after the other, in milliseconds");
    println!("{:<29}{HEAD}", "beside");
    for (row, times) in rows {
        let times = Times::new(times);
        println!("{:<29}{}", row.name(), times.row());
        for (percentile, per_mille) in [("p50", 500), ("p99", 990)] {
            figure(
                &format!("readers/{}/{percentile}", row.figure()),
                times.millis(per_mille),
                "ms",
            );
        }
    }
    println!("readers elsewhere got {answers} pages and exports");
}

/// The company of a player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Nobody,
    BusyThreads,
    BusyThreadsThatGiveWay,
    BusyProcess,
    ReadersElsewhere,
    ReadersHere,
}

impl Row {
    const fn name(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::BusyThreads => "8 busy threads",
            Self::BusyThreadsThatGiveWay => "8 busy threads, nice 19",
            Self::BusyProcess => "8 busy threads, idle class",
            Self::ReadersElsewhere => "8 readers elsewhere",
            Self::ReadersHere => "8 readers here",
        }
    }

    /// The part of a figure's name that tells it from the other rows.
    const fn figure(self) -> &'static str {
        match self {
            Self::Nobody => "alone",
            Self::BusyThreads => "busy",
            Self::BusyThreadsThatGiveWay => "busy_low",
            Self::BusyProcess => "busy_idle",
            Self::ReadersElsewhere => "elsewhere",
            Self::ReadersHere => "here",
        }
    }
}

fn beside_readers_here(address: &ServerAddress, ids: &[MatchId], measure: impl FnOnce()) {
    let reading = Builder::new_multi_thread()
        .worker_threads(1)
        .on_thread_start(lower_priority)
        .enable_all()
        .build()
        .expect("tokio starts");
    let mut readers = JoinSet::new();
    for number in 0..READERS {
        let client = reading.block_on(connect(address, &format!("the-reader-number-{number}")));
        readers.spawn_on(read_without_pause(client, ids.to_vec()), reading.handle());
    }
    measure();
    reading.block_on(readers.shutdown());
}

/// A folder with many short matches and some long ones after them, all of them over.
async fn make(folder: &Path, path: &Path, matches: usize, long: usize) {
    for (name, count, events) in [("short", matches, EVENTS), ("long", long, LONG_EVENTS)] {
        let folder = folder.join(name);
        let template = template(&folder, events, true).await;
        fill(path, count, &template).await;
    }
}

/// Plays a match after the other for some time; returns the time of each action.
async fn play(address: &ServerAddress, time: Duration) -> Vec<Duration> {
    let clients = [
        connect(address, "the-first-player").await,
        connect(address, "the-second-player").await,
    ];
    let mut times = Vec::new();
    let mut view = seat(&clients).await;
    let until = Instant::now() + time;
    while Instant::now() < until {
        let Some((seated, decision_id)) = due(&view) else {
            view = seat(&clients).await;
            continue;
        };
        let position = view.position.as_deref().expect("a decision has a position");
        let answer = Answer {
            match_id: view.id,
            decision_id,
            action: any_action(position, decision_id),
            request_id: None,
            thinking: None,
        };
        let begun = Instant::now();
        let submitted = clients[seated].submit_action(answer).await;
        times.push(begun.elapsed());
        view = submitted.expect("legal and in turn").view;
    }
    times
}

pub(crate) async fn seat(clients: &[Client; 2]) -> MatchView {
    let created = clients[0].create_match(NewMatch::new("kamisado", 15)).await;
    let id = created.expect("created").id;
    let join = |client: usize| clients[client].join_match(id, None, "", None);
    join(0).await.expect("joined");
    join(1).await.expect("joined").view
}

/// The newest matches, which are long.
async fn long_matches(address: &ServerAddress, count: usize) -> Vec<MatchId> {
    let client = connect(address, "the-finder-of-matches").await;
    let mut ids = Vec::new();
    let mut page = None;
    while ids.len() < count {
        let listed = client
            .list_matches(MatchFilter::default(), page.take())
            .await;
        let listed = listed.expect("they are there");
        let long = listed.items.into_iter();
        let long =
            long.filter(|view| view.head_sequence.0 > LONG_EVENTS as u64 && due(view).is_none());
        ids.extend(long.map(|view| view.id));
        page = listed.next;
        if page.is_none() {
            break;
        }
    }
    ids
}

/// Lists all matches in pages of 500, and exports a long one after each page.
async fn read_without_pause(client: Client, ids: Vec<MatchId>) {
    let filter = MatchFilter {
        page_size: Some(500),
        ..MatchFilter::default()
    };
    let mut page = None;
    for id in ids.iter().cycle() {
        let listed = client.list_matches(filter.clone(), page.take()).await;
        page = listed.expect("they are there").next;
        let exported = client.export_match(*id, None).await;
        exported.expect("it is there");
    }
}

/// Measures beside threads that compute, at the same priority or at the lowest.
fn beside_busy_threads<T>(give_way: bool, measure: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..BUSY {
            scope.spawn(|| {
                if give_way {
                    lower_priority();
                }
                while !is_over.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
        }
        let measured = measure();
        is_over.store(true, Ordering::Relaxed);
        measured
    })
}

fn lower_priority() {
    // Where threads have no priority of their own, the figures are those of a busier machine.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 19);
}

/// Computes, in a neighbour, until that is to end.
pub(crate) fn compute(_: &[String]) {
    ready();
    for _ in 0..BUSY {
        thread::spawn(|| {
            loop {
                hint::spin_loop();
            }
        });
    }
    wait_for_end();
}
