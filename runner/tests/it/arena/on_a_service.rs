use std::collections::HashSet;
use std::fs::File;
use std::future::{pending, ready};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionOptions, ThinkingPool, Until};
use dragontooth_runner::config::RunConfig;
use dragontooth_runner::drive::{ArenaClaimed, RunError, run_arena};
use dragontooth_runner::record::{arena_rules, read_arena};
use dragontooth_runner_tournament::arena::ArenaEntry;
use dragontooth_service::{Config, Service};
use dragontooth_service_client::{Client, MatchFilter, Token};
use dragontooth_service_vocabulary::{AcceptedGame, Offer};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::spawn_blocking;

use crate::command_line::runner;
use crate::faults::write_program;

pub(super) fn config(service: &Service, more: &str) -> RunConfig {
    config_of(service, "open", "linja", more)
}

pub(super) fn config_of(service: &Service, name: &str, game: &str, more: &str) -> RunConfig {
    let text = text_of(service, name, game, more);
    RunConfig::parse(&text, Path::new(""), None).unwrap()
}

fn text_of(service: &Service, name: &str, game: &str, more: &str) -> String {
    format!(
        "[event]\nname = '{name}'\nformat = 'arena'\ngame = '{game}'\ntarget = 1\nconcurrency = 2\n{more}\n\
         [service]\naddress = 'http://{}'\n\
         [[bot]]\nname = 'zero'\nbuiltin = 'random'\nrating = 0\n",
        service.address()
    )
}

/// A player that offers Linja, and leaves after this many matches.
pub(super) async fn player(service: &Service, build: &str, until: Until) {
    player_of(service, AcceptedGame::any("linja"), build, until).await;
}

pub(super) async fn player_of(service: &Service, game: AcceptedGame, build: &str, until: Until) {
    let address = format!("http://{}", service.address()).parse().unwrap();
    let client = Client::connect_lazily(&address, &Token::random()).unwrap();
    let options = SessionOptions {
        until,
        offer: Some(Offer {
            games: vec![game],
            build: build.parse().unwrap(),
            ..Offer::default()
        }),
        ..SessionOptions::default()
    };
    let spec: BotSpec = "random".parse().unwrap();
    let pool = ThinkingPool::of_the_machine().unwrap();
    let session = Session::new(client, pool, options, move |info| Ok(spec.make(info)?));
    session.run(pending()).await.unwrap();
}

pub(super) fn quiet(_: &str) {}

pub(super) async fn service() -> Service {
    let config = Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        ..Config::default()
    };
    Service::start(config).await.unwrap()
}

/// Every match is in the journal once; returns their number.
fn check(config: &RunConfig, folder: &TempDir) -> u64 {
    let rules = arena_rules(&config.event).unwrap();
    let mut legs = HashSet::new();
    let read = read_arena(folder.path(), rules, u64::MAX, |entry, _| {
        if let ArenaEntry::Ended { encounter, leg, .. } = entry {
            assert!(legs.insert((*encounter, *leg)));
        }
    });
    let state = read.unwrap().state;
    assert_eq!(state.counts().matches, legs.len() as u64);
    state.counts().matches
}

