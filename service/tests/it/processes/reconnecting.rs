use std::num::NonZeroUsize;
use std::time::Duration;

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionOptions, Summary, ThinkingPool, Until};
use dragontooth_games::Seat;
use dragontooth_service_client::{Client, Resume, WatchUpdate, WatchedEvent};
use dragontooth_service_vocabulary::{MatchId, NewMatch, PlayerId, Sequence, Termination};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::program::Program;
use crate::raw::Raw;
use crate::replayed::assert_replays;
use crate::served::{client, lone_address};

const MATCHES: u32 = 4;
/// Number of events seen before a kill.
const BEFORE_KILL: usize = 150;
const KILLS: usize = 2;
/// Longer than any restart.
const PATIENCE: Duration = Duration::from_mins(1);

/// Two bots play several matches; the service is killed under them and comes back. They reconnect
/// and continue, and watchers see every event once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_play_on_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Program::serve_at(folder.path(), lone_address()).await;
    let address = program.address();
    let organiser = client(address, "organiser").await;
    let mut bots = JoinSet::new();
    let mut players = Vec::new();
    for name in ["left", "right"] {
        let client = client(address, name).await;
        players.push(client.who_am_i().await.unwrap());
        bots.spawn(play(client));
    }
    let (tell, mut told) = unbounded_channel();
    let mut watches = JoinSet::new();
    for number in 0..MATCHES {
        let match_id = create(&organiser, &players, number).await;
        watches.spawn(watch(organiser.clone(), match_id, tell.clone()));
    }
    drop(tell);
    for _ in 0..KILLS {
        for _ in 0..BEFORE_KILL {
            told.recv().await.expect("the matches continue");
        }
        program.kill().await;
        program = Program::serve_at(folder.path(), address).await;
    }
    let raw = Raw::connect(address, "organiser").await;
    for (match_id, events) in watches.join_all().await {
        let record = organiser.export_match(match_id, None).await.unwrap();
        assert_eq!(events, record.events);
        let outcome = record.view.outcome.unwrap();
        assert_eq!(outcome.termination, Termination::Normal);
        assert_replays(&raw.export(&match_id.to_string()).await.unwrap());
    }
    let summaries: Vec<Summary> = bots.join_all().await;
    assert_eq!(summaries[0].won, summaries[1].lost);
    assert_eq!(summaries[0].won + summaries[0].lost, MATCHES);
}

/// A bot that plays all its matches to the end.
async fn play(client: Client) -> Summary {
    let spec: BotSpec = "random".parse().unwrap();
    let pool = ThinkingPool::new(NonZeroUsize::MIN).unwrap();
    let options = SessionOptions {
        until: Until::Matches(MATCHES),
        patience: PATIENCE,
        ..SessionOptions::default()
    };
    let session = Session::new(client, pool, options, move |info| Ok(spec.make(info)?));
    session.run(std::future::pending()).await.unwrap()
}

async fn create(organiser: &Client, players: &[PlayerId], number: u32) -> MatchId {
    let mut new = NewMatch::new("kamisado", 7);
    new.title = format!("match {number}").parse().unwrap();
    for (seat, player) in Seat::BOTH.into_iter().zip(players) {
        new.reserved[seat.index()] = Some(*player);
    }
    organiser.create_match(new).await.unwrap().id
}

/// All events of a match, from one watch that lasts through every restart.
async fn watch(
    client: Client,
    match_id: MatchId,
    tell: UnboundedSender<()>,
) -> (MatchId, Vec<WatchedEvent>) {
    let mut watch = client.watch(match_id, Sequence::START, Resume::For(PATIENCE));
    let mut seen = Vec::new();
    while let Some(update) = watch.next().await {
        if let WatchUpdate::Events(events) = update.unwrap() {
            for event in events {
                seen.push(event);
                // Nothing is counted after the last kill.
                let _ = tell.send(());
            }
        }
    }
    (match_id, seen)
}
