use super::figure::figure;
use super::run::{Bots, Event, Measured, Place, median};
use super::scale::Scale;

/// The number of measurements of each figure.
const TIMES: usize = 5;

/// Processor time a ply, and plies a second, one match at a time.
#[expect(clippy::print_stdout, reason = "it is what the bench prints")]
pub(crate) fn print(scale: Scale) {
    println!("  one match of Kamisado to 15 at a time, bots that choose at once");
    println!("  goal: below 10 µs of the runner a ply, above 60000 plies/s");
    for (name, place, bots, cycles) in [
        ("direct", Place::Direct, Bots::Builtin("\"random\""), 2000),
        (
            "direct, engines",
            Place::Direct,
            Bots::Engine { restart: false },
            200,
        ),
        (
            "embedded service, built-in",
            Place::Embedded,
            Bots::Builtin("\"random\""),
            10,
        ),
        (
            "embedded service, programs",
            Place::Embedded,
            Bots::Program { restart: false },
            10,
        ),
        (
            "embedded service, engines",
            Place::Embedded,
            Bots::Engine { restart: false },
            10,
        ),
    ] {
        let event = Event {
            players: 2,
            game: "kamisado",
            target: 15,
            cycles: scale.count(cycles),
            time_control: "\"none\"",
            place,
            bots,
            concurrency: 1,
            affinity: false,
        };
        let runs: Vec<Measured> = (0..scale.times(TIMES)).map(|_| event.run()).collect();
        let of = |figure: fn(&Measured) -> f64| median(runs.iter().map(figure).collect());
        println!(
            "  {name:<28} {:>8.2} µs/ply {:>10.0} plies/s ({} plies)",
            of(Measured::cpu_us_per_ply),
            of(Measured::plies_per_second),
            runs[0].plies,
        );
        let name = name.replace(", ", "/").replace(' ', "_");
        figure(
            &format!("plies/{name}"),
            of(Measured::plies_per_second),
            "plies/s",
        );
    }
}
