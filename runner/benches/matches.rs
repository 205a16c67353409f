//! Matches a second of two built-in bots through the embedded service: whole runs of the program, from
//! its start to its tables, with every action and every result on disk.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};

/// What is played, by which bot against itself, and how often.
struct Event {
    game: &'static str,
    target: u32,
    bot: &'static str,
    cycles: u32,
}

const EVENTS: [Event; 2] = [
    Event {
        game: "kamisado",
        target: 3,
        bot: "random",
        cycles: 50,
    },
    Event {
        game: "backgammon",
        target: 7,
        bot: "greedy",
        cycles: 5,
    },
];

fn main() {
    let mut criterion = Criterion::default()
        .configure_from_args()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(10));
    for event in &EVENTS {
        let Event {
            game,
            target,
            bot,
            cycles,
        } = event;
        let name = format!("two {bot} bots, {game} to {target}");
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements((2 * cycles).into()));
        for concurrency in [1, 2, 16] {
            group.bench_function(BenchmarkId::new("at once", concurrency), |bencher| {
                bencher.iter_custom(|runs| (0..runs).map(|_| whole_run(event, concurrency)).sum());
            });
        }
        group.finish();
    }
    criterion.final_summary();
}

fn whole_run(event: &Event, concurrency: u32) -> Duration {
    let Event {
        game,
        target,
        bot,
        cycles,
    } = event;
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("event.toml");
    let text = format!(
        "[event]\nname = \"bench\"\ngame = \"{game}\"\ntarget = {target}\ncycles = {cycles}\n\
         [[bot]]\nname = \"one\"\nbuiltin = \"{bot}\"\n\
         [[bot]]\nname = \"two\"\nbuiltin = \"{bot}\"\n"
    );
    fs::write(&file, text).expect("the folder can be written");
    let started = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"))
        .arg("run")
        .arg(&file)
        .arg("--folder")
        .arg(folder.path().join("run"))
        .arg("--concurrency")
        .arg(concurrency.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the program starts");
    assert!(status.success(), "the run ended with {status}");
    started.elapsed()
}
