use super::figure::figure;
use super::run::{Bots, Event, Measured, Place, median};
use super::scale::Scale;

/// The number of measurements of each figure.
const TIMES: usize = 5;

/// Plies a second of engines that answer at once, without a service.
#[expect(clippy::print_stdout, reason = "it is what the bench prints")]
pub(crate) fn print(scale: Scale) {
    println!("  Kamisado, engines over pipes that answer at once, direct");
    for (name, target, cycles) in [("long", 15, 200), ("short", 1, 2000)] {
        for (concurrency, affinity) in [(1, false), (2, false), (1, true), (2, true)] {
            let event = Event {
                players: 2,
                game: "kamisado",
                target,
                cycles: scale.count(cycles * concurrency),
                time_control: "\"none\"",
                place: Place::Direct,
                bots: Bots::Engine { restart: false },
                concurrency,
                affinity,
            };
            let runs: Vec<Measured> = (0..scale.times(TIMES)).map(|_| event.run()).collect();
            let of = |figure: fn(&Measured) -> f64| median(runs.iter().map(figure).collect());
            let rate = of(Measured::plies_per_second);
            let cost = of(Measured::all_cpu_us_per_ply);
            let (kept, key) = if affinity {
                ("affinity", "-affinity")
            } else {
                ("", "")
            };
            println!(
                "  matches to {target:<2}, {concurrency} at once {kept:<8} {rate:>8.0} plies/s \
                 {cost:>8.2} µs/ply with the engines"
            );
            figure(&format!("pipes/{name}{key}/{concurrency}"), rate, "plies/s");
            figure(&format!("pipes/{name}{key}-cpu/{concurrency}"), cost, "µs");
        }
    }
}
