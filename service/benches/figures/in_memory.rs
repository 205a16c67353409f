use std::time::Duration;

use dragontooth_service::Storage;
use tokio::runtime::Runtime;

use crate::echo::{EchoLoad, NextDecision};
use crate::figure::figure;
use crate::load::{Load, Path};
use crate::rate::Rate;
use crate::recorded::Recorded;
use crate::scale::Scale;

const MATCHES: [usize; 4] = [1, 16, 256, 1024];
/// Time for which each figure is measured.
const TIME: Duration = Duration::from_secs(4);

/// Prints the actions a second of a service that keeps its matches in memory, beside those of bare tonic that sends
/// the same messages to the same players, and the processor's time of either server for one.
///
/// An echo answers on the stream that it reads, so it takes one task and one write for all that a read has brought. In
/// a match the decision goes to the other player: that is the peer for `Play`.
pub(crate) fn print(scale: Scale) {
    let time = scale.time(TIME);
    println!(
        "actions a second and the server's CPU µs for one: the service in memory, and bare tonic"
    );
    println!("echo: acknowledgement and next decision on the stream of the answer");
    println!("peer: the decision on the other player's stream, as in a match");
    println!("thinking: the service, each answer with the thoughts of an engine");
    println!(
        "matches          path   actions/s   CPU    echo/s   CPU   share   of CPU    peer/s   CPU   share   of CPU thinking/s   CPU   share   of CPU"
    );
    let runtime = Runtime::new().expect("tokio starts");
    let recorded = runtime.block_on(Recorded::record());
    for matches in MATCHES {
        for (name, path) in [("Play", Path::Play), ("SubmitAction", Path::Unary)] {
            let runtime = Runtime::new().expect("tokio starts");
            let bare = |next| runtime.block_on(echoed(recorded.clone(), path, next, matches, time));
            let mut measured = vec![("tonic", bare(NextDecision::SameStream))];
            if let Path::Play = path {
                measured.push(("peer", bare(NextDecision::OtherStream)));
            }
            let service = runtime.block_on(actions(path, matches, time));
            let thinking = matches!(path, Path::Play)
                .then(|| runtime.block_on(actions(Path::PlayWithThinking, matches, time)));
            print!(
                "{matches:>7} {name:>13} {:>11.0} {:>5.1}",
                service.per_second, service.cpu_micros
            );
            for (_, rate) in &measured {
                print!(
                    " {:>9.0} {:>5.1} {:>7.2} {:>8.2}",
                    rate.per_second,
                    rate.cpu_micros,
                    service.per_second / rate.per_second,
                    rate.cpu_micros / service.cpu_micros,
                );
            }
            if let Some(thinking) = thinking {
                print!(
                    " {:>10.0} {:>5.1} {:>7.2} {:>8.2}",
                    thinking.per_second,
                    thinking.cpu_micros,
                    thinking.per_second / service.per_second,
                    thinking.cpu_micros / service.cpu_micros,
                );
            }
            println!();
            measured.push(("service", service));
            measured.extend(thinking.map(|rate| ("thinking", rate)));
            for (who, rate) in measured {
                figure(
                    &format!("in_memory/{name}/{matches}/{who}"),
                    rate.per_second,
                    "1/s",
                );
                figure(
                    &format!("in_memory/{name}/{matches}/{who}_cpu"),
                    rate.cpu_micros,
                    "µs",
                );
            }
        }
    }
}

async fn echoed(
    recorded: Recorded,
    path: Path,
    next: NextDecision,
    matches: usize,
    time: Duration,
) -> Rate {
    let load = EchoLoad::start(recorded, path, next, matches);
    let rate = Rate::measure(time, || load.acknowledged()).await;
    load.stop().await;
    rate
}

async fn actions(path: Path, matches: usize, time: Duration) -> Rate {
    let load = Load::start(Storage::Memory, path, matches).await;
    let rate = Rate::measure(time, || load.acknowledged()).await;
    load.stop().await;
    rate
}
