use super::figure::figure;
use super::run::{Bots, Event, Measured, Place, median};
use super::scale::Scale;

/// The number of measurements of each figure.
const TIMES: usize = 3;

/// The matches that are played at the same time.
const AT_ONCE: usize = 64;

/// Processor time a ply on the embedded service, by the kind of bot.
#[expect(clippy::print_stdout, reason = "it is what the bench prints")]
pub(crate) fn print(scale: Scale) {
    println!("  Kamisado to 15, embedded service, {AT_ONCE} matches at a time");
    println!("  goal: engines cost no more than programs that speak gRPC");
    for (name, bots) in [
        ("built-in", Bots::Builtin("\"random\"")),
        ("programs", Bots::Program { restart: false }),
        ("engines", Bots::Engine { restart: false }),
    ] {
        let event = Event {
            players: 2,
            game: "kamisado",
            target: 15,
            cycles: scale.count(160),
            time_control: "\"none\"",
            place: Place::Embedded,
            bots,
            concurrency: AT_ONCE,
            affinity: false,
        };
        let runs: Vec<Measured> = (0..scale.times(TIMES)).map(|_| event.run()).collect();
        let of = |figure: fn(&Measured) -> f64| median(runs.iter().map(figure).collect());
        let rate = of(Measured::plies_per_second);
        let cost = of(Measured::all_cpu_us_per_ply);
        println!("  {name:<28} {rate:>8.0} plies/s {cost:>8.1} µs/ply with the bots");
        figure(&format!("service/{name}"), rate, "plies/s");
        figure(&format!("service/{name}-cpu"), cost, "µs");
    }
}
