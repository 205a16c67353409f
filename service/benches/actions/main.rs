//! Actions a second over gRPC on loopback: durable (sled, synced before each answer) and in memory,
//! unary and over `Play` streams, with 1, 16 and 256 matches at once.
//!
//! Clients and service share the machine. One unit is an acknowledged action of a Kamisado match to
//! 15 points between players that choose at random; creating the matches is included.

mod count;
mod load;
mod machine;

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use dragontooth_service::Storage;
use load::{Load, Path};

const MATCHES: [usize; 3] = [1, 16, 256];

fn main() {
    machine::print();
    let mut criterion = Criterion::default()
        .configure_from_args()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4));
    for (path, name) in [(Path::Unary, "unary"), (Path::Play, "play")] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(1));
        for matches in MATCHES {
            for (is_durable, kind) in [(true, "durable"), (false, "in memory")] {
                let id = BenchmarkId::new(kind, matches);
                group.bench_function(id, |bencher| {
                    let runtime = tokio::runtime::Runtime::new().expect("tokio starts");
                    // A log of its own for every measurement: no match of another goes on in it.
                    let folder = tempfile::tempdir().expect("a temporary folder can be made");
                    let storage = if is_durable {
                        Storage::Folder(folder.path().join("log"))
                    } else {
                        Storage::Memory
                    };
                    let load = runtime.block_on(Load::start(storage, path, matches));
                    bencher.iter_custom(|actions| {
                        let started = Instant::now();
                        runtime.block_on(load.wait_for(actions));
                        started.elapsed()
                    });
                    runtime.block_on(load.stop());
                });
            }
        }
        group.finish();
    }
    criterion.final_summary();
}
