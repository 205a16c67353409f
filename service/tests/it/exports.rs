//! Exports of many matches: the same as exporting each of those on a list.

use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::{Config, Limits, Storage};
use dragontooth_service_client::{ExportUpdate, MatchFilter, Resume};
use dragontooth_service_vocabulary::{ListOrder, MatchId};
use prost::Message;
use tonic::{Status, Streaming};
use v1::export_matches_response::Response;
use v1::{CloseReason, MatchOrder, MatchState, Seat, Visibility};

use crate::backups::change;
use crate::pair::{Pair, to_points};
use crate::raw::Raw;
use crate::refusals::{fact, reason_of};
use crate::served::Served;

/// A message about a match.
#[derive(Clone, Debug, PartialEq)]
enum Sent {
    Record(Box<v1::ExportMatchResponse>),
    /// The id, and the reason of the refusal.
    Refused(String, Option<String>),
}

impl Sent {
    fn id(&self) -> &str {
        match self {
            Self::Record(record) => &record.r#match.as_ref().unwrap().id,
            Self::Refused(id, _) => id,
        }
    }
}

/// An export that is read message by message.
struct Export {
    stream: Streaming<v1::ExportMatchesResponse>,
    /// The last resume token.
    token: String,
    heartbeats: usize,
}

impl Export {
    async fn open(raw: &Raw, request: v1::ExportMatchesRequest) -> Result<Self, Status> {
        let answer = raw.matches.clone().export_matches(request).await?;
        Ok(Self {
            stream: answer.into_inner(),
            token: String::new(),
            heartbeats: 0,
        })
    }

    /// The message about the next match, or the reason for the end; `None` inside if it is finished.
    async fn next(&mut self) -> Result<Sent, Option<CloseReason>> {
        loop {
            let message = self.stream.message().await.unwrap().unwrap();
            self.token = message.resume_token;
            match message.response.unwrap() {
                Response::Record(record) => return Ok(Sent::Record(record)),
                Response::Refused(refused) => {
                    let status = refused.status.unwrap();
                    let details = status.encode_to_vec().into();
                    let status = Status::with_details(status.code.into(), status.message, details);
                    return Ok(Sent::Refused(refused.match_id, reason_of(&status)));
                }
                Response::Heartbeat(heartbeat) => {
                    assert!(heartbeat.server_time.is_some());
                    self.heartbeats += 1;
                }
                Response::Finished(_) => {
                    assert!(self.stream.message().await.unwrap().is_none());
                    return Err(None);
                }
                Response::Closing(closing) => {
                    assert!(self.stream.message().await.unwrap().is_none());
                    return Err(Some(closing.reason()));
                }
            }
        }
    }

    /// The rest, with the token after each, up to the end.
    async fn rest(&mut self) -> Vec<(Sent, String)> {
        let mut all = Vec::new();
        loop {
            match self.next().await {
                Ok(sent) => all.push((sent, self.token.clone())),
                Err(end) => {
                    assert_eq!(end, None);
                    return all;
                }
            }
        }
    }
}

fn oldest_first() -> v1::ExportMatchesRequest {
    v1::ExportMatchesRequest {
        order: MatchOrder::OldestFirst.into(),
        ..v1::ExportMatchesRequest::default()
    }
}

async fn export(raw: &Raw, request: v1::ExportMatchesRequest) -> Vec<(Sent, String)> {
    Export::open(raw, request).await.unwrap().rest().await
}

/// Matches that are over after a few actions.
async fn ended(served: &Served, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        let pair = Pair::seat(served).await;
        pair.play().await.unwrap();
        pair.first.resign(&pair.match_id, "").await.unwrap();
        ids.push(pair.match_id);
    }
    ids
}

