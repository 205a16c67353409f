//! `verify` of an arena: what was changed in its journal is named, with and without its service.

use std::fs;
use std::future::pending;
use std::path::{Path, PathBuf};

use dragontooth_runner::config::{RunConfig, ServiceConfig};
use dragontooth_runner::drive::run_arena;
use dragontooth_runner::record::{Fingerprint, Manifest, RunFolder, arena_rules, read_arena};
use dragontooth_runner::verify::{
    ArenaVerification, Disagreement, ServedCheck, compare_served, verify_arena,
};
use tempfile::TempDir;

use super::on_a_service::{config, player, quiet, service};
use crate::command_line::runner;
use crate::faults::write_program;
use dragontooth_bots::session::Until;
use dragontooth_service::Service;

const JOURNAL: &str = "arena-000001.jsonl";

/// An arena on a service, after some matches.
struct Arena {
    service: Service,
    config: RunConfig,
    folder: TempDir,
}

impl Arena {
    async fn played(matches: u32) -> Self {
        let service = service().await;
        let config = config(&service, "");
        let folder = tempfile::tempdir().unwrap();
        let stop = Box::pin(player(&service, "v1", Until::Matches(matches)));
        let run = run_arena(&config, folder.path(), &quiet, None, stop);
        Box::pin(run).await.unwrap();
        Self {
            service,
            config,
            folder,
        }
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join(JOURNAL)).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// A copy of the folder with these lines.
    fn with(&self, lines: &[String]) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        for file in fs::read_dir(self.folder.path()).unwrap() {
            let file = file.unwrap();
            if file.file_type().unwrap().is_file() {
                fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
            }
        }
        let text = lines.join("\n") + "\n";
        fs::write(copy.path().join(JOURNAL), text).unwrap();
        copy
    }

    fn offline(&self, folder: &Path, digest: Option<Fingerprint>) -> ArenaVerification {
        let rules = arena_rules(&self.config.event).unwrap();
        verify_arena(folder, &self.config.event, rules, digest).unwrap()
    }

    async fn on_service(&self, folder: &Path) -> (ArenaVerification, ServedCheck) {
        verified_with_service(&self.config, folder).await
    }
}

/// Does what `verify --file` does.
pub(super) async fn verified_with_service(
    config: &RunConfig,
    folder: &Path,
) -> (ArenaVerification, ServedCheck) {
    let ServiceConfig::Remote(remote) = &config.service else {
        panic!("it is played elsewhere");
    };
    let rules = arena_rules(&config.event).unwrap();
    let mut found = verify_arena(folder, &config.event, rules.clone(), None).unwrap();
    let served = compare_served(config, remote, folder, &rules, &mut found)
        .await
        .unwrap();
    (found, served)
}

/// An anchor that crashes before its first action: the game has begun, and nothing was played.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_without_an_action_agrees_with_the_service() {
    let service = service().await;
    let place = tempfile::tempdir().unwrap();
    let script = r#"#!/bin/sh
say() { printf '%s\n' "$1"; }
while read -r line; do case "$line" in
*'"type":"hello"'*) say '{"type":"hello","protocol":1,"name":"sh","games":["linja"]}';;
*'"type":"isready"'*) say '{"type":"readyok"}';;
*'"type":"quit"'*) exit 0;;
*'"type":"go"'*) exit 3;;
esac; done
"#;
    write_program(&place.path().join("engine"), script);
    let text = format!(
        "[event]\nname = 'open'\nformat = 'arena'\ngame = 'linja'\ntarget = 1\n\
         [service]\naddress = 'http://{}'\n\
         [[bot]]\nname = 'broken'\ncommand = ['./engine']\nprotocol = 'stdio'\nrating = 100\n",
        service.address()
    );
    let config = RunConfig::parse(&text, place.path(), None).unwrap();
    let folder = place.path().join("run");
    // The third match begins when the results of the first encounter are in the journal.
    let stop = Box::pin(player(&service, "v1", Until::Matches(3)));
    let run = run_arena(&config, &folder, &quiet, None, stop);
    Box::pin(run).await.unwrap();
    let journal = folder.join(JOURNAL);
    let lines = fs::read_to_string(&journal).unwrap();
    assert!(lines.contains("\"plies\":0,"), "{lines}");
    // Earlier versions wrote the digest of a match without an action.
    let digest = format!("\"plies\":0,\"digest\":\"{}\",", "5e".repeat(32));
    let earlier: Vec<String> = (lines.lines())
        .map(|line| line.replace("\"plies\":0,", &digest))
        .collect();
    for text in [lines.clone(), chained(&earlier).join("\n") + "\n"] {
        fs::write(&journal, text).unwrap();
        let (found, served) = verified_with_service(&config, &folder).await;
        assert_eq!(texts(&found.disagreements), "");
        assert!(served.compared >= 2, "{served:?}");
    }
    service.stop().await;
}

