//! PostgreSQL servers of a test, each in a folder of its own on a free port of the loopback.

use std::{
    env,
    fs::{self, Permissions},
    io::{BufRead, BufReader},
    net::TcpListener,
    os::unix::{
        fs::{PermissionsExt, chown, symlink},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread::{self, JoinHandle},
    time::Duration,
};

use dragontooth_service_postgres::{PostgresLog, PostgresOptions};
use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// The user for servers of a test that root runs: PostgreSQL refuses root.
pub(crate) const NOBODY: u32 = 65534;

/// The line with which a server is ready.
const READY: &str = "database system is ready to accept";

/// The time limit for a server to start.
const START_TIMEOUT: Duration = Duration::from_mins(1);

/// Settings of every server. Connections from this machine need no password. Shared memory is in files of the
/// server's own folder, because a killed server leaves it behind.
const SETTINGS: &[&str] = &[
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=16MB",
    "dynamic_shared_memory_type=mmap",
    "wal_keep_size=512MB",
    "log_min_messages=warning",
    "autovacuum=off",
];

/// Returns the folder of PostgreSQL's programs; `None` if they are not installed, which is a failure in the CI.
pub(crate) fn programs() -> Option<PathBuf> {
    let of_debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut folders: Vec<_> = of_debian
        .flatten()
        .map(|version| version.path().join("bin"))
        .filter(|folder| folder.join("initdb").exists())
        .collect();
    folders.sort();
    let on_path = env::var_os("PATH");
    let on_path = on_path.iter().flat_map(env::split_paths);
    let found = folders.pop().or_else(|| {
        on_path
            .into_iter()
            .find(|folder| folder.join("initdb").exists())
    });
    if found.is_none() {
        assert!(
            env::var_os("CI").is_none(),
            "PostgreSQL is not installed (apt-get install postgresql)"
        );
        println!("skipped: PostgreSQL is not installed (apt-get install postgresql)");
    }
    found
}

/// A server. It is killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
    settings: Vec<String>,
    process: Child,
    /// Prints its output until all of its processes have ended.
    printer: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server with these settings beside the usual ones; `None` without PostgreSQL.
    pub(crate) fn start(settings: &[&str]) -> Option<Self> {
        let programs = programs()?;
        let folder = new_folder(&programs);
        Some(Self::start_in(programs, folder, settings))
    }

    /// Starts a server with a synchronous standby; `None` without PostgreSQL.
    pub(crate) fn start_pair() -> Option<(Self, Self)> {
        let primary = Self::start(&["synchronous_standby_names=ANY 1 (standby)"])?;
        let standby = primary.start_standby("standby");
        Some((primary, standby))
    }

    /// Starts a standby of this name.
    pub(crate) fn start_standby(&self, name: &str) -> Self {
        // Both begin as the same folder, as after a backup.
        let folder = new_folder(&self.programs);
        fs::write(folder.path().join("data/standby.signal"), "").unwrap();
        let port = self.port;
        let source = format!(
            "primary_conninfo=host=127.0.0.1 port={port} user=postgres application_name={name}"
        );
        Self::start_in(self.programs.clone(), folder, &[&source])
    }

    /// Starts a server whose data are in the empty folder `data`, with these settings beside the usual ones; `None`
    /// without PostgreSQL.
    pub(crate) fn start_on(data: &Path, settings: &[&str]) -> Option<Self> {
        let programs = programs()?;
        let folder = tempfile::tempdir().unwrap();
        give_away(folder.path());
        symlink(data, folder.path().join("data")).unwrap();
        copy(&template(&programs), data);
        Some(Self::start_in(programs, folder, settings))
    }

    /// Starts a server with this certificate and key; `None` without PostgreSQL.
    pub(crate) fn start_with_tls(certificate: &Path, key: &Path) -> Option<Self> {
        let programs = programs()?;
        let folder = new_folder(&programs);
        let data = folder.path().join("data");
        for (from, name) in [(certificate, "server.crt"), (key, "server.key")] {
            let to = data.join(name);
            fs::copy(from, &to).unwrap();
            fs::set_permissions(&to, Permissions::from_mode(0o600)).unwrap();
            give_away(&to);
        }
        Some(Self::start_in(programs, folder, &["ssl=on"]))
    }

    fn start_in(programs: PathBuf, folder: TempDir, settings: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let settings: Vec<_> = settings.iter().map(|text| (*text).to_owned()).collect();
        let (process, printer) = run(&programs, folder.path(), port, &settings);
        Self {
            programs,
            folder,
            port,
            settings,
            process,
            printer: Some(printer),
        }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The options of a log in the database `postgres`.
    pub(crate) fn options(&self) -> PostgresOptions {
        options(&self.address())
    }

    pub(crate) fn address(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Opens a log in the database `postgres`.
    pub(crate) async fn open(&self) -> PostgresLog {
        PostgresLog::open(&self.options()).await.unwrap()
    }

    /// A connection of its own.
    pub(crate) async fn connect(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.address(), NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        client
    }

    /// Runs statements as the superuser.
    pub(crate) async fn execute(&self, statements: &str) {
        self.connect()
            .await
            .batch_execute(statements)
            .await
            .unwrap();
    }

    /// The processor time of all its processes, with those that have ended.
    pub(crate) fn processor_time(&self) -> Duration {
        let all = self.children().into_iter().chain([self.pid()]);
        let ticks: u64 = all.map(|process| ticks(process).unwrap_or_default()).sum();
        Duration::from_secs(ticks) / u32::try_from(clock_ticks_per_second()).unwrap()
    }

    /// Kills all of its processes at once.
    pub(crate) fn kill(&mut self) {
        // No new ones begin meanwhile.
        self.stop();
        for child in self.children() {
            // It may have ended.
            let _ = kill_process(child, Signal::KILL);
        }
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        // One that has not quite ended would keep a new server from this folder.
        if let Some(printer) = self.printer.take() {
            printer.join().unwrap();
        }
    }

    /// Starts it again after it was killed.
    pub(crate) fn start_again(&mut self) {
        let settings = &self.settings;
        let (process, printer) = run(&self.programs, self.folder.path(), self.port, settings);
        self.process = process;
        self.printer = Some(printer);
    }

    /// Stops all of its processes, which keep their connections.
    pub(crate) fn pause(&self) {
        self.stop();
        for child in self.children() {
            let _ = kill_process(child, Signal::STOP);
        }
    }

    /// Lets them go on.
    pub(crate) fn resume(&self) {
        for process in self.children().into_iter().chain([self.pid()]) {
            let _ = kill_process(process, Signal::CONT);
        }
    }

    /// Makes a standby the primary.
    pub(crate) async fn promote(&self) {
        self.execute("SELECT pg_promote(true, 30)").await;
    }

    /// Removes the segment by which a server knows that another one uses its folder: a killed one leaves it behind.
    fn remove_shared_memory(&self) {
        let noted = fs::read_to_string(self.folder.path().join("data/postmaster.pid"));
        let noted = noted.unwrap_or_default();
        let key_and_id = noted.lines().nth(6).unwrap_or_default();
        if let Some(id) = key_and_id.split_whitespace().nth(1) {
            // It may be gone.
            let _ = Command::new("ipcrm").args(["--shmem-id", id]).output();
        }
    }

    fn stop(&self) {
        kill_process(self.pid(), Signal::STOP).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// The process that starts the others.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    fn children(&self) -> Vec<Pid> {
        let id = self.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
        let ids = children.split_whitespace().map(|id| id.parse().unwrap());
        ids.filter_map(Pid::from_raw).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            self.kill();
        }
        self.remove_shared_memory();
    }
}

/// The processor time of a process and of those of its children that have ended; `None` if it has ended itself.
fn ticks(process: Pid) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    let (_, fields) = status.rsplit_once(')').unwrap();
    let times = fields.split_whitespace().skip(11).take(4);
    Some(times.map(|time| time.parse::<u64>().unwrap()).sum())
}