#[tokio::test(flavor = "multi_thread")]
async fn present_players_meet_and_a_killed_arena_goes_on() {
    let service = service().await;
    let config = config(&service, "");
    let folder = tempfile::tempdir().unwrap();
    let note: &(dyn Fn(&str) + Sync) = &quiet;
    let others = async {
        tokio::join!(
            player(&service, "v1", Until::Stopped),
            player(&service, "v1", Until::Stopped)
        )
    };
    let story = async {
        // Dropped in the middle of what it does, like a process that is killed.
        tokio::select! {
            ended = run_arena(&config, folder.path(), note, None, pending()) => panic!("{ended:?}"),
            () = player(&service, "v1", Until::Matches(3)) => {}
        }
        let before = check(&config, &folder);
        // The player plays one encounter at a time. Its third match belongs to its second one, which begins only when both
        // results of the first are in the journal. It hears of the end of that match when the arena does, so that the third
        // result may be missing, but no more.
        assert!(before >= 2);
        let stop = Box::pin(player(&service, "v2", Until::Matches(3)));
        let state = run_arena(&config, folder.path(), note, None, stop)
            .await
            .unwrap();
        assert!(check(&config, &folder) >= before + 2);
        assert_eq!(state.counts().void, 0);
        // Another secret would make other players of the arena and its anchors.
        std::fs::remove_file(folder.path().join("secret")).unwrap();
        let lost = run_arena(&config, folder.path(), note, None, ready(())).await;
        let lost = lost.unwrap_err().to_string();
        assert!(lost.contains("secret"), "{lost}");
    };
    tokio::select! {
        _ = others => panic!("the players have left"),
        () = story => {}
    }
    service.stop().await;
}

