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

#[test]
fn checks_look_at_tracked_files_alone() {
    let copy = copy_of_the_repository();
    let root = copy.path();
    git(root, &["init", "--quiet"]);
    git(root, &["add", "--all"]);
    let before = Tree::load(root).unwrap();
    assert!(before.files.len() > 500, "{}", before.files.len());
    make_others(root);
    assert_eq!(Tree::load(root).unwrap(), before);
    let mut steps = vec!["--only=tidy", "--only=layering"];
    let tools = repository_root().join(TOOLS);
    if tools.is_dir() {
        fs::create_dir(root.join("target")).unwrap();
        symlink(tools, root.join(TOOLS)).unwrap();
        steps.push("--only=spelling");
    }
    assert!(ci::run(root, Effort::Commit, &steps).unwrap());
}

#[test]
fn a_tracked_file_is_seen() {
    let copy = copy_of_the_repository();
    let root = copy.path();
    make_others(root);
    git(root, &["init", "--quiet"]);
    git(root, &["add", "--all", "--force", "--", ":!env/lib"]);
    let findings = tidy::check_repository(root).unwrap();
    let places: Vec<&str> = findings.iter().map(|found| found.place.as_str()).collect();
    assert!(places.contains(&"env/notes.md"), "{places:?}");
    assert!(places.contains(&"games/src/util.rs"), "{places:?}");
}

#[test]
fn a_copy_without_git_has_the_files_that_are_not_ignored() {
    let copy = copy_of_the_repository();
    let root = copy.path();
    let before = Tree::load(root).unwrap();
    assert_eq!(tidy::check_repository(root).unwrap(), []);
    // Ignored by name, and a link that leads back up.
    fs::create_dir_all(root.join("target/debug")).unwrap();
    fs::write(root.join("target/debug/notes.md"), wrong()).unwrap();
    symlink("..", root.join("games/up")).unwrap();
    let after = Tree::load(root).unwrap();
    assert_eq!(after.files, before.files);
    assert!(after.opaque.contains(&"games/up".to_owned()));
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
