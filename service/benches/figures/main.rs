//! The figures of the service: what an operator may expect of it on this machine.
//!
//! `cargo bench -p dragontooth-service --bench figures` prints all of them in a few minutes, and
//! `… -- latency recovery` some. Clients and service share the machine. `BENCH_SCALE=0.01` makes
//! everything a hundred times shorter and smaller, to see that it runs.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod attacks;
mod ceiling;
mod count;
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "the tests use the rest, and a bench fails by panicking"
)]
#[path = "../../postgres/tests/it/server.rs"]
mod database_server;
mod echo;
mod ended;
mod figure;
mod footprint;
mod in_memory;
mod latency;
mod load;
mod machine;
mod measure;
mod neighbour;
mod program;
mod rate;
mod raw_readers;
mod readers;
mod recorded;
mod recovery;
mod replicas;
mod scale;
mod shutdown;
mod spectators;
mod throughput;
mod times;

use mimalloc::MiMalloc;
use scale::Scale;

/// As in the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

type Section = (&'static str, fn(Scale));

const SECTIONS: &[Section] = &[
    ("throughput", throughput::print),
    ("replicas", replicas::print),
    ("in_memory", in_memory::print),
    ("latency", latency::print),
    ("footprint", footprint::print),
    ("recovery", recovery::print),
    ("ended", ended::print),
    ("readers", readers::print),
    ("spectators", spectators::print),
    ("attacks", attacks::print),
    ("shutdown", shutdown::print),
];

/// Work of this program as a [`neighbour`].
type Role = (&'static str, fn(&[String]));

const ROLES: &[Role] = &[
    (raw_readers::ROLE, raw_readers::read),
    (readers::BUSY_ROLE, readers::compute),
    (attacks::ROLE, attacks::attack),
    (spectators::ROLE, spectators::watch),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, role, rest @ ..] = &arguments[..]
        && first == neighbour::AS
    {
        let known = ROLES.iter().find(|(name, _)| name == role);
        let (_, play) = known.expect("it is started by this program");
        return play(rest);
    }
    // `cargo bench` adds its flags.
    let asked: Vec<String> = arguments
        .into_iter()
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    for name in &asked {
        let known = SECTIONS.iter().any(|(section, _)| section == name);
        assert!(known, "there is no section {name}");
    }
    machine::print();
    let scale = Scale::from_env();
    for (name, print) in SECTIONS {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            println!("\n{name}");
            print(scale);
        }
    }
}
