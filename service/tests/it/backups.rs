//! An operator's work with the event log: verify, back up, restore.

use std::fs;
use std::path::Path;
use std::process::Command;

use dragontooth_proto::v1;
use dragontooth_service::{AuthMode, Config, OfflineTokens, ServerTlsFiles, Storage};
use dragontooth_service_vocabulary::Scope;
use tokio::sync::oneshot;

use crate::pair::{Pair, to_points};
use crate::program::ask;
use crate::served::{Served, issue_offline};

const SOUND: i32 = 0;
const NOT_DONE: i32 = 3;
const REFUSED: i32 = 4;
const DAMAGED: i32 = 7;

#[tokio::test]
async fn a_folder_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let (sound, damaged, lost) = three_matches(folder.path()).await;
    let served = Served::in_folder(folder.path()).await;
    let hash = served.raw("anyone").await.get(&sound.match_id).await;
    let hash = hash.unwrap().head_hash;
    served.stop().await;
    let (code, output, _) = ask(&["verify", "--data", data], &[]).await;
    assert_eq!(
        (code, &*output),
        (
            SOUND,
            "3 matches: 3 sound, 0 damaged, 0 with other draws than their seeds give; tokens sound\n"
        )
    );
    let one = ["verify", "--data", data, "--match", &sound.match_id];
    let (code, output, _) = ask(&one, &[]).await;
    assert_eq!(code, SOUND);
    assert!(
        output.contains(&format!("{}: sound", sound.match_id)),
        "{output}"
    );
    assert!(output.contains(&hash), "{output}");

    change(folder.path(), &damaged.match_id, 5, Some("no event"));
    for sequence in 4..=7 {
        change(folder.path(), &lost.match_id, sequence, None);
    }
    let (code, output, _) = ask(&["verify", "--data", data], &[]).await;
    assert_eq!(code, DAMAGED, "{output}");
    for (id, from) in [(&damaged.match_id, 5), (&lost.match_id, 4)] {
        let line = format!("match {id}: damaged from event {from} on");
        assert!(output.contains(&line), "{output}");
    }
    assert!(output.contains("3 matches: 1 sound, 2 damaged"), "{output}");

    // The rest is backed up, and the missing part is reported.
    let file = folder.path().join("backup");
    let file = file.to_str().unwrap();
    let (code, output, errors) = ask(&["backup", "--data", data, "--out", file], &[]).await;
    assert_eq!(code, DAMAGED, "{output}{errors}");
    assert!(output.contains("damaged from event 4 on"), "{output}");
    let restored = folder.path().join("restored");
    let restored = restored.to_str().unwrap();
    let (code, output, _) = ask(&["restore", "--from", file, "--data", restored], &[]).await;
    assert_eq!(code, DAMAGED, "{output}");
    let (code, output, _) = ask(&["verify", "--data", restored], &[]).await;
    assert_eq!(code, SOUND);
    assert!(output.contains("1 match: 1 sound"), "{output}");
}