/// A caller gets what it would get by listing the matches and exporting each: those of other games, private ones and
/// those with a delay included.
#[tokio::test]
async fn an_export_is_that_of_each_match_of_a_list() {
    let served = Served::in_memory().await;
    let mut news = vec![to_points(1)];
    for (visibility, seconds) in [(Visibility::Private, 0), (Visibility::Public, 3600)] {
        news.push(v1::CreateMatchRequest {
            visibility: visibility.into(),
            spectator_delay: Some(prost_types::Duration { seconds, nanos: 0 }),
            ..to_points(1)
        });
    }
    news.push(v1::CreateMatchRequest {
        game: "linja".to_owned(),
        ..to_points(1)
    });
    let players = served.raws(["first", "second"]).await;
    for mut new in news {
        for (player, seat) in players.iter().zip([Seat::First, Seat::Second]) {
            new.reservations.push(v1::Reservation {
                seat: seat.into(),
                player_id: player.who_am_i().await.unwrap(),
            });
        }
        for is_over in [true, false] {
            let pair = Pair::seat_on(served.address(), new.clone()).await;
            pair.play().await.unwrap();
            if is_over {
                pair.first.resign(&pair.match_id, "").await.unwrap();
            }
        }
    }
    served
        .raw("creator")
        .await
        .create(to_points(3))
        .await
        .unwrap();
    let mut counts = Vec::new();
    for name in ["anyone", "first", "creator"] {
        let raw = served.raw(name).await;
        for (state, game) in [
            (MatchState::Unspecified, ""),
            (MatchState::Ended, ""),
            (MatchState::Active, "kamisado"),
            (MatchState::Unspecified, "linja"),
        ] {
            let request = v1::ExportMatchesRequest {
                filter: Some(v1::MatchFilter {
                    state: state.into(),
                    game: game.to_owned(),
                    ..v1::MatchFilter::default()
                }),
                raw_records: true,
                ..v1::ExportMatchesRequest::default()
            };
            let list = v1::ListMatchesRequest {
                state: state.into(),
                game: game.to_owned(),
                ..v1::ListMatchesRequest::default()
            };
            let listed = raw.matches.clone().list_matches(list).await.unwrap();
            let mut expected = Vec::new();
            for listed in listed.into_inner().matches {
                let record = raw.export_raw(&listed.id).await.unwrap();
                expected.push(Sent::Record(Box::new(record)));
            }
            let sent = export(&raw, request).await;
            let sent: Vec<_> = sent.into_iter().map(|(sent, _)| sent).collect();
            assert_eq!(sent, expected, "{name} {state:?} {game:?}");
            counts.push(sent.len());
        }
    }
    // A spectator misses the private matches, and sees the delayed one under way as open.
    assert_eq!(counts, [7, 3, 1, 2, 9, 4, 3, 2, 9, 4, 3, 2]);
    served.stop().await;
}

#[tokio::test]
async fn an_export_goes_on_after_any_of_its_matches() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    // More than are listed at once.
    let ids = ended(&served, 60).await;
    let raw = served.raw("anyone").await;
    let all = export(&raw, oldest_first()).await;
    let sent: Vec<_> = all.iter().map(|(sent, _)| sent.id()).collect();
    assert_eq!(sent, ids);
    let mut newest_first = export(&raw, v1::ExportMatchesRequest::default()).await;
    newest_first.reverse();
    assert!(newest_first.iter().map(|(sent, _)| sent.id()).eq(sent));

    // The service may have restarted.
    served.stop().await;
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    let resumed = |resume_token: &str| v1::ExportMatchesRequest {
        resume_token: resume_token.to_owned(),
        ..oldest_first()
    };
    // The ends of the first list and of the export.
    for place in [0, 1, 49, 50, 51, 59] {
        let rest = export(&raw, resumed(&all[place].1)).await;
        assert_eq!(rest, all[place + 1..], "after {place}");
    }
    let other = v1::ExportMatchesRequest {
        filter: Some(v1::MatchFilter {
            game: "linja".to_owned(),
            ..v1::MatchFilter::default()
        }),
        ..resumed(&all[0].1)
    };
    let stranger = served.raw("first").await;
    for (raw, request) in [
        (&raw, resumed("made up")),
        (&raw, other),
        (&stranger, resumed(&all[0].1)),
    ] {
        let refused = Export::open(raw, request).await.err().unwrap();
        assert_eq!(fact(&refused, "field"), "resume_token");
    }
    served.stop().await;
}

#[tokio::test]
async fn what_has_no_record_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let ids = ended(&served, 3).await;
    served.stop().await;
    // The start does not read the events of a match that is over.
    change(folder.path(), &ids[1], 4, Some("no event"));
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    let damaged = Sent::Refused(ids[1].clone(), Some("LOG_DAMAGED".to_owned()));
    // The second time the service already knows about the damage.
    for _ in 0..2 {
        let sent = export(&raw, oldest_first()).await;
        let sent: Vec<_> = sent.into_iter().map(|(sent, _)| sent).collect();
        assert_eq!(sent.len(), 3);
        assert!(matches!(&sent[0], Sent::Record(_)) && sent[0].id() == ids[0]);
        assert_eq!(sent[1], damaged);
        assert!(matches!(&sent[2], Sent::Record(_)) && sent[2].id() == ids[2]);
    }
    served.stop().await;

    // A match that is not over cannot be written for other programs.
    let served = Served::in_memory().await;
    let new = v1::CreateMatchRequest {
        game: "backgammon".to_owned(),
        ..to_points(1)
    };
    let pair = Pair::seat_on(served.address(), new).await;
    let of_backgammon = |format: &str| v1::ExportMatchesRequest {
        filter: Some(v1::MatchFilter {
            game: "backgammon".to_owned(),
            ..v1::MatchFilter::default()
        }),
        format: format.to_owned(),
        ..v1::ExportMatchesRequest::default()
    };
    let refused = pair.first.matches.clone();
    let refused = { refused }
        .export_match(v1::ExportMatchRequest {
            match_id: pair.match_id.clone(),
            format: "mat".to_owned(),
            raw_records: false,
        })
        .await
        .map(|answer| answer.into_inner().text);
    let sent = export(&pair.first, of_backgammon("mat")).await;
    match (refused, &sent[0].0) {
        (Ok(text), Sent::Record(record)) => assert_eq!(text, record.text),
        (Err(refused), Sent::Refused(id, reason)) => {
            assert_eq!(*id, pair.match_id);
            assert_eq!(*reason, reason_of(&refused));
        }
        (refused, sent) => panic!("{refused:?} {sent:?}"),
    }
    served.stop().await;
}

