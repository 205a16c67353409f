use std::time::Duration;

use dragontooth_service::Storage;
use tokio::runtime::Runtime;

use crate::ceiling::appends;
use crate::figure::figure;
use crate::load::{Load, Path};
use crate::rate::Rate;
use crate::scale::Scale;

const MATCHES: [usize; 4] = [1, 16, 256, 1024];
/// Time for which each figure is measured.
const TIME: Duration = Duration::from_secs(4);

/// Acknowledged actions a second of Kamisado matches to 15 points between players that choose at
/// random, with the creation of the matches, beside what a file and a sync allow; and the processor's
/// time that one takes, without the players'.
pub(crate) fn print(scale: Scale) {
    let time = scale.time(TIME);
    println!(
        "durable actions a second, their share of a bare append + fdatasync loop, CPU µs for one"
    );
    println!(
        "matches   ceiling   µs     unary  share   µs      Play  share   µs   Play in memory   µs"
    );
    for matches in MATCHES {
        let runtime = Runtime::new().expect("tokio starts");
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let bare = folder.path().join("bare");
        let ceiling = runtime.block_on(appends(&bare, matches, time));
        let in_folder = |name| Storage::Folder(folder.path().join(name));
        let measure = |storage, path| runtime.block_on(actions(storage, path, matches, time));
        let unary = measure(in_folder("unary"), Path::Unary);
        let play = measure(in_folder("play"), Path::Play);
        let in_memory = measure(Storage::Memory, Path::Play);
        let share = |rate: Rate| 100.0 * rate.per_second / ceiling.per_second;
        println!(
            "{matches:>7} {:>9.0} {:>4.0} {:>9.0} {:>5.0}% {:>4.0} {:>9.0} {:>5.0}% {:>4.0} {:>16.0} {:>4.0}",
            ceiling.per_second,
            ceiling.cpu_micros,
            unary.per_second,
            share(unary),
            unary.cpu_micros,
            play.per_second,
            share(play),
            play.cpu_micros,
            in_memory.per_second,
            in_memory.cpu_micros,
        );
        for (what, rate) in [
            ("bare", ceiling),
            ("unary", unary),
            ("play", play),
            ("play_in_memory", in_memory),
        ] {
            figure(
                &format!("throughput/{what}/{matches}"),
                rate.per_second,
                "1/s",
            );
        }
    }
}

async fn actions(storage: Storage, path: Path, matches: usize, time: Duration) -> Rate {
    let load = Load::start(storage, path, matches).await;
    let rate = Rate::measure(time, || load.acknowledged()).await;
    load.stop().await;
    rate
}
