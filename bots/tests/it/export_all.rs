//! `dragontooth-bot record export-all` on a service.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use dragontooth_games::Seat;
use dragontooth_service::{Config, Limits, Service, Storage};
use dragontooth_service_client::{Client, MatchResignation, Token};
use dragontooth_service_vocabulary::{MatchId, NewMatch};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::cli::{Run, program, run};

const TOKEN: &str = "correct-horse-battery-staple";

async fn service(folder: &Path, listen: SocketAddr, limits: &Limits) -> Service {
    let config = Config {
        listen,
        limits: *limits,
        storage: Storage::Folder(folder.to_owned()),
        ..Config::default()
    };
    Service::start(config).await.unwrap()
}

fn any_port() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

fn client(service: &Service, token: &str) -> Client {
    let address = service.address().to_string().parse().unwrap();
    Client::connect_lazily(&address, &Token::new(token).unwrap()).unwrap()
}

/// Plays a match of a game in which the first seat resigns.
async fn played(service: &Service, game: &str) -> MatchId {
    let [first, second] = ["the-token-of-first", "the-token-of-second"];
    let (first, second) = (client(service, first), client(service, second));
    let id = first.create_match(NewMatch::new(game, 1)).await.unwrap().id;
    for (player, seat) in [(&first, Seat::First), (&second, Seat::Second)] {
        player.join_match(id, Some(seat), "", None).await.unwrap();
    }
    first
        .resign_match(MatchResignation::by_choice(id))
        .await
        .unwrap();
    id
}

/// Exports into a folder.
async fn export(service: &Service, folder: &Path, more: &[&str]) -> Run {
    let server = format!("http://{}", service.address());
    let mut arguments: Vec<String> = ["record", "export-all", "--token", TOKEN, "--server"]
        .map(str::to_owned)
        .into();
    arguments.extend([server, folder.display().to_string()]);
    arguments.extend(more.iter().map(|word| (*word).to_owned()));
    spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run(&arguments, b"")
    })
    .await
    .unwrap()
}

/// The files of a folder, by their names.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    });
    entries.collect()
}

/// The records of matches, each as `record export` has it.
async fn records(
    service: &Service,
    ids: &[MatchId],
    format: &str,
    extension: &str,
) -> BTreeMap<String, String> {
    let client = client(service, TOKEN);
    let mut records = BTreeMap::new();
    for id in ids {
        let record = client.export_match(*id, Some(format)).await.unwrap();
        records.insert(format!("{id}.{extension}"), record.text);
    }
    records
}

