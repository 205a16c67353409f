use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::browser::{Page, Runner, get, write_event};
use crate::command_line::call;
use crate::fixture::DRAW_SECRET;

const BUILTIN: [(&str, &str); 4] = [
    ("a", "builtin = 'greedy'"),
    ("b", "builtin = 'random'"),
    (
        "c",
        "builtin = 'alphabeta'\noptions = { nodes = 300, table_mib = 1 }",
    ),
    ("d", "builtin = 'random'"),
];

const SERVICE: &str = "";
const DIRECT: &str = "[service]\ndirect = true";

/// The sections of a page.
fn sections(page: &str) -> Vec<(&str, &str)> {
    page.split("<section aria-labelledby=\"")
        .skip(1)
        .map(|section| {
            let end = section.find("</section>").unwrap();
            section[..end].split_once("\">").unwrap()
        })
        .collect()
}

/// Follows a run to its end. The page then has the sections of the report, byte for byte.
fn follow(event: &str, service: &str) {
    let event = format!("{event}\ngame = 'kamisado'\ntarget = 1\nconcurrency = 3\n{service}");
    let parts = if event.contains("knockout") { 4 } else { 3 };
    follow_bots(&event, &BUILTIN, parts);
}

/// The same with these bots; `parts` of the page are compared with the report.
fn follow_bots(event: &str, players: &[(&str, &str)], parts: usize) {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    write_event(place, event, players);
    let mut runner = Runner::start(place, "127.0.0.1:0", &["--web-stay"]);
    let mut page = Page::open(runner.address, "");
    while page.next().is_some() {
        let both: BTreeSet<_> = page.titles("matches").into_iter().collect();
        assert_eq!(both.len(), page.titles("matches").len(), "none is twice");
        for title in page.titles("under-way") {
            assert!(!both.contains(&title), "{title} is over and under way");
        }
    }
    assert_eq!(page.phase, "over");
    let (_, whole) = get(runner.address, "/");
    for (name, inside) in &page.parts {
        assert!(whole.contains(inside.as_str()), "{name}");
    }
    // The report is written before the runner waits for a signal, and that after the last state is shown.
    runner.child.kill().unwrap();
    runner.child.wait().unwrap();
    let (code, _, err) = call(place, &["report", "runs/cup"]);
    assert_eq!(code, 0, "{err}");
    let report = fs::read_to_string(place.join("runs/cup/report.html")).unwrap();
    let (of_page, of_report) = (sections(&whole), sections(&report));
    let mut compared = 0;
    for name in ["standings", "bracket", "figures", "crosstable", "luck"] {
        let find = |all: &[(&str, &str)]| {
            let found = all.iter().find(|(id, _)| *id == name);
            found.map(|(_, inside)| (*inside).to_owned())
        };
        assert_eq!(find(&of_page), find(&of_report), "{name}");
        compared += usize::from(find(&of_page).is_some());
    }
    assert_eq!(compared, parts);
    let link = "<a href=\"#luck\">Luck</a>";
    let has_luck = event.contains("backgammon");
    assert_eq!(whole.contains(link), has_luck, "{whole}");
    assert_eq!(page.parts["luck"].contains("adjusted %"), has_luck);
}

#[test]
fn a_round_robin_on_a_service() {
    follow("cycles = 2", SERVICE);
}

#[test]
fn the_last_state_has_the_results_without_luck() {
    let event = format!("cycles = 3\ngame = 'backgammon'\ntarget = 1\n{DRAW_SECRET}\n{DIRECT}");
    follow_bots(&event, &BUILTIN[..2], 4);
}

#[test]
fn every_format_in_direct_mode() {
    for event in [
        "cycles = 8",
        "format = 'gauntlet'\nchallengers = ['c']\ncycles = 4",
        "format = 'swiss'\nrounds = 2",
        "format = 'knockout'",
        "format = 'ladder'\nrounds = 3",
    ] {
        follow(event, DIRECT);
    }
}

