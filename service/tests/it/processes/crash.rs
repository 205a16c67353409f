mod hall;
mod kill;
mod ledger;
mod machine;
mod patroni;
mod power_loss;
mod promotions;
mod replicas;
mod table;

use std::time::{Duration, Instant};

use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinSet;

use crate::long_run::number_of;
use crate::program::Program;
use crate::random_player::Draws;
use crate::raw::Raw;
use crate::replayed::assert_replays;
use crate::served::lone_address;
use kill::{Kill, Kills};
use ledger::Ledger;
use table::{Table, Way};

/// Number of kills unless `SERVICE_TEST_KILLS` sets another; the nightly run sets 200.
const KILLS: usize = 20;
/// Matches played by calls at once, and as many on streams.
const TABLES: u64 = 3;

/// Several matches are played as fast as possible while the service is killed: while it plays, while it
/// starts, while it stops. Everything it acknowledged is there afterwards, in its place and
/// once; everything else can be requested again; and the matches continue to their end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_actions_survive_every_kill() {
    let kills = number_of("SERVICE_TEST_KILLS", KILLS) as u64;
    let folder = tempfile::tempdir().unwrap();
    let mut draws = Draws::new(5000);
    let mut killed = Kills::default();
    let mut ledger = Ledger::default();
    // The first starts, which create the folder, are good moments too.
    let mut startup = Duration::from_millis(100);
    for _ in 0..kills.min(5) {
        let after = Kill::moment_of(startup, &mut draws);
        Program::kill_in_start(folder.path(), lone_address(), after).await;
        killed.count(Kill::WhileStarting);
    }
    let mut program = Program::serve_at(folder.path(), lone_address()).await;
    let address = program.address();
    let new_table = |number| {
        let way = if number < TABLES {
            Way::Calls
        } else {
            Way::Streams
        };
        Table::new([&[address]; 2], number, way, Draws::new(5001 + number))
    };
    let mut tables: Vec<Table> = (0..2 * TABLES).map(new_table).collect();
    while killed.all() < kills {
        let kill = Kill::draw(&mut draws);
        let (tell, mut told) = unbounded_channel();
        let mut playing = JoinSet::new();
        for table in tables.drain(..) {
            playing.spawn(table.play(tell.clone()));
        }
        drop(tell);
        for _ in 0..draws.below(60) {
            ledger.acknowledge(told.recv().await.expect("the matches continue"));
        }
        let soon = Duration::from_millis(match kill {
            Kill::WhileStopping => 20,
            // A group of appends takes about this long, from one answer to the next.
            Kill::UnderLoad | Kill::WhileStarting => 3,
        });
        if kill == Kill::WhileStopping {
            program.signal("TERM").await;
        }
        program.kill_after(Kill::moment_of(soon, &mut draws)).await;
        killed.count(kill);
        tables.extend(playing.join_all().await);
        while let Some(late) = told.recv().await {
            ledger.acknowledge(late);
        }

        if draws.below(4) == 0 {
            let after = Kill::moment_of(startup, &mut draws);
            Program::kill_in_start(folder.path(), address, after).await;
            killed.count(Kill::WhileStarting);
        }
        let started = Instant::now();
        program = Program::serve_at(folder.path(), address).await;
        startup = started.elapsed();
        let raw = Raw::connect(address, "anyone").await;
        for table in &mut tables {
            ledger.acknowledge_again(table.ask_again().await);
            for id in table.take_played() {
                ledger.compare(&raw.export(&id.to_string()).await.unwrap());
            }
        }
    }
    let (tell, mut told) = unbounded_channel();
    for table in tables {
        table.finish(&tell).await;
    }
    drop(tell);
    while let Some(last) = told.recv().await {
        ledger.acknowledge(last);
    }
    let raw = Raw::connect(address, "anyone").await;
    for id in ledger.matches() {
        let record = raw.export(&id.to_string()).await.unwrap();
        assert_replays(&record);
        ledger.compare(&record);
    }
    println!("kills {killed}; {ledger}; last start {startup:?}");
    ledger.assert_balanced();
    program.kill().await;
}