/// The lines with the hashes that they would have had.
fn chained(lines: &[String]) -> Vec<String> {
    let mut before = Fingerprint::NONE.to_string();
    let chained = lines.iter().map(|line| {
        let at = line.find("\"previous\":\"").unwrap() + "\"previous\":\"".len();
        let line = format!("{}{before}{}", &line[..at], &line[at + before.len()..]);
        before = Fingerprint::of(line.as_bytes()).to_string();
        line
    });
    chained.collect()
}

/// The line of the first match that somebody won, with the other winner and the other score.
fn forged(lines: &[String]) -> (usize, String) {
    let is_won = |line: &String| line.contains("\"winner\":\"first\"");
    let (at, line) = (0..).zip(lines).find(|(_, line)| is_won(line)).unwrap();
    let forged = line
        .replace("\"winner\":\"first\"", "\"winner\":\"second\"")
        .replace(
            "\"score\":{\"first\":1,\"second\":0}",
            "\"score\":{\"first\":0,\"second\":1}",
        );
    assert_ne!(*line, forged);
    (at, forged)
}

pub(super) fn texts(found: &[Disagreement]) -> String {
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    texts.join("\n")
}

fn place(line: usize) -> String {
    format!("{JOURNAL}:{line} (open/e")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_changed_in_an_arena_is_named() {
    let arena = Arena::played(8).await;
    let lines = arena.lines();
    let folder = arena.folder.path();
    let (sound, served) = arena.on_service(folder).await;
    assert_eq!(texts(&sound.disagreements), "");
    assert_eq!(served.compared as u64, sound.counts.matches);
    assert!(served.compared >= 7, "{served:?}");

    // A result that was changed breaks the chain behind it.
    let (at, line) = forged(&lines);
    let mut changed = lines.clone();
    changed[at].clone_from(&line);
    let found = arena.offline(arena.with(&changed).path(), None);
    let text = texts(&found.disagreements);
    assert!(text.starts_with(&place(at + 2)), "{text}");
    assert!(
        text.contains(&format!("not written after {}", place(at + 1))),
        "{text}"
    );

    // With the hashes set right only the service and a published digest tell.
    let forged = arena.with(&chained(&changed));
    let digest = Some(sound.event_digest);
    let found = arena.offline(forged.path(), None);
    assert_eq!(texts(&found.disagreements), "");
    let text = texts(&arena.offline(forged.path(), digest).disagreements);
    assert!(text.starts_with("the event digest: no line"), "{text}");
    let text = texts(&arena.on_service(forged.path()).await.0.disagreements);
    assert!(text.starts_with(&place(at + 1)), "{text}");
    assert!(
        text.contains("the winner is second in the journal; on the service it is first"),
        "{text}"
    );
    assert!(text.contains("the score is 0-1"), "{text}");

    // A winner that has not reached the target.
    let mut changed = lines.clone();
    changed[at] = lines[at].replace("\"winner\":\"first\"", "\"winner\":\"second\"");
    let found = arena.offline(arena.with(&chained(&changed)).path(), None);
    let text = texts(&found.disagreements);
    assert!(
        text.starts_with(&place(at + 1))
            && text.contains("the winner is second, and the score is 1-0"),
        "{text}"
    );

    // A match that was left out.
    let mut changed = lines.clone();
    changed.remove(at);
    let found = arena.offline(arena.with(&changed).path(), None);
    let text = texts(&found.disagreements);
    assert!(text.starts_with(&place(at + 1)), "{text}");
    // An arena that was killed just then would add it, but not long after.
    let removed = arena.with(&chained(&changed));
    let (found, served) = arena.on_service(removed.path()).await;
    assert_eq!(texts(&found.disagreements), "");
    assert!(served.to_record > 0);
    let last = changed
        .iter()
        .rposition(|line| line.contains("\"ended\":{"));
    let (before, year) = changed[last.unwrap()].split_once("\"ended\":\"2").unwrap();
    changed[last.unwrap()] = format!("{before}\"ended\":\"3{year}");
    let removed = arena.with(&chained(&changed));
    let text = texts(&arena.on_service(removed.path()).await.0.disagreements);
    let expected = "is over on the service and has no result: it was removed";
    assert!(text.contains(expected) && text.contains("open/e"), "{text}");

    // The end of the journal, with the beginning of an encounter.
    let cut = lines
        .iter()
        .rposition(|line| line.starts_with("{\"paired\""));
    let cut = lines[..cut.unwrap()]
        .iter()
        .rposition(|line| line.starts_with("{\"paired\""));
    let removed = arena.with(&lines[..cut.unwrap()]);
    let text = texts(&arena.on_service(removed.path()).await.0.disagreements);
    assert!(text.contains(expected), "{text}");

    // Two lines that changed places.
    let mut changed = lines.clone();
    changed.swap(at, at + 1);
    let text = texts(
        &arena
            .offline(arena.with(&changed).path(), None)
            .disagreements,
    );
    assert!(text.starts_with(&place(at + 1)), "{text}");

    // A match that was never played.
    let mut changed = lines.clone();
    let id = lines[at].split("\"match_id\":\"").nth(1).unwrap()[..36].to_owned();
    changed[at] = lines[at].replace(&id, &format!("{}{}", "ffffffff", &id[8..]));
    let invented = arena.with(&chained(&changed));
    let text = texts(&arena.on_service(invented.path()).await.0.disagreements);
    assert!(
        text.contains("the service has no match ffffffff-"),
        "{text}"
    );

    // The digest of a part of it is that of the arena at the time.
    let part = arena.offline(arena.with(&lines[..=at]).path(), None);
    let found = arena.offline(folder, Some(part.event_digest));
    assert_eq!(texts(&found.disagreements), "");
    assert_eq!(found.published_after, Some(part.counts.matches));
    arena.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_cannot_be_read_is_named() {
    let arena = Arena::played(4).await;
    let found = |lines: &[String]| {
        let found = arena.offline(arena.with(lines).path(), None);
        texts(&found.disagreements)
    };
    let mut changed = arena.lines();
    changed.insert(1, String::new());
    let text = found(&changed);
    let expected =
        format!("{JOURNAL}:2: the line is not JSON: it is empty\n{JOURNAL}:2: what follows");
    assert!(text.starts_with(&expected), "{text}");
    for key in ["at", "started", "ended"] {
        let mut changed = arena.lines();
        let time = format!("\"{key}\":\"2");
        let has_one = |line: &String| line.contains(&time);
        let at = changed.iter().position(has_one).unwrap();
        changed[at] = changed[at].replace(&time, &format!("{time} or "));
        let text = found(&changed);
        let expected = format!("{JOURNAL}:{}: {key} cannot be read: ", at + 1);
        assert!(text.starts_with(&expected), "{text}");
    }
    arena.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_definition_of_an_arena_is_named() {
    let arena = Arena::played(2).await;
    let copy = arena.with(&arena.lines());
    let file: PathBuf = RunFolder::manifest_in(copy.path());
    let text = fs::read_to_string(&file).unwrap();
    let changed = text
        .replace("\"seed\": 1", "\"seed\": 2")
        .replace("\"seed\":1", "\"seed\":2");
    assert_ne!(text, changed, "{text}");
    fs::write(&file, changed).unwrap();
    let manifest = Manifest::new(&arena.config);
    RunFolder::compare(arena.folder.path(), &manifest).unwrap();
    let error = RunFolder::compare(copy.path(), &manifest).unwrap_err();
    assert!(error.to_string().contains("seed"), "{error}");
    let published = arena.offline(arena.folder.path(), None).event_digest;
    let found = arena.offline(copy.path(), Some(published));
    assert!(texts(&found.disagreements).contains("the event digest"));
    arena.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_that_have_just_ended_are_no_disagreement() {
    let arena = Arena::played(2).await;
    let players = async {
        tokio::join!(
            player(&arena.service, "v1", Until::Stopped),
            player(&arena.service, "v1", Until::Stopped)
        )
    };
    let looks = async {
        let mut looks = 0;
        while looks < 5 {
            let (found, _) = arena.on_service(arena.folder.path()).await;
            assert_eq!(texts(&found.disagreements), "");
            looks += u32::from(found.counts.matches > 20);
        }
    };
    tokio::select! {
        ended = run_arena(&arena.config, arena.folder.path(), &quiet, None, pending()) => panic!("{ended:?}"),
        _ = players => panic!("the players have left"),
        () = looks => {}
    }
    arena.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_arena_with_the_journal_of_a_backup_goes_on() {
    let arena = Arena::played(24).await;
    let folder = arena.folder.path();
    // The backup is from the beginning.
    for _ in 0..2 {
        fs::write(folder.join(JOURNAL), "").unwrap();
        let (found, _) = arena.on_service(folder).await;
        let text = texts(&found.disagreements);
        let expected = "open/e1/m1: the match ";
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(text.matches("another copy of this folder").count(), 20);
        assert!(text.contains("the service: … and "), "{text}");
        let stop = Box::pin(player(&arena.service, "v1", Until::Matches(3)));
        let state = run_arena(&arena.config, folder, &quiet, None, stop)
            .await
            .unwrap();
        assert!(state.counts().matches >= 2, "{state:?}");
        assert_eq!(state.counts().void, 0);
    }
    // What it has played is what it says; only the matches that the backup lacked are left over.
    let (found, served) = arena.on_service(folder).await;
    assert!(served.compared >= 2, "{served:?}");
    for disagreement in texts(&found.disagreements).lines() {
        let is_left = disagreement.contains("another match of this title")
            || disagreement.contains("another copy of this folder")
            || disagreement.contains("the service: … and ");
        assert!(is_left, "{disagreement}");
    }
    arena.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_is_gone_is_missed() {
    let arena = Arena::played(2).await;
    let folder = arena.folder.path();
    fs::remove_file(folder.join(JOURNAL)).unwrap();
    let rules = arena_rules(&arena.config.event).unwrap();
    let verified = verify_arena(folder, &arena.config.event, rules.clone(), None).unwrap_err();
    let read = read_arena(folder, rules, u64::MAX, |_, _| ()).unwrap_err();
    let run = run_arena(&arena.config, folder, &quiet, None, pending()).await;
    for error in [
        verified.to_string(),
        read.to_string(),
        run.unwrap_err().to_string(),
    ] {
        assert!(error.contains(JOURNAL), "{error}");
    }
    assert!(!folder.join(JOURNAL).exists());
    arena.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_another_arena_is_a_disagreement() {
    let arena = Arena::played(1).await;
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("other.toml");
    let text = format!(
        "[event]\nname = 'other'\nformat = 'arena'\ngame = 'linja'\ntarget = 1\n\
         [service]\naddress = 'http://{}'\n\
         [[bot]]\nname = 'zero'\nbuiltin = 'random'\nrating = 0\n",
        arena.service.address()
    );
    fs::write(&file, text).unwrap();
    let output = runner(arena.folder.path(), &["verify", ".", "--file"])
        .arg(&file)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("event.name is open"), "{told}");
    arena.service.stop().await;
}
