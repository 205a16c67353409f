//! Three services on one log, in simulated time: messages are late or lost, services are cut off and killed, and players ask several
//! at once. Everything follows from a seed.

mod draws;
mod log;
mod players;
mod service;
mod sessions;

use std::collections::HashSet;
use std::env;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dragontooth_games::{Seat, catalogue};
use dragontooth_service_domain::{Command, replay};
use dragontooth_service_store::MatchLog;
use dragontooth_service_vocabulary::{
    Grace, MatchEvent, MatchId, NewMatch, PlayerId, PlayerName, Recorded, Termination, TimeControl,
};
use futures::future::join_all;
use tokio::runtime;
use tokio::time::{sleep, timeout};

use self::draws::Draws;
use self::log::{Database, Line};
use self::players::{GRACES, LIMIT, SimulatedPlayer, Told};
use self::service::SimulatedService;
use super::Matches;
use crate::limits::CallerKey;

/// Simulations, unless `SERVICE_TEST_SIMULATIONS` sets another number.
const SIMULATIONS: u64 = 1000;

/// The most by which the clocks of the services differ, and what their timers are late.
const TOLERANCE: Duration = Duration::from_millis(30);

/// The services, some of which may just have been replaced.
#[derive(Clone)]
struct Services(Arc<Mutex<Vec<SimulatedService>>>);

impl Services {
    fn matches(&self, at: u64) -> Arc<Matches> {
        Arc::clone(&self.0.lock().unwrap()[usize::try_from(at).unwrap()].matches)
    }

    /// Sets the line of one service.
    fn set(&self, at: usize, line: Line) {
        self.0.lock().unwrap()[at].log.set(line);
    }
}

/// `SERVICE_TEST_SIMULATION` selects one seed.
#[test]
fn services_on_one_log_agree() {
    let seeds = match number("SERVICE_TEST_SIMULATION") {
        Some(seed) => seed..seed + 1,
        None => 0..simulations().div_ceil(2),
    };
    assert_agreement(seeds);
}

/// The second half of the simulations, at the same time.
#[test]
fn services_on_one_log_agree_again() {
    let seeds = simulations().div_ceil(2)..simulations();
    // A single simulation is one of the first half.
    if number("SERVICE_TEST_SIMULATION").is_none() && simulations() != 1 {
        assert_agreement(seeds);
    }
}

fn simulations() -> u64 {
    number("SERVICE_TEST_SIMULATIONS").unwrap_or(SIMULATIONS)
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap())
}

fn assert_agreement(seeds: Range<u64>) {
    let (mut actions, mut repeated, mut timeouts, mut absences) = (0, 0, 0, 0);
    for seed in seeds.clone() {
        println!("SERVICE_TEST_SIMULATION={seed}");
        let mut runtime = runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build().unwrap();
        let played = runtime.block_on(async {
            let simulated = timeout(Duration::from_hours(2), simulate(seed)).await;
            simulated.expect("every match comes to an end")
        });
        actions += played.told.accepted.len();
        repeated += played.told.repeated;
        timeouts += usize::from(played.termination == Termination::Timeout);
        absences += usize::from(played.termination == Termination::Disconnect);
    }
    println!(
        "{seeds:?}: {actions} actions, {repeated} repeated requests, {timeouts} timeouts, {absences} absences"
    );
    assert!(actions > 0);
    // Few of them may come to no disturbance.
    let count = seeds.end - seeds.start;
    if count >= 100 {
        assert!(actions as u64 > count && repeated > 0 && timeouts > 0 && absences > 0);
    }
}

/// A match whose players ask only the first of two services, which is killed then.
#[test]
fn only_who_is_asked_follows_a_match() {
    let mut runtime = runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let limit = Duration::from_mins(2);
        let database = Database::new(Draws::new(1));
        let first = SimulatedService::start(&database).await;
        let second = SimulatedService::start(&database).await;
        let players = [1, 2].map(|byte| PlayerId::from_bytes([byte; 16]));
        let mut new = NewMatch::new("kamisado", 1);
        new.time_controls = [Some(TimeControl::PerAction { limit }); 2];
        let id = first.matches.create(new, players[0]).await.unwrap();
        for (seat, player) in Seat::BOTH.into_iter().zip(players) {
            first.matches.ask(id, joining(seat, player)).await.unwrap();
        }
        sleep(Duration::from_secs(1)).await;
        assert!(second.matches.live(id).is_none(), "nobody has asked it");
        let found = second.matches.find(id, CallerKey::SERVICE).await.unwrap();
        assert!(found.with(|facts| facts.due.is_some()));
        assert!(second.matches.live(id).is_some());
        sleep(Duration::from_secs(70)).await;
        assert!(second.matches.live(id).is_none(), "it has let go of it");
        let known = first.matches.live(id).expect("it sees to the clock");
        assert_eq!(known.state().result(), None);
        first.kill();
        // Nobody asks for it any more.
        sleep(limit + Duration::from_secs(30)).await;
        let found = second.matches.find(id, CallerKey::SERVICE).await.unwrap();
        let end = found.with(|facts| facts.end.map(|(end, at)| (end.termination, at)));
        let (termination, ended) = end.expect("the clock has ended it");
        assert_eq!(termination, Termination::Timeout);
        let created = found.with(|facts| facts.created_at);
        assert!(ended.since(created) >= limit, "{ended:?}");
    });
}

