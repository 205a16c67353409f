//! Lists of matches that are watched.

use std::collections::BTreeMap;

use dragontooth_proto::v1;
use tonic::{Code, Streaming};
use v1::watch_matches_response::Response;
use v1::watch_matches_response::change::Change;
use v1::{CloseReason, MatchState, Seat};

use crate::listing::{list, of_size, pages};
use crate::pair::{Pair, to_points};
use crate::raw::Raw;
use crate::refusals::fact;
use crate::served::Served;

/// The matches that somebody knows of who watches a list.
pub(crate) struct ListWatch {
    raw: Raw,
    stream: Streaming<v1::WatchMatchesResponse>,
    filter: v1::MatchFilter,
    known: BTreeMap<String, v1::Match>,
    caught_up: Option<String>,
}

impl ListWatch {
    pub(crate) async fn open(raw: &Raw, filter: v1::MatchFilter) -> Self {
        Self::open_with(raw, filter, 0, false).await
    }

    async fn open_with(raw: &Raw, filter: v1::MatchFilter, page_size: i32, moves: bool) -> Self {
        let request = v1::WatchMatchesRequest {
            filter: Some(filter.clone()),
            page_size,
            moves,
        };
        Self {
            raw: raw.clone(),
            stream: raw.watch_matches(request).await.unwrap(),
            filter,
            known: BTreeMap::new(),
            caught_up: None,
        }
    }

    /// Reads a message; gives the reason if it is the last one.
    async fn read(&mut self) -> Option<CloseReason> {
        let message = self.stream.message().await.unwrap().unwrap();
        match message.response.unwrap() {
            Response::Batch(batch) => {
                assert!(!batch.changes.is_empty());
                for change in batch.changes {
                    match change.change.unwrap() {
                        Change::Match(view) => {
                            // It never says more than a call does, and never goes back.
                            match self.raw.get(&view.id).await {
                                Ok(seen) => assert!(view.head_sequence <= seen.head_sequence),
                                // The service has stopped.
                                Err(refused) => assert_eq!(refused.code(), Code::Unavailable),
                            }
                            if let Some(earlier) = self.known.get(&view.id) {
                                assert!(earlier.head_sequence <= view.head_sequence);
                            }
                            let asked = self.filter.state();
                            assert!(asked == MatchState::Unspecified || asked == view.state());
                            self.known.insert(view.id.clone(), *view);
                        }
                        Change::GoneMatchId(id) => drop(self.known.remove(&id)),
                    }
                }
            }
            Response::CaughtUp(reached) => {
                assert!(self.caught_up.replace(reached.next_page_token).is_none());
            }
            Response::Heartbeat(_) => {}
            Response::Closing(closing) => return Some(closing.reason()),
        }
        None
    }

    /// Reads until it knows of exactly these matches.
    pub(crate) async fn until(&mut self, ids: &[&String]) {
        let mut expected = ids.to_vec();
        expected.sort();
        while self.caught_up.is_none() || !self.known.keys().eq(expected.iter().copied()) {
            assert_eq!(self.read().await, None);
        }
    }

    /// Reads until it knows what `is_so` of a match.
    async fn until_seen(&mut self, id: &str, is_so: impl Fn(&v1::Match) -> bool) {
        while !self.known.get(id).is_some_and(&is_so) {
            assert_eq!(self.read().await, None);
        }
    }

    async fn closing(&mut self) -> CloseReason {
        loop {
            if let Some(reason) = self.read().await {
                assert!(self.stream.message().await.unwrap().is_none());
                return reason;
            }
        }
    }
}

/// A change that makes a filter unreadable, with an id of a player.
type FilterChange = fn(&mut v1::MatchFilter, &str);

fn in_state(state: MatchState) -> v1::MatchFilter {
    v1::MatchFilter {
        state: state.into(),
        ..v1::MatchFilter::default()
    }
}

fn request(filter: &v1::MatchFilter) -> v1::ListMatchesRequest {
    v1::ListMatchesRequest {
        state: filter.state,
        game: filter.game.clone(),
        player_id: filter.player_id.clone(),
        ..of_size(50)
    }
}

/// Watches of these lists, opened by two callers.
async fn watches(raws: [&Raw; 2], filters: &[v1::MatchFilter]) -> Vec<ListWatch> {
    let mut watches = Vec::new();
    for filter in filters {
        for raw in raws {
            watches.push(ListWatch::open(raw, filter.clone()).await);
        }
    }
    watches
}

