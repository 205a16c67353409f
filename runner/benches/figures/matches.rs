use super::figure::figure;
use super::run::{Bots, Event, Measured, Place, median};
use super::scale::Scale;

/// The number of measurements of each figure.
const TIMES: usize = 5;

/// Matches a second.
#[expect(clippy::print_stdout, reason = "it is what the bench prints")]
pub(crate) fn print(scale: Scale) {
    println!("  matches of Kamisado to 1, bots that choose at once, two matches at a time");
    println!("  goal: 200 matches/s when both programs are restarted for every match");
    for (name, place, bots, cycles) in [
        ("direct", Place::Direct, Bots::Builtin("\"random\""), 20_000),
        (
            "embedded service, built-in",
            Place::Embedded,
            Bots::Builtin("\"random\""),
            200,
        ),
        (
            "embedded service, programs",
            Place::Embedded,
            Bots::Program { restart: false },
            200,
        ),
        (
            "direct, engines",
            Place::Direct,
            Bots::Engine { restart: false },
            2000,
        ),
        (
            "direct, engines restarted",
            Place::Direct,
            Bots::Engine { restart: true },
            200,
        ),
        (
            "programs restarted",
            Place::Embedded,
            Bots::Program { restart: true },
            50,
        ),
    ] {
        let event = Event {
            players: 2,
            game: "kamisado",
            target: 1,
            cycles: scale.count(cycles),
            time_control: "\"none\"",
            place,
            bots,
            concurrency: 2,
            affinity: false,
        };
        let runs: Vec<Measured> = (0..scale.times(TIMES)).map(|_| event.run()).collect();
        let of = |figure: fn(&Measured) -> f64| median(runs.iter().map(figure).collect());
        let faults: usize = runs.iter().map(|run| run.faults).sum();
        println!(
            "  {name:<28} {:>9.0} matches/s ({} matches, {faults} faults in all runs)",
            of(Measured::matches_per_second),
            runs[0].matches,
        );
        let name = name.replace(", ", "/").replace(' ', "_");
        figure(
            &format!("matches/{name}"),
            of(Measured::matches_per_second),
            "matches/s",
        );
    }
}
