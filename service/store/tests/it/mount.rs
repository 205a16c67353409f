//! File systems that a test mounts.

use std::{
    env,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

/// A mounted file system; unmounted when dropped.
#[derive(Debug)]
pub(crate) struct Mount {
    at: PathBuf,
}

impl Mount {
    /// Mounts the file system in the file `image`.
    pub(crate) fn image(image: &Path, at: &Path) -> Result<Self, String> {
        Self::new(&["-o", "loop", "-t", "ext4"], image, at)
    }

    /// Mounts an empty file system in memory with `options`.
    pub(crate) fn memory(options: &str, at: &Path) -> Result<Self, String> {
        Self::new(&["-o", options, "-t", "tmpfs"], Path::new("tmpfs"), at)
    }

    /// Changes the options of the mounted file system.
    pub(crate) fn remount(&self, options: &str) {
        run(Command::new("mount")
            .args(["-o", &format!("remount,{options}")])
            .arg(&self.at))
        .unwrap();
    }

    fn new(options: &[&str], source: &Path, at: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(at).unwrap();
        run(Command::new("mount").args(options).arg(source).arg(at))?;
        Ok(Self { at: at.to_owned() })
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if run(Command::new("umount").arg(&self.at)).is_err() {
            // A failed test may leave a user; the file system goes when that one does.
            let _ = run(Command::new("umount").arg("--lazy").arg(&self.at));
        }
    }
}

/// Runs a command and returns what it complained of if it failed.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

/// Prints on the output of the test run, even if the test passes, what a test did.
pub(crate) fn announce(test: &str, what: &str) {
    // Not `eprintln`, which the test harness keeps to itself.
    let mut output = io::stderr().lock();
    writeln!(output, "\n{test}: {what}").unwrap();
}

/// Announces that a test cannot run here. In the CI that is a failure.
pub(crate) fn skip(test: &str, why: &str) {
    assert!(env::var_os("CI").is_none(), "{test}: {why}");
    announce(test, &format!("SKIPPED: {why}"));
}
