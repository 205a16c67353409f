use dragontooth_runner_live::{EventPage, PagePort, WebAddress};
use dragontooth_runner_report::{ArenaTables, RunPhase, live_arena};
use dragontooth_runner_tournament::arena::{ArenaState, RatingHistory};
use dragontooth_service_vocabulary::HostNames;
use tokio::task::spawn_blocking;

use super::journal::{event, rules, written};
use crate::web::browser::get;

/// The page is loaded once, so it has no state but that of the start until then.
#[tokio::test(flavor = "multi_thread")]
async fn a_single_look_shows_the_state_of_its_moment() {
    let folder = tempfile::tempdir().unwrap();
    let event = event();
    let page = EventPage::open(event.clone()).unwrap();
    let address = WebAddress::new("127.0.0.1:0".parse().unwrap(), false).unwrap();
    let port = PagePort::open(address, HostNames::default(), &page).await;
    let port = port.unwrap();
    page.show_arena(&ArenaState::new(rules()), &[]);
    let state = written(folder.path());
    page.arena_changed(state.counts().matches);
    let address = port.address();
    let look = spawn_blocking(move || get(address, "/").1);
    let answers = async {
        loop {
            page.asks().await;
            page.show_arena(&state, &[]);
        }
    };
    let seen = tokio::select! {
        seen = look => seen.unwrap(),
        () = answers => unreachable!("it answers as often as it is asked"),
    };
    let mut history = RatingHistory::new(0);
    history.follow(&state);
    let tables = ArenaTables::new(&event, &state).with_history(&history);
    for (name, part) in live_arena(&tables, &[]) {
        assert!(seen.contains(&part), "{name}: {part}\n{seen}");
    }
    page.end(RunPhase::Stopped);
    page.close();
    port.close().await;
}