/// A match whose one player has a stream at a service that is cut off, and whose other player is away for too long while the clock of
/// the first one is up and still that service's to end.
#[test]
fn a_grace_that_ends_after_a_clock_waits_for_it() {
    let mut runtime = runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let second = Duration::from_secs(1);
        let (limit, grace) = (second * 9, second * 10);
        let database = Database::new(Draws::new(1));
        let first = SimulatedService::start(&database).await;
        let other = SimulatedService::start(&database).await;
        let players = [1, 2].map(|byte| PlayerId::from_bytes([byte; 16]));
        let _stream = first.matches.open_stream(players[0], false, None).unwrap();
        let mut new = NewMatch::new("kamisado", 1);
        new.time_controls = [Some(TimeControl::PerAction { limit }); 2];
        new.disconnect_grace = Some(Grace::new(grace).unwrap());
        let id = first.matches.create(new, players[0]).await.unwrap();
        for (seat, player) in Seat::BOTH.into_iter().zip(players) {
            first.matches.ask(id, joining(seat, player)).await.unwrap();
        }
        let begun = first.matches.now();
        let found = other.matches.find(id, CallerKey::SERVICE).await.unwrap();
        let due = found.with(|facts| facts.due.map(|due| due.seat));
        assert_eq!(due, Some(Seat::First));
        sleep(second * 7).await;
        first.log.set(Line::Away);
        sleep(second * 13).await;
        let found = other.matches.find(id, CallerKey::SERVICE).await.unwrap();
        let (end, at) = found
            .with(|facts| facts.end.map(|(end, at)| (end.clone(), at)))
            .expect("somebody ends the clock");
        assert_eq!(end.termination, Termination::Timeout);
        assert_eq!(end.winner, Some(Seat::Second));
        // The clock of the stream's service goes on for as long as that may be heard of.
        let late = at.since(begun).saturating_sub(limit);
        assert!(late <= second * 8, "{late:?}");
    });
}

/// A service that started after a jump of the database's clock is ahead of one that follows it slowly.
#[test]
fn nobody_pays_or_gains_by_a_service_whose_clock_differs() {
    let mut runtime = runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let second = Duration::from_secs(1);
        let database = Database::new(Draws::new(1));
        let services = [
            SimulatedService::start_on(database.connect_ahead(Duration::ZERO)).await,
            SimulatedService::start_on(database.connect_ahead(second * 20)).await,
        ];
        let players = [1, 2].map(|byte| PlayerId::from_bytes([byte; 16]));
        let streams = [0, 1].map(|at: usize| {
            let opened = services[at].matches.open_stream(players[at], false, None);
            opened.unwrap()
        });
        let mut new = NewMatch::new("kamisado", 1);
        let limit = second * 60;
        new.time_controls = [Some(TimeControl::PerAction { limit }); 2];
        let first = &services[0].matches;
        let id = first.create(new, players[0]).await.unwrap();
        for (seat, player) in Seat::BOTH.into_iter().zip(players) {
            first.ask(id, joining(seat, player)).await.unwrap();
        }
        for action in 0..4 {
            let (here, there) = (action % 2, 1 - action % 2);
            let [at, heard] = [here, there].map(|at| &services[at].matches);
            sleep(second * 30).await;
            let found = at.find(id, CallerKey::SERVICE).await.unwrap();
            let due = found.decision(id).unwrap();
            let act = Command::Act {
                player: players[here],
                decision: due.decision,
                action: due.legal_actions.iter().next().unwrap().to_owned(),
                thinking: None,
                request_id: None,
            };
            let before = heard.now();
            at.ask(id, act).await.unwrap();
            let start = loop {
                let due = heard.live(id).and_then(|live| live.state().due());
                if let Some(due) = due
                    && due.seat.index() == there
                {
                    break due.since;
                }
                sleep(Duration::from_millis(10)).await;
            };
            assert!(before <= start, "action {action}: {before:?} {start:?}");
            let now = heard.now();
            assert!(start <= now, "action {action}: {start:?} {now:?}");
        }
        drop(streams);
    });
}

