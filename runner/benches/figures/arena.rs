use std::fmt::Write as _;
use std::fs;
use std::future::pending;
use std::path::Path;
use std::time::{Duration, Instant};

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionOptions, ThinkingPool};
use dragontooth_runner::config::RunConfig;
use dragontooth_runner::drive::run_arena;
use dragontooth_runner::record::{Fingerprint, arena_rules, read_arena};
use dragontooth_service::{Config, Service, Storage};
use dragontooth_service_client::{Client, Resume, Token, WatchUpdate};
use dragontooth_service_vocabulary::{AcceptedGame, NewMatch, Offer, PlayerId, Sequence};
use futures::future::join_all;
use tokio::time::sleep;

use super::figure::figure;
use super::run::{count, median};
use super::scale::Scale;

/// The number of measurements of each figure.
const TIMES: usize = 3;
/// The matches that are played at the same time.
const AT_ONCE: usize = 16;
const PLAYERS: usize = 8;

/// The start of an arena with many results, and the matches that it keeps under way.
#[expect(clippy::print_stdout, reason = "it is what the bench prints")]
pub(crate) fn print(scale: Scale) {
    for (name, results) in [("100000", 100_000), ("1000000", 1_000_000)] {
        let folder = tempfile::tempdir().expect("a folder");
        let results = scale.count(results);
        write_journal(folder.path(), results);
        let times = (0..scale.times(TIMES)).map(|_| {
            let begun = Instant::now();
            let rules = arena_rules(&config("http://127.0.0.1:1").event).expect("an arena");
            let read = read_arena(folder.path(), rules, u64::MAX, |_, _| ()).expect("a journal");
            assert_eq!(read.state.counts().matches, results as u64);
            begun.elapsed().as_secs_f64() * 1e3
        });
        let time = median(times.collect());
        println!("  start with {results:>8} results     {time:>8.0} ms");
        figure(&format!("arena/start/{name}"), time, "ms");
    }
    println!(
        "  Kamisado to 1, a service with a log in a folder, {PLAYERS} random bots and an anchor, {AT_ONCE} matches at a time"
    );
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let time = Duration::from_millis(scale.count(5_000).max(500) as u64);
    let (mut by_arena, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..scale.times(TIMES) {
        by_arena.push(runtime.block_on(matches_of_an_arena(time)));
        alone.push(runtime.block_on(matches_of_the_service(time)));
    }
    let (by_arena, alone) = (median(by_arena), median(alone));
    println!(
        "  by an arena {by_arena:>8.0} matches/s, as fast as they can be created {alone:>8.0}, {:.2} of it",
        by_arena / alone
    );
    figure("arena/under_way/arena", by_arena, "matches/s");
    figure("arena/under_way/service", alone, "matches/s");
}

fn config(address: &str) -> RunConfig {
    let text = format!(
        "[event]\nname = 'bench'\nformat = 'arena'\ngame = 'kamisado'\nvariant = 'random'\ntarget = 1\n\
         concurrency = {AT_ONCE}\n[service]\naddress = '{address}'\n\
         [[bot]]\nname = 'zero'\nbuiltin = 'random'\nrating = 0\n"
    );
    RunConfig::parse(&text, Path::new(""), None).expect("a good file")
}

/// Writes a journal of this many results of 100 players, as an arena does.
fn write_journal(folder: &Path, results: usize) {
    const TIME: &str = "2026-01-01T00:00:00.000Z";
    let mut journal = Journal {
        text: String::new(),
        head: Fingerprint::NONE,
    };
    for result in 0..results {
        let (encounter, leg) = (result / 2 + 1, result % 2 + 1);
        if leg == 1 {
            let other = (encounter + 1 + encounter / 100 % 98) % 100;
            let [one, other] = [encounter % 100, other].map(|player| {
                let id = player + 1;
                format!("{{\"name\":\"\",\"player\":\"{id:032x}\"}}")
            });
            let line = format!(
                "\"encounter\":{encounter},\"contenders\":[{one},{other}],\"at\":\"{TIME}\""
            );
            journal.add("paired", &line);
        }
        let (winner, score) = if result % 3 == 0 {
            ("second", "{\"first\":0,\"second\":1}")
        } else {
            ("first", "{\"first\":1,\"second\":0}")
        };
        let line = format!(
            "\"encounter\":{encounter},\"leg\":{leg},\"match_id\":\"00000000-0000-7000-8000-{result:012x}\",\
             \"winner\":\"{winner}\",\"termination\":\"normal\",\"score\":{score},\"plies\":20,\
             \"digest\":\"{result:064x}\",\"head_hash\":\"{result:064x}\",\"started\":\"{TIME}\",\"ended\":\"{TIME}\""
        );
        journal.add("ended", &line);
    }
    fs::write(folder.join("arena-000001.jsonl"), journal.text).expect("a file");
}

/// The lines of a journal.
struct Journal {
    text: String,
    head: Fingerprint,
}

impl Journal {
    fn add(&mut self, kind: &str, fields: &str) {
        let start = self.text.len();
        let head = self.head;
        write!(
            self.text,
            "{{\"{kind}\":{{{fields},\"previous\":\"{head}\"}}}}"
        )
        .expect("a text");
        self.head = Fingerprint::of(&self.text.as_bytes()[start..]);
        self.text.push('\n');
    }
}

/// A service and players that are present on it.
struct Hall {
    service: Service,
    address: String,
    players: Vec<(PlayerId, Session)>,
    // Dropped after the log in it is closed.
    _data: tempfile::TempDir,
}

impl Hall {
    async fn open() -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let config = Config {
            listen: "127.0.0.1:0".parse().expect("an address"),
            storage: Storage::Folder(data.path().join("log")),
            ..Config::default()
        };
        let service = Service::start(config).await.expect("a service");
        let address = format!("http://{}", service.address());
        let pool = ThinkingPool::of_the_machine().expect("threads");
        let mut players = Vec::new();
        for _ in 0..PLAYERS {
            let client = client(&address);
            let id = client.who_am_i().await.expect("a player");
            let options = SessionOptions {
                offer: Some(Offer {
                    games: vec![AcceptedGame::any("kamisado")],
                    matches_at_once: AT_ONCE.try_into().ok().and_then(std::num::NonZeroU32::new),
                    ..Offer::default()
                }),
                ..SessionOptions::default()
            };
            let spec: BotSpec = "random".parse().expect("a bot");
            let make = move |info: &_| Ok(spec.make(info)?);
            players.push((id, Session::new(client, pool.clone(), options, make)));
        }
        Self {
            service,
            address,
            players,
            _data: data,
        }
    }
}

