//! Files that lie beside the tracked ones: an environment for Python, as the README has bots make one,
//! bots, runs, and what a person forgot.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use xtask::{Finding, Tree, tidy};

/// A repository that keeps the rules.
const TRACKED: &[(&str, &str)] = &[
    (".gitignore", "/target\nenv\n"),
    (
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"games\"]\n[workspace.package]\nversion = \"0.1.0\"\n\
         edition = \"2024\"\nrust-version = \"1.95\"\nlicense = \"Apache-2.0\"\npublish = false\n[workspace.lints]\n",
    ),
    ("README.md", "See [the rules](docs/rules.md).\n"),
    ("docs/rules.md", "# Rules\n"),
    (
        "games/Cargo.toml",
        "[package]\nname = \"dragontooth-games\"\nversion.workspace = true\nedition.workspace = true\n\
         rust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\
         [lib]\ntest = false\n[lints]\nworkspace = true\n",
    ),
    ("games/src/board.rs", "//! The board.\n"),
    ("games/src/lib.rs", "mod board;\n"),
];

/// A text whose spaces, links and end are wrong.
const WRONG: &str = "A space \nSee [a](nowhere.md)";

#[test]
fn checks_look_at_tracked_files_alone() {
    let place = TempDir::new().unwrap();
    let root = place.path();
    for (path, text) in TRACKED {
        write(root, path, text);
    }
    symlink("..", root.join("games/up")).unwrap();
    git(root, &["init", "--quiet"]);
    git(root, &["add", "--all"]);
    let tracked = Tree::load(root).unwrap();
    assert_eq!(tracked.files, Tree::of(TRACKED).files);
    assert_eq!(tracked.opaque, ["games/up"]);
    assert_eq!(tidy::check_repository(root).unwrap(), []);

    make_others(root);
    assert_eq!(Tree::load(root).unwrap(), tracked);
    assert_eq!(tidy::check_repository(root).unwrap(), []);

    // A file that is added is seen, even if it is ignored by name.
    git(
        root,
        &["add", "--force", "env/notes.md", "games/src/util.rs"],
    );
    let findings = tidy::check_repository(root).unwrap();
    let has = |place: &str| findings.iter().any(|found: &Finding| found.place == place);
    assert!(
        has("env/notes.md") && has("games/src/util.rs"),
        "{findings:?}"
    );
}

#[test]
fn without_git_nothing_is_checked() {
    let place = TempDir::new().unwrap();
    let error = |root: &Path| format!("{:#}", Tree::load(root).unwrap_err());
    let told = error(place.path());
    assert!(
        told.starts_with("the checks read what Git tracks"),
        "{told}"
    );
    git(place.path(), &["init", "--quiet"]);
    let below = place.path().join("below");
    fs::create_dir(&below).unwrap();
    let told = error(&below);
    assert!(
        told.ends_with("is not the top of its working tree"),
        "{told}"
    );
}

fn make_others(root: &Path) {
    for path in [
        "env/notes.md",
        "env/lib/python/broken.proto",
        "games/src/util.rs",
        "bots/mybot.py",
        "mybot.py",
        "cup.toml",
        "target/debug/notes.md",
    ] {
        write(root, path, WRONG);
    }
    let library = root.join("env/lib");
    symlink("lib", root.join("env/lib64")).unwrap();
    symlink("..", library.join("up")).unwrap();
    symlink("nowhere", library.join("python3")).unwrap();
    let not_text = std::ffi::OsStr::from_bytes(b"\xff.md");
    fs::write(library.join(not_text), WRONG).unwrap();
}

pub(crate) fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn git(root: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(root).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
