//! Durable appends a second, by how many append at once.
//!
//! Each appender writes records of 200 bytes to its stream and waits for each to be durable.
//! `file` is what the disk can do: the same queue and the same groups, written to a plain file that
//! is synced once a group. The ratio of `sled` to it is what the store costs.

mod file_log;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_service_store::{EventLog, MemoryLog, SledLog, StreamId};
use dragontooth_service_vocabulary::Sequence;
use file_log::FileLog;
use tokio::runtime::Runtime;

const APPENDERS: [u64; 3] = [1, 16, 256];
const RECORD_BYTES: usize = 200;

fn durable_appends(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("durable_appends");
    group.throughput(Throughput::Elements(1));
    group.sample_size(10);
    group.warm_up_time(Duration::from_secs(1));
    group.measurement_time(Duration::from_secs(5));
    let runtime = Runtime::new().expect("starting a runtime");
    for appenders in APPENDERS {
        let folder = tempfile::tempdir().expect("making a folder");
        let path = folder.path().join("records");
        let logs: [(&str, Arc<dyn EventLog>); 3] = [
            ("memory", Arc::new(MemoryLog::new())),
            (
                "sled",
                Arc::new(SledLog::open(folder.path().join("sled")).expect("opening sled")),
            ),
            (
                "file",
                Arc::new(FileLog::create(&path).expect("creating a file")),
            ),
        ];
        for (name, log) in logs {
            let mut run = 0;
            group.bench_function(BenchmarkId::new(name, appenders), |bencher| {
                bencher.iter_custom(|appends| {
                    run += 1;
                    runtime.block_on(append(&log, run, appenders, appends))
                });
            });
            runtime.block_on(log.close());
        }
    }
    group.finish();
}

/// Time in which `appenders` make `appends` appends together.
async fn append(log: &Arc<dyn EventLog>, run: u64, appenders: u64, appends: u64) -> Duration {
    let start = Instant::now();
    let tasks: Vec<_> = (0..appenders)
        .map(|appender| {
            let log = Arc::clone(log);
            let share = appends / appenders + u64::from(appender < appends % appenders);
            tokio::spawn(async move {
                let stream = stream(run, appender);
                let mut head = Sequence::START;
                for _ in 0..share {
                    let record = vec![0x5a; RECORD_BYTES];
                    head = log
                        .append(stream, head, vec![record])
                        .await
                        .expect("appending");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("an appender does not panic");
    }
    start.elapsed()
}

/// A stream of this run alone, spread over all keys as random ids are.
fn stream(run: u64, appender: u64) -> StreamId {
    let spread = (run << 16 | appender).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut id = [0; 16];
    id[..8].copy_from_slice(&spread.to_be_bytes());
    id[8..].copy_from_slice(&run.to_be_bytes());
    StreamId(id)
}

criterion_group!(benches, durable_appends);
criterion_main!(benches);
