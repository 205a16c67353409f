use std::time::Duration;

use rustix::process::Pid;

use super::processes;
use super::report::Usage;

/// What a program may take from the machine, with all that it has started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// The memory of all its processes together, in MiB; none for no limit.
    pub memory_mib: Option<u64>,
    /// The time of processors of all its processes together since it was started, in seconds; none
    /// for no limit.
    pub cpu_s: Option<u64>,
}

impl Allowance {
    /// Whether nothing is limited.
    #[must_use]
    pub const fn is_unlimited(self) -> bool {
        self.memory_mib.is_none() && self.cpu_s.is_none()
    }
}

/// Measures what a program takes.
#[derive(Debug)]
pub(super) struct Meter {
    allowance: Allowance,
    usage: Usage,
    measured: bool,
    /// The time of processors of those that had ended before.
    before_ms: u64,
}

impl Meter {
    pub(super) fn new(allowance: Allowance) -> Self {
        Self {
            allowance,
            usage: Usage::default(),
            measured: false,
            before_ms: ended_ms(),
        }
    }

    /// How long until the next measurement.
    pub(super) const fn pause(&self) -> Duration {
        match (self.measured, self.allowance.is_unlimited()) {
            (false, _) | (true, false) => Duration::from_millis(20),
            (true, true) => Duration::from_millis(250),
        }
    }

    /// Measures all descendants of this process; what they take more of than they may, if so.
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

    /// What was taken in all, when nothing is left.
    pub(super) fn total(&mut self) -> Usage {
        self.usage.cpu_ms = self.usage.cpu_ms.max(self.ended_ms());
        self.usage
    }

    fn ended_ms(&self) -> u64 {
        ended_ms().saturating_sub(self.before_ms)
    }

    fn excess(&self, now_kib: u64) -> Option<String> {
        let Allowance { memory_mib, cpu_s } = self.allowance;
        if let Some(limit) = memory_mib.filter(|limit| now_kib > limit.saturating_mul(1024)) {
            let now = now_kib.div_ceil(1024);
            return Some(format!("it took {now} MiB of memory, {limit} are allowed"));
        }
        let cpu_ms = self.usage.cpu_ms;
        let limit = cpu_s.filter(|limit| cpu_ms > limit.saturating_mul(1000))?;
        Some(format!(
            "it took more than the {limit} s of processors that are allowed"
        ))
    }
}

/// The time of processors of those that have ended and been waited for.
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
    fn tells_what_is_exceeded() {
        let mut meter = Meter::new(Allowance {
            memory_mib: Some(100),
            cpu_s: Some(2),
        });
        assert_eq!(meter.excess(100 * 1024), None);
        let memory = meter.excess(100 * 1024 + 1).unwrap();
        assert_eq!(memory, "it took 101 MiB of memory, 100 are allowed");
        meter.usage.cpu_ms = 2000;
        assert_eq!(meter.excess(0), None);
        meter.usage.cpu_ms = 2010;
        assert!(meter.excess(0).unwrap().contains("2 s of processors"));
        assert_eq!(Meter::new(Allowance::default()).excess(u64::MAX), None);
    }
}
