//! The figures of the runner: what an organiser may expect of it on this machine.
//!
//! `cargo bench -p dragontooth-runner --bench figures` prints all of them in some minutes, and
//! `… -- plies resume` some; each figure is the median of several whole runs, from the start of the
//! program to its tables. `BENCH_SCALE=0.01` makes everything a hundred times shorter, to see that it
//! runs.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod arena;
mod engine;
#[path = "../../../service/benches/figures/figure.rs"]
mod figure;
mod growth;
#[path = "../../../service/benches/figures/machine.rs"]
mod machine;
mod matches;
mod on_a_service;
mod pipes;
mod plies;
mod processor_time;
mod program;
mod resume;
mod run;
#[path = "../../../service/benches/figures/scale.rs"]
mod scale;
mod time;
mod times;

use std::process::ExitCode;

use scale::Scale;

type Section = (&'static str, fn(Scale));

const SECTIONS: &[Section] = &[
    ("plies", plies::print),
    ("matches", matches::print),
    ("time", time::print),
    ("resume", resume::print),
    ("growth", growth::print),
    ("pipes", pipes::print),
    ("service", on_a_service::print),
    ("arena", arena::print),
];

fn main() -> ExitCode {
    if resume::is_asked_for() {
        return resume::run_runner();
    }
    if program::is_asked_for() {
        program::play();
    } else if engine::is_asked_for() {
        engine::speak();
    } else {
        measure();
    }
    ExitCode::SUCCESS
}

/// Prints the sections that are asked for.
fn measure() {
    // `cargo bench` adds flags of its own.
    let arguments = std::env::args().skip(1);
    let asked: Vec<String> = arguments.filter(|text| !text.starts_with('-')).collect();
    for name in &asked {
        let known = SECTIONS.iter().any(|(section, _)| section == name);
        assert!(known, "there is no section {name}");
    }
    machine::print();
    for (name, print) in SECTIONS {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            println!("\n{name}");
            print(Scale::from_env());
        }
    }
}
