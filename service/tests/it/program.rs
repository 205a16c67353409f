use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The program of the service.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_dragontooth-service");

/// The program in its own process, killed when dropped.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    address: SocketAddr,
    side: Option<SocketAddr>,
    web: Option<SocketAddr>,
    log: JoinHandle<Vec<String>>,
}

impl Program {
    /// Serves the log in `folder`, on a free port of the loopback.
    pub(crate) async fn serve(folder: &Path) -> Self {
        Self::serve_at(folder, "127.0.0.1:0".parse().unwrap()).await
    }

    /// Serves the log in `folder`, on free ports of the loopback, with these settings.
    pub(crate) async fn serve_with(folder: &Path, flags: &[&str]) -> Self {
        Self::start(with(folder, flags)).await
    }

    /// The same on a system that trusts the authorities in the file `roots`.
    pub(crate) async fn serve_trusting(folder: &Path, roots: &Path, flags: &[&str]) -> Self {
        let mut command = with(folder, flags);
        command.env("SSL_CERT_FILE", roots);
        Self::start(command).await
    }

    /// Serves the log in `folder` at an address.
    pub(crate) async fn serve_at(folder: &Path, address: SocketAddr) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(arguments(folder, address));
        Self::start(command).await
    }

    /// Serves the log in `folder` and reports its progress to the socket `notify`.
    pub(crate) async fn serve_notifying(folder: &Path, notify: &Path) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(arguments(folder, "127.0.0.1:0".parse().unwrap()));
        command.env("NOTIFY_SOCKET", notify);
        Self::start(command).await
    }

    /// Serves the log in `folder`, whose files cannot grow beyond `blocks` blocks of 512 bytes.
    pub(crate) async fn serve_with_small_files(folder: &Path, blocks: u32) -> Self {
        // Without the trap, the system ends a program that writes too much.
        let script = format!(r#"trap "" XFSZ; ulimit -f {blocks}; exec "$0" "$@""#);
        let mut command = Command::new("sh");
        command.args(["-c", &script, PROGRAM]);
        command.args(arguments(folder, "127.0.0.1:0".parse().unwrap()));
        command.args(["--side-listen", "127.0.0.1:0"]);
        Self::start(command).await
    }

    /// Serves the log in `folder` with SIGHUP as a terminal sets it, even if the tests ignore it.
    pub(crate) async fn serve_with_hangups(folder: &Path) -> Self {
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP", PROGRAM]);
        command.args(arguments(folder, "127.0.0.1:0".parse().unwrap()));
        Self::start(command).await
    }

    /// Serves the log in `folder` and ignores SIGHUP, like a program started by `nohup`.
    pub(crate) async fn serve_without_hangups(folder: &Path) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", r#"trap "" HUP; exec "$0" "$@""#, PROGRAM]);
        command.args(arguments(folder, "127.0.0.1:0".parse().unwrap()));
        Self::start(command).await
    }

    /// Starts to serve the log in `folder` and is killed after a time, however far it got.
    pub(crate) async fn kill_in_start(folder: &Path, address: SocketAddr, after: Duration) {
        let mut command = Command::new(PROGRAM);
        command.args(arguments(folder, address));
        let mut child = spawn(command);
        let ended = timeout(after, child.wait()).await;
        assert!(ended.is_err(), "it ended by itself: {ended:?}");
        child.kill().await.unwrap();
    }

    /// The same as [`Program::serve_with`]; but if the program ends before it serves, its exit status and log.
    pub(crate) async fn try_serve_with(
        folder: &Path,
        flags: &[&str],
    ) -> Result<Self, (ExitStatus, Vec<String>)> {
        let mut command = Command::new(PROGRAM);
        command.args(arguments(folder, "127.0.0.1:0".parse().unwrap()));
        command.args(flags);
        Self::try_start(command).await
    }

    /// Serves the log in a database, on free ports of the loopback.
    pub(crate) async fn serve_database(url: &str) -> Self {
        Self::serve_database_at(url, "127.0.0.1:0".parse().unwrap(), &[]).await
    }

    /// The same at an address and with these flags.
    pub(crate) async fn serve_database_at(url: &str, listen: SocketAddr, flags: &[&str]) -> Self {
        Self::start(of_database(url, listen, flags)).await
    }

    /// Starts the command and waits until it reports its address.
    async fn start(command: Command) -> Self {
        Starting::new(command).serves().await
    }

    async fn try_start(command: Command) -> Result<Self, (ExitStatus, Vec<String>)> {
        Starting::new(command).try_serves().await
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the side port.
    pub(crate) fn side(&self) -> SocketAddr {
        self.side.expect("it was started with one")
    }

    /// The address of the web page.
    pub(crate) fn web(&self) -> SocketAddr {
        self.web.expect("it was started with one")
    }

    /// The memory that the process has in use.
    pub(crate) fn resident_bytes(&self) -> usize {
        let id = self.child.id().expect("the process runs");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let (_, resident) = status.split_once("VmRSS:").unwrap();
        let (kibibytes, _) = resident.trim_start().split_once(" kB").unwrap();
        kibibytes.parse::<usize>().unwrap() * 1024
    }

    /// Kills the process at once.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Kills the process after a time if it has not ended.
    pub(crate) async fn kill_after(mut self, time: Duration) {
        if timeout(time, self.child.wait()).await.is_err() {
            self.kill().await;
        }
    }

    /// Sends a signal.
    pub(crate) async fn signal(&self, name: &str) {
        send_signal(&self.child, name).await;
    }

    /// Waits for the end. Returns the exit status and the log.
    pub(crate) async fn wait(mut self) -> (ExitStatus, Vec<String>) {
        let status = self.child.wait().await.unwrap();
        (status, self.log.await.unwrap())
    }
}

