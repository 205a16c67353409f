//! Every entry point accepts its seeds and random changes of them.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a helper of a test prints, and fails by panicking, as the test does"
)]

use std::panic::catch_unwind;
use std::path::Path;
use std::{env, fs};

use dragontooth_fuzz::{Mutation, TARGETS, Target, target};

#[test]
fn positions() {
    feed("positions");
}

#[test]
fn actions() {
    feed("actions");
}

#[test]
fn records() {
    feed("records");
}

#[test]
fn formats() {
    feed("formats");
}

#[test]
fn requests() {
    feed("requests");
}

#[test]
fn engine_lines() {
    feed("engine_lines");
}

#[test]
fn page_tokens() {
    feed("page_tokens");
}

#[test]
fn stored_events() {
    feed("stored_events");
}

#[test]
fn sealed_records() {
    feed("sealed_records");
}

/// Every entry point has a file for `cargo fuzz`.
#[test]
fn every_target_can_be_fuzzed() {
    let manifest = include_str!("../libfuzzer/Cargo.toml");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("libfuzzer");
    for Target { name, .. } in TARGETS {
        let path = format!("fuzz_targets/{name}.rs");
        assert!(manifest.contains(&format!("path = \"{path}\"")), "{name}");
        let text = fs::read_to_string(folder.join(path)).unwrap();
        assert!(text.contains(&format!("target(\"{name}\")")), "{name}");
    }
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
}

/// Feeds a target. `FUZZ_SEED` selects the changes; `FUZZ_TIMES` multiplies the number of inputs.
fn feed(name: &str) {
    let number = |variable, usual| env::var(variable).map_or(usual, |text| text.parse().unwrap());
    let seed = number("FUZZ_SEED", 1);
    let times = u32::try_from(number("FUZZ_TIMES", 1)).unwrap();
    let Target {
        run, seeds, inputs, ..
    } = target(name);
    let seeds = seeds();
    assert!(seeds.len() >= 3, "{name}: too few seeds");
    let inputs = inputs * times;
    println!(
        "{name}: {} seeds, {inputs} inputs of FUZZ_SEED={seed}",
        seeds.len()
    );
    for input in &seeds {
        run_one(name, *run, input);
    }
    let mut mutation = Mutation::new(seed);
    for _ in 0..inputs {
        run_one(name, *run, &mutation.input(&seeds));
    }
}

fn run_one(name: &str, run: fn(&[u8]), input: &[u8]) {
    let text = || input.escape_ascii().to_string();
    let held = catch_unwind(|| run(input));
    assert!(held.is_ok(), "{name} does not hold for {:?}", text());
}