fn client(address: &str) -> Client {
    let address = address.parse().expect("an address");
    Client::connect_lazily(&address, &Token::random()).expect("a client")
}

/// The matches a second of an arena.
async fn matches_of_an_arena(time: Duration) -> f64 {
    let hall = Hall::open().await;
    let config = config(&hall.address);
    let folder = tempfile::tempdir().expect("a folder");
    let sessions = hall
        .players
        .into_iter()
        .map(|(_, session)| session.run(pending()));
    let stop = Box::pin(sleep(time));
    let rate = tokio::select! {
        state = run_arena(&config, folder.path(), &|_: &str| (), None, stop) => {
            count(state.expect("an arena").counts().matches) / time.as_secs_f64()
        }
        _ = join_all(sessions) => panic!("the players have left"),
    };
    hall.service.stop().await;
    rate
}

/// The matches a second of the same players, each created as soon as another is over.
async fn matches_of_the_service(time: Duration) -> f64 {
    let hall = Hall::open().await;
    let ids: Vec<PlayerId> = hall.players.iter().map(|(id, _)| *id).collect();
    let sessions = hall
        .players
        .into_iter()
        .map(|(_, session)| session.run(pending()));
    let deadline = Instant::now() + time;
    let (ids, address) = (&ids, &hall.address);
    let creators = (0..AT_ONCE).map(|creator| async move {
        let client = client(address);
        let mut over = 0;
        while Instant::now() < deadline {
            let one = (creator + over) % ids.len();
            let other = (one + 1 + over % (ids.len() - 1)) % ids.len();
            let new = NewMatch {
                variant: Some("random".to_owned()),
                reserved: [Some(ids[one]), Some(ids[other])],
                ..NewMatch::new("kamisado", 1)
            };
            let view = client.create_match(new).await.expect("a match");
            let mut watch = client.watch(view.id, Sequence::START, Resume::Never);
            while let Some(Ok(update)) = watch.next().await {
                if let WatchUpdate::Closing(_) = update {
                    break;
                }
            }
            over += 1;
        }
        over
    });
    let rate = tokio::select! {
        over = join_all(creators) => {
            count(over.into_iter().sum::<usize>() as u64) / time.as_secs_f64()
        }
        _ = join_all(sessions) => panic!("the players have left"),
    };
    hall.service.stop().await;
    rate
}
