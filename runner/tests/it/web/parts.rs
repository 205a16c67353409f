use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::record::RecordStep;
use dragontooth_runner_live::{EventPage, PagePort, WebAddress};
use dragontooth_runner_report::{
    AllMatchDetails, LiveStep, LuckFigures, MatchDetails, Overview, RunPhase, live_tables,
};
use dragontooth_runner_tournament::{Fault, FaultKind, Results};
use dragontooth_service_vocabulary::{HostNames, TimeControl};
use tokio::task::spawn_blocking;

use super::browser::{Page, get};
use crate::fixture::{Out, result, with_troubles};
use crate::markup::elements;

const HOSTILE: &str = "</code><img src=x onerror=alert(1)>\u{202e}";

async fn open(page: &EventPage) -> PagePort {
    let address = WebAddress::new("127.0.0.1:0".parse().unwrap(), false).unwrap();
    PagePort::open(address, HostNames::default(), page)
        .await
        .unwrap()
}

/// A match is under way, then over; each state has only what it changes, and its id leads to the next one.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_gets_what_has_changed_since_its_state() {
    let (schedule, mut results) = with_troubles();
    let page = EventPage::open(schedule.event().clone()).unwrap();
    let port = open(&page).await;
    let address = port.address();
    let mut details = AllMatchDetails::default();
    let of_match = MatchDetails {
        match_id: "m".to_owned(),
        started: SystemTime::UNIX_EPOCH,
        ended: SystemTime::UNIX_EPOCH,
        duration: std::time::Duration::from_millis(1234),
        faults: vec![Fault {
            seat: Seat::Second,
            kind: FaultKind::Time,
            detail: HOSTILE.to_owned(),
        }],
    };
    details.add(schedule.matches()[1].number, of_match.clone());
    page.resumed(&schedule, &results, details.clone());
    let missing = schedule.matches()[5];
    let feed = page.started(&schedule, &missing);
    let look = move |id: String| {
        spawn_blocking(move || {
            let mut page = Page::open(address, &id);
            let changed = page.next().unwrap();
            (page, changed)
        })
    };
    let (mut first, _) = look(String::new()).await.unwrap();
    let tables = live_tables(
        &Overview::new(&schedule, &results),
        &details,
        &LuckFigures::Unmentioned,
    );
    for (name, inside) in &tables {
        assert_eq!(&first.parts[*name], inside, "{name}");
        elements(inside);
    }
    let title = missing.slot.to_string();
    assert_eq!(first.titles("under-way"), std::slice::from_ref(&title));
    assert!(!first.titles("matches").contains(&title));
    let faults = &first.parts["faults"];
    assert!(faults.contains(">time<"), "{faults}");
    // What happened may be what a program wrote.
    assert!(!first.received.contains("onerror"), "{faults}");

    feed.begin([None; 2]);
    feed.add(LiveStep::Game(
        "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -".to_owned(),
    ));
    let (first, changed) = spawn_blocking(move || {
        let changed = first.next().unwrap();
        (first, changed)
    })
    .await
    .unwrap();
    assert_eq!(changed, ["under-way"]);
    assert!(
        first.parts["under-way"].contains("Black moves any tower"),
        "{}",
        first.parts["under-way"]
    );

    let mut over = result(&missing, Out::Drawn);
    over.opening = Some(HOSTILE.to_owned());
    results.add(over).unwrap();
    page.finished(&schedule, &results, missing.number, of_match);
    let id = first.id.clone();
    let seen = spawn_blocking(move || {
        let mut first = first;
        while first.titles("matches").len() < 6 {
            let changed = first.next().unwrap();
            assert!(!changed.is_empty());
        }
        first
    });
    let asked = async {
        page.asks().await;
        page.show(&schedule, &results);
    };
    let (first, ()) = tokio::join!(seen, asked);
    let first = first.unwrap();
    assert_eq!(first.titles("under-way"), [""; 0]);
    assert_ne!(first.id, id);
    let opening = "&lt;/code&gt;&lt;img src=x onerror=alert(1)&gt;\u{fffd}";
    assert!(first.parts["standings"].contains(opening));
    assert!(!first.received.contains("<img"), "{}", first.received);

    // A browser that has this state gets nothing twice; one with a state of another start gets all of it.
    let (again, changed) = look(first.id.clone()).await.unwrap();
    assert_eq!((changed.len(), &again.id), (0, &first.id));
    let (other, changed) = look(format!("0{}", first.id)).await.unwrap();
    assert_eq!(changed.len(), first.parts.len());
    assert_eq!(other.parts, first.parts);

    page.end(RunPhase::Over);
    let last = spawn_blocking(move || {
        let mut last = again;
        while last.next().is_some() {}
        last
    });
    assert_eq!(last.await.unwrap().phase, "over");
    page.close();
    port.close().await;
}

