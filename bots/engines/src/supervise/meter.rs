use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::cgroup::Cgroup;
use super::disk::size_up_to;
use super::processes::{self, Stat};
use super::report::Usage;

const MIB: u64 = 1 << 20;

/// Limits on the resources of a program and everything it started, together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Memory in MiB; `None` means no limit.
    pub memory_mib: Option<u64>,
    /// Processor time since the start, in seconds; `None` means no limit.
    pub cpu_s: Option<u64>,
    /// Number of processes at the same time; `None` means no limit.
    pub processes: Option<u64>,
    /// Size of the working folder with everything in it, and of each single file anywhere, in MiB; `None`
    /// means no limit.
    pub disk_mib: Option<u64>,
}

impl ResourceLimits {
    /// Returns true if nothing is limited.
    #[must_use]
    pub const fn is_unlimited(self) -> bool {
        let Self {
            memory_mib,
            cpu_s,
            processes,
            disk_mib,
        } = self;
        memory_mib.is_none() && cpu_s.is_none() && processes.is_none() && disk_mib.is_none()
    }
}

/// Time between two measurements of the working folder.
const DISK_PAUSE: Duration = Duration::from_millis(500);

/// Most processes whose processor time is remembered beyond their end.
const MAX_REMEMBERED: usize = 100_000;

/// Measures the resources that a program uses.
///
/// A control group counts the processor time of all processes. Without one it is that of the processes which are
/// there and of those that somebody waited for; or, if that is more, that of all processes that were ever seen. A
/// process that nobody waits for and that ends between two measurements is missed.
#[derive(Debug)]
pub(super) struct Meter<'a> {
    limits: ResourceLimits,
    cgroup: Option<&'a Cgroup>,
    usage: Usage,
    measured: bool,
    /// Processor time of the processes that had ended before.
    before_ms: u64,
    /// The same in the control group.
    cgroup_before_ms: u64,
    /// The last seen processor time of each process, by its id and start.
    seen_ms: HashMap<(Pid, u64), u64>,
    measure_disk_at: Instant,
}

/// The resources in use at one moment.
#[derive(Clone, Copy, Debug, Default)]
struct Now {
    memory_kib: u64,
    processes: u64,
    disk_bytes: u64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(limits: ResourceLimits, cgroup: Option<&'a Cgroup>) -> Self {
        Self {
            limits,
            cgroup,
            usage: Usage::default(),
            measured: false,
            before_ms: ended_ms(),
            cgroup_before_ms: cgroup.and_then(Cgroup::cpu_ms).unwrap_or_default(),
            seen_ms: HashMap::new(),
            measure_disk_at: Instant::now(),
        }
    }

    /// Time until the next measurement.
    pub(super) const fn pause(&self) -> Duration {
        match (self.measured, self.limits.is_unlimited()) {
            (false, _) | (true, false) => Duration::from_millis(20),
            // Only to report. An event may have hundreds of engines, each with a meter.
            (true, true) => Duration::from_secs(1),
        }
    }

    /// Measures all descendants of this process. Returns a text about the limit that they exceed, if any.
    pub(super) fn measure(&mut self) -> Option<String> {
        self.measured = true;
        let all = processes::descendants_by_lists().unwrap_or_else(processes::descendants);
        let mut now = Now::default();
        let mut cpu_ms = self.ended_ms();
        for pid in all {
            if let Some((memory_kib, most)) = processes::memory_kib(pid) {
                now.processes += 1;
                now.memory_kib += memory_kib;
                self.usage.peak_kib = self.usage.peak_kib.max(most);
            }
            if let Some(stat) = processes::stat(&pid.as_raw_nonzero().to_string()) {
                cpu_ms += stat.own_ms + stat.children_ms;
                self.remember(pid, stat);
            }
        }
        self.usage.peak_kib = self.usage.peak_kib.max(now.memory_kib);
        self.count_cpu(cpu_ms);
        now.disk_bytes = self.disk_bytes();
        self.excess(now)
    }

    /// Remembers what a process used, for the case that nobody waits for it.
    fn remember(&mut self, pid: Pid, stat: Stat) {
        if self.cgroup.is_none() && self.seen_ms.len() < MAX_REMEMBERED {
            self.seen_ms.insert((pid, stat.started), stat.own_ms);
        }
    }