/// Creates matches, has them joined and ended by `near`, and checks that those who watch lists by `raws` know what the lists say.
pub(crate) async fn check_watches(near: &Pair, raws: [&Raw; 2]) {
    let mut filters = vec![v1::MatchFilter {
        player_id: near.second.who_am_i().await.unwrap(),
        ..v1::MatchFilter::default()
    }];
    filters.extend(
        [
            MatchState::Unspecified,
            MatchState::Open,
            MatchState::Active,
            MatchState::Ended,
        ]
        .map(in_state),
    );
    filters.push(v1::MatchFilter {
        game: "linja".to_owned(),
        ..v1::MatchFilter::default()
    });
    let mut all = watches(raws, &filters).await;
    let agree = async |all: &mut Vec<ListWatch>| {
        for watch in all {
            let listed = pages(&watch.raw, &request(&watch.filter)).await;
            watch.until(&listed.iter().collect::<Vec<_>>()).await;
        }
    };
    agree(&mut all).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(near.creator.create(to_points(1)).await.unwrap().id);
    }
    agree(&mut all).await;
    for id in &ids[1..] {
        near.first.join(id, Seat::First).await.unwrap();
        near.second.join(id, Seat::Second).await.unwrap();
    }
    agree(&mut all).await;
    near.first.resign(&ids[2], "").await.unwrap();
    all.extend(watches(raws, &filters).await);
    agree(&mut all).await;
    for watch in &mut all {
        if watch.known.contains_key(&ids[2]) {
            watch
                .until_seen(&ids[2], |seen| seen.outcome.is_some())
                .await;
        }
    }
}

#[tokio::test]
async fn who_watches_a_list_knows_what_it_says() {
    let served = Served::in_memory().await;
    let pair = Pair::connect(served.address()).await;
    let anyone = served.raw("anyone").await;
    check_watches(&pair, [&anyone, &pair.second]).await;
    let mut watch = ListWatch::open(&anyone, v1::MatchFilter::default()).await;
    served.stop().await;
    assert_eq!(watch.closing().await, CloseReason::Draining);
}

#[tokio::test]
async fn the_first_page_leads_to_the_others() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let mut ids = Vec::new();
    for _ in 0..130 {
        ids.push(raw.create(to_points(1)).await.unwrap().id);
    }
    ids.reverse();
    for size in [1, 50, 51, 130] {
        let mut watch = ListWatch::open_with(&raw, v1::MatchFilter::default(), size, false).await;
        let (first, rest) = ids.split_at(usize::try_from(size).unwrap());
        watch.until(&first.iter().collect::<Vec<_>>()).await;
        let page_token = watch.caught_up.unwrap();
        assert_eq!(page_token.is_empty(), rest.is_empty());
        if !rest.is_empty() {
            let next = v1::ListMatchesRequest {
                page_token,
                ..of_size(500)
            };
            let next = list(&raw, next).await.matches;
            assert!(next.iter().map(|view| &view.id).eq(rest));
        }
    }
}

#[tokio::test]
async fn a_private_match_is_news_for_those_who_take_part() {
    let served = Served::in_memory().await;
    let pair = Pair::connect(served.address()).await;
    let stranger = served.raw("stranger").await;
    let mut watches = watches([&stranger, &pair.creator], &[in_state(MatchState::Open)]).await;
    let private = v1::CreateMatchRequest {
        visibility: v1::Visibility::Private.into(),
        ..to_points(1)
    };
    let hidden = pair.creator.create(private).await.unwrap().id;
    let public = pair.creator.create(to_points(1)).await.unwrap().id;
    let [of_stranger, of_creator] = &mut watches[..] else {
        panic!("there are two");
    };
    of_creator.until(&[&hidden, &public]).await;
    of_stranger.until(&[&public]).await;
    pair.creator.abort(&hidden, "").await.unwrap();
    pair.creator.abort(&public, "").await.unwrap();
    of_creator.until(&[]).await;
    // It would have failed to get a match of which it is not to know.
    of_stranger.until(&[]).await;
}

