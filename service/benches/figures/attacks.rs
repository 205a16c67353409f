use std::fs;
use std::future::pending;
use std::path::Path;
use std::time::{Duration, Instant};

use dragontooth_service::OfflineTokens;
use dragontooth_service_client::{Client, Tls, Token};
use dragontooth_service_vocabulary::{IdentityName, NewToken, Scope};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tonic::codegen::http::Uri;

use self::attack::EVERY_ATTACK;
use self::entrance::{Entrance, tls_file};
use crate::figure::figure;
use crate::neighbour::{Neighbour, ready, wait_for_end};
use crate::program::Program;
use crate::scale::Scale;
use crate::times::{HEAD, Times};

#[path = "../../tests/it/attacks/attack.rs"]
mod attack;
#[path = "../../tests/it/attacks/attacker.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "it is made for tests, which need more of it"
)]
mod attacker;
#[path = "../../tests/it/attacks/entrance.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "it is made for tests, which need more of it"
)]
mod entrance;
#[path = "../../tests/it/attacks/frames.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "it is made for tests, which need more of it"
)]
mod frames;

/// The role of a neighbour that attacks.
pub(crate) const ROLE: &str = "attackers";

/// The connections that an address may have.
const CONNECTIONS: usize = 24;
/// Calls of the honest client before an attack, and after all of it is under way.
const CALLS: usize = 1000;
const CALLS_AFTER: usize = 100;
/// Repetitions of each attack, each on a new service.
const ROUNDS: usize = 5;

/// The attacks, by the number of each in [`EVERY_ATTACK`] or all of them, and their connections.
const ATTACKS: &[(&str, &str, usize)] = &[
    ("unfinished requests", "0", CONNECTIONS),
    ("headers alone", "1", CONNECTIONS),
    ("unread answers", "2", CONNECTIONS),
    ("growing requests", "3", CONNECTIONS),
    ("idle connections", "4", 80 * CONNECTIONS),
    ("all of them", ALL, CONNECTIONS),
    ("all, come and go", ALL, 20 * CONNECTIONS),
];

const ALL: &str = "all";

/// Prints the latency of an honest client's calls, alone and from the moment at which an attack begins until a while after
/// all of it is under way. Client, service and attackers have a process each, and that of the attackers gets only the time
/// that the others leave, as if they were on other machines.
pub(crate) fn print(scale: Scale) {
    let runtime = Runtime::new().expect("tokio starts");
    println!("WhoAmI of a client with a token, in milliseconds");
    println!("{:<29}{HEAD}", "attack");
    for with_tls in [false, true] {
        let what = if with_tls { ", TLS" } else { "" };
        let mut alone = Vec::new();
        for (name, attack, connections) in ATTACKS {
            let mut times = Vec::new();
            for _ in 0..scale.count(ROUNDS) {
                let target = Target::start(&runtime, with_tls);
                alone.extend(target.alone());
                times.extend(target.under(attack, *connections));
            }
            let times = Times::new(times);
            println!("{:<29}{}", format!("{name}{what}"), times.row());
            let name = format!("attacks/{name}{what}")
                .replace(", ", "/")
                .replace(' ', "_");
            figure(&name, times.millis(990), "ms");
        }
        let alone = Times::new(alone);
        println!("{:<29}{}", format!("none{what}"), alone.row());
        let name = format!("attacks/none{what}").replace(", ", "/");
        figure(&name, alone.millis(990), "ms");
    }
}

/// A service that accepts only issued tokens, and an honest client of it.
struct Target<'a> {
    runtime: &'a Runtime,
    program: Program,
    honest: Client,
    with_tls: bool,
    _folder: tempfile::TempDir,
}

impl<'a> Target<'a> {
    fn start(runtime: &'a Runtime, with_tls: bool) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let token = runtime.block_on(issue(folder.path()));
        let [cert, key] = ["server.pem", "server.key"].map(|name| tls_file(name).into_os_string());
        let [cert, key] = [cert, key].map(|path| path.into_string().expect("a path is text"));
        let mut flags = vec!["--auth", "tokens"];
        if with_tls {
            flags.extend(["--tls-cert", &cert, "--tls-key", &key]);
        }
        let program = Program::serve_with(folder.path(), &flags);
        let tls = if with_tls {
            let ca = fs::read(tls_file("ca.pem")).expect("it is there");
            Tls::default().with_ca(ca)
        } else {
            Tls::default()
        };
        let mut address = program.address().clone();
        if with_tls {
            let authority = address.to_string().replace("http://", "https://");
            address = authority.parse().expect("an address");
        }
        let honest = runtime.block_on(Client::connect_with(&address, &token, &tls));
        Self {
            runtime,
            program,
            honest: honest.expect("the service accepts connections"),
            with_tls,
            _folder: folder,
        }
    }

    /// The times of calls before any attack.
    fn alone(&self) -> Vec<Duration> {
        (0..CALLS).map(|_| self.call()).collect()
    }

    /// The times of calls under an attack.
    fn under(&self, attack: &str, connections: usize) -> Vec<Duration> {
        let arguments = [
            self.program.address().to_string(),
            attack.to_owned(),
            connections.to_string(),
            self.with_tls.to_string(),
        ];
        let mut attackers = Neighbour::start(ROLE, &arguments);
        attackers.begin();
        let mut times = Vec::new();
        while attackers.said().is_none() {
            times.push(self.call());
        }
        times.extend((0..CALLS_AFTER).map(|_| self.call()));
        times
    }

    fn call(&self) -> Duration {
        let begun = Instant::now();
        let called = self.runtime.block_on(self.honest.who_am_i());
        called.expect("the token is good");
        begun.elapsed()
    }
}

/// Issues a token with the scope `play` in the folder of a service that does not run yet.
async fn issue(folder: &Path) -> Token {
    let offline = OfflineTokens::open(folder).await.expect("a new folder");
    let new = NewToken {
        name: IdentityName::new("an honest bot").expect("a name"),
        scopes: [Scope::Play].into_iter().collect(),
        ttl: None,
        request_id: None,
    };
    let (_, secret) = offline.issue(new).await.expect("the disk has room");
    offline.close().await;
    Token::new(secret).expect("the service issues tokens")
}

/// Attacks, in a neighbour, until that is to end. Says when all attacks are under way.
pub(crate) fn attack(arguments: &[String]) {
    let [address, attack, connections, with_tls] = arguments else {
        unreachable!("it is started above");
    };
    let address: Uri = address.parse().expect("an address");
    let address = address.authority().expect("an address").as_str();
    let address = address.parse().expect("an address");
    let entrance = if with_tls == "true" {
        Entrance::with_tls(address)
    } else {
        Entrance::plain(address)
    };
    let attacks = match attack.parse::<usize>() {
        Ok(number) => &EVERY_ATTACK[number..=number],
        Err(_) => &EVERY_ATTACK[..],
    };
    let connections = connections.parse().expect("a number");
    let attacks = attacks.iter().cycle().take(connections);
    let runtime = Runtime::new().expect("tokio starts");
    ready();
    let (sender, mut under_way) = mpsc::unbounded_channel();
    for attack in attacks {
        let (entrance, sender) = (entrance.clone(), sender.clone());
        runtime.spawn(async move {
            let held = attack.run(&entrance).await;
            // It is received until all have been.
            let _ = sender.send(());
            pending::<()>().await;
            drop(held);
        });
    }
    for _ in 0..connections {
        under_way.blocking_recv();
    }
    println!("under way");
    wait_for_end();
}
