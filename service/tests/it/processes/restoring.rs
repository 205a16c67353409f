//! A damaged data folder, from the refused start to the match that is played on.

use std::fs;
use std::path::{Path, PathBuf};

use dragontooth_proto::v1::MatchState;

use crate::backups::{change, wait_until_closed};
use crate::pair::{Pair, to_points};
use crate::program::{Program, arguments, ask, run};
use crate::random_player::Draws;
use crate::served::lone_address;

const DONE: i32 = 0;
const NOT_STARTED: i32 = 3;
const DAMAGED: i32 = 7;

/// The stream of the tokens.
const TOKENS: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/// The operator's steps: the service refuses the damaged folder, the command that it names restores the
/// backup into a new one, and the match continues there.
#[tokio::test]
async fn a_refused_folder_is_restored_and_its_match_continues() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, backup, restored) = (path("data"), path("backup"), path("restored"));
    let program = Program::serve(Path::new(&data)).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    for _ in 0..4 {
        pair.play().await.unwrap();
    }
    let (id, before) = (pair.match_id.clone(), pair.events().await);
    stop(program).await;
    let (code, _, errors) = ask(&["backup", "--data", &data, "--out", &backup], &[]).await;
    assert_eq!(code, DONE, "{errors}");

    let snapshot = snapshot(Path::new(&data));
    let mut bytes = fs::read(&snapshot).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&snapshot, &bytes).unwrap();
    let refused = refused(Path::new(&data)).await;
    assert_eq!(fs::read(&snapshot).unwrap(), bytes, "it is left as it was");
    for command in ["verify", "backup"] {
        let out = path("another");
        let more: &[&str] = if command == "backup" {
            &["--out", &out]
        } else {
            &[]
        };
        let (code, _, errors) = ask(&[&[command, "--data", &data], more].concat(), &[]).await;
        assert_eq!(code, NOT_STARTED, "{errors}");
        assert!(errors.contains(&command_in(&refused)), "{errors}");
    }

    let command = command_in(&refused).replace("BACKUP", &backup);
    let command = command.replace("NEW_FOLDER", &restored);
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[0], "dragontooth-service");
    let (code, _, errors) = ask(&words[1..], &[]).await;
    assert_eq!(code, DONE, "{errors}");

    let program = Program::serve(Path::new(&restored)).await;
    let mut pair = Pair::connect(program.address()).await;
    pair.match_id = id;
    assert_eq!(pair.events().await, before);
    pair.play_to_the_end(&mut Draws::new(41)).await;
    assert_eq!(pair.view().await.state(), MatchState::Ended);
    stop(program).await;
    let (code, text, _) = ask(&["verify", "--data", &restored], &[]).await;
    assert_eq!(code, DONE, "{text}");
    assert!(text.starts_with("1 match: 1 sound"), "{text}");
}

/// Without the tokens the service would not know which of them were revoked. What else is there can be backed up.
#[tokio::test]
async fn a_folder_that_has_lost_tokens_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let create = [
        "token", "create", "operator", "--scopes", "admin", "--data", data,
    ];
    for _ in 0..2 {
        assert_eq!(ask(&create, &[]).await.0, DONE);
    }
    change(folder.path(), TOKENS, 2, None);
    let refused = refused(folder.path()).await;
    assert!(refused.contains("cannot read the tokens"), "{refused}");
    let (code, text, _) = ask(&["verify", "--data", data], &[]).await;
    assert_eq!(code, DAMAGED, "{text}");
    assert!(text.ends_with("tokens damaged\n"), "{text}");
    let out = folder.path().join("backup");
    let backup = ["backup", "--data", data, "--out", out.to_str().unwrap()];
    let (code, text, _) = ask(&backup, &[]).await;
    assert_eq!(code, DAMAGED, "{text}");
    let lost = "the tokens and blocks: damaged from event 2 on, not in the backup\n";
    assert!(text.starts_with(lost), "{text}");
}

/// Tries to serve the folder; the error names it and the command that restores.
async fn refused(data: &Path) -> String {
    let (code, errors) = run(arguments(data, lone_address())).await;
    assert_eq!(code, NOT_STARTED, "{errors}");
    let last = errors.lines().last().unwrap_or_default().to_owned();
    assert!(last.contains(data.to_str().unwrap()), "{last}");
    assert!(command_in(&last).contains(" restore "), "{last}");
    last
}

/// The command that an error quotes.
fn command_in(error: &str) -> String {
    error.split('`').nth(1).unwrap_or_default().to_owned()
}

async fn stop(program: Program) {
    program.signal("TERM").await;
    let (status, log) = program.wait().await;
    assert_eq!(status.code(), Some(DONE), "{log:#?}");
}

/// The file from which sled continues; it writes one when the store is opened again.
fn snapshot(data: &Path) -> PathBuf {
    drop(sled::open(data).unwrap());
    wait_until_closed(data);
    let mut files = fs::read_dir(data)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_snapshot = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("snap.")
    };
    files.find(is_snapshot).expect("sled has written one")
}
