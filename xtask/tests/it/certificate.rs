//! `deploy/compose/certificate.sh`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use xtask::repository_root;

#[test]
fn writes_each_name_once_and_a_key_that_only_its_owner_can_read() {
    if !has("openssl") {
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
    if !has("openssl") {
        return;
    }
    let place = TempDir::new().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let output = make(place.path(), &[]);
    assert!(output.status.success(), "{output:?}");
    let key = fs::metadata(place.path().join("service.key")).unwrap();
    assert_eq!(key.permissions().mode() & 0o777, 0o600);
}

/// A handshake of a server that has the files of a folder with a client that has its authority, and as many
/// demands as one of Python 3.13.
const STRICT_HANDSHAKE: &str = r#"
import ssl, sys
folder = sys.argv[1]
client = ssl.create_default_context(cafile=f"{folder}/ca.pem")
client.verify_flags |= ssl.VERIFY_X509_STRICT
server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server.load_cert_chain(f"{folder}/service.pem", f"{folder}/service.key")
there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
ends = [client.wrap_bio(back, there, server_hostname="localhost"), server.wrap_bio(there, back, server_side=True)]
while ends:
    try:
        ends[0].do_handshake()
        ends.pop(0)
    except ssl.SSLWantReadError:
        ends.reverse()
"#;

#[test]
fn strict_clients_accept_it_whatever_openssl_adds_by_itself() {
    if !has("openssl") || !has("python3") {
        return;
    }
    let place = TempDir::new().unwrap();
    for settings in [None, Some("/dev/null")] {
        let folder = place.path().join(settings.map_or("own", |_| "none"));
        let mut script = script(&folder, &[]);
        script.envs(settings.map(|path| ("OPENSSL_CONF", path)));
        assert!(script.output().unwrap().status.success());
        let verified = Command::new("openssl")
            .args(["verify", "-x509_strict", "-CAfile", "ca.pem", "service.pem"])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(verified.status.success(), "{verified:?}");
        let shaken = Command::new("python3")
            .args(["-c", STRICT_HANDSHAKE])
            .arg(&folder)
            .output()
            .unwrap();
        assert!(shaken.status.success(), "{shaken:?}");
    }
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

fn make(folder: &Path, names: &[&str]) -> Output {
    script(folder, names).output().unwrap()
}

/// The script, where every file is made readable for all.
fn script(folder: &Path, names: &[&str]) -> Command {
    let mut sh = Command::new("sh");
    sh.args(["-c", "umask 000; exec \"$@\"", "sh"])
        .arg(repository_root().join("deploy/compose/certificate.sh"))
        .arg(folder)
        .args(names);
    sh
}

fn has(program: &str) -> bool {
    let found = Command::new(program).arg("-h").output().is_ok();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "{program} is missing"
    );
    found
}
