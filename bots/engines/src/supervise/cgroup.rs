use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, getpid};

/// A control group (version 2) for a program, where that is allowed: the kernel kills all its processes at
/// once, even those that are just being started.
#[derive(Debug)]
pub struct Cgroup(PathBuf);

impl Cgroup {
    /// Creates the group of a supervisor below that of this process. `None` if that is not allowed or the
    /// kernel cannot kill a group.
    pub(super) fn make(supervisor: Pid) -> Option<Self> {
        let folder = folder_of(supervisor)?;
        fs::create_dir(&folder).ok()?;
        // If the check fails, dropping it removes the folder again.
        let made = Self(folder);
        made.0.join("cgroup.kill").exists().then_some(made)
    }

    /// Returns true if groups can be created here.
    #[must_use]
    pub fn is_available() -> bool {
        Self::make(getpid()).is_some()
    }

    /// Bounds the number of processes and threads in the group, if the kernel counts them there.
    pub(super) fn limit_tasks(&self, most: u64) {
        // Without that, they are counted one by one.
        let _ = fs::write(self.0.join("pids.max"), most.to_string());
    }

    /// Processor time of all processes that have ever been in the group, in milliseconds; `None` if the
    /// kernel does not count it.
    pub(super) fn cpu_ms(&self) -> Option<u64> {
        let text = fs::read_to_string(self.0.join("cpu.stat")).ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("usage_usec "))?;
        Some(line.trim().parse::<u64>().ok()? / 1000)
    }

    /// Calls `start` while this process is in the group, so that what it starts is in it from the beginning.
    pub(super) fn with_children<T>(&self, start: impl FnOnce() -> T) -> T {
        self.take(getpid());
        let started = start();
        if let Some(parent) = self.0.parent() {
            let _ = fs::write(parent.join("cgroup.procs"), own_pid());
        }
        started
    }

    /// Returns true if this process is in the group, which it then must not kill.
    fn holds_this_process(&self) -> bool {
        let members = fs::read_to_string(self.0.join("cgroup.procs")).unwrap_or_default();
        members.lines().any(|member| member == own_pid())
    }

    /// Returns the group that the supervisor with this process id has left behind, if any.
    #[must_use]
    pub fn left_by(supervisor: Pid) -> Option<Self> {
        let folder = folder_of(supervisor)?;
        folder.exists().then_some(Self(folder))
    }

    /// Removes the group. Returns false if a process is still in it.
    #[must_use]
    pub fn remove(&self) -> bool {
        fs::remove_dir(&self.0).is_ok()
    }

    /// Moves a process into the group; the processes that it starts from then on are in it too.
    pub(super) fn take(&self, pid: Pid) {
        // On failure the descendants are found one by one.
        let _ = fs::write(
            self.0.join("cgroup.procs"),
            pid.as_raw_nonzero().to_string(),
        );
    }

    /// Kills all processes in the group.
    pub fn kill(&self) {
        if self.holds_this_process() {
            return;
        }
        let _ = fs::write(self.0.join("cgroup.kill"), "1");
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = self.remove();
    }
}

fn own_pid() -> String {
    getpid().as_raw_nonzero().to_string()
}

/// The folder of a supervisor's group. The supervisor and this process are in the same parent group.
fn folder_of(supervisor: Pid) -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let name = format!("dragontooth-{}", supervisor.as_raw_nonzero());
    Some(own_folder(&mounts, &groups)?.join(name))
}

/// The folder of the group of this process.
fn own_folder(mounts: &str, groups: &str) -> Option<PathBuf> {
    let mount = mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let is_v2 = kind.split(' ').next() == Some("cgroup2");
        is_v2.then(|| place.split(' ').nth(4)).flatten()
    })?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(Path::new(mount).join(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_folder_of_its_group() {
        let mounts = "31 23 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      42 23 0:27 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
        let groups = "4:memory:/x\n0::/user.slice/a.scope\n";
        let found = own_folder(mounts, groups);
        let expected = "/sys/fs/cgroup/unified/user.slice/a.scope";
        assert_eq!(found, Some(PathBuf::from(expected)));
        assert_eq!(own_folder("", groups), None);
        assert_eq!(own_folder(mounts, "4:memory:/x\n"), None);
    }
}