    fn count_cpu(&mut self, cpu_ms: u64) {
        let seen_ms = self.seen_ms.values().sum();
        let of_cgroup = self.cgroup.and_then(Cgroup::cpu_ms).unwrap_or_default();
        let of_cgroup = of_cgroup.saturating_sub(self.cgroup_before_ms);
        let most = cpu_ms.max(seen_ms).max(of_cgroup);
        self.usage.cpu_ms = self.usage.cpu_ms.max(most);
    }

    /// The size of the working folder, now and then; 0 if it is not limited or was measured just now.
    fn disk_bytes(&mut self) -> u64 {
        match self.limits.disk_mib {
            Some(limit) if self.measure_disk_at <= Instant::now() => {
                let size = size_up_to(Path::new("."), limit.saturating_mul(MIB));
                self.measure_disk_at = Instant::now() + DISK_PAUSE;
                size
            }
            Some(_) | None => 0,
        }
    }

    /// Total usage, once no process is left.
    pub(super) fn total(&mut self) -> Usage {
        self.count_cpu(self.ended_ms());
        self.usage
    }

    fn ended_ms(&self) -> u64 {
        ended_ms().saturating_sub(self.before_ms)
    }

    fn excess(&self, now: Now) -> Option<String> {
        let ResourceLimits {
            memory_mib,
            cpu_s,
            processes,
            disk_mib,
        } = self.limits;
        if let Some(limit) = processes.filter(|limit| now.processes > *limit) {
            let now = now.processes;
            return Some(format!("it had {now} processes, over the limit of {limit}"));
        }
        if let Some(limit) = disk_mib.filter(|limit| now.disk_bytes > limit.saturating_mul(MIB)) {
            return Some(format!(
                "its working folder has more than the limit of {limit} MiB"
            ));
        }
        let memory = |limit: &u64| now.memory_kib > limit.saturating_mul(1024);
        if let Some(limit) = memory_mib.filter(memory) {
            let now = now.memory_kib.div_ceil(1024);
            return Some(format!(
                "it used {now} MiB of memory, over the limit of {limit} MiB"
            ));
        }
        let cpu_ms = self.usage.cpu_ms;
        let limit = cpu_s.filter(|limit| cpu_ms > limit.saturating_mul(1000))?;
        Some(format!(
            "it used more than its limit of {limit} s of processor time"
        ))
    }
}

/// Processor time of the children that have ended and were waited for.
fn ended_ms() -> u64 {
    processes::stat("self").map_or(0, |stat| stat.children_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_exceeded_limit() {
        let limits = ResourceLimits {
            memory_mib: Some(100),
            cpu_s: Some(2),
            processes: Some(3),
            disk_mib: Some(1),
        };
        let mut meter = Meter::new(limits, None);
        let memory = |memory_kib| Now {
            memory_kib,
            processes: 3,
            disk_bytes: MIB,
        };
        assert_eq!(meter.excess(memory(100 * 1024)), None);
        let many = Now {
            processes: 4,
            ..memory(0)
        };
        let told = "it had 4 processes, over the limit of 3";
        assert_eq!(meter.excess(many).unwrap(), told);
        let full = Now {
            disk_bytes: MIB + 1,
            ..memory(0)
        };
        let told = "its working folder has more than the limit of 1 MiB";
        assert_eq!(meter.excess(full).unwrap(), told);
        let memory = meter.excess(memory(100 * 1024 + 1)).unwrap();
        assert_eq!(
            memory,
            "it used 101 MiB of memory, over the limit of 100 MiB"
        );
        meter.usage.cpu_ms = 2000;
        assert_eq!(meter.excess(Now::default()), None);
        meter.usage.cpu_ms = 2010;
        let cpu = meter.excess(Now::default()).unwrap();
        assert!(cpu.contains("2 s of processor time"), "{cpu}");
        let most = Now {
            memory_kib: u64::MAX,
            processes: u64::MAX,
            disk_bytes: u64::MAX,
        };
        let unlimited = Meter::new(ResourceLimits::default(), None);
        assert_eq!(unlimited.excess(most), None);
    }
}
