use crate::{engines, notation, records, requests, stored_events};

/// A fuzzing entry point.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, in snake case.
    pub name: &'static str,
    /// Reads any bytes. Panics if a property is broken.
    pub run: fn(&[u8]),
    /// Inputs that are valid or nearly valid.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Number of inputs that a test run makes from the seeds, which takes about a second.
    pub inputs: u32,
}

/// Every entry point.
pub const TARGETS: &[Target] = &[
    Target {
        name: "positions",
        run: notation::positions,
        seeds: notation::position_seeds,
        inputs: 20_000,
    },
    Target {
        name: "actions",
        run: notation::actions,
        seeds: notation::action_seeds,
        inputs: 30_000,
    },
    Target {
        name: "records",
        run: records::records,
        seeds: records::record_seeds,
        inputs: 1500,
    },
    Target {
        name: "formats",
        run: records::formats,
        seeds: records::format_seeds,
        inputs: 1500,
    },
    Target {
        name: "requests",
        run: requests::requests,
        seeds: requests::request_seeds,
        inputs: 20_000,
    },
    Target {
        name: "engine_lines",
        run: engines::engine_lines,
        seeds: engines::engine_line_seeds,
        inputs: 20_000,
    },
    Target {
        name: "page_tokens",
        run: requests::page_tokens,
        seeds: requests::page_token_seeds,
        inputs: 50_000,
    },
    Target {
        name: "stored_events",
        run: stored_events::stored_events,
        seeds: stored_events::stored_event_seeds,
        inputs: 50_000,
    },
    Target {
        name: "sealed_records",
        run: stored_events::sealed_records,
        seeds: stored_events::sealed_record_seeds,
        inputs: 1500,
    },
];

/// The entry point with this name.
///
/// # Panics
///
/// No entry point has this name.
#[must_use]
pub fn target(name: &str) -> &'static Target {
    TARGETS
        .iter()
        .find(|target| target.name == name)
        .expect("the caller names a target of the list")
}