#[tokio::test]
async fn spectators_of_a_match_with_a_delay_watch_it_with_the_delay() {
    let served = Served::in_memory().await;
    let spectator = served.raw("spectator").await;
    let mut pair = Pair::connect(served.address()).await;
    let anything = v1::MatchFilter::default;
    let mut early = ListWatch::open(&spectator, anything()).await;
    let mut of_player = ListWatch::open(&pair.first, in_state(MatchState::Active)).await;
    let mut of_active = ListWatch::open(&spectator, in_state(MatchState::Active)).await;
    let mut moving = ListWatch::open_with(&spectator, anything(), 0, true).await;
    let delayed = v1::CreateMatchRequest {
        spectator_delay: Some(prost_types::Duration {
            seconds: 2,
            nanos: 0,
        }),
        ..to_points(1)
    };
    pair.match_id = pair.creator.create(delayed).await.unwrap().id;
    let id = pair.match_id.clone();
    pair.first.join(&id, Seat::First).await.unwrap();
    pair.second.join(&id, Seat::Second).await.unwrap();
    of_player.until(&[&id]).await;
    pair.play().await.unwrap();
    let head = pair.view().await.head_sequence;
    early.until_seen(&id, |_| true).await;
    assert_eq!(early.known[&id].state(), MatchState::Open);
    of_active.until(&[&id]).await;
    moving
        .until_seen(&id, |seen| seen.head_sequence >= head)
        .await;
    assert_eq!(moving.known[&id].state(), MatchState::Active);
    // The end is seen at once.
    pair.first.resign(&id, "").await.unwrap();
    for watch in [&mut early, &mut moving] {
        watch.until_seen(&id, |seen| seen.outcome.is_some()).await;
    }
    for watch in [&mut of_active, &mut of_player] {
        watch.until(&[]).await;
    }
}

#[tokio::test]
async fn moves_are_sent_to_those_who_ask_for_them() {
    let served = Served::in_memory().await;
    let anyone = served.raw("anyone").await;
    let active = in_state(MatchState::Active);
    let mut before = ListWatch::open_with(&anyone, active.clone(), 0, true).await;
    let mut still = ListWatch::open(&anyone, active.clone()).await;
    let pair = Pair::seat(&served).await;
    let id = &pair.match_id;
    still.until(&[id]).await;
    let mut after = ListWatch::open_with(&anyone, active, 0, true).await;
    for _ in 0..2 {
        pair.play().await.unwrap();
        let head = pair.view().await.head_sequence;
        for watch in [&mut before, &mut after] {
            watch
                .until_seen(id, |seen| seen.head_sequence >= head)
                .await;
        }
    }
    let began = still.known[id].head_sequence;
    assert!(began < pair.view().await.head_sequence);
    pair.first.resign(id, "").await.unwrap();
    for watch in [&mut before, &mut after, &mut still] {
        watch.until(&[]).await;
    }
}

#[tokio::test]
async fn a_filter_that_cannot_be_read_is_refused_by_its_field() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let id = raw.who_am_i().await.unwrap();
    let changes: [(&str, FilterChange); 7] = [
        ("state", |filter, _| filter.state = 77),
        ("game", |filter, _| filter.game = "chess".to_owned()),
        ("variant", |filter, _| {
            filter.variant = "standard".to_owned();
        }),
        ("player_id", |filter, _| {
            filter.player_id = "\u{202e}".to_owned();
        }),
        ("opponent_id", |filter, id| {
            filter.opponent_id = id.to_owned();
        }),
        ("creator_id", |filter, id| {
            filter.creator_id = id.repeat(1_000);
        }),
        ("create_time_from", |filter, _| {
            let (seconds, nanos) = (i64::MAX, -1);
            filter.create_time_from = Some(prost_types::Timestamp { seconds, nanos });
        }),
    ];
    let refused = async |request| {
        let refused = raw.watch_matches(request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
        fact(&refused, "field")
    };
    for (field, change) in changes {
        let mut filter = v1::MatchFilter::default();
        change(&mut filter, &id);
        let request = v1::WatchMatchesRequest {
            filter: Some(filter),
            ..v1::WatchMatchesRequest::default()
        };
        assert_eq!(refused(request).await, format!("filter.{field}"));
    }
    let request = v1::WatchMatchesRequest {
        page_size: -1,
        ..v1::WatchMatchesRequest::default()
    };
    assert_eq!(refused(request).await, "page_size");
}
