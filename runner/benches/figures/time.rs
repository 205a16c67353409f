use std::thread::available_parallelism;

use super::run::{Bots, Event, Place};
use super::scale::Scale;

/// Time losses where a match a processor is played with 20 ms a decision.
#[expect(clippy::print_stdout, reason = "it is what the bench prints")]
pub(crate) fn print(scale: Scale) {
    let cores = available_parallelism().map_or(1, usize::from);
    println!(
        "  losses by time, 20 ms a decision, bots that use their time, {cores} matches at a time"
    );
    println!("  goal: 0");
    for (name, place) in [
        ("direct", Place::Direct),
        ("embedded service", Place::Embedded),
    ] {
        let event = Event {
            players: 2,
            game: "kamisado",
            target: 1,
            cycles: scale.count(20),
            time_control: "{ per_action_ms = 20 }",
            place,
            bots: Bots::Builtin("\"alphabeta\"\noptions = { table_mib = 1 }"),
            concurrency: cores,
            affinity: false,
        };
        let run = event.run();
        println!(
            "  {name:<28} {:>5} of {} matches, {} plies, {:.1} s",
            run.faults,
            run.matches,
            run.plies,
            run.wall.as_secs_f64()
        );
    }
}
