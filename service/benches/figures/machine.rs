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
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown").to_owned();
    println!("machine: {cores} cores, {model}; load before: {load}");
}
