use std::future::pending;
use std::time::Instant;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::attack::{Attack, EVERY_ATTACK};
use super::entrance::{Entrance, tls_file};
use super::issue;
use crate::program::Program;
use crate::raw::Raw;

/// The most that the service may grow by what one address does without a token.
const MOST_BYTES: usize = 64 << 20;

/// The connections that an address may have.
const CONNECTIONS: usize = 24;

/// A service that accepts only issued tokens, and an honest client of it.
struct Target {
    program: Program,
    entrance: Entrance,
    honest: Raw,
    resident_before: usize,
    _folder: tempfile::TempDir,
}

impl Target {
    async fn start(with_tls: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secret = issue(folder.path()).await;
        let [cert, key] = ["server.pem", "server.key"].map(|name| tls_file(name).into_os_string());
        let [cert, key] = [cert, key].map(|path| path.into_string().unwrap());
        let mut flags = vec!["--auth", "tokens"];
        if with_tls {
            flags.extend(["--tls-cert", &cert, "--tls-key", &key]);
        }
        let program = Program::serve_with(folder.path(), &flags).await;
        let entrance = if with_tls {
            Entrance::with_tls(program.address())
        } else {
            Entrance::plain(program.address())
        };
        let authorization = format!("Bearer {secret}");
        let honest = Raw::over(entrance.channel().await, Some(&authorization));
        honest.who_am_i().await.unwrap();
        Self {
            resident_before: program.resident_bytes(),
            program,
            entrance,
            honest,
            _folder: folder,
        }
    }

    /// Makes the attacks, each on its own connection, while the honest client goes on. They are held
    /// until all are under way, and a little longer. Returns the number of connections that the service ended.
    async fn withstand(&self, attacks: impl IntoIterator<Item = Attack>) -> usize {
        let mut connections = JoinSet::new();
        let (sender, mut under_way) = mpsc::unbounded_channel();
        for attack in attacks {
            let (entrance, sender) = (self.entrance.clone(), sender.clone());
            connections.spawn(async move {
                let held = attack.run(&entrance).await;
                sender.send(held.is_ok()).unwrap();
                pending::<()>().await;
                drop(held);
            });
        }
        drop(sender);
        let (mut times, mut grown, mut ended, mut left) = (Vec::new(), 0, 0, 100);
        let mut waiting = connections.len();
        while left > 0 {
            while let Ok(is_held) = under_way.try_recv() {
                waiting -= 1;
                ended += usize::from(!is_held);
            }
            left -= usize::from(waiting == 0);
            let begun = Instant::now();
            self.honest.who_am_i().await.unwrap();
            times.push(begun.elapsed());
            let resident = self.program.resident_bytes();
            grown = grown.max(resident.saturating_sub(self.resident_before));
            assert!(grown <= MOST_BYTES, "it has grown by {} MiB", grown >> 20);
        }
        times.sort_unstable();
        let calls = times.len();
        let slow = times[calls * 99 / 100];
        println!(
            "grown by {} MiB; {calls} calls of others, p99 {slow:?}; {ended} of {} connections ended",
            grown >> 20,
            connections.len()
        );
        ended
    }
}

async fn withstand_alone(attack: Attack) {
    let target = Target::start(false).await;
    // The honest client's connection counts for its player.
    let ended = target.withstand([attack; CONNECTIONS]).await;
    assert_eq!(ended, 0, "the attack did not go on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_requests_cost_little() {
    withstand_alone(Attack::UnfinishedRequests).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_without_requests_cost_little() {
    withstand_alone(Attack::HeadersAlone).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_are_not_read_cost_little() {
    withstand_alone(Attack::UnreadAnswers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_grow_cost_little() {
    withstand_alone(Attack::GrowingRequests).await;
}

/// Eighty times as many as an address may have, so that the oldest are closed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_cost_little() {
    let target = Target::start(false).await;
    let attacks = [Attack::Idleness; 80 * CONNECTIONS];
    target.withstand(attacks).await;
}

/// Every attack at once, on all the connections that an address may have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_attacks_together_cost_little() {
    for with_tls in [false, true] {
        let target = Target::start(with_tls).await;
        let attacks = EVERY_ATTACK.into_iter().cycle().take(CONNECTIONS);
        let ended = target.withstand(attacks).await;
        assert_eq!(ended, 0, "the attacks did not go on");
    }
}

/// Every attack at once, on connections whose number lets the service close them all the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attacks_on_connections_that_come_and_go_cost_little() {
    for with_tls in [false, true] {
        let target = Target::start(with_tls).await;
        let attacks = EVERY_ATTACK.into_iter().cycle().take(20 * CONNECTIONS);
        target.withstand(attacks).await;
    }
}
