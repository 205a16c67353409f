//! Matches whose players, spectators and creators are at different services.

use std::time::Duration;

use dragontooth_games::{Seat, catalogue};
use dragontooth_proto::v1;
use dragontooth_service::{Limits, Storage};
use dragontooth_service_client::{MatchFilter, MatchView};
use dragontooth_service_vocabulary::{NewMatch, Termination};
use futures::future::join;
use tokio::task::JoinSet;
use v1::match_event::Event;

use super::replica;
use crate::database_server::Server;
use crate::long_run::number_of;
use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::random_player::{Draws, play_by_calls, play_on_stream};
use crate::raw::Raw;
use crate::refusals::reason_of;
use crate::replayed::assert_replays;
use crate::served::Served;

/// Decisions that are answered on two services at once, unless `SERVICE_TEST_RACES` sets another number.
const RACES: usize = 200;

/// The match as two services have it, which is the same.
pub(super) async fn exported(one: &Served, other: &Served, id: &str) -> v1::ExportMatchResponse {
    let [one, other] = [one.raw("creator").await, other.raw("creator").await];
    let (record, same) = (
        one.export(id).await.unwrap(),
        other.export(id).await.unwrap(),
    );
    assert_eq!(record, same);
    assert_replays(&record);
    record
}

/// Plays a match by calls: created at the first service, and played at the others.
async fn play_calling(services: &[Served; 3], new: NewMatch, seed: u64) -> String {
    let creator = services[0].client("creator").await;
    let view = creator.create_match(new).await.unwrap();
    let mut seats = Vec::new();
    for (seat, served) in Seat::BOTH.into_iter().zip(&services[1..]) {
        let client = served.client(&format!("calling-{seat}")).await;
        let joined = client.join_match(view.id, Some(seat), "", None).await;
        assert_eq!(joined.unwrap().seat, seat);
        let draws = Draws::new(seed * 10 + u64::from(seat == Seat::Second));
        seats.push(play_by_calls(client, view.id, seat, draws));
    }
    let second = seats.pop().unwrap();
    join(seats.pop().unwrap(), second).await;
    view.id.to_string()
}

/// The same on streams, with invitations.
async fn play_streaming(services: &[Served; 3], mut new: NewMatch, seed: u64) -> String {
    let mut clients = Vec::new();
    for (seat, served) in Seat::BOTH.into_iter().zip(&services[1..]) {
        let client = served.client(&format!("streaming-{seat}")).await;
        new.reserved[seat.index()] = Some(client.who_am_i().await.unwrap());
        clients.push(client);
    }
    let creator = services[0].client("creator").await;
    let id = creator.create_match(new).await.unwrap().id;
    let [first, second] = clients.try_into().unwrap();
    let ends: (MatchView, MatchView) = {
        let first = play_on_stream(first, id, Draws::new(seed * 10));
        let second = play_on_stream(second, id, Draws::new(seed * 10 + 1));
        let (first, second) = join(first, second).await;
        (first.unwrap(), second.unwrap())
    };
    assert_eq!(ends.0, ends.1);
    let outcome = ends.0.outcome.unwrap();
    assert_eq!(outcome.termination, Termination::Normal);
    id.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_of_a_match_are_at_different_services() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let services = [
        replica(&server).await,
        replica(&server).await,
        replica(&server).await,
    ];
    for (game, seed) in catalogue::GAMES.iter().zip(1..) {
        let new = NewMatch::new(game.name, game.variants()[0].targets.usual[0]);
        let called = play_calling(&services, new.clone(), seed).await;
        let streamed = play_streaming(&services, new, seed).await;
        for id in [called, streamed] {
            exported(&services[0], &services[2], &id).await;
        }
    }
    let lists = async |served: &Served| {
        let client = served.client("creator").await;
        let page = client.list_matches(MatchFilter::default(), None).await;
        page.unwrap().items
    };
    let listed = lists(&services[0]).await;
    assert_eq!(listed.len(), catalogue::GAMES.len() * 2);
    for served in services {
        // What a list shows comes with the news.
        while lists(&served).await != listed {}
        served.stop().await;
    }
}

/// Two answers to one decision, each at another service: one counts, and the other is told so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_answers_at_once_counts() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let wanted = number_of("SERVICE_TEST_RACES", RACES);
    let (one, other) = (replica(&server).await, replica(&server).await);
    let mut draws = Draws::new(600);
    let mut raced = 0;
    while raced < wanted {
        let pair = Pair::seat(&one).await;
        let there = Pair {
            match_id: pair.match_id.clone(),
            ..Pair::connect(other.address()).await
        };
        let mut counted = Vec::new();
        while let Ok(due) = pair.creator.decision(&pair.match_id).await {
            let answer = |at: &str, draws: &mut Draws| v1::SubmitActionRequest {
                match_id: pair.match_id.clone(),
                decision_id: due.decision_id,
                action: draws.one_of(&due.legal_actions).clone(),
                request_id: format!("{at}-{}", due.decision_id),
                thinking: None,
            };
            let (at_one, at_other) = (answer("one", &mut draws), answer("other", &mut draws));
            let (at_one, at_other) = join(
                pair.player(due.seat()).submit(at_one),
                there.player(due.seat()).submit(at_other),
            )
            .await;
            let (accepted, refused) = match (at_one, at_other) {
                (Ok(accepted), Err(refused)) | (Err(refused), Ok(accepted)) => (accepted, refused),
                both => panic!("{both:?}"),
            };
            let reason = reason_of(&refused).unwrap();
            assert!(
                ["STALE_DECISION", "MATCH_ENDED"].contains(&reason.as_str()),
                "{reason}"
            );
            counted.push((accepted.sequence, accepted.action));
            raced += 1;
        }
        let record = exported(&one, &other, &pair.match_id).await;
        let played: Vec<_> = record
            .events
            .iter()
            .filter_map(|event| {
                let Some(Event::ActionPlayed(played)) = &event.event else {
                    return None;
                };
                Some((event.sequence, played.action.clone()))
            })
            .collect();
        assert_eq!(played, counted);
    }
    println!("{raced} decisions were answered twice at once");
    one.stop().await;
    other.stop().await;
}

