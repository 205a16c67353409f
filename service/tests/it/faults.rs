//! Matches played over a network that keeps failing, by players who send everything
//! at least twice: the log is the same as over a quiet network.

mod course;
mod plan;
mod player;
mod proxy;
mod table;
mod tally;

use dragontooth_games::catalogue;
use dragontooth_service_vocabulary::NewMatch;
use tokio::task::JoinSet;

use crate::long_run::number_of;
use crate::program::Program;
use crate::random_player::Draws;
use crate::raw::Raw;
use crate::replayed::assert_replays;
use course::course;
use player::Lines;
use proxy::Proxy;
use table::{End, Table, Way};
use tally::Tally;

/// Number of simultaneous copies of every changing request, on as many connections, over the bad network.
const COPIES: usize = 3;

/// Number of variants of each game unless `SERVICE_TEST_FAULT_VARIANTS` sets another; the nightly run plays all.
const VARIANTS: usize = 1;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_network_leaves_the_same_log_as_a_quiet_one() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let quiet = Program::serve(folders[0].path()).await;
    let shaken = Program::serve(folders[1].path()).await;
    let tally = Tally::default();
    let proxy = Proxy::before(shaken.address(), Draws::new(4000), &tally).await;

    let expected = play_all(&quiet, &Lines::direct(quiet.address())).await;
    let found = play_all(&shaken, &Lines::through(proxy.address(), COPIES, &tally)).await;

    let mut doubled = 0;
    for (expected, found) in expected.iter().zip(&found) {
        doubled += found.actions().saturating_sub(expected.actions());
    }
    println!("{tally}, doubled actions {doubled}");
    for (expected, found) in expected.into_iter().zip(found) {
        assert_eq!(found, expected);
    }
    assert_eq!(doubled, 0);
    tally.assert_enough();
}

/// Plays matches of every game in both ways, all at once, and returns what was recorded of each.
async fn play_all(program: &Program, lines: &Lines) -> Vec<course::Course> {
    let variants = number_of("SERVICE_TEST_FAULT_VARIANTS", VARIANTS);
    let mut tables = Vec::new();
    for game in catalogue::GAMES {
        for variant in game.variants().into_iter().take(variants) {
            let shortest = variant.targets.usual[0];
            let mut new = NewMatch::new(game.name, shortest);
            new.variant = Some(variant.name.to_owned());
            for way in [Way::Calls, Way::Streams] {
                tables.push((new.clone(), way, End::Played));
            }
        }
    }
    let resigned = NewMatch::new("kamisado", 15);
    for way in [Way::Calls, Way::Streams] {
        tables.push((resigned.clone(), way, End::Resigned { after_actions: 60 }));
    }
    let mut playing = JoinSet::new();
    for ((new, way, end), number) in tables.into_iter().zip(0..) {
        let table = Table {
            number,
            new,
            way,
            end,
            lines: lines.clone(),
        };
        playing.spawn(async move { (number, table.play().await) });
    }
    let mut played = playing.join_all().await;
    played.sort_unstable_by_key(|(number, _)| *number);
    let raw = Raw::connect(program.address(), "anyone").await;
    let mut courses = Vec::new();
    for (_, id) in played {
        let record = raw.export(&id.to_string()).await.unwrap();
        assert_replays(&record);
        courses.push(course(&record));
    }
    courses
}
