//! A cluster of PostgreSQL under Patroni, each server with its Patroni on a machine of its own.

use std::ffi::OsStr;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::timeout;

use super::machine::{self, Machine};
use crate::database_server;
use crate::mount::skip;
use crate::served::lone_address;

const PROGRAMS: [&str; 4] = ["patroni", "etcd", "unshare", "setpriv"];

/// The settings of a member, with names in braces for what is its own.
const SETTINGS: &str = include_str!("patroni.yml");

/// The time limit for what the cluster does by itself.
const PATIENCE: Duration = Duration::from_mins(2);

const PORT: u16 = 5432;

/// Three servers and the etcd by which they agree. All is killed when it is dropped.
#[derive(Debug)]
pub(super) struct Cluster {
    patroni: PathBuf,
    members: Vec<Member>,
    told: watch::Sender<Told>,
    etcd: Machine,
    _store: TempDir,
}

/// A server and its Patroni.
#[derive(Debug)]
struct Member {
    machine: Option<Machine>,
    folder: TempDir,
    address: IpAddr,
}

/// The state that the members report.
#[derive(Clone, Debug)]
struct Told {
    /// The primary, once it has a synchronous standby.
    primary: Option<usize>,
    /// The members that follow a primary.
    follow: [bool; 3],
}

impl Cluster {
    /// Starts a cluster and waits until its primary has a synchronous standby. `None`, with a notice, where that cannot
    /// be.
    pub(super) async fn start(test: &str) -> Option<Self> {
        let postgresql = database_server::programs()?;
        let programs = PROGRAMS.map(|name| (name, machine::find(name)));
        if let Some((name, _)) = programs.iter().find(|(_, found)| found.is_none()) {
            skip(
                test,
                &format!("it needs `{name}` (apt-get install patroni etcd-server)"),
            );
            return None;
        }
        if !machine::can_start().await {
            skip(test, "it needs root, for namespaces of processes");
            return None;
        }
        let [patroni, etcd, ..] = programs.map(|(_, found)| found.unwrap());
        let (told, _) = watch::channel(Told {
            primary: None,
            follow: [false; 3],
        });
        let store = lone_address().ip();
        let store_folder = tempfile::tempdir().unwrap();
        database_server::give_away(store_folder.path());
        let etcd = start_etcd(&etcd, store_folder.path(), store);
        let mut members = Vec::new();
        for number in 0..3 {
            let folder = database_server::new_folder(&postgresql);
            let address = lone_address().ip();
            let settings = SETTINGS
                .replace("{NAME}", &format!("db{number}"))
                .replace("{ADDRESS}", &address.to_string())
                .replace("{ETCD}", &store.to_string())
                .replace("{PROGRAMS}", postgresql.to_str().unwrap())
                .replace("{FOLDER}", folder.path().to_str().unwrap());
            fs::write(folder.path().join("patroni.yml"), settings).unwrap();
            members.push(Member {
                machine: None,
                folder,
                address,
            });
        }
        let mut cluster = Self {
            patroni,
            members,
            told,
            etcd,
            _store: store_folder,
        };
        for number in 0..3 {
            cluster.start_member(number);
        }
        cluster.settles().await;
        Some(cluster)
    }

    /// The address of the log for a service, with all hosts.
    pub(super) fn url(&self) -> String {
        let hosts: Vec<_> = self
            .members
            .iter()
            .map(|member| SocketAddr::new(member.address, PORT).to_string())
            .collect();
        format!("postgres://postgres@{}/postgres", hosts.join(","))
    }

    /// Kills the primary with its Patroni at once, `after` a time. Returns its number.
    pub(super) async fn kill_primary(&mut self, after: Duration) -> usize {
        let number = self.told.borrow().primary.expect("the cluster has settled");
        let machine = self.members[number].machine.take().unwrap();
        machine.kill_after(after).await;
        // What it has said last is known by now.
        self.told.send_modify(|told| {
            told.follow[number] = false;
            told.primary = None;
        });
        number
    }

    /// Waits until there is another primary with a synchronous standby.
    pub(super) async fn promotes(&self) {
        self.told_that(|told| told.primary.is_some()).await;
    }

    /// Starts a killed member again, and waits until it follows the primary.
    pub(super) async fn start_again(&mut self, number: usize) {
        self.start_member(number);
        self.settles().await;
    }

    /// Kills everything. Returns when it has ended.
    pub(super) async fn stop(self) {
        let machines = self
            .members
            .into_iter()
            .map(|member| (member.machine, member.folder));
        for (machine, _folder) in machines {
            if let Some(machine) = machine {
                machine.kill_after(Duration::ZERO).await;
            }
        }
        self.etcd.kill_after(Duration::ZERO).await;
    }

    fn start_member(&mut self, number: usize) {
        let member = &mut self.members[number];
        // The process that it names has ended, but another one may have its id in the new namespace.
        let _ = fs::remove_file(member.folder.path().join("data/postmaster.pid"));
        let settings = member.folder.path().join("patroni.yml");
        let command = [self.patroni.as_os_str(), settings.as_os_str()];
        let told = self.told.clone();
        let machine = Machine::start(&format!("db{number}"), &command, move |line| {
            if line.contains("Synchronous standby status assigned to") {
                told.send_modify(|told| told.primary = Some(number));
            } else if line.contains("a secondary, and following a leader") {
                told.send_modify(|told| told.follow[number] = true);
            }
        });
        member.machine = Some(machine);
    }

    /// Waits until the primary has a synchronous standby and all others follow it.
    async fn settles(&self) {
        self.told_that(|told| {
            let follow = told.follow.iter().enumerate();
            told.primary.is_some_and(|primary| {
                follow
                    .into_iter()
                    .all(|(at, follows)| *follows || at == primary)
            })
        })
        .await;
    }

    async fn told_that(&self, is_so: impl FnMut(&Told) -> bool) {
        let mut told = self.told.subscribe();
        let waited = timeout(PATIENCE, told.wait_for(is_so)).await;
        assert!(
            waited.is_ok(),
            "the cluster stands still: {:?}",
            self.told.borrow()
        );
    }
}

fn start_etcd(program: &Path, folder: &Path, address: IpAddr) -> Machine {
    let (clients, peers) = (
        format!("http://{address}:2379"),
        format!("http://{address}:2380"),
    );
    let data = folder.join("data");
    let cluster = format!("default={peers}");
    let arguments = [
        ["--data-dir", data.to_str().unwrap()],
        ["--listen-client-urls", &clients],
        ["--advertise-client-urls", &clients],
        ["--listen-peer-urls", &peers],
        ["--initial-advertise-peer-urls", &peers],
        ["--initial-cluster", &cluster],
    ];
    let mut command = vec![program.as_os_str()];
    command.extend(arguments.as_flattened().iter().map(OsStr::new));
    Machine::start("etcd", &command, |_| ())
}
