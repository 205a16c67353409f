use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, getpid};

/// A control group (version 2) of a program's own, where that is allowed: the kernel kills all in
/// it at once, even what begins at that moment.
#[derive(Debug)]
pub struct Cgroup(PathBuf);

impl Cgroup {
    /// Makes one below that of this process; none where that is not allowed or the kernel has no
    /// way to kill a group.
    pub(super) fn make() -> Option<Self> {
        let folder = folder_of(getpid())?;
        fs::create_dir(&folder).ok()?;
        // Dropped, it is taken away again.
        let made = Self(folder);
        made.0.join("cgroup.kill").exists().then_some(made)
    }

    /// What a supervisor with this number has left behind, if it could not take it away.
    #[must_use]
    pub fn left_by(supervisor: Pid) -> Option<Self> {
        let folder = folder_of(supervisor)?;
        folder.exists().then_some(Self(folder))
    }

    /// Takes it away; whether nobody was in it any more.
    #[must_use]
    pub fn remove(&self) -> bool {
        fs::remove_dir(&self.0).is_ok()
    }

    /// Moves a process into it; what it starts from then on is in it too.
    pub(super) fn take(&self, pid: Pid) {
        // Without it the descendants are found one by one.
        let _ = fs::write(
            self.0.join("cgroup.procs"),
            pid.as_raw_nonzero().to_string(),
        );
    }

    /// Kills all that is in it.
    pub fn kill(&self) {
        let _ = fs::write(self.0.join("cgroup.kill"), "1");
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = self.remove();
    }
}

/// The folder of the group that a supervisor has made. The runner is in the same group as it.
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
