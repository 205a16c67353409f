//! A PID namespace for a supervisor and its program: when the supervisor ends, however it ends, the kernel ends
//! every process in it, and a process in it sees no other.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::process::Command;

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{Signal, getgid, getpid, getuid, set_parent_process_death_signal};
use rustix::thread::{
    CapabilitySet, UnshareFlags, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, set_capabilities,
};

/// Starts this program again, with these arguments, as the first process of a namespace of its own, and waits
/// until it has ended. Returns true if it succeeded. This process must have one thread.
///
/// # Errors
///
/// There can be no namespace, or the program cannot be started.
pub fn run_inside(arguments: &[OsString]) -> io::Result<bool> {
    leave()?;
    let status = Command::new("/proc/self/exe").args(arguments).status()?;
    Ok(status.success())
}

/// Completes the namespace as its first process: it ends with the process that made it, and `/proc` shows the
/// processes in it.
///
/// # Errors
///
/// This process is not the first of a namespace, or the system does not allow it.
pub fn settle() -> io::Result<()> {
    if getpid().as_raw_nonzero().get() != 1 {
        return Err(io::Error::other(
            "this is not the first process of a namespace",
        ));
    }
    set_parent_process_death_signal(Some(Signal::KILL))?;
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    // The program does not inherit that right.
    clear_ambient_capability_set()?;
    Ok(())
}

/// Has the next child be the first process of a namespace; with a user namespace if that needs one.
fn leave() -> io::Result<()> {
    let flags = UnshareFlags::NEWPID | UnshareFlags::NEWNS;
    match unshare(flags) {
        Err(rustix::io::Errno::PERM) => {}
        done => return Ok(done?),
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(flags | UnshareFlags::NEWUSER)?;
    // The user and the group stay what they are. Without the first line the third is refused.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    // Only the root user would keep the right to mount when it starts the next program.
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?;
    Ok(())
}

#[expect(
    deprecated,
    reason = "it is unsafe for file descriptor tables alone, which these flags leave shared"
)]
fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    rustix::thread::unshare(flags)
}
