use std::path::Path;
use std::time::{Duration, Instant};

use dragontooth_service_client::{Client, MatchFilter};
use dragontooth_service_vocabulary::{PlayerId, Stage};
use tokio::runtime::Runtime;

use crate::database_server::Server;
use crate::figure::figure;
use crate::load::connect;
use crate::program::Program;
use crate::recovery::{fill, template};
use crate::scale::Scale;

/// Matches that are over.
const MATCHES: usize = 1_000_000;
/// Events before the resignation that ends each of them.
const EVENTS: usize = 4;
/// Calls of each list.
const CALLS: usize = 200;

/// Prints the time that a service takes to start among many ended matches, its memory, and the time of lists.
pub(crate) fn print(scale: Scale) {
    let runtime = Runtime::new().expect("tokio starts");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("log");
    let matches = scale.count(MATCHES);
    runtime.block_on(async {
        let template = template(&folder.path().join("template"), EVENTS, true).await;
        fill(&path, matches, &template).await;
    });
    let empty = Program::serve(&folder.path().join("empty"));
    let before = empty.resident_kib();
    empty.stop();
    for (what, name) in [
        ("the first time", Some("first")),
        ("again", None),
        ("and again", Some("again")),
    ] {
        let begun = Instant::now();
        let program = Program::serve(&path);
        let (taken, after) = (begun.elapsed().as_secs_f64(), program.resident_kib());
        println!(
            "start among {matches} ended matches, {what}: {taken:.2} s, {:.0} MiB, {:.0} bytes a match",
            after / 1024.0,
            (after - before) * 1024.0 / as_f64(matches)
        );
        if let Some(name) = name {
            figure(
                &format!("ended/start/{name}"),
                taken * 1e6 / as_f64(matches),
                "µs",
            );
        }
        program.stop();
    }
    let program = Program::serve(&path);
    print_lists(&runtime, &program, "ended/page");
    program.stop();
    print_database(&runtime, &path, matches);
}

fn print_lists(runtime: &Runtime, program: &Program, name_of_all: &str) {
    let client = runtime.block_on(connect(program.address(), "the-reader-of-lists"));
    println!("a page of ListMatches, in milliseconds: median, 99th percentile");
    for (name, what, filter) in lists() {
        let times = runtime.block_on(time(&client, &filter));
        let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
        println!("{what:<40} {:>7.2} {:>7.2}", at(50), at(99));
        figure(&format!("{name_of_all}/{name}"), at(50), "ms");
    }
}

/// The same log in a database.
fn print_database(runtime: &Runtime, path: &Path, matches: usize) {
    let Some(server) = Server::start(&[]) else {
        println!("PostgreSQL is not installed (apt-get install postgresql)");
        return;
    };
    let (folder, address) = (path.display().to_string(), server.address());
    let backup = format!("{folder}.backup");
    Program::run(&["backup", "--data", &folder, "--out", &backup]);
    let begun = Instant::now();
    Program::run(&["restore", "--from", &backup, "--log", &address]);
    let restored = begun.elapsed().as_secs_f64();
    println!("{matches} ended matches in a database: restored in {restored:.1} s");
    for what in ["the first time", "again"] {
        let begun = Instant::now();
        let program = Program::serve_database(&address);
        let taken = begun.elapsed().as_secs_f64();
        let memory = program.resident_kib() / 1024.0;
        println!("start on it, {what}: {taken:.2} s, {memory:.0} MiB");
        if what == "again" {
            figure("ended/start/database", taken * 1e6 / as_f64(matches), "µs");
            print_lists(runtime, &program, "ended/page/database");
        }
        program.stop();
    }
    let bytes: i64 = runtime.block_on(async {
        let size = "SELECT pg_database_size(current_database())";
        let row = server.connect().await.query_one(size, &[]).await;
        row.expect("the database is there").get(0)
    });
    let bytes = as_f64(usize::try_from(bytes).expect("a size is not negative"));
    println!(
        "{:.0} bytes a match in the database",
        bytes / as_f64(matches)
    );
}

/// Lists of which most have no match.
fn lists() -> Vec<(&'static str, &'static str, MatchFilter)> {
    let none = MatchFilter::default;
    let nobody = PlayerId::from_bytes([7; 16]);
    let of_game = |game: &str| Some(game.to_owned());
    vec![
        ("all", "50 of all", none()),
        (
            "game",
            "50 of a game that have ended",
            MatchFilter {
                game: of_game("kamisado"),
                state: Some(Stage::Ended),
                ..none()
            },
        ),
        (
            "active",
            "none: those under way",
            MatchFilter {
                state: Some(Stage::Active),
                ..none()
            },
        ),
        (
            "another_game",
            "none: another game",
            MatchFilter {
                game: of_game("linja"),
                ..none()
            },
        ),
        (
            "player",
            "none: a player without matches",
            MatchFilter {
                player: Some(nobody),
                ..none()
            },
        ),
    ]
}

async fn time(client: &Client, filter: &MatchFilter) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..CALLS {
        let begun = Instant::now();
        let listed = client.list_matches(filter.clone(), None).await;
        listed.expect("it is listed");
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    times
}

#[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
