//! `deploy/compose/certificate.sh`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use xtask::repository_root;

#[test]
fn writes_each_name_once_and_a_key_that_only_its_owner_can_read() {
    if !has_openssl() {
        return;
    }
    let place = TempDir::new().unwrap();
    let folder = place.path().join("certificate");
    let names = ["service", "127.0.0.1", "Service", "::1", "localhost", "::1"];
    let output = make(&folder, &names);
    assert!(output.status.success(), "{output:?}");
    let mode = |name: &str| {
        fs::metadata(folder.join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("service.key"), 0o600);
    assert_eq!(mode("service.pem"), 0o644);
    assert_eq!(mode(""), 0o700);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    files.sort();
    assert_eq!(files, ["ca.pem", "service.key", "service.pem"]);
    let shown = Command::new("openssl")
        .args(["x509", "-noout", "-ext", "subjectAltName", "-in"])
        .arg(folder.join("service.pem"))
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert_eq!(
        shown.lines().nth(1).unwrap().trim(),
        "DNS:localhost, IP Address:127.0.0.1, DNS:service, IP Address:0:0:0:0:0:0:0:1"
    );
    let again = make(&folder, &[]);
    assert!(!again.status.success(), "a certificate is never replaced");
}

#[test]
fn the_key_is_closed_in_a_folder_that_is_open() {
    if !has_openssl() {
        return;
    }
    let place = TempDir::new().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let output = make(place.path(), &[]);
    assert!(output.status.success(), "{output:?}");
    let key = fs::metadata(place.path().join("service.key")).unwrap();
    assert_eq!(key.permissions().mode() & 0o777, 0o600);
}

#[test]
fn refuses_what_is_not_a_name() {
    let place = TempDir::new().unwrap();
    let output = make(place.path(), &["two words"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        error,
        "certificate.sh: 'two words' is not a host name or an address\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

/// Runs the script where every file is made readable for all.
fn make(folder: &Path, names: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", "umask 000; exec \"$@\"", "sh"])
        .arg(repository_root().join("deploy/compose/certificate.sh"))
        .arg(folder)
        .args(names)
        .output()
        .unwrap()
}

fn has_openssl() -> bool {
    let found = Command::new("openssl").arg("version").output().is_ok();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "openssl is missing"
    );
    found
}