#[tokio::test(flavor = "multi_thread")]
async fn each_match_that_fits_becomes_a_file() {
    let data = tempfile::tempdir().unwrap();
    let service = service(data.path(), any_port(), &Limits::default()).await;
    let [linja, one, other] = [
        played(&service, "linja").await,
        played(&service, "backgammon").await,
        played(&service, "backgammon").await,
    ];
    let open = client(&service, TOKEN);
    let open = open
        .create_match(NewMatch::new("linja", 1))
        .await
        .unwrap()
        .id;
    let player = client(&service, "the-token-of-first");
    let player = player.who_am_i().await.unwrap().to_string();
    for (more, ids, format, extension) in [
        (&[][..], &[linja, one, other][..], "text", "txt"),
        (
            &["--state", "any"],
            &[linja, one, other, open],
            "text",
            "txt",
        ),
        (
            &["--game", "backgammon", "--format", "sgf"],
            &[one, other],
            "sgf",
            "sgf",
        ),
        (
            &["--player", &player, "--game", "linja"],
            &[linja],
            "text",
            "txt",
        ),
        (&["--created-before", "2026-01-31"], &[], "text", "txt"),
        (
            &["--created-from", "2026-01-31T12:00:00Z"],
            &[linja, one, other],
            "text",
            "txt",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("records");
        // The second time replaces the files.
        for _ in 0..2 {
            let exported = export(&service, &folder, more).await;
            assert_eq!(exported.code, Some(0), "{}", exported.stderr);
            let line = format!("{} matches in {}\n", ids.len(), folder.display());
            assert_eq!(exported.stdout, line);
            let expected = records(&service, ids, format, extension).await;
            assert_eq!(files(&folder), expected, "{more:?}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("records");
    for (more, code, expected) in [
        (
            &["--format", "mat"][..],
            4,
            ": --format: a format other than text needs --game",
        ),
        (&["--format", "chess"], 2, "unknown format"),
        (
            &["--format", "mat", "--game", "linja"],
            2,
            "a match of linja cannot be written as \"mat\"; expected one of text\n",
        ),
        (&["--game", "chess"], 4, ": --game: "),
        (
            &["--game", "linja", "--variant", "chess"],
            4,
            ": --variant: ",
        ),
        (
            &[
                "--created-from",
                "2026-02-01",
                "--created-before",
                "2026-01-31",
            ],
            2,
            "--created-from must be before --created-before",
        ),
        (&["--created-from", "yesterday"], 2, "must be a day"),
        (&["--opponent", &player], 2, "--player"),
    ] {
        let refused = export(&service, &folder, more).await;
        assert_eq!(refused.code, Some(code), "{}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
        assert!(!folder.exists(), "{more:?}");
    }
    fs::write(&folder, "").unwrap();
    let refused = export(&service, &folder, &[]).await;
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let expected = "records is a file, not a folder";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    service.stop().await;
}

/// A run that is killed in the middle goes on with the matches that it has not received.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_export_goes_on() {
    let data = tempfile::tempdir().unwrap();
    let quick = service(data.path(), any_port(), &Limits::default()).await;
    let mut ids = Vec::new();
    for _ in 0..12 {
        ids.push(played(&quick, "linja").await);
    }
    quick.stop().await;
    let limits = Limits {
        calls_per_second: 4,
        call_burst: 4,
        ..Limits::default()
    };
    let slow = service(data.path(), any_port(), &limits).await;
    let folder = tempfile::tempdir().unwrap();
    let server = format!("http://{}", slow.address());
    let path = folder.path().display().to_string();
    let words = [
        "record",
        "export-all",
        "--token",
        TOKEN,
        "--server",
        &server,
        &path,
    ];
    let mut child = program(&words).spawn().unwrap();
    let note = folder.path().join("export.json");
    while !note.exists() {
        tokio::task::yield_now().await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = files(folder.path());
    assert!(before.len() > 1 && before.len() < ids.len(), "{before:?}");

    let other = export(&slow, folder.path(), &["--state", "any"]).await;
    assert_eq!(other.code, Some(2));
    let options = "unfinished export with other options: --format text --state ended";
    assert!(other.stderr.contains(options), "{}", other.stderr);
    slow.stop().await;

    let quick = service(data.path(), any_port(), &Limits::default()).await;
    // What is there already is not sent again, but for what came after the last note.
    let noted: serde_json::Value = serde_json::from_slice(&fs::read(&note).unwrap()).unwrap();
    let noted = usize::try_from(noted["matches"].as_u64().unwrap()).unwrap();
    assert!(noted > 0);
    for id in &ids[..noted] {
        let file = folder.path().join(format!("{id}.txt"));
        fs::write(file, "kept").unwrap();
    }
    let gone_on = export(&quick, folder.path(), &[]).await;
    assert_eq!(gone_on.code, Some(0), "{}", gone_on.stderr);
    assert!(
        gone_on.stdout.starts_with("12 matches"),
        "{}",
        gone_on.stdout
    );
    let mut expected = records(&quick, &ids, "text", "txt").await;
    for id in &ids[..noted] {
        expected.insert(format!("{id}.txt"), "kept".to_owned());
    }
    assert_eq!(files(folder.path()), expected);
    quick.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_that_is_of_no_use_is_named() {
    let data = tempfile::tempdir().unwrap();
    let service = service(data.path(), any_port(), &Limits::default()).await;
    let folder = TempDir::new().unwrap();
    let note = folder.path().join("export.json");
    let noted = |token: &str| {
        format!(
            "{{\"options\": {{\"format\": \"text\", \"state\": \"ended\"}}, \
             \"resume_token\": \"{token}\", \"matches\": 1, \"refused\": 0}}"
        )
    };
    for (text, expected) in [
        ("{".to_owned(), "is not the progress of an export"),
        (noted("elsewhere"), "to begin again"),
    ] {
        fs::write(&note, text).unwrap();
        let refused = export(&service, folder.path(), &[]).await;
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
        assert!(refused.stderr.contains("export.json"), "{}", refused.stderr);
    }
    service.stop().await;
}
