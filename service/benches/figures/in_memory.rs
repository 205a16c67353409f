use std::time::Duration;

use dragontooth_service::Storage;
use tokio::runtime::Runtime;

use crate::echo::EchoLoad;
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
pub(crate) fn print(scale: Scale) {
    let time = scale.time(TIME);
    println!(
        "actions a second and the server's CPU µs for one: bare tonic, and the service in memory"
    );
    println!("matches          path    echo/s   CPU   actions/s   CPU   share   share of CPU");
    let runtime = Runtime::new().expect("tokio starts");
    let recorded = runtime.block_on(Recorded::record());
    for matches in MATCHES {
        for (name, path) in [("Play", Path::Play), ("SubmitAction", Path::Unary)] {
            let runtime = Runtime::new().expect("tokio starts");
            let echo = runtime.block_on(echoed(recorded.clone(), path, matches, time));
            let service = runtime.block_on(actions(path, matches, time));
            println!(
                "{matches:>7} {name:>13} {:>9.0} {:>5.1} {:>11.0} {:>5.1} {:>7.2} {:>14.2}",
                echo.per_second,
                echo.cpu_micros,
                service.per_second,
                service.cpu_micros,
                service.per_second / echo.per_second,
                echo.cpu_micros / service.cpu_micros,
            );
            for (who, rate) in [("tonic", echo), ("service", service)] {
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

async fn echoed(recorded: Recorded, path: Path, matches: usize, time: Duration) -> Rate {
    let load = EchoLoad::start(recorded, path, matches);
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
