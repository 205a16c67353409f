//! Files that lie beside the tracked ones: an environment for Python, as the README has bots make one,
//! bots, runs, and what a person forgot.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use xtask::{Effort, Tree, ci, repository_root, tidy};

/// The folder of the spelling checker, which the tests do not fetch.
const TOOLS: &str = "target/ci-tools";

/// A text whose spelling, spaces, links and end are wrong.
fn wrong() -> String {
    "receive \nSee [a](nowhere.md)".replace("cei", "cie")
}

/// One copy for all, because it takes seconds to make and to check.
#[test]
fn checks_look_at_tracked_files_alone() {
    let copy = copy_of_the_repository();
    let root = copy.path();
    let before = Tree::load(root).unwrap();
    assert!(before.files.len() > 500, "{}", before.files.len());
    // Without Git, files that are ignored by name do not count, nor does a link that leads back up.
    fs::create_dir_all(root.join("target/debug")).unwrap();
    fs::write(root.join("target/debug/notes.md"), wrong()).unwrap();
    symlink("..", root.join("games/up")).unwrap();
    let without_git = Tree::load(root).unwrap();
    assert_eq!(without_git.files, before.files);
    assert!(without_git.opaque.contains(&"games/up".to_owned()));
    assert_eq!(tidy::check_repository(root).unwrap(), []);
    fs::remove_file(root.join("games/up")).unwrap();

    git(root, &["init", "--quiet"]);
    git(root, &["add", "--all"]);
    let tracked = Tree::load(root).unwrap();
    assert_eq!(tracked.files, before.files);
    make_others(root);
    assert_eq!(Tree::load(root).unwrap(), tracked);
    let mut steps = vec!["--only=tidy", "--only=layering"];
    let tools = repository_root().join(TOOLS);
    if tools.is_dir() {
        symlink(tools, root.join(TOOLS)).unwrap();
        steps.push("--only=spelling");
    }
    assert!(ci::run(root, Effort::Commit, &steps).unwrap());

    // A file that is added is seen, even if it is ignored by name.
    git(
        root,
        &["add", "--force", "--", "env/notes.md", "games/src/util.rs"],
    );
    let findings = tidy::check_repository(root).unwrap();
    let places: Vec<&str> = findings.iter().map(|found| found.place.as_str()).collect();
    assert!(places.contains(&"env/notes.md"), "{places:?}");
    assert!(places.contains(&"games/src/util.rs"), "{places:?}");
}

/// The tracked files of the repository, as they are now.
fn copy_of_the_repository() -> TempDir {
    let (root, copy) = (repository_root(), TempDir::new().unwrap());
    let tree = Tree::load(&root).unwrap();
    let texts = tree.files.iter().map(|file| &file.path);
    for path in texts.chain(&tree.opaque) {
        let (from, to) = (root.join(path), copy.path().join(path));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        match fs::read_link(&from) {
            Ok(target) => symlink(target, to).unwrap(),
            Err(_) => {
                fs::copy(from, to).unwrap();
            }
        }
    }
    copy
}

fn make_others(root: &Path) {
    let env = root.join("env");
    fs::create_dir_all(env.join("lib/python")).unwrap();
    for path in [
        "env/notes.md",
        "env/lib/python/broken.proto",
        "games/src/util.rs",
        "bots/python/src/mybot.py",
        "mybot.py",
        "cup.toml",
    ] {
        fs::write(root.join(path), wrong()).unwrap();
    }
    symlink("lib", env.join("lib64")).unwrap();
    symlink("..", env.join("lib/up")).unwrap();
    symlink("nowhere", env.join("lib/python3")).unwrap();
    let not_text = std::ffi::OsStr::from_bytes(b"\xff.md");
    fs::write(env.join("lib").join(not_text), wrong()).unwrap();
}

fn git(root: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(root).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
