//! Reads on sled: what a watcher, a recovery and a listing cost.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_service_store::{EventLog, Sequence, SledLog, StreamId};
use futures::future::join_all;
use tokio::runtime::Runtime;

const STREAMS: u64 = 5000;
const RECORDS: u64 = 40;
const RECORD_BYTES: usize = 200;

fn reads(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("making a folder");
    let log = SledLog::open(folder.path()).expect("opening the log");
    Runtime::new()
        .expect("starting a runtime")
        .block_on(fill(&log));

    let mut group = criterion.benchmark_group("read");
    group.measurement_time(Duration::from_secs(2));
    let mut number = 0;
    let mut next = || {
        number = (number + 1) % STREAMS;
        stream(number)
    };
    group.throughput(Throughput::Elements(1));
    group.bench_function("last_record", |bencher| {
        bencher.iter(|| log.read(next(), Sequence(RECORDS - 1), 100));
    });
    group.bench_function("nothing_new", |bencher| {
        bencher.iter(|| log.read(next(), Sequence(RECORDS), 100));
    });
    group.bench_function("head", |bencher| bencher.iter(|| log.head(next())));
    group.throughput(Throughput::Elements(RECORDS));
    group.bench_function("whole_stream", |bencher| {
        bencher.iter(|| log.read(next(), Sequence::EMPTY, 100));
    });
    group.throughput(Throughput::Elements(STREAMS));
    group.sample_size(10);
    group.bench_function("all_streams", |bencher| {
        bencher.iter(|| (&log as &dyn EventLog).all_streams().count());
    });
    group.finish();
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

/// Ids spread over all keys as random ids are.
fn stream(number: u64) -> StreamId {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    StreamId(id)
}

criterion_group!(benches, reads);
criterion_main!(benches);