/// A clock stands still until its seat decides; then the script of the page moves it.
#[tokio::test(flavor = "multi_thread")]
async fn the_clock_of_the_seat_to_decide_runs() {
    let (schedule, results) = with_troubles();
    let page = EventPage::open(schedule.event().clone()).unwrap();
    page.resumed(&schedule, &results, AllMatchDetails::default());
    let port = open(&page).await;
    let feed = page.started(&schedule, schedule.matches().last().unwrap());
    let limit = Duration::from_secs(90);
    feed.begin([None, Some(TimeControl::PerAction { limit })]);
    feed.add(LiveStep::Game(
        "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -".to_owned(),
    ));
    let address = port.address();
    let look = move || {
        let (_, page) = get(address, "/");
        page
    };
    let count = |page: &str, clock: &str| page.matches(clock).count();
    let shown = spawn_blocking(look).await.unwrap();
    assert_eq!(count(&shown, "aria-label=\"time left\">1:30</span>"), 1);
    let action = RecordStep::Action {
        seat: Seat::First,
        action: "a1a2".to_owned(),
    };
    feed.add(LiveStep::Step(action, None));
    let shown = spawn_blocking(look).await.unwrap();
    let running = "aria-label=\"time left\" data-left=\"90000\" data-since=\"";
    assert_eq!(count(&shown, running), 1, "{shown}");
    page.end(RunPhase::Stopped);
    page.close();
    port.close().await;
}

/// The second match of an encounter of an arena has the number of the first, and the other seats.
#[tokio::test(flavor = "multi_thread")]
async fn the_second_match_of_an_encounter_has_a_board_of_its_own() {
    let (schedule, results) = with_troubles();
    let page = EventPage::open(schedule.event().clone()).unwrap();
    page.resumed(&schedule, &results, AllMatchDetails::default());
    let port = open(&page).await;
    let address = port.address();
    let shown = async |leg: &str, players: [&str; 2], actions: &[&str]| {
        let slot = format!("arena/e7/{leg}");
        let feed = page.started_in_arena(7, slot, players.map(str::to_owned));
        feed.begin([None; 2]);
        feed.add(LiveStep::Game(
            "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -".to_owned(),
        ));
        for (action, seat) in actions.iter().zip(Seat::BOTH) {
            let action = (*action).to_owned();
            feed.add(LiveStep::Step(RecordStep::Action { seat, action }, None));
        }
        let (_, page) = spawn_blocking(move || get(address, "/")).await.unwrap();
        page.split_once("under-way").unwrap().1.to_owned()
    };
    let first = shown("m1", ["anna-bot", "bert-bot"], &["a1a7", "e8e2"]).await;
    let second = shown("m2", ["bert-bot", "anna-bot"], &[]).await;
    page.end(RunPhase::Stopped);
    page.close();
    port.close().await;
    let is_anna_above = |shown: &str| {
        let [anna, bert] = ["anna-bot", "bert-bot"].map(|name| shown.find(name));
        assert!(anna.is_some() && bert.is_some(), "{shown}");
        anna < bert
    };
    assert_ne!(is_anna_above(&first), is_anna_above(&second), "{second}");
    assert!(first.contains("e7/m1") && first.contains("e8e2"), "{first}");
    assert!(
        !second.contains("e7/m1") && !second.contains("e8e2"),
        "{second}"
    );
    assert!(second.contains("e7/m2"), "{second}");
    assert!(second.contains("Black moves any tower"), "{second}");
}

/// Nothing that is not there, and nothing but reading.
#[tokio::test(flavor = "multi_thread")]
async fn every_response_keeps_browsers_from_loading_anything_else() {
    let (schedule, _) = with_troubles();
    let page = EventPage::open(schedule.event().clone()).unwrap();
    page.resumed(
        &schedule,
        &Results::none(schedule.matches()),
        AllMatchDetails::default(),
    );
    let port = open(&page).await;
    let address = port.address();
    spawn_blocking(move || {
        for (path, status) in [
            ("/", "200 OK"),
            ("/page.css", "200 OK"),
            ("/page.js", "200 OK"),
            ("/icon.svg", "200 OK"),
            ("/secret", "404 Not Found"),
        ] {
            let (head, body) = get(address, path);
            assert!(head.starts_with(&format!("HTTP/1.0 {status}")), "{head}");
            assert!(
                head.contains("content-security-policy: default-src 'none'; style-src 'self'; "),
                "{head}"
            );
            assert!(
                !body.contains("style=\"") && !body.contains("<style"),
                "{body}"
            );
        }
        let (_, page) = get(address, "/");
        elements(&page);
    })
    .await
    .unwrap();
    page.close();
    port.close().await;
}
