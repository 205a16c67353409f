use std::time::{Duration, Instant};

use dragontooth_service::Storage;
use tokio::runtime::Runtime;

use crate::ceiling::{appends_per_second, per_second};
use crate::load::{Load, Path};
use crate::scale::{Scale, measure_for};

const MATCHES: [usize; 4] = [1, 16, 256, 1024];
/// How long each figure is measured for.
const TIME: Duration = Duration::from_secs(4);

/// Acknowledged actions a second of Kamisado matches to 15 points between players that choose at
/// random, with the creation of the matches, beside what sled and a sync allow.
pub(crate) fn print(scale: Scale) {
    let time = scale.time(TIME);
    println!("durable actions a second, and their share of the bare sled + sync loop");
    println!("matches   ceiling     unary  share      Play  share   Play in memory");
    for matches in MATCHES {
        let runtime = Runtime::new().expect("tokio starts");
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let ceiling = runtime.block_on(appends_per_second(
            &folder.path().join("bare"),
            matches,
            time,
        ));
        let in_folder = |name| Storage::Folder(folder.path().join(name));
        let measure = |storage, path| runtime.block_on(actions(storage, path, matches, time));
        let unary = measure(in_folder("unary"), Path::Unary);
        let play = measure(in_folder("play"), Path::Play);
        let in_memory = measure(Storage::Memory, Path::Play);
        println!(
            "{matches:>7} {ceiling:>9.0} {unary:>9.0} {:>5.0}% {play:>9.0} {:>5.0}% {in_memory:>16.0}",
            100.0 * unary / ceiling,
            100.0 * play / ceiling
        );
    }
}

async fn actions(storage: Storage, path: Path, matches: usize, time: Duration) -> f64 {
    let load = Load::start(storage, path, matches).await;
    measure_for(time / 4).await;
    let (before, started) = (load.acknowledged(), Instant::now());
    measure_for(time).await;
    let actions = load.acknowledged() - before;
    let elapsed = started.elapsed();
    load.stop().await;
    per_second(actions, elapsed)
}