/// The options for an address.
pub(crate) fn options(address: &str) -> PostgresOptions {
    PostgresOptions::new(address.parse().unwrap())
}

/// A folder with a new cluster in `data`, which the user for servers may write to.
pub(crate) fn new_folder(programs: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    give_away(folder.path());
    copy(&template(programs), &folder.path().join("data"));
    folder
}

/// The cluster that all servers begin with, made once: making one takes seconds.
fn template(programs: &Path) -> PathBuf {
    let name = programs.to_string_lossy().replace('/', "-");
    let kept = option_env!("CARGO_TARGET_TMPDIR").map_or_else(
        || env::current_exe().unwrap().with_file_name("tmp"),
        PathBuf::from,
    );
    fs::create_dir_all(&kept).unwrap();
    let template = kept.join(format!("cluster{name}"));
    if !template.exists() {
        let made = tempfile::tempdir().unwrap();
        give_away(made.path());
        let mut initdb = command(programs, "initdb");
        initdb.arg("--pgdata").arg(made.path().join("data"));
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8"]);
        initdb.args(["--locale=C", "--no-sync", "--data-checksums"]);
        let done = initdb.output().unwrap();
        assert!(done.status.success(), "{done:?}");
        let copied = tempfile::tempdir_in(&kept).unwrap();
        copy(&made.path().join("data"), copied.path());
        // Another test may have been quicker.
        let _ = fs::rename(copied.path(), &template);
    }
    template
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    give_away(to);
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
            give_away(&target);
        }
    }
}

/// Gives a file to the user for servers.
pub(crate) fn give_away(path: &Path) {
    if geteuid().is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

fn command(programs: &Path, name: &str) -> Command {
    let mut command = Command::new(programs.join(name));
    command.env_clear().current_dir("/").stdin(Stdio::null());
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn run(programs: &Path, folder: &Path, port: u16, settings: &[String]) -> (Child, JoinHandle<()>) {
    let mut postgres = command(programs, "postgres");
    postgres.arg("-D").arg(folder.join("data"));
    postgres.arg("-p").arg(port.to_string());
    let usual = SETTINGS.iter().map(|setting| (*setting).to_owned());
    for setting in usual.chain(settings.iter().cloned()) {
        postgres.arg("-c").arg(setting);
    }
    let mut process = postgres
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(process.stderr.take().unwrap());
    let (ready, is_ready) = mpsc::channel();
    let printer = thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            // The output of a test that passes is not shown.
            println!("postgres {port}: {line}");
            if line.contains(READY) {
                let _ = ready.send(());
            }
        }
    });
    if is_ready.recv_timeout(START_TIMEOUT).is_err() {
        let _ = process.kill();
        panic!("the server does not start: {:?}", process.wait());
    }
    (process, printer)
}
