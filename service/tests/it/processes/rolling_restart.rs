//! A restart of all services on a database, one after the other, as an update does it.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Notice, Session, SessionOptions, ThinkingPool, Until};
use dragontooth_games::{Seat, catalogue};
use dragontooth_service_client::{Client, Resume, WatchUpdate, random_request_id};
use dragontooth_service_vocabulary::{NewMatch, PlayerId, Sequence, Termination, TimeControl};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::database_server::Server;
use crate::long_run::number_of;
use crate::program::Program;
use crate::served::{lazy_client, lone_address};

/// Pairs of players with a `Play` stream each, unless `SERVICE_TEST_ROLLING_PAIRS` sets another number.
const PAIRS: usize = 15;

/// The time for an action. A player who has lost its service has to find another one in it.
const LIMIT: Duration = Duration::from_secs(20);

const SERVICES: usize = 3;

/// Bots with streams at three services play match after match while these are restarted one by one. Each finds another service, and
/// every match ends by the rules of its game.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_player_loses_by_a_rolling_restart() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let url = server.address();
    let mut services = Vec::new();
    for _ in 0..SERVICES {
        services.push(serve(&url, lone_address()).await);
    }
    let addresses: Vec<_> = services.iter().map(Program::address).collect();
    // Each knows all services, and begins at another one.
    let client = |name: &str, first: usize| {
        let mut known = addresses.clone();
        known.rotate_left(first % SERVICES);
        lazy_client(&known, name)
    };
    let stop = Arc::<AtomicBool>::default();
    let (played, mut matches) = watch::channel(0_usize);
    let (lost, mut losses) = watch::channel(0_usize);
    let (end, ended) = watch::channel(());
    let (mut bots, mut pairs) = (JoinSet::new(), JoinSet::new());
    let wanted = number_of("SERVICE_TEST_ROLLING_PAIRS", PAIRS);
    for number in 0..wanted {
        let mut players = Vec::new();
        for (seat, at) in Seat::BOTH.into_iter().zip(number..) {
            let bot = client(&format!("{seat}-{number}"), at);
            players.push(bot.who_am_i().await.unwrap());
            let lost = lost.clone();
            let session = session(bot).on_notice(move |notice| {
                if matches!(notice, Notice::Disconnected { .. }) {
                    lost.send_modify(|count| *count += 1);
                }
            });
            let mut ended = ended.clone();
            let stopped = async move {
                let _ = ended.changed().await;
            };
            bots.spawn(session.run(stopped));
        }
        let creator = client(&format!("creator-{number}"), number + 2);
        let (stop, played) = (Arc::clone(&stop), played.clone());
        pairs.spawn(async move {
            let [first, second] = players.try_into().unwrap();
            let mut games = catalogue::GAMES.iter().cycle().skip(number);
            while !stop.load(Ordering::Relaxed) {
                let game = games.next().expect("it has no end");
                play(&creator, game.name, [first, second]).await;
                played.send_modify(|count| *count += 1);
            }
        });
    }
    for at in 0..SERVICES {
        let program = services.remove(at);
        let address = program.address();
        let before = *losses.borrow();
        program.signal("TERM").await;
        let (status, log) = program.wait().await;
        assert!(status.success(), "{log:#?}");
        // Its players have noticed, and play on elsewhere.
        losses.wait_for(|now| *now > before).await.unwrap();
        let before = *matches.borrow();
        let half = |now: &usize| *now >= before + wanted / 2;
        matches.wait_for(half).await.unwrap();
        services.insert(at, serve(&url, address).await);
    }
    stop.store(true, Ordering::Relaxed);
    pairs.join_all().await;
    println!(
        "{} matches of {wanted} pairs, {} streams lost",
        *matches.borrow(),
        *losses.borrow()
    );
    drop(end);
    for bot in bots.join_all().await {
        bot.unwrap();
    }
    for program in services {
        program.kill().await;
    }
}

/// A service that lets all players come from one address at once.
async fn serve(url: &str, address: SocketAddr) -> Program {
    let flags = ["--max-connections-of-address", "10000"];
    Program::serve_database_at(url, address, &flags).await
}

fn session(bot: Client) -> Session {
    let spec: BotSpec = "random".parse().unwrap();
    let options = SessionOptions {
        until: Until::Stopped,
        ..SessionOptions::default()
    };
    let pool = ThinkingPool::new(NonZeroUsize::MIN).unwrap();
    Session::new(bot, pool, options, move |info| Ok(spec.make(info)?))
}

/// Has two bots play a match to its end.
async fn play(creator: &Client, game: &str, players: [PlayerId; 2]) {
    let game = catalogue::find(game).unwrap();
    let mut new = NewMatch::new(game.name, game.variants()[0].targets.usual[0]);
    new.reserved = players.map(Some);
    new.time_controls = [Some(TimeControl::PerAction { limit: LIMIT }); 2];
    new.request_id = Some(random_request_id());
    let id = creator.create_match(new).await.unwrap().id;
    let mut watch = creator.watch(id, Sequence::START, Resume::For(LIMIT));
    while let Some(update) = watch.next().await {
        if let WatchUpdate::Closing(_) = update.unwrap() {
            break;
        }
    }
    let outcome = creator.get_match(id).await.unwrap().outcome.unwrap();
    assert_eq!(outcome.termination, Termination::Normal, "{id}");
}
