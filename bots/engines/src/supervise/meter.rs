use std::time::Duration;

use rustix::process::Pid;

use super::processes;
use super::report::Usage;

/// Limits on the resources of a program and everything it started, together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Memory in MiB; `None` means no limit.
    pub memory_mib: Option<u64>,
    /// Processor time since the start, in seconds; `None` means no limit.
    pub cpu_s: Option<u64>,
}

impl ResourceLimits {
    /// Returns true if nothing is limited.
    #[must_use]
    pub const fn is_unlimited(self) -> bool {
        self.memory_mib.is_none() && self.cpu_s.is_none()
    }
}

/// Measures the resources that a program uses.
#[derive(Debug)]
pub(super) struct Meter {
    limits: ResourceLimits,
    usage: Usage,
    measured: bool,
    /// Processor time of the processes that had ended before.
    before_ms: u64,
}

impl Meter {
    pub(super) fn new(limits: ResourceLimits) -> Self {
        Self {
            limits,
            usage: Usage::default(),
            measured: false,
            before_ms: ended_ms(),
        }
    }

    /// Time until the next measurement.
    pub(super) const fn pause(&self) -> Duration {
        match (self.measured, self.limits.is_unlimited()) {
            (false, _) | (true, false) => Duration::from_millis(20),
            (true, true) => Duration::from_millis(250),
        }
    }

    /// Measures all descendants of this process. Returns a text about the limit that they exceed, if any.
    pub(super) fn measure(&mut self) -> Option<String> {
        self.measured = true;
        let all = processes::descendants_by_lists().unwrap_or_else(processes::descendants);
        let (mut now_kib, mut cpu_ms) = (0, self.ended_ms());
        for pid in all {
            if let Some((now, most)) = processes::memory_kib(pid) {
                now_kib += now;
                self.usage.peak_kib = self.usage.peak_kib.max(most);
            }
            cpu_ms += cpu_ms_of(pid);
        }
        self.usage.peak_kib = self.usage.peak_kib.max(now_kib);
        self.usage.cpu_ms = self.usage.cpu_ms.max(cpu_ms);
        self.excess(now_kib)
    }

    /// Total usage, once no process is left.
    pub(super) fn total(&mut self) -> Usage {
        self.usage.cpu_ms = self.usage.cpu_ms.max(self.ended_ms());
        self.usage
    }

    fn ended_ms(&self) -> u64 {
        ended_ms().saturating_sub(self.before_ms)
    }

    fn excess(&self, now_kib: u64) -> Option<String> {
        let ResourceLimits { memory_mib, cpu_s } = self.limits;
        if let Some(limit) = memory_mib.filter(|limit| now_kib > limit.saturating_mul(1024)) {
            let now = now_kib.div_ceil(1024);
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

fn cpu_ms_of(pid: Pid) -> u64 {
    let stat = processes::stat(&pid.as_raw_nonzero().to_string());
    stat.map_or(0, |stat| stat.own_ms + stat.children_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_exceeded_limit() {
        let mut meter = Meter::new(ResourceLimits {
            memory_mib: Some(100),
            cpu_s: Some(2),
        });
        assert_eq!(meter.excess(100 * 1024), None);
        let memory = meter.excess(100 * 1024 + 1).unwrap();
        assert_eq!(
            memory,
            "it used 101 MiB of memory, over the limit of 100 MiB"
        );
        meter.usage.cpu_ms = 2000;
        assert_eq!(meter.excess(0), None);
        meter.usage.cpu_ms = 2010;
        assert!(meter.excess(0).unwrap().contains("2 s of processor time"));
        assert_eq!(Meter::new(ResourceLimits::default()).excess(u64::MAX), None);
    }
}