/// A backup made while matches are played is restored, and the matches continue.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_under_load_is_backed_up_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let secret = operator(&data).await;
    let served = serve(&data).await;
    let mut pairs = Vec::new();
    for _ in 0..4 {
        pairs.push(Pair::seat_on(served.address(), to_points(15)).await);
    }
    let url = format!("http://{}", served.address());
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, restored) = (path("backup"), path("restored"));
    let arguments = ["backup", "--server", &url, "--out", &file];

    let (code, _, errors) = ask(
        &arguments,
        &[("DRAGONTOOTH_TOKEN", "any-secret-of-a-player")],
    )
    .await;
    assert_eq!(code, REFUSED, "{errors}");
    assert!(errors.contains("does not send the backup"), "{errors}");
    assert!(fs::read_dir(folder.path()).unwrap().count() == 1, "no file");

    let before = views(&pairs).await;
    let (stop, stopped) = oneshot::channel();
    let playing = tokio::spawn(play_until(pairs, stopped));
    let (code, output, errors) = ask(&arguments, &[("DRAGONTOOTH_TOKEN", &secret)]).await;
    assert_eq!(code, SOUND, "{output}{errors}");
    stop.send(()).unwrap();
    let pairs = playing.await.unwrap();
    let after = views(&pairs).await;
    let mut events = Vec::new();
    for pair in &pairs {
        events.push(pair.events().await);
    }
    served.stop().await;

    let (code, _, errors) = ask(&arguments, &[("DRAGONTOOTH_TOKEN", &secret)]).await;
    assert_eq!(code, NOT_DONE);
    assert!(errors.contains("there is already a file"), "{errors}");
    // The root of a new disk is as good as no folder.
    fs::create_dir_all(Path::new(&restored).join("lost+found")).unwrap();
    let restore = ["restore", "--from", &file, "--data", &restored];
    let (code, output, errors) = ask(&restore, &[]).await;
    assert_eq!(code, SOUND, "{output}{errors}");
    let (code, _, errors) = ask(&restore, &[]).await;
    assert_eq!(code, NOT_DONE);
    assert!(errors.contains("is not empty"), "{errors}");
    assert_eq!(ask(&["verify", "--data", &restored], &[]).await.0, SOUND);

    let served = serve(Path::new(&restored)).await;
    for (number, pair) in pairs.into_iter().enumerate() {
        let pair = pair.go_on(&served).await;
        let view = pair.view().await;
        let heads = before[number].head_sequence..=after[number].head_sequence;
        assert!(heads.contains(&view.head_sequence), "{heads:?}");
        let length = usize::try_from(view.head_sequence).unwrap();
        assert_eq!(pair.events().await, events[number][..length]);
        for _ in 0..5 {
            if pair.view().await.state() == v1::MatchState::Active {
                pair.play().await.unwrap();
            }
        }
    }
    served.stop().await;
}

/// The same for the tokens of a service, over the same kind of connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_with_tls_is_backed_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let data = folder.path().join("data");
    let secret = operator(&data).await;
    let pem = |name: &str| format!("{}/tests/data/tls/{name}", env!("CARGO_MANIFEST_DIR"));
    let served = Served::with_config(Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        storage: Storage::Folder(data.clone()),
        tls: Some(ServerTlsFiles {
            cert: pem("server.pem").into(),
            key: pem("server.key").into(),
            client_ca: Some(pem("ca.pem").into()),
        }),
        ..Config::default()
    })
    .await;
    let (url, file) = (format!("https://{}", served.address()), path("backup"));
    let [ca, cert, key] = ["ca.pem", "client.pem", "client.key"].map(pem);
    let own = ["--tls-cert", &cert, "--tls-key", &key];
    let backup = ["backup", "--server", &url, "--out", &file, "--tls-ca", &ca];
    let token = [("DRAGONTOOTH_TOKEN", &*secret)];

    let (code, _, errors) = ask(&backup, &token).await;
    assert_eq!(code, REFUSED, "{errors}");
    // Which word the client hears before the connection is closed is a race in TLS 1.3.
    assert!(!errors.is_empty() && !std::path::Path::new(&file).exists());
    let (code, output, errors) = ask(&[&backup[..], &own].concat(), &token).await;
    assert_eq!(code, SOUND, "{output}{errors}");
    let restored = path("restored");
    let restore = ["restore", "--from", &file, "--data", &restored];
    assert_eq!(ask(&restore, &[]).await.0, SOUND);
    served.stop().await;
}

#[tokio::test]
async fn a_cut_backup_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    three_matches(&data).await;
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, file, restored) = (path("data"), path("backup"), path("restored"));
    let (code, _, errors) = ask(&["backup", "--data", &data, "--out", &file], &[]).await;
    assert_eq!(code, SOUND, "{errors}");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    let restore = ["restore", "--from", &file, "--data", &restored];
    let (code, _, errors) = ask(&restore, &[]).await;
    assert_eq!(code, NOT_DONE);
    assert!(
        errors.contains("the end of the backup is missing"),
        "{errors}"
    );
    assert!(!Path::new(&restored).exists());

    // Nobody writes to it.
    let pipe = path("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let restore = ["restore", "--from", &pipe, "--data", &restored];
    let (code, _, errors) = ask(&restore, &[]).await;
    assert_eq!(code, NOT_DONE);
    assert!(errors.contains("is not a regular file"), "{errors}");
    assert!(!Path::new(&restored).exists());
}

