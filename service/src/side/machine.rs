//! Metrics that are measured on request: the state of the service, its disk, its writing and its process.

use std::fs;
use std::io;
use std::path::Path;

use super::Phase;
use crate::metrics;

/// Measures all of it. What cannot be measured here keeps the value that it had.
pub(super) fn measure(phase: Phase, data: Option<&Path>) {
    for each in Phase::ALL {
        metrics::in_phase(each.name(), each == phase);
    }
    metrics::write_age();
    if let Some(Ok(disk)) = data.map(rustix::fs::statvfs) {
        let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        metrics::disk(bytes(disk.f_blocks), bytes(disk.f_bavail));
    }
    if let Some(bytes) = resident_memory_bytes() {
        metrics::resident_memory(bytes);
    }
    if let Ok(count) = open_files() {
        metrics::open_files(count);
    }
}

/// As Linux reports it.
fn resident_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Without the one by which they are counted.
fn open_files() -> io::Result<usize> {
    Ok(fs::read_dir("/proc/self/fd")?.count().saturating_sub(1))
}
