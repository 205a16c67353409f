use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A file system in memory with a size limit, without root: it is in its own namespace
/// and disappears with it.
#[derive(Debug)]
pub(crate) struct SmallDisk {
    holder: Child,
    path: PathBuf,
}

impl SmallDisk {
    /// Creates one of `size` MiB, or returns why that is not possible here.
    pub(crate) fn of_mebibytes(size: u32, at: &Path) -> Result<Self, String> {
        // It lasts until its standard input ends.
        let script =
            format!("mount -t tmpfs -o size={size}m tmpfs \"$0\" && echo ready && exec cat");
        let mut holder = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
            .arg(at)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("unshare: {error}"))?;
        let mut said = String::new();
        let output = holder.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut said).unwrap();
        if said != "ready\n" {
            let ended = holder.wait_with_output().unwrap();
            return Err(String::from_utf8_lossy(&ended.stderr).trim().to_owned());
        }
        let root = PathBuf::from(format!("/proc/{}/root", holder.id()));
        let path = root.join(at.strip_prefix("/").expect("it is a whole path"));
        Ok(Self { holder, path })
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// Reports on the test run's own output that a test cannot run here. In the CI that is a failure.
pub(crate) fn skip(test: &str, why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{test}: {why}");
    // Not `eprintln`, whose output the test harness captures.
    let mut output = std::io::stderr().lock();
    writeln!(output, "\n{test}: SKIPPED: {why}").unwrap();
}