#[test]
fn a_sequential_test_in_direct_mode() {
    let place = tempfile::tempdir().unwrap();
    let event = format!(
        "format = 'sprt'\nsprt = {{ elo0 = 0, elo1 = 300, max_encounters = 60 }}\ngame = 'kamisado'\ntarget = 1\n{DIRECT}"
    );
    write_event(place.path(), &event, &BUILTIN[..2]);
    let runner = Runner::start(place.path(), "127.0.0.1:0", &["--web-stay"]);
    let mut page = Page::open(runner.address, "");
    while page.next().is_some() {}
    assert_eq!(page.phase, "over");
    assert!(page.parts["figures"].contains("Sequential test"));
    assert!(page.parts["standings"].contains("LLR"));
}

/// A page whose runner is killed asks the next one, from the state that it has.
#[test]
fn after_a_kill_every_match_is_shown_once() {
    for (service, cycles) in [(SERVICE, 6), (DIRECT, 16)] {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        let event =
            format!("cycles = {cycles}\ngame = 'kamisado'\ntarget = 1\nconcurrency = 3\n{service}");
        let bots = [
            (
                "c",
                "builtin = 'alphabeta'\noptions = { nodes = 3000, table_mib = 1 }",
            ),
            BUILTIN[0],
            BUILTIN[1],
            BUILTIN[3],
        ];
        write_event(place, &event, &bots);
        let mut runner = Runner::start(place, "127.0.0.1:0", &[]);
        let address = runner.address.to_string();
        let mut page = Page::open(runner.address, "");
        let mut kills = 0;
        loop {
            let before: BTreeSet<String> = page.titles("matches").into_iter().collect();
            let goes_on = page.next().is_some();
            let after: BTreeSet<String> = page.titles("matches").into_iter().collect();
            assert!(before.is_subset(&after), "a match is shown no more");
            assert_eq!(after.len(), page.titles("matches").len(), "none is twice");
            if goes_on && kills < 2 && after.len() > before.len() {
                kills += 1;
                runner.child.kill().unwrap();
                runner.child.wait().unwrap();
                runner = Runner::start(place, &address, &[]);
                let mut next = Page::open(runner.address, &page.id);
                let changed = next.next().unwrap();
                assert!(changed.len() > 1, "another start sends all of its state");
                assert!(
                    after
                        .iter()
                        .all(|title| next.titles("matches").contains(title))
                );
                page = next;
            }
            if !goes_on {
                break;
            }
        }
        assert_eq!(page.phase, "over");
        assert_eq!(page.titles("matches").len(), cycles * 12, "{kills} kills");
        assert!(kills > 0);
    }
}

/// Every byte of a run with an engine whose command has an argument, on a service with tokens.
#[test]
fn nothing_secret_is_served() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let program = env!("CARGO_BIN_EXE_dragontooth-runner");
    // A program that is not a bot: its matches are lost by faults, whose details are on the page.
    let not_a_bot = format!("command = ['{program}', '--argument-of-ours']");
    let event = format!(
        "cycles = 1\n{DRAW_SECRET}\ngame = 'kamisado'\ntarget = 1\n[limits]\nfaults = 2\nstart_failure = 'forfeit'"
    );
    write_event(place, &event, &[BUILTIN[0], BUILTIN[1], ("x", &not_a_bot)]);
    let mut runner = Runner::start(place, "127.0.0.1:0", &["--web-stay"]);
    let mut page = Page::open(runner.address, "");
    while page.next().is_some() {}
    let mut served = page.received.clone();
    for path in ["/", "/page.css", "/page.js", "/icon.svg", "/x"] {
        let (head, body) = get(runner.address, path);
        served.push_str(&head);
        served.push_str(&body);
    }
    runner.child.kill().unwrap();
    runner.child.wait().unwrap();
    assert!(page.parts["faults"].contains("table of faults"));
    let mut secrets: Vec<String> = [program, "argument-of-ours", "5e5e5e5e"]
        .map(str::to_owned)
        .to_vec();
    secrets.push(place.display().to_string());
    secrets.extend(words(&place.join("runs/cup")));
    assert!(secrets.len() > 4, "{secrets:?}");
    for secret in secrets {
        assert!(!served.contains(&secret), "{secret}");
    }
}

/// The long words of the files of a run that only its owner may read.
fn words(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.contains("secret") && !name.contains("draw") && !name.contains("sessions") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let long = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        let long = long.filter(|word| word.len() >= 16);
        found.extend(long.map(str::to_owned));
    }
    found
}