#[tokio::test]
async fn an_empty_folder_is_not_an_event_log_and_stays_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, file, inside) = (path("data"), path("backup"), path("data/backup"));
    // The root of a file system has it, so a disk that is empty too.
    fs::create_dir_all(Path::new(&data).join("lost+found")).unwrap();
    for command in [
        &["verify", "--data", &data][..],
        &["backup", "--data", &data, "--out", &file],
        &["backup", "--data", &data, "--out", &inside],
        &["token", "list", "--data", &data],
        &["token", "revoke", "0123456789abcdef", "--data", &data],
    ] {
        let (code, _, errors) = ask(command, &[]).await;
        assert_eq!(code, NOT_DONE, "{command:?}: {errors}");
        assert!(errors.contains("there is no event log in"), "{errors}");
        assert_eq!(fs::read_dir(&data).unwrap().count(), 1, "{command:?}");
    }
    assert!(!Path::new(&file).exists());
}

/// A folder with three matches of a few events, whose service has stopped.
async fn three_matches(folder: &Path) -> (Pair, Pair, Pair) {
    let served = Served::in_folder(folder).await;
    let mut pairs = Vec::new();
    for _ in 0..3 {
        let pair = Pair::seat(&served).await;
        for _ in 0..3 {
            pair.play().await.unwrap();
        }
        pairs.push(pair);
    }
    served.stop().await;
    let mut pairs = pairs.into_iter();
    let mut next = || pairs.next().unwrap();
    (next(), next(), next())
}

async fn operator(data: &Path) -> String {
    let offline = OfflineTokens::open(data).await.unwrap();
    issue_offline(offline, "the operator", Scope::Admin).await
}

async fn serve(data: &Path) -> Served {
    Served::with_config(Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        storage: Storage::Folder(data.to_owned()),
        auth: AuthMode::Open,
        ..Config::default()
    })
    .await
}

async fn views(pairs: &[Pair]) -> Vec<v1::Match> {
    let mut views = Vec::new();
    for pair in pairs {
        views.push(pair.view().await);
    }
    views
}

/// Plays all matches in turn until `stop` is set.
async fn play_until(pairs: Vec<Pair>, mut stopped: oneshot::Receiver<()>) -> Vec<Pair> {
    while stopped.try_recv().is_err() {
        for pair in &pairs {
            if pair.view().await.state() == v1::MatchState::Active {
                pair.play().await.unwrap();
            }
        }
    }
    pairs
}

/// Changes or removes a stored event.
pub(crate) fn change(folder: &Path, match_id: &str, sequence: u64, record: Option<&str>) {
    let store = sled::open(folder).unwrap();
    let events = store.open_tree("events").unwrap();
    let id = uuid::Uuid::parse_str(match_id).unwrap();
    separate(&events, id.as_bytes());
    let key = [&id.as_bytes()[..], &sequence.to_be_bytes()].concat();
    match record {
        Some(record) => assert!(events.insert(key, record).unwrap().is_some()),
        None => drop(events.remove(key).unwrap()),
    }
    events.flush().unwrap();
    drop((events, store));
    wait_until_closed(folder);
}

/// Stores each event of a match by itself, as in folders up to format 2.
fn separate(events: &sled::Tree, id: &[u8]) {
    for entry in events.scan_prefix(id) {
        let (key, chunk) = entry.unwrap();
        let Some((first, &[_, _])) = key[16..].split_first_chunk() else {
            continue;
        };
        events.remove(&key).unwrap();
        let mut sequence = u64::from_be_bytes(*first);
        let mut rest = &chunk[..];
        while let Some((length, behind)) = rest.split_first_chunk() {
            let (record, behind) = behind.split_at(u16::from_be_bytes(*length).into());
            let key = [id, &sequence.to_be_bytes()].concat();
            events.insert(key, record).unwrap();
            sequence += 1;
            rest = behind;
        }
    }
}

/// Waits until sled has released its file, which one of its threads may keep locked a moment longer.
pub(crate) fn wait_until_closed(folder: &Path) {
    let file = std::fs::File::open(folder.join("db")).unwrap();
    file.lock().unwrap();
    file.unlock().unwrap();
}