/// More matches than are read at once, all without a service from the same moment on.
#[test]
fn every_match_of_a_service_that_is_gone_ends_in_time() {
    let mut runtime = runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let second = Duration::from_secs(1);
        let limit = second * 120;
        let database = Database::new(Draws::new(1));
        let first = SimulatedService::start(&database).await;
        let other = SimulatedService::start(&database).await;
        let ids = join_all((0..1200).map(|number| begin_at(&first, number, limit))).await;
        let begun = first.matches.now();
        first.kill();
        sleep(limit + second * 60).await;
        for id in ids {
            let found = other.matches.find(id, CallerKey::SERVICE).await.unwrap();
            let ended = found.with(|facts| facts.end.map(|(_, at)| at));
            let late = ended
                .expect("it is over")
                .since(begun)
                .saturating_sub(limit);
            assert!(late <= second * 20, "{late:?}");
        }
    });
}

/// The clock of a match whose service was killed is up while the next one reads the log.
#[test]
fn no_clock_runs_while_a_service_reads_the_log() {
    let mut runtime = runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let second = Duration::from_secs(1);
        let limit = second * 20;
        let database = Database::new(Draws::new(1));
        let first = SimulatedService::start(&database).await;
        let id = begin_at(&first, 0, limit).await;
        first.kill();
        let next = SimulatedService::start_on(database.connect_slow(second * 60)).await;
        let ready = next.matches.now();
        sleep(limit + second * 30).await;
        let found = next.matches.find(id, CallerKey::SERVICE).await.unwrap();
        let ended = found.with(|facts| facts.end.map(|(_, at)| at));
        let ran = ended.expect("it is over").since(ready);
        assert!(ran >= limit, "{ran:?}");
    });
}

/// Half of the matches of a service that is gone cannot be read by the other one.
#[test]
fn a_match_that_cannot_be_read_delays_no_other() {
    let mut runtime = runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let second = Duration::from_secs(1);
        let limit = second * 20;
        let database = Database::new(Draws::new(1));
        let first = SimulatedService::start(&database).await;
        let other = SimulatedService::start(&database).await;
        let ids = join_all((0..20).map(|number| begin_at(&first, number, limit))).await;
        let begun = first.matches.now();
        first.kill();
        for id in ids.iter().step_by(2) {
            other.log.refuse(*id);
        }
        sleep(limit + second * 60).await;
        for id in ids.into_iter().skip(1).step_by(2) {
            let found = other.matches.find(id, CallerKey::SERVICE).await.unwrap();
            let ended = found.with(|facts| facts.end.map(|(_, at)| at));
            let ran = ended.expect("it is over").since(begun);
            assert!(ran <= limit + second * 20, "{ran:?}");
        }
    });
}

/// Every look at the log finds the damage again.
#[test]
fn the_damage_of_a_followed_match_is_logged_once() {
    let logged = tempfile::NamedTempFile::new().unwrap();
    let to = Arc::new(logged.reopen().unwrap());
    let subscriber = tracing_subscriber::fmt().with_writer(to).finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let mut runtime = runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let database = Database::new(Draws::new(1));
        let service = SimulatedService::start(&database).await;
        let id = begin_at(&service, 0, Duration::from_hours(1)).await;
        database.damage(id).await;
        sleep(Duration::from_secs(30)).await;
    });
    let logged = std::fs::read_to_string(logged.path()).unwrap();
    let found = logged.matches("match is not followed").count();
    assert_eq!(found, 1, "{logged}");
}

/// A match with a limit for each action, of two players of its own.
async fn begin_at(service: &SimulatedService, number: u64, limit: Duration) -> MatchId {
    let players = [1, 2].map(|seat: u8| {
        let mut id = [seat; 16];
        id[..8].copy_from_slice(&number.to_be_bytes());
        PlayerId::from_bytes(id)
    });
    let mut new = NewMatch::new("kamisado", 1);
    new.time_controls = [Some(TimeControl::PerAction { limit }); 2];
    let id = service.matches.create(new, players[0]).await.unwrap();
    for (seat, player) in Seat::BOTH.into_iter().zip(players) {
        service
            .matches
            .ask(id, joining(seat, player))
            .await
            .unwrap();
    }
    id
}

/// A player takes a seat.
fn joining(seat: Seat, player: PlayerId) -> Command {
    Command::Join {
        player,
        seat: Some(seat),
        name: PlayerName::new("a name").unwrap().into(),
        seed: None,
        request_id: None,
    }
}

struct Played {
    told: Told,
    termination: Termination,
}

