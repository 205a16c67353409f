use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::geteuid;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::database_server::NOBODY;

/// The first process of a machine: its end is that of all others, and it reaps them. It ends with its input, so that
/// nothing outlives the test, however that ends.
const INIT: &str = r#""$@" & cat >/dev/null; exit"#;

/// Processes that live and die together, as on a machine of their own: they are alone in a namespace.
#[derive(Debug)]
pub(super) struct Machine {
    child: Child,
    _input: ChildStdin,
    printer: JoinHandle<()>,
}

impl Machine {
    /// Runs a command, as a user without rights. `hear` gets each line that it writes.
    pub(super) fn start(
        name: &str,
        command: &[&OsStr],
        mut hear: impl FnMut(&str) + Send + 'static,
    ) -> Self {
        let mut machine = unshare();
        machine.args(["sh", "-c", INIT, "sh", "setpriv", "--clear-groups"]);
        machine
            .arg(format!("--reuid={NOBODY}"))
            .arg(format!("--regid={NOBODY}"));
        machine
            .args(command)
            .stderr(Stdio::piped())
            .stdin(Stdio::piped());
        let mut child = machine.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let name = name.to_owned();
        let printer = tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                println!("{name}: {line}");
                hear(&line);
            }
        });
        Self {
            child,
            _input: input,
            printer,
        }
    }

    /// Kills all processes at once, after a time. Returns when they have ended and all that they wrote was heard.
    pub(super) async fn kill_after(mut self, after: Duration) {
        let ended = timeout(after, self.child.wait()).await;
        assert!(ended.is_err(), "it ended by itself: {ended:?}");
        self.child.kill().await.unwrap();
        self.printer.await.unwrap();
    }
}

/// Returns true if this user may start machines.
pub(super) async fn can_start() -> bool {
    geteuid().is_root()
        && unshare()
            .arg("true")
            .status()
            .await
            .is_ok_and(|status| status.success())
}

/// Finds a program on the path.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut files = env::split_paths(&path).map(|folder| folder.join(name));
    files.find(|file| file.exists())
}

fn unshare() -> Command {
    let mut command = Command::new("unshare");
    command.args([
        "--pid",
        "--ipc",
        "--mount-proc",
        "--fork",
        "--kill-child",
        "--",
    ]);
    command
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default());
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command.kill_on_drop(true);
    command
}
