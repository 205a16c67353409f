use std::fs;
use std::path::Path;

use serde_json::json;

use super::run::{Run, read, write};
use crate::command_line::call;

/// A run adds the record of a match before its result.
#[tokio::test(flavor = "multi_thread")]
async fn a_missing_result_is_told_by_the_state_of_its_run() {
    let run = Run::new("game = 'kamisado'\ntarget = 1\ncycles = 2", ["random"; 2]).await;
    run.forget_end();
    let results = read(&run.results());
    write(&run.results(), &results[..3]);
    let verify = || {
        let (_, out, _) = call(run.path(), &["verify", "."]);
        out
    };
    let out = verify();
    let stopped = "\n1 was played without a result, because the run was stopped\n";
    assert!(out.contains(stopped), "{out}");
    let lock = fs::File::open(run.path().join("lock")).unwrap();
    lock.try_lock().unwrap();
    let out = verify();
    assert!(
        out.contains("\n1 was played; its result is being written\n"),
        "{out}"
    );
    write(&run.results(), &results[..2]);
    let out = verify();
    assert!(
        out.contains("\n2 were played; their results are being written\n"),
        "{out}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_code_gives_the_result() {
    let run = Run::of_backgammon().await;
    let verify_with = |folder: &Path, digest: &[&str]| {
        let folder = folder.to_str().unwrap();
        let (code, out, _) = call(Path::new("."), &[&["verify", folder], digest].concat());
        (code, out)
    };
    let verify = |folder: &Path| verify_with(folder, &[]);
    let (code, out) = verify(run.path());
    assert_eq!(code, 0, "{out}");
    assert!(
        out.starts_with("4 of 4 matches are over; 4 of them are verified: "),
        "{out}"
    );

    let digest = run.seal().event_digest().to_string();
    assert!(
        out.ends_with(&format!("the event digest is {digest}\n")),
        "{out}"
    );
    assert_eq!(verify_with(run.path(), &["--digest", &digest]).0, 0);
    let other = "1".repeat(64);
    let (code, out) = verify_with(run.path(), &["--digest", &other]);
    assert_eq!(code, 1, "{out}");
    let told = format!("the event digest: it is {digest}, and should be {other}");
    assert!(out.starts_with(&told), "{out}");
    assert_eq!(verify_with(run.path(), &["--digest", "1"]).0, 2);

    let mut lines = read(&run.results());
    lines[2]["digest"] = json!("1".repeat(64));
    write(&run.results(), &lines);
    run.reforge();
    let (code, out) = verify(run.path());
    assert_eq!(code, 1, "{out}");
    let title = lines[2]["title"].as_str().unwrap();
    assert!(
        out.starts_with(&format!("{title}: the digest of what was played is ")),
        "{out}"
    );
    assert!(
        out.contains("4 of 4 matches are over; 3 of them are verified: "),
        "{out}"
    );

    assert_eq!(verify(Path::new("nowhere")).0, 2);
    let event = run.path().join("event.json");
    let whole = fs::read(&event).unwrap();
    fs::write(&event, "{").unwrap();
    for command in ["verify", "table", "report"] {
        let (code, _, err) = call(run.path(), &[command, "."]);
        assert_eq!(code, 3, "{command}: {err}");
    }
    fs::write(&event, whole).unwrap();
    fs::remove_file(run.results()).unwrap();
    fs::create_dir(run.results()).unwrap();
    assert_eq!(verify(run.path()).0, 3);
}