/// An anchor that is slow to start holds nobody up who wants the arena to end.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_an_arena_whose_anchors_are_starting() {
    let service = service().await;
    let place = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\nexec 3>started\necho started >&3\nsleep 1000\n";
    write_program(&place.path().join("slow"), script);
    let anchor = "[limits]\njoin_ms = 60000\n\
         [[bot]]\nname = 'slow'\ncommand = ['./slow']\nprotocol = 'stdio'\nrating = 0\n";
    let text = text_of(&service, "open", "linja", anchor);
    std::fs::write(place.path().join("open.toml"), text).unwrap();
    let started = place.path().join("started");
    let made = Command::new("mkfifo").arg(&started).status().unwrap();
    assert!(made.success());
    let runs = spawn_blocking(move || {
        for signal in [Signal::INT, Signal::TERM] {
            let arena = runner(place.path(), &["run", "open.toml"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut output = BufReader::new(File::open(&started).unwrap());
            output.read_line(&mut String::new()).unwrap();
            kill_process(Pid::from_child(&arena), signal).unwrap();
            let arena = arena.wait_with_output().unwrap();
            let said = String::from_utf8(arena.stderr).unwrap();
            assert_eq!(arena.status.code(), Some(0), "{said}");
            assert!(said.contains("the arena has stopped"), "{said}");
            // The anchor has ended when nobody can write any more.
            assert_eq!(output.read_to_end(&mut Vec::new()).unwrap(), 0);
        }
    });
    runs.await.unwrap();
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_arena_with_the_same_token_is_refused_by_name() {
    let service = service().await;
    let config = config(&service, "");
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let note: &(dyn Fn(&str) + Sync) = &quiet;
    run_arena(&config, one.path(), note, None, ready(()))
        .await
        .unwrap();
    run_arena(&config, other.path(), note, None, ready(()))
        .await
        .unwrap();
    // On another machine it would have the token from a file.
    std::fs::copy(one.path().join("secret"), other.path().join("secret")).unwrap();
    let second = async {
        // Alone, the player meets the anchor; by then the first arena is present.
        player(&service, "v1", Until::Matches(1)).await;
        run_arena(&config, other.path(), note, None, pending()).await
    };
    tokio::select! {
        ended = run_arena(&config, one.path(), note, None, pending()) => panic!("{ended:?}"),
        ended = second => match ended {
            Err(RunError::ArenaClaimed(ArenaClaimed::Before(name))) => {
                assert!(name.starts_with("arena ") && name.ends_with(" open"), "{name}");
            }
            other => panic!("{other:?}"),
        },
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_always_crashes_reads_that_it_is_parked() {
    let service = service().await;
    let config = config(&service, "arena = { park_after = 4 }\n");
    let folder = tempfile::tempdir().unwrap();
    let address = format!("http://{}", service.address()).parse().unwrap();
    let client = Client::connect_lazily(&address, &Token::random()).unwrap();
    let own = client.who_am_i().await.unwrap();
    let options = SessionOptions {
        offer: Some(Offer {
            games: vec![AcceptedGame::any("linja")],
            build: "v1".parse().unwrap(),
            ..Offer::default()
        }),
        ..SessionOptions::default()
    };
    let pool = ThinkingPool::of_the_machine().unwrap();
    let session = Session::new(client.clone(), pool, options, |_| {
        Err("the weights are missing".into())
    });
    let reading = async {
        let filter = MatchFilter {
            player: Some(own),
            ..MatchFilter::default()
        };
        loop {
            let listed = client.list_matches(filter.clone(), None).await.unwrap();
            let declined = listed.items.into_iter().find_map(|view| {
                let reason = view.outcome?.reason?.to_string();
                Some((view.title, view.private, reason))
            });
            if let Some(declined) = declined {
                return declined;
            }
        }
    };
    let note: &(dyn Fn(&str) + Sync) = &quiet;
    let (title, is_private, reason) = tokio::select! {
        ended = run_arena(&config, folder.path(), note, None, pending()) => panic!("{ended:?}"),
        ended = session.run(pending()) => panic!("{ended:?}"),
        declined = tokio::time::timeout(Duration::from_mins(1), reading) => declined.unwrap(),
    };
    assert_eq!(title, "open: parked");
    assert!(is_private);
    let expected = "parked after faults in 4 matches in a row, the last one crash:";
    assert!(reason.starts_with(expected), "{reason}");
    assert!(reason.contains("the weights are missing"), "{reason}");
    // Two of them were over before the first action, and all count.
    let rules = arena_rules(&config.event).unwrap();
    let read = read_arena(folder.path(), rules, u64::MAX, |_, _| ()).unwrap();
    let counts = read.state.counts();
    assert_eq!((counts.matches, counts.repeated), (4, 0));
    service.stop().await;
}

/// It loses the two matches of an encounter, and others meet without it.
#[tokio::test(flavor = "multi_thread")]
async fn an_anchor_that_always_crashes_rests() {
    let service = service().await;
    let folder = tempfile::tempdir().unwrap();
    let script = r#"#!/bin/sh
say() { printf '%s\n' "$1"; }
while read -r line; do case "$line" in
*'"type":"hello"'*) say '{"type":"hello","protocol":1,"name":"sh","games":["linja"]}';;
*'"type":"isready"'*) say '{"type":"readyok"}';;
*'"type":"quit"'*) exit 0;;
*'"type":"go"'*) exit 3;;
esac; done
"#;
    write_program(&folder.path().join("engine"), script);
    let text = format!(
        "[event]\nname = 'open'\nformat = 'arena'\ngame = 'linja'\ntarget = 1\nconcurrency = 1\n\
         arena = {{ park_after = 2 }}\n\
         [service]\naddress = 'http://{}'\n\
         [[bot]]\nname = 'zero'\nbuiltin = 'random'\nrating = 0\n\
         [[bot]]\nname = 'broken'\ncommand = ['./engine']\nprotocol = 'stdio'\nrating = 100\n",
        service.address()
    );
    let config = RunConfig::parse(&text, folder.path(), None).unwrap();
    let (said, mut heard) = unbounded_channel();
    let note = |text: &str| said.send(text.to_owned()).unwrap();
    let note: &(dyn Fn(&str) + Sync) = &note;
    let run = folder.path().join("run");
    let stop = Box::pin(player(&service, "v1", Until::Matches(12)));
    let state = run_arena(&config, &run, note, None, stop).await.unwrap();
    let mut its_matches = 0;
    let rules = arena_rules(&config.event).unwrap();
    read_arena(&run, rules, u64::MAX, |entry, _| {
        if let ArenaEntry::Ended { result, .. } = entry {
            its_matches += result.faults.len();
        }
    })
    .unwrap();
    assert_eq!(its_matches, 2);
    assert!(state.counts().matches > 10);
    let rows = state.ranking().rows;
    assert!(rows.iter().all(|row| row.parked.is_none()), "{rows:?}");
    let expected =
        "the anchor broken had 2 faults in a row and rests for 10 min; the last one was crash: ";
    while !heard.try_recv().unwrap().starts_with(expected) {}
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_anchor_whose_program_is_given_up_is_named() {
    let service = service().await;
    let folder = tempfile::tempdir().unwrap();
    write_program(&folder.path().join("program"), "#!/bin/sh\nexit 3\n");
    let text = format!(
        "[event]\nname = 'open'\nformat = 'arena'\ngame = 'linja'\ntarget = 1\n\
         [limits]\nstart_failure = 'forfeit'\n\
         [service]\naddress = 'http://{}'\n\
         [[bot]]\nname = 'broken'\ncommand = ['./program']\nrating = 100\n",
        service.address()
    );
    let config = RunConfig::parse(&text, folder.path(), None).unwrap();
    let (said, mut heard) = unbounded_channel();
    let note = |text: &str| said.send(text.to_owned()).unwrap();
    let note: &(dyn Fn(&str) + Sync) = &note;
    let named = async {
        let expected = "the anchor broken is not paired until the arena is started again: its program ended: exit status: 3";
        while !heard.recv().await.unwrap().starts_with(expected) {}
    };
    let run = folder.path().join("run");
    let ended = run_arena(&config, &run, note, None, named).await;
    ended.unwrap();
    service.stop().await;
}

#[test]
fn a_format_that_is_wrong_makes_no_rating_wrong() {
    for format in ["'arenas'", "'arena'\narena = { pair_cap = 0 }"] {
        let text = format!(
            "[event]\nname = 'x'\nformat = {format}\ngame = 'linja'\n[[bot]]\nname = 'zero'\nbuiltin = 'random'\nrating = 0\n"
        );
        let problems = RunConfig::parse(&text, Path::new(""), None).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}

#[test]
fn what_an_arena_needs_is_named() {
    let parse = |text: &str| {
        let problems = RunConfig::parse(text, Path::new(""), None).unwrap_err();
        let problems = problems.iter().map(ToString::to_string);
        problems.collect::<Vec<_>>().join("\n")
    };
    let head = "[event]\nname = 'x'\nformat = 'arena'\ngame = 'linja'\ntarget = 1\n";
    let service = "[service]\naddress = 'http://127.0.0.1:1'\n";
    let bot = "[[bot]]\nname = 'zero'\nbuiltin = 'random'\n";
    for (text, expected) in [
        (format!("{head}{service}{bot}"), "needs its rating"),
        (
            format!("{head}{bot}rating = 0\n"),
            "name its address in [service]",
        ),
        (
            format!("{head}{service}{bot}rating = 10001\n"),
            "bot[1].rating: must be from -10000",
        ),
        (
            format!("{head}cycles = 2\n{service}{bot}rating = 0\n"),
            "event.cycles: is for round_robin and gauntlet, not for arena",
        ),
        (
            format!("{head}arena = {{ pair_cap = 21 }}\n{service}{bot}rating = 0\n"),
            "event.arena.pair_cap: must be from 1 to 20",
        ),
        (
            format!("{head}adjudicate = {{ tables = true }}\n{service}{bot}rating = 0\n"),
            "event.adjudicate: is for events with a schedule",
        ),
        (
            format!("{head}arena = {{ players = ['me'] }}\n{service}{bot}rating = 0\n"),
            "event.arena.players[1]",
        ),
        (
            format!("[event]\nname = 'x'\ngame = 'linja'\n{bot}rating = 0\n"),
            "bot[1].rating: is for an anchor of an arena",
        ),
    ] {
        let problems = parse(&text);
        assert!(problems.contains(expected), "{text}\n{problems}");
    }
}
