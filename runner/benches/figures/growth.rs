use super::figure::figure;
use super::run::{Bots, Event, Place, count, median};
use super::scale::Scale;

/// The number of measurements of each figure but the largest.
const TIMES: usize = 3;

/// The cost of a match in events of 10,000 to 1,000,000 matches.
#[expect(clippy::print_stdout, reason = "it is what the bench prints")]
pub(crate) fn print(scale: Scale) {
    println!("  matches of Kamisado to 1, five built-in bots, direct, two matches at a time");
    println!("  goal: a match of the largest event costs at most 1.1 of one of the smallest");
    let mut smallest = None;
    for (name, cycles, times) in [
        ("small", 500, TIMES),
        ("middle", 5_000, TIMES),
        ("large", 50_000, 1),
    ] {
        let event = Event {
            players: 5,
            game: "kamisado",
            target: 1,
            cycles: scale.count(cycles),
            time_control: "\"none\"",
            place: Place::Direct,
            bots: Bots::Builtin("\"random\""),
            concurrency: 2,
            affinity: false,
        };
        let runs = (0..scale.times(times)).map(|_| {
            let run = event.run();
            run.cpu.as_secs_f64() * 1e6 / count(run.matches as u64)
        });
        let cost = median(runs.collect());
        let smallest = *smallest.get_or_insert(cost);
        // Each of ten pairings plays two matches a cycle.
        let matches = 20 * event.cycles;
        println!(
            "  {matches:>9} matches            {cost:>8.1} µs/match, {:.2} of the smallest",
            cost / smallest
        );
        figure(&format!("growth/{name}"), cost, "µs");
    }
}
