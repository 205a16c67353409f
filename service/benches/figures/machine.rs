use std::fs;
use std::thread::available_parallelism;

/// Prints what the figures were measured on, and how busy it is besides.
#[expect(clippy::print_stdout, reason = "it is part of what a bench prints")]
pub(crate) fn print() {
    let cores = available_parallelism().map_or(0, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, model)| model.trim());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    println!(
        "machine: {cores} cores, {model}, Linux {}; load before: {}",
        kernel.trim(),
        load()
    );
}

/// The load average of the last minute.
fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or("unknown").to_owned()
}
