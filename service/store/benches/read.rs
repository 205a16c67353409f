//! The cost of reading: following streams that are being written, and searching sled for others.

use std::time::Duration;

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use dragontooth_service_store::{EventLog, SledLog, StreamId};
use dragontooth_service_vocabulary::Sequence;
use futures::{StreamExt, executor::block_on, future::join_all};
use tokio::runtime::Runtime;

const STREAMS: u64 = 5000;
const RECORDS: u64 = 40;
const RECORD_BYTES: usize = 200;

fn reads(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("making a folder");
    let log = open(&folder);
    Runtime::new()
        .expect("starting a runtime")
        .block_on(fill(&log));
    let mut group = criterion.benchmark_group("read_written_lately");
    group.measurement_time(Duration::from_secs(2));
    ends(&mut group, &log);
    group.finish();
    drop(log);

    let log = open(&folder);
    let mut group = criterion.benchmark_group("read_from_sled");
    group.measurement_time(Duration::from_secs(2));
    ends(&mut group, &log);
    group.throughput(Throughput::Elements(RECORDS));
    let mut next = streams();
    group.bench_function("whole_stream", |bencher| {
        bencher.iter(|| log.read(next(), Sequence::START, 100));
    });
    group.throughput(Throughput::Elements(STREAMS));
    group.sample_size(10);
    group.bench_function("all_streams", |bencher| {
        bencher.iter(|| block_on((&log as &dyn EventLog).all_streams().count()));
    });
    group.finish();
}

/// Reads as an up-to-date reader does, on one stream after the other.
fn ends(group: &mut BenchmarkGroup<'_, WallTime>, log: &SledLog) {
    group.throughput(Throughput::Elements(1));
    let mut next = streams();
    group.bench_function("last_record", |bencher| {
        bencher.iter(|| log.read(next(), Sequence(RECORDS - 1), 100));
    });
    group.bench_function("nothing_new", |bencher| {
        bencher.iter(|| log.read(next(), Sequence(RECORDS), 100));
    });
    group.bench_function("head", |bencher| bencher.iter(|| log.head(next())));
}

fn open(folder: &tempfile::TempDir) -> SledLog {
    SledLog::open(folder.path()).expect("opening the log")
}

/// Makes the streams, all growing together as live matches do.
async fn fill(log: &SledLog) {
    for head in 0..RECORDS {
        let record = vec![0x5a; RECORD_BYTES];
        let append = |number| log.append(stream(number), Sequence(head), vec![record.clone()]);
        for answer in join_all((0..STREAMS).map(append)).await {
            answer.expect("appending");
        }
    }
}

fn streams() -> impl FnMut() -> StreamId {
    let mut numbers = (0..STREAMS).cycle();
    move || stream(numbers.next().expect("a cycle does not end"))
}

/// Ids spread over all keys as random ids are.
fn stream(number: u64) -> StreamId {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    StreamId(id)
}

criterion_group!(benches, reads);
criterion_main!(benches);