/// The same request at two services at once, and again later, makes one match and one action.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_counts_once_wherever_it_is_repeated() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (one, other) = (replica(&server).await, replica(&server).await);
    let creators = [one.raw("creator").await, other.raw("creator").await];
    for number in 0..20 {
        let new = v1::CreateMatchRequest {
            request_id: format!("match-{number}"),
            ..to_points(1)
        };
        let create = |raw: &Raw| {
            let (raw, new) = (raw.clone(), new.clone());
            async move { raw.create(new).await.unwrap().id }
        };
        let [first, second] = &creators;
        let (id, same) = join(create(first), create(second)).await;
        assert_eq!(id, same);
        assert_eq!(create(first).await, id);
        let another = v1::CreateMatchRequest {
            target: 3,
            ..new.clone()
        };
        for creator in &creators {
            let refused = creator.create(another.clone()).await.unwrap_err();
            assert_eq!(reason_of(&refused).unwrap(), "REQUEST_ID_REUSED");
        }
    }
    let pair = Pair::seat(&one).await;
    let answer = pair.answer("again").await;
    let there = Pair::connect(other.address()).await;
    let submitted = pair.first.submit(answer.clone()).await.unwrap();
    assert_eq!(there.first.submit(answer).await.unwrap(), submitted);
    one.stop().await;
    other.stop().await;
}

/// A refused request leaves no id behind: the time in the id of a match is that of its creation. A repetition finds the match although
/// it would be refused by now.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_was_refused_gets_its_id_when_it_is_granted() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let limits = Limits {
        matches_of_player: 1,
        ..Limits::default()
    };
    let start = || Served::start(Storage::Postgres(server.options()), &limits);
    let (near, other) = (start().await, start().await);
    let creator = near.raw("creator").await;
    let request = v1::CreateMatchRequest {
        request_id: "later".to_owned(),
        ..to_points(1)
    };
    let first = creator.create(to_points(1)).await.unwrap().id;
    let refused = creator.create(request.clone()).await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "LIMIT_REACHED");
    let between = near.raw("somebody").await.create(to_points(1)).await;
    creator.abort(&first, "").await.unwrap();
    let id = creator.create(request.clone()).await.unwrap().id;
    assert!(id > between.unwrap().id, "{id}");
    let there = other.raw("creator").await;
    assert_eq!(there.create(request).await.unwrap().id, id);
    let refused = there.create(to_points(1)).await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "LIMIT_REACHED");
    near.stop().await;
    other.stop().await;
}

/// A player's clock is ended once, by the service that tells the player what is due, whichever is asked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_runs_out_once() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let limit = Duration::from_millis(400);
    let services = [replica(&server).await, replica(&server).await];
    let mut matches = Vec::new();
    for at in 0..services.len() {
        let mut new = to_points(1);
        let limit = Some(limit.try_into().unwrap());
        new.time_control = Some(v1::TimeControl {
            kind: Some(v1::time_control::Kind::PerAction(
                v1::time_control::PerAction { limit },
            )),
        });
        let [one, two] = [format!("first-{at}"), format!("second-{at}")];
        let [creator, first, second] = services[1 - at].raws(["creator", &one, &two]).await;
        let slow = services[at].raw(&one).await;
        let stream = Player::open(&slow).await;
        let id = creator.create(new).await.unwrap().id;
        first.join(&id, v1::Seat::First).await.unwrap();
        second.join(&id, v1::Seat::Second).await.unwrap();
        matches.push((creator, id, stream));
    }
    for (creator, id, stream) in matches {
        let mut watch = creator.watch(&id, 0).await.unwrap();
        while watch.message().await.unwrap().is_some() {}
        let record = exported(&services[0], &services[1], &id).await;
        let [.., started, ended] = &record.events[..] else {
            panic!("{record:?}");
        };
        assert!(matches!(started.event, Some(Event::GameStarted(_))));
        let Some(Event::MatchEnded(end)) = &ended.event else {
            panic!("{ended:?}");
        };
        let outcome = end.outcome.as_ref().unwrap();
        assert_eq!(outcome.termination(), v1::Termination::Timeout);
        drop(stream);
    }
    for served in services {
        served.stop().await;
    }
}

/// Readers, for each of whom the log is looked at, take no places in the queue of a match.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_take_no_place_of_players() {
    let Some(database) = Server::start(&[]) else {
        return;
    };
    let limits = Limits {
        match_mailbox: 1,
        ..Limits::default()
    };
    let served = Served::start(Storage::Postgres(database.options()), &limits).await;
    let pair = Pair::seat(&served).await;
    let mut readers = JoinSet::new();
    for number in 0..20 {
        let reader = served.raw(&format!("reader-{number}")).await;
        let id = pair.match_id.clone();
        readers.spawn(async move {
            while reader.get(&id).await.unwrap().state() != v1::MatchState::Ended {}
        });
    }
    pair.play_to_the_end(&mut Draws::new(1)).await;
    readers.join_all().await;
}