async fn simulate(seed: u64) -> Played {
    let draws = Draws::new(seed);
    let database = Database::new(draws.clone());
    let mut services = Vec::new();
    for _ in 0..3 {
        services.push(SimulatedService::start(&database).await);
    }
    let services = Services(Arc::new(Mutex::new(services)));
    let players = [1, 2].map(|byte| PlayerId::from_bytes([byte; 16]));
    let id = begin(&services, players, &draws).await;
    let told = Arc::<Mutex<Told>>::default();
    let playing = Seat::BOTH.into_iter().zip(players).map(|(seat, player)| {
        let player = SimulatedPlayer {
            id: player,
            seat,
            match_id: id,
            services: services.clone(),
            draws: draws.clone(),
            told: Arc::clone(&told),
        };
        player.play()
    });
    tokio::select! {
        biased;
        _ = join_all(playing) => {}
        () = disturb(&services, &database, &draws) => {}
    }
    for at in 0..3 {
        services.set(at, Line::Here);
    }
    // By then everyone has heard of everything.
    sleep(Duration::from_secs(20)).await;
    let told = std::mem::take(&mut *told.lock().unwrap());
    let termination = check(&services, id, &told).await;
    Played { told, termination }
}

/// A match that two services are asked to create at once, with both players.
async fn begin(services: &Services, players: [PlayerId; 2], draws: &Draws) -> MatchId {
    let game = draws.one_of(catalogue::GAMES);
    let mut new = NewMatch::new(game.name, game.variants()[0].targets.usual[0]);
    new.seed = Some("a seed".parse().unwrap());
    new.request_id = Some("the-match".parse().unwrap());
    new.time_controls = [Some(TimeControl::PerAction { limit: LIMIT }); 2];
    let grace = Grace::new(*draws.one_of(&GRACES)).unwrap();
    new.disconnect_grace = draws.one_in(2).then_some(grace);
    let creating = [0, 1].map(|at| {
        let (matches, new) = (services.matches(at), new.clone());
        async move { matches.create(new, players[0]).await.unwrap() }
    });
    let ids = join_all(creating).await;
    let id = ids[0];
    assert_eq!(ids, [id; 2]);
    let joining = Seat::BOTH.into_iter().zip(players).map(|(seat, player)| {
        let matches = services.matches(draws.below(3));
        let join = joining(seat, player);
        async move { matches.ask(id, join).await.unwrap() }
    });
    join_all(joining).await;
    id
}

/// Cuts services off, and kills them, one after another and several at once.
async fn disturb(services: &Services, database: &Arc<Database>, draws: &Draws) {
    // A service that is cut off starts the clocks again, so that nobody loses on time if that happens all the time.
    let most = *draws.one_of(&[3_000, 120_000]);
    loop {
        sleep(draws.millis(most)).await;
        let at = usize::try_from(draws.below(3)).unwrap();
        if draws.one_in(3) {
            let next = SimulatedService::start(database).await;
            let mut services = services.0.lock().unwrap();
            std::mem::replace(&mut services[at], next).kill();
        } else if draws.one_in(2) {
            services.set(at, Line::Away);
            sleep(draws.millis(10_000)).await;
            services.set(at, Line::Here);
        } else {
            // Until it is killed, or cut off and back.
            services.set(at, Line::Away);
        }
    }
}

/// Compares what players were told, what each service has, and the log.
async fn check(services: &Services, id: MatchId, told: &Told) -> Termination {
    let log = Arc::clone(&services.0.lock().unwrap()[0].log);
    let events = MatchLog::new(log)
        .read(id, MatchLog::start(id), usize::MAX)
        .await;
    let events = events.unwrap();
    let end = events.last().unwrap().head;
    let events: Vec<Recorded> = events.into_iter().map(|entry| entry.recorded).collect();
    let state = replay(&events).unwrap().unwrap();
    let mut played = Vec::new();
    for recorded in &events {
        let MatchEvent::ActionPlayed {
            action, request_id, ..
        } = &recorded.event
        else {
            continue;
        };
        played.push(recorded.sequence);
        let request_id = request_id.clone().unwrap();
        assert!(!told.refused.contains(&request_id), "{request_id:?} counts");
        if let Some(accepted) = told.accepted.get(&recorded.sequence) {
            assert_eq!(*accepted, (action.clone(), request_id));
        }
    }
    let sequences: HashSet<_> = played.iter().collect();
    let lost = told.accepted.keys().find(|at| !sequences.contains(at));
    assert_eq!(lost, None, "an accepted action is lost");
    let termination = state.result().unwrap().termination;
    if termination == Termination::Timeout {
        let [.., due, ended] = &events[..] else {
            panic!("a match that is lost on time has begun");
        };
        assert!(
            ended.time.since(due.time) + TOLERANCE >= LIMIT,
            "{due:?} {ended:?}"
        );
    }
    for at in 0..3 {
        let found = services.matches(at).find(id, CallerKey::SERVICE).await;
        let head = found.unwrap().with(|facts| facts.head);
        assert_eq!(head, end, "service {at}");
    }
    termination
}
