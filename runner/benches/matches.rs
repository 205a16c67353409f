//! Matches a second of two random bots through the embedded service: whole runs of the program, from
//! its start to its tables, with every action and every result on disk.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};

const CYCLES: u32 = 50;
const MATCHES: u32 = 2 * CYCLES;

fn main() {
    let mut criterion = Criterion::default()
        .configure_from_args()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(10));
    let mut group = criterion.benchmark_group("two random bots, kamisado to 3");
    group.throughput(Throughput::Elements(MATCHES.into()));
    for concurrency in [1, 2, 16] {
        group.bench_function(BenchmarkId::new("at once", concurrency), |bencher| {
            bencher.iter_custom(|runs| (0..runs).map(|_| whole_run(concurrency)).sum());
        });
    }
    group.finish();
    criterion.final_summary();
}

fn whole_run(concurrency: u32) -> Duration {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("event.toml");
    let event = format!(
        "[event]\nname = \"bench\"\ngame = \"kamisado\"\ncycles = {CYCLES}\n\
         [[bot]]\nname = \"one\"\nbuiltin = \"random\"\n\
         [[bot]]\nname = \"two\"\nbuiltin = \"random\"\n"
    );
    fs::write(&file, event).expect("the folder can be written");
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