#[tokio::test]
async fn a_request_that_cannot_be_met_is_refused_by_its_field() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let of_game = |game: &str| {
        Some(v1::MatchFilter {
            game: game.to_owned(),
            ..v1::MatchFilter::default()
        })
    };
    for (field, filter, format, order) in [
        ("filter.game", of_game("chess"), "", 0),
        ("format", None, "mat", 0),
        ("format", of_game("linja"), "mat", 0),
        ("order", None, "", 3),
    ] {
        let request = v1::ExportMatchesRequest {
            filter,
            format: format.to_owned(),
            order,
            ..v1::ExportMatchesRequest::default()
        };
        let refused = Export::open(&raw, request).await.err().unwrap();
        assert_eq!(fact(&refused, "field"), field);
    }
    let request = v1::ExportMatchesRequest {
        filter: of_game("backgammon"),
        format: "mat".to_owned(),
        ..v1::ExportMatchesRequest::default()
    };
    assert!(export(&raw, request).await.is_empty());
    served.stop().await;
}

/// An export leaves half of its caller's burst for other calls, and says meanwhile that it is alive.
#[tokio::test]
async fn an_export_waits_for_the_calls_of_its_caller() {
    let served = Served::in_memory().await;
    let count = 8;
    let ids = ended(&served, count).await;
    served.stop().await;
    assert_eq!(ids.len(), count);
    let limits = Limits {
        calls_per_second: 1,
        call_burst: 12,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pairs = served.raws(["creator", "first", "second"]).await;
    for _ in 0..count {
        let id = pairs[0].create(to_points(1)).await.unwrap().id;
        pairs[1].join(&id, Seat::First).await.unwrap();
    }
    let reader = served.raw("anyone").await;
    let mut export = Export::open(&reader, oldest_first()).await.unwrap();
    // Opening it has cost one call, and the list one.
    for _ in 0..4 {
        export.next().await.unwrap();
    }
    for _ in 0..5 {
        reader.who_am_i().await.unwrap();
    }
    // Now half of the burst has to come in again first, a call a second.
    let rest = export.rest().await;
    assert_eq!(rest.len(), count - 4);
    assert!(export.heartbeats > 0);
    served.stop().await;
}

/// The typed export goes on by itself when the service is away for a while, and has every match once.
#[tokio::test]
async fn an_export_outlives_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let config = |listen| Config {
        listen,
        storage: Storage::Folder(folder.path().to_owned()),
        ..Config::default()
    };
    let served = Served::alone_in_folder(folder.path()).await;
    let address = served.address();
    let ids = ended(&served, 20).await;
    served.stop().await;
    let limits = Limits {
        calls_per_second: 1000,
        call_burst: 2,
        ..Limits::default()
    };
    let slow = Config {
        limits,
        ..config(address)
    };
    let served = Served::with_config(slow).await;
    let client = served.client("anyone").await;
    let filter = MatchFilter {
        order: ListOrder::OldestFirst,
        ..MatchFilter::default()
    };
    let resume = Resume::For(Duration::from_mins(1));
    let mut export = client.export_matches(filter.clone(), None, None, resume);
    let mut sent: Vec<MatchId> = Vec::new();
    let next = async |export: &mut dragontooth_service_client::MatchExport| loop {
        match export.next().await {
            Some(Ok(ExportUpdate::Match(record))) => return Some(record),
            Some(Ok(ExportUpdate::Heartbeat)) => {}
            Some(other) => panic!("{other:?}"),
            None => return None,
        }
    };
    for _ in 0..5 {
        sent.push(next(&mut export).await.unwrap().view.id);
    }
    served.stop().await;
    let served = Served::with_config(config(address)).await;
    while let Some(record) = next(&mut export).await {
        let one = client.export_match(record.view.id, None).await.unwrap();
        assert_eq!(one, *record);
        sent.push(record.view.id);
    }
    let sent: Vec<String> = sent.iter().map(ToString::to_string).collect();
    assert_eq!(sent, ids);
    assert!(export.next().await.is_none());
    served.stop().await;
    let mut impatient = client.export_matches(filter, None, None, Resume::Never);
    let failed = impatient.next().await.unwrap().unwrap_err();
    assert!(failed.is_transient());
    assert!(impatient.next().await.is_none());
}

#[tokio::test]
async fn a_service_that_stops_closes_its_exports() {
    let limits = Limits {
        calls_per_second: 1,
        call_burst: 2,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let raw = served.raw("anyone").await;
    let creator = served.raw("creator").await;
    for _ in 0..3 {
        creator.create(to_points(1)).await.unwrap();
    }
    let mut export = Export::open(&raw, oldest_first()).await.unwrap();
    let (end, ()) = tokio::join!(
        async {
            loop {
                if let Err(end) = export.next().await {
                    return end;
                }
            }
        },
        served.stop()
    );
    assert_eq!(end, Some(CloseReason::Draining));
}