/// The program before it serves, killed when dropped.
#[derive(Debug)]
pub(crate) struct Starting {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
    read: Vec<String>,
}

impl Starting {
    fn new(command: Command) -> Self {
        let mut child = spawn(command);
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let read = Vec::new();
        Self { child, lines, read }
    }

    /// Begins to serve the log in a database, on free ports of the loopback.
    pub(crate) fn on_database(url: &str) -> Self {
        Self::new(of_database(url, "127.0.0.1:0".parse().unwrap(), &[]))
    }

    /// Waits until it logs a line with this text.
    pub(crate) async fn says(&mut self, text: &str) {
        while !self.read.last().is_some_and(|line| line.contains(text)) {
            let line = self.lines.next_line().await.unwrap();
            self.read
                .push(line.unwrap_or_else(|| panic!("it ended: {:#?}", self.read)));
        }
    }

    /// The address of the side port, which it has opened.
    pub(crate) fn side(&self) -> SocketAddr {
        self.address_of("side port open")
            .expect("it was started with one")
    }

    /// Waits until it reports its address.
    pub(crate) async fn serves(self) -> Program {
        let serves = self.try_serves().await;
        serves.unwrap_or_else(|(status, log)| panic!("the program ended, {status}: {log:#?}"))
    }

    async fn try_serves(mut self) -> Result<Program, (ExitStatus, Vec<String>)> {
        let address = loop {
            let Some(line) = self.lines.next_line().await.unwrap() else {
                return Err((self.child.wait().await.unwrap(), self.read));
            };
            let address = address_in(&line, "serving");
            self.read.push(line);
            if let Some(address) = address {
                break address;
            }
        };
        Ok(Program {
            address,
            side: self.address_of("side port open"),
            web: self.address_of("web page open"),
            child: self.child,
            log: tokio::spawn(read_on(self.lines, self.read)),
        })
    }

    fn address_of(&self, message: &str) -> Option<SocketAddr> {
        self.read.iter().find_map(|line| address_in(line, message))
    }

    /// Ends it with SIGTERM. Returns the exit status and the log.
    pub(crate) async fn stop(mut self) -> (ExitStatus, Vec<String>) {
        send_signal(&self.child, "TERM").await;
        let status = self.child.wait().await.unwrap();
        (status, read_on(self.lines, self.read).await)
    }
}

/// The command that serves the log in a database.
fn with(folder: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments(folder, "127.0.0.1:0".parse().unwrap()));
    // If a flag is given twice, the last one counts.
    command.args(["--side-listen", "127.0.0.1:0"]).args(flags);
    command
}

fn of_database(url: &str, listen: SocketAddr, flags: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["serve", "--log", url, "--listen", &listen.to_string()]);
    command.args(["--log-format", "json", "--side-listen", "127.0.0.1:0"]);
    command.args(flags);
    command
}

async fn send_signal(child: &Child, name: &str) {
    let id = child.id().expect("the process runs").to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status();
    assert!(sent.await.unwrap().success());
}

/// Runs the program to its end. Returns its exit code and standard error.
pub(crate) async fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> (i32, String) {
    let output = quiet(Command::new(PROGRAM).args(arguments))
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    assert_eq!(output.stdout, b"", "standard output stays empty");
    let code = output.status.code().expect("it was not killed");
    (code, String::from_utf8(output.stderr).unwrap())
}

/// Runs the program to its end with only `variables` as its environment. Returns its exit code,
/// standard output and standard error.
pub(crate) async fn ask(arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let output = quiet(Command::new(PROGRAM).args(arguments))
        .envs(variables.iter().copied())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let code = output.status.code().expect("it was not killed");
    let [told, said] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (code, told, said)
}

/// The arguments that serve the log in `folder` at an address.
pub(crate) fn arguments(folder: &Path, address: SocketAddr) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let address = address.to_string();
    let arguments = ["serve", "--data", folder, "--listen", &address];
    let json = ["--log-format", "json", "--side-listen", "off"];
    arguments
        .into_iter()
        .chain(json)
        .map(str::to_owned)
        .collect()
}

fn spawn(mut command: Command) -> Child {
    quiet(&mut command)
        .env("RUST_LOG", "info")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// The command without the program's environment variables.
pub(crate) fn quiet(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DRAGONTOOTH_") || name == "RUST_LOG" {
            command.env_remove(name);
        }
    }
    command
}

fn address_in(line: &str, message: &str) -> Option<SocketAddr> {
    let start = format!(r#""message":"{message}","address":""#);
    let (_, rest) = line.split_once(&start)?;
    rest.split('"').next()?.parse().ok()
}

async fn read_on(mut lines: Lines<BufReader<ChildStderr>>, mut read: Vec<String>) -> Vec<String> {
    while let Ok(Some(line)) = lines.next_line().await {
        read.push(line);
    }
    read
}
