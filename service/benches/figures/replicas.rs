use std::time::{Duration, Instant};

use dragontooth_service::Storage;
use tokio::runtime::Runtime;
use tokio_postgres::Client;

use crate::database_server::Server;
use crate::figure::figure;
use crate::load::{Load, Path, Seats};
use crate::measure::measure_for;
use crate::rate::Rate;
use crate::scale::Scale;
use crate::times::Times;

const MATCHES: [usize; 4] = [1, 16, 256, 1024];
/// Time for which each figure is measured.
const TIME: Duration = Duration::from_secs(4);

/// The time in which a service finds out that no other one uses its database: those of the row before have just ended.
const ALONE: Duration = Duration::from_millis(8_500);

/// The place of the event log.
enum Log<'a> {
    Folder,
    Database(&'a Server),
}

/// A measured load.
struct Measured {
    rate: Rate,
    times: Times,
    /// Processor time of the database for an action.
    database_micros: f64,
}

/// Acknowledged actions a second on `Play`, as in `throughput`: on a folder, and on PostgreSQL by one service and by
/// three, with and without a synchronous standby. The two players of a match are at different services, or both at one. All of
/// them, the database and the standby share the machine.
pub(crate) fn print(scale: Scale) {
    let runtime = Runtime::new().expect("tokio starts");
    let Some(alone) = Server::start(&[]) else {
        println!("PostgreSQL is not installed (apt-get install postgresql)");
        return;
    };
    let time = scale.time(TIME);
    println!(
        "matches  log                         actions/s     p50     p99   service µs  database µs"
    );
    for matches in MATCHES {
        let row = |name: &str, log: Log<'_>, services, seats| {
            let measured = runtime.block_on(measure(&log, services, seats, matches, time));
            print_row(name, matches, &measured);
        };
        row("folder", Log::Folder, 1, Seats::Together);
        row("database", Log::Database(&alone), 1, Seats::Together);
        row("database-by-three", Log::Database(&alone), 3, Seats::Apart);
        row(
            "database-by-three-together",
            Log::Database(&alone),
            3,
            Seats::Together,
        );
    }
    print_commits("database", &runtime.block_on(commits(&alone, time)));
    drop(alone);
    let (primary, _standby) = Server::start_pair().expect("there is PostgreSQL");
    for matches in MATCHES {
        for (name, services) in [("standby", 1), ("standby-by-three", 3)] {
            let log = Log::Database(&primary);
            let measured = measure(&log, services, Seats::Apart, matches, time);
            print_row(name, matches, &runtime.block_on(measured));
        }
    }
    print_commits("standby", &runtime.block_on(commits(&primary, time)));
}

async fn measure(
    log: &Log<'_>,
    services: usize,
    seats: Seats,
    matches: usize,
    time: Duration,
) -> Measured {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let storage = || match log {
        Log::Folder => Storage::Folder(folder.path().to_owned()),
        Log::Database(server) => Storage::Postgres(server.options()),
    };
    let used = || match log {
        Log::Folder => Duration::ZERO,
        Log::Database(server) => server.processor_time(),
    };
    let storages = (0..services).map(|_| storage()).collect();
    let load = Load::start_replicas(storages, Path::Play, matches, seats).await;
    if services == 1 && matches!(log, Log::Database(_)) {
        measure_for(ALONE).await;
    }
    // All matches have begun when it is measured.
    measure_for(time / 4).await;
    load.take_times();
    let (before, begun) = (used(), load.acknowledged());
    let rate = Rate::measure(time, || load.acknowledged()).await;
    let actions = load.acknowledged() - begun;
    let measured = Measured {
        rate,
        times: load.take_times(),
        database_micros: used().saturating_sub(before).as_secs_f64() * 1e6 / precise(actions),
    };
    load.stop().await;
    measured
}

fn print_row(name: &str, matches: usize, measured: &Measured) {
    println!(
        "{matches:>7}  {name:<26} {:>10.0} {:>7.2} {:>7.2} {:>12.0} {:>12.0}",
        measured.rate.per_second,
        measured.times.millis(500),
        measured.times.millis(990),
        measured.rate.cpu_micros,
        measured.database_micros,
    );
    for (what, value, unit) in [
        ("rate", measured.rate.per_second, "1/s"),
        ("p50", measured.times.millis(500), "ms"),
        ("p99", measured.times.millis(990), "ms"),
        ("cpu", measured.rate.cpu_micros, "us"),
    ] {
        figure(&format!("replicas/{name}/{matches}/{what}"), value, unit);
    }
}

/// The times of commits one after another of one row each: what an action waits for at least.
async fn commits(server: &Server, time: Duration) -> Times {
    let client: Client = server.connect().await;
    let made = "CREATE TABLE IF NOT EXISTS bare_commit (number int8)";
    client.batch_execute(made).await.expect("a table is made");
    let statement = client.prepare("INSERT INTO bare_commit VALUES (1)");
    let statement = statement.await.expect("the table is there");
    let (begun, mut times) = (Instant::now(), Vec::new());
    while begun.elapsed() < time {
        let asked = Instant::now();
        let inserted = client.execute(&statement, &[]).await;
        inserted.expect("the database is there");
        times.push(asked.elapsed());
    }
    Times::new(times)
}

fn print_commits(name: &str, times: &Times) {
    println!(
        "      1  bare commits, {name:<12} {:>10} {:>7.2} {:>7.2}",
        "",
        times.millis(500),
        times.millis(990)
    );
    figure(
        &format!("replicas/{name}/commit/p50"),
        times.millis(500),
        "ms",
    );
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a bench has far fewer than 2^53 actions"
)]
fn precise(count: u64) -> f64 {
    count as f64
}
