use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use dragontooth_service_client::ServerAddress;

/// The service in a separate process; killed when dropped.
pub(crate) struct Program {
    child: Child,
    address: ServerAddress,
    /// The address of its web page, if it has one.
    web: Option<SocketAddr>,
    // Read no further: the service says little at `warn`.
    _log: BufReader<ChildStderr>,
}

impl Program {
    /// Serves the log in `folder`.
    pub(crate) fn serve(folder: &Path) -> Self {
        Self::serve_with(folder, &[])
    }

    /// Serves the log in `folder` with these settings.
    pub(crate) fn serve_with(folder: &Path, flags: &[&str]) -> Self {
        let folder = folder
            .to_str()
            .expect("a temporary folder has a plain name");
        Self::start(&[&["--data", folder], flags].concat())
    }

    /// Serves the log in a database.
    pub(crate) fn serve_database(address: &str) -> Self {
        Self::start(&["--log", address])
    }

    /// Runs another command of the program.
    pub(crate) fn run(arguments: &[&str]) {
        let done = command().args(arguments).output();
        let done = done.expect("the program is built");
        assert!(done.status.success(), "{done:?}");
    }

    fn start(flags: &[&str]) -> Self {
        let mut child = command()
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(["--side-listen", "off", "--log-format", "json"])
            .args(flags)
            .env("RUST_LOG", "warn,dragontooth_service::server=info")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program is built");
        let mut log = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut web = None;
        let address = loop {
            let mut line = String::new();
            let read = log.read_line(&mut line).expect("it is text");
            assert!(read > 0, "the service ended");
            if let Some((_, rest)) = line.split_once(r#""message":"web page open","address":""#) {
                let address = rest.split('"').next().unwrap_or_default();
                web = Some(address.parse().expect("an address"));
            }
            if let Some((_, rest)) = line.split_once(r#""message":"serving","address":""#) {
                let address = rest.split('"').next().unwrap_or_default();
                break format!("http://{address}").parse().expect("an address");
            }
        };
        Self {
            child,
            address,
            web,
            _log: log,
        }
    }

    pub(crate) fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// The address of its web page.
    pub(crate) fn web(&self) -> SocketAddr {
        self.web.expect("it was started with one")
    }

    /// The memory that it has of the system, in KiB.
    pub(crate) fn resident_kib(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("a system with /proc");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        number
            .and_then(|number| number.parse().ok())
            .expect("a number of KiB")
    }

    /// Ends it by SIGTERM; returns the time that it took.
    pub(crate) fn stop(mut self) -> Duration {
        let started = Instant::now();
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &id]).status();
        assert!(sent.expect("there is a program kill").success());
        let status = self.child.wait().expect("it is a child");
        assert!(status.success(), "{status}");
        started.elapsed()
    }
}

/// The program, without settings from the environment.
fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dragontooth-service"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DRAGONTOOTH_") {
            command.env_remove(name);
        }
    }
    command
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
