use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use dragontooth_bots_engines::supervise::cgroup::Cgroup;
use dragontooth_bots_engines::supervise::{clear_environment, own_executable};

/// The means of the kernel by which the processes of a program are held together, as far as they are allowed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// A PID namespace: nothing in it outlives its supervisor.
    pub namespace: bool,
    /// A control group: all processor time is counted, and all of its processes can be killed at once.
    pub cgroup: bool,
}

impl Isolation {
    /// Those of this system, found out once.
    #[must_use]
    pub fn of_this_system() -> Self {
        static FOUND: OnceLock<Isolation> = OnceLock::new();
        *FOUND.get_or_init(|| Self {
            namespace: can_have_namespace(),
            cgroup: Cgroup::is_available(),
        })
    }
}

/// Tries it, because many things may forbid it.
fn can_have_namespace() -> bool {
    let Ok(own) = own_program() else {
        return false;
    };
    let mut command = Command::new(own);
    command.args(["supervise", "--grace-ms", "0", "--namespace", "--probe"]);
    command.args(["--", "nothing"]);
    clear_environment(&mut command);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The executable that supervises: this one, or that of the package in its tests, whose executables are one folder
/// below it.
pub(super) fn own_program() -> io::Result<PathBuf> {
    let own = own_executable()?;
    let folder = own.parent();
    if folder.and_then(Path::file_name) == Some("deps".as_ref()) {
        let package = folder.and_then(Path::parent).unwrap_or(Path::new(""));
        return Ok(package.join("dragontooth-runner"));
    }
    Ok(own)
}
