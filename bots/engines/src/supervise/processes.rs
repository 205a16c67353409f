//! Processes, as `/proc` shows them. Without `/proc`, none are found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use rustix::process::{Pid, getpid};

/// Ticks per second in which the kernel counts processor time in `/proc`, on every architecture.
const TICKS_PER_SECOND: u64 = 100;

/// The fields that are used of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stat {
    parent: i32,
    /// Time of the start, in ticks since the system was started.
    pub(super) started: u64,
    /// Processor time of the process itself.
    pub(super) own_ms: u64,
    /// Processor time of the children that it has waited for.
    pub(super) children_ms: u64,
}

/// All descendants of this process, adopted ones included.
pub(super) fn descendants() -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for pid in all() {
        if let Some(stat) = stat(&pid.to_string()) {
            children.entry(stat.parent).or_default().push(pid);
        }
    }
    let mut found = BTreeSet::new();
    let mut next = vec![getpid().as_raw_nonzero().get()];
    while let Some(parent) = next.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if found.insert(*child) {
                next.push(*child);
            }
        }
    }
    found.into_iter().filter_map(Pid::from_raw).collect()
}

/// All descendants of this process, by the kernel's lists of children: faster, but a process that is just
/// starting or ending may be missing. `None` if the kernel has no such lists.
pub(super) fn descendants_by_lists() -> Option<Vec<Pid>> {
    let mut found = Vec::new();
    let mut next = vec![getpid().as_raw_nonzero().get()];
    let mut any = false;
    while let Some(parent) = next.pop() {
        let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else {
            continue;
        };
        for thread in threads.flatten() {
            if let Ok(list) = fs::read_to_string(thread.path().join("children")) {
                any = true;
                let children = list.split_whitespace().filter_map(|pid| pid.parse().ok());
                let children: Vec<i32> = children.collect();
                found.extend(children.iter().copied().filter_map(Pid::from_raw));
                next.extend(children);
            }
        }
    }
    any.then_some(found)
}

/// The processes whose environment contains this text: `NAME=value`.
pub fn with_variable(variable: &str) -> Vec<Pid> {
    let has = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|each| each == variable.as_bytes())
    };
    all().filter(has).filter_map(Pid::from_raw).collect()
}

/// Reads the statistics of a process, given by its id or `self`.
pub(super) fn stat(process: &str) -> Option<Stat> {
    let text = fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?;
    parse_stat(&text)
}

/// Current and peak memory of a process, in KiB.
pub(super) fn memory_kib(pid: Pid) -> Option<(u64, u64)> {
    let text = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let figure = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    };
    Some((figure("VmRSS:")?, figure("VmHWM:")?))
}

fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Parses the text of `stat`. The name in parentheses may contain any characters, so only the part after
/// the last parenthesis counts.
fn parse_stat(text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(") ")?;
    // The first of these is the third field of proc_pid_stat(5).
    let fields: Vec<&str> = rest.split(' ').collect();
    let field = |number: usize| fields.get(number - 3);
    let ms = |number| {
        let ticks: u64 = field(number)?.parse().ok()?;
        Some(ticks.saturating_mul(1000 / TICKS_PER_SECOND))
    };
    Some(Stat {
        parent: field(4)?.parse().ok()?,
        started: field(22)?.parse().ok()?,
        own_ms: ms(14)?.saturating_add(ms(15)?),
        children_ms: ms(16)?.saturating_add(ms(17)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_statistics_of_a_process_with_any_name() {
        let text = "77 (a) b) S 42 77 77 0 -1 4194304 1 2 3 4 50 7 30 2 20 0 1 0 9 1 1 1";
        let expected = Stat {
            parent: 42,
            started: 9,
            own_ms: 570,
            children_ms: 320,
        };
        assert_eq!(parse_stat(text), Some(expected));
        assert_eq!(parse_stat("77 (a) S"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn finds_a_child_both_ways() {
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        assert!(descendants().contains(&pid));
        assert!(descendants_by_lists().is_none_or(|found| found.contains(&pid)));
        let (now, most) = memory_kib(pid).unwrap();
        assert!(now <= most && most > 0, "{now} {most}");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!descendants().contains(&pid));
        assert_eq!(memory_kib(pid), None);
    }
}
