//! Two arenas on one service, with players that are in both.

use std::collections::{BTreeMap, HashSet};
use std::time::SystemTime;

use dragontooth_bots::session::Until;
use dragontooth_runner::drive::run_arena;
use dragontooth_service_client::{Client, MatchFilter, Resume, Token};
use dragontooth_service_vocabulary::{AcceptedGame, PlayerId};

use super::on_a_service::{config_of, player_of, quiet, service};
use super::verified::{texts, verified_with_service};

/// The arenas, with the variants that they play.
const ARENAS: [(&str, &str); 2] = [("one", "standard"), ("two", "random")];

/// The times of the matches of one player in one arena.
type Times = Vec<(SystemTime, Option<SystemTime>)>;

#[tokio::test(flavor = "multi_thread")]
async fn arenas_share_players_and_nothing_else() {
    let service = service().await;
    let address = format!("http://{}", service.address()).parse().unwrap();
    let client = Client::connect_lazily(&address, &Token::random()).unwrap();
    let kamisado = || AcceptedGame::any("kamisado");
    let arenas = ARENAS.map(|(name, variant)| {
        let more = format!("variant = '{variant}'\n");
        let folder = tempfile::tempdir().unwrap();
        (config_of(&service, name, "kamisado", &more), folder)
    });
    let shared = async {
        tokio::join!(
            player_of(&service, kamisado(), "v1", Until::Stopped),
            player_of(&service, kamisado(), "v1", Until::Stopped)
        )
    };
    let both = async {
        let mut present = client.watch_players(Some("kamisado"), Resume::Never);
        while present.present().len() < 2 {
            present.next().await.unwrap();
        }
        let shared: HashSet<PlayerId> = present.present().keys().copied().collect();
        let [one, two] = arenas.each_ref().map(|(config, folder)| {
            // Ends when a player has left that plays in this arena alone. By then 14 encounters have begun, and no player
            // waits for more than 12 where four are present.
            let variant = config.event.rules().variant().to_owned();
            let game = AcceptedGame {
                variants: vec![variant],
                ..kamisado()
            };
            let leaves = player_of(&service, game, "v1", Until::Matches(28));
            run_arena(config, folder.path(), &quiet, None, Box::pin(leaves))
        });
        let (one, two) = tokio::join!(one, two);
        for state in [one, two].map(Result::unwrap) {
            assert!(state.counts().matches >= 26);
            assert_eq!(state.counts().void, 0);
        }
        shared
    };
    let shared = tokio::select! {
        _ = shared => panic!("the players have left"),
        shared = both => shared,
    };
    for (config, folder) in &arenas {
        let (found, served) = verified_with_service(config, folder.path()).await;
        assert_eq!(texts(&found.disagreements), "");
        assert_eq!(served.compared as u64, found.counts.matches);
    }
    one_at_a_time(&client, &shared).await;
    service.stop().await;
}

/// Each of the players had at most one match of each arena at a time, as none says that it plays more.
async fn one_at_a_time(client: &Client, players: &HashSet<PlayerId>) {
    let mut times: BTreeMap<(PlayerId, PlayerId), Times> = BTreeMap::new();
    for player in players {
        let mut page = None;
        loop {
            let filter = MatchFilter {
                player: Some(*player),
                ..MatchFilter::default()
            };
            let listed = client.list_matches(filter, page).await.unwrap();
            for view in listed.items {
                let name = if view.variant == "standard" {
                    "one"
                } else {
                    "two"
                };
                assert!(
                    view.title.starts_with(&format!("{name}/e")),
                    "{}",
                    view.title
                );
                let arena = times.entry((*player, view.creator.unwrap()));
                arena.or_default().push((view.created.unwrap(), view.ended));
            }
            page = listed.next;
            if page.is_none() {
                break;
            }
        }
    }
    assert_eq!(times.len(), 4, "not all of them were in both arenas");
    for mut times in times.into_values() {
        times.sort();
        for pair in times.windows(2) {
            let (before, next) = (pair[0].1, pair[1].0);
            assert!(before.is_some_and(|before| before <= next), "{pair:?}");
        }
    }
}
