//! TLS. The certificates in `tests/data/tls` are made by `make.sh` there.

use std::error::Error;
use std::fs::{self, File, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use dragontooth_service::{Config, Limits, ServerTlsFiles, Service, StartError};
use dragontooth_service_client::{Client, ClientError, ServerAddress, Tls, Token};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::attacks::Entrance;
use crate::program::{Program, ask};
use crate::scrape::Scrape;
use crate::served::Served;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/tls")
        .join(name)
}

fn pem(name: &str) -> Vec<u8> {
    fs::read(file(name)).unwrap()
}

fn files(client_ca: Option<&str>) -> ServerTlsFiles {
    ServerTlsFiles {
        client_ca: client_ca.map(file),
        ..shown("server")
    }
}

/// The files of a service with its certificate.
fn shown(name: &str) -> ServerTlsFiles {
    ServerTlsFiles {
        cert: file(&format!("{name}.pem")),
        key: file(&format!("{name}.key")),
        client_ca: None,
    }
}

async fn serve(client_ca: Option<&str>) -> Served {
    let config = Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        tls: Some(files(client_ca)),
        ..Config::default()
    };
    Served::with_config(config).await
}

/// A call over a new connection.
async fn call(scheme: &str, address: SocketAddr, tls: &Tls) -> Result<(), ClientError> {
    let address: ServerAddress = format!("{scheme}://{address}").parse().unwrap();
    let client = Client::connect_with(&address, &Token::random(), tls).await?;
    client.who_am_i().await.map(|_| ())
}

fn trusting(ca: &str) -> Tls {
    Tls::default().with_ca(pem(ca))
}

fn identified(name: &str) -> Tls {
    let [cert, key] = ["pem", "key"].map(|kind| pem(&format!("{name}.{kind}")));
    trusting("ca.pem").with_identity(cert, key)
}

#[tokio::test]
async fn a_service_shows_its_certificate() {
    let served = serve(None).await;
    let address = served.address();
    call("https", address, &trusting("ca.pem")).await.unwrap();
    // A certificate that is not requested does no harm.
    call("https", address, &identified("client")).await.unwrap();
    for (tls, word) in [
        (trusting("other-ca.pem"), "authority that is not trusted"),
        (Tls::default(), "authority that is not trusted"),
    ] {
        let error = call("https", address, &tls).await.unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains(word) || error.contains("no native root CA"),
            "{error}"
        );
    }
    served.stop().await;
}

#[tokio::test]
async fn a_client_without_a_required_certificate_is_refused() {
    let served = serve(Some("ca.pem")).await;
    let address = served.address();
    call("https", address, &identified("client")).await.unwrap();
    for (tls, word) in [
        (trusting("ca.pem"), "it wants a certificate of the client"),
        (
            identified("other-client"),
            "the authority of the client's certificate",
        ),
        (
            identified("expired-client"),
            "the client's certificate has expired",
        ),
    ] {
        told(insist(address, &tls).await, word);
    }
    served.stop().await;
}

/// Repeats a call while the connection breaks before the service has given the reason.
async fn insist(address: SocketAddr, tls: &Tls) -> Result<(), ClientError> {
    for _ in 0..200 {
        match call("https", address, tls).await {
            Err(ClientError::Unreachable { .. }) => {}
            called => return called,
        }
    }
    call("https", address, tls).await
}

/// A permanent fault is reported in one sentence that contains this word.
#[track_caller]
fn told(called: Result<(), ClientError>, word: &str) {
    let error = called.unwrap_err();
    assert!(matches!(error, ClientError::Tls { .. }), "{error:?}");
    assert!(!error.is_transient(), "{error:?}");
    assert!(error.source().is_none(), "{error:?}");
    let error = error.to_string();
    assert!(error.contains(word), "{error}");
    assert!(!error.contains("transport error"), "{error}");
}

#[tokio::test]
async fn a_bad_service_certificate_is_reported() {
    for (name, listen, word) in [
        (
            "expired-server",
            "127.0.0.1:0",
            "its certificate has expired",
        ),
        ("server", "127.0.0.2:0", "it is for "),
        (
            "client",
            "127.0.0.1:0",
            "its certificate is not for a service",
        ),
    ] {
        let config = Config {
            listen: listen.parse().unwrap(),
            tls: Some(shown(name)),
            ..Config::default()
        };
        let served = Served::with_config(config).await;
        let called = call("https", served.address(), &trusting("ca.pem")).await;
        told(called, word);
        served.stop().await;
    }
}

#[tokio::test]
async fn a_mismatched_client_key_is_reported_before_anything_is_sent() {
    let tls = trusting("ca.pem").with_identity(pem("client.pem"), pem("server.key"));
    let error = call("https", "127.0.0.1:9".parse().unwrap(), &tls).await;
    let error = error.unwrap_err();
    assert!(matches!(error, ClientError::Identity { .. }), "{error:?}");
    assert!(
        error
            .to_string()
            .contains("key does not match the certificate"),
        "{error}"
    );
}

/// Errors in the files of a service name the files.
#[tokio::test]
async fn a_service_with_unusable_files_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let cert = file("server.pem").display().to_string();
    let other = file("client.key").display().to_string();
    let locked = folder.path().join("locked.key").display().to_string();
    let serve = async |key: &str| {
        let arguments = [
            "serve",
            "--in-memory",
            "--tls-cert",
            &cert,
            "--tls-key",
            key,
        ];
        ask(&arguments, &[]).await.2
    };
    let said = serve(&other).await;
    let told = format!(
        "cannot use the certificate {cert} with the key {other}: the key does not match the certificate"
    );
    assert!(said.contains(&told), "{said}");
    // The beginnings of what `openssl genrsa -aes256` writes, with `-traditional` and without.
    for key in [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIJ\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,9AB6\n\nMIIJ\n\
         -----END RSA PRIVATE KEY-----\n",
    ] {
        fs::write(&locked, key).unwrap();
        let said = serve(&locked).await;
        let told =
            format!("the key in {locked} is encrypted; `openssl pkey -in {locked} -out key.pem`");
        assert!(said.contains(&told), "{said}");
    }
}

#[tokio::test]
async fn tls_on_only_one_side_is_reported_with_a_fix() {
    let served = serve(None).await;
    let error = call("http", served.address(), &Tls::default()).await;
    told(error, "has to begin with https://");
    let plain = Served::in_memory().await;
    let error = call("https", plain.address(), &trusting("ca.pem")).await;
    told(error, "has to begin with http://");
    let error = call("http", plain.address(), &trusting("ca.pem")).await;
    assert!(matches!(error, Err(ClientError::NoTls(_))), "{error:?}");
}

#[tokio::test]
async fn clients_without_tls_are_dropped_and_others_continue() {
    let served = serve(None).await;
    for (greeting, told) in [
        (&b"GET / HTTP/1.1\r\nhost: here\r\n\r\n"[..], true),
        (b"POST / HTTP/1.1\r\nhost: here\r\n\r\n", true),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", true),
        (b"junk", true),
        (&[0x16, 3, 1, 0xff, 0xff], false),
        (b"", false),
    ] {
        let mut stream = TcpStream::connect(served.address()).await.unwrap();
        stream.write_all(greeting).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        // After bytes that are not TLS the connection may be closed.
        let _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8_lossy(&answer);
        assert_eq!(answer.contains("https://"), told, "{answer:?}");
        let is_http1 = greeting.ends_with(b"host: here\r\n\r\n") || greeting == b"junk";
        assert_eq!(answer.starts_with("HTTP/1.1 400 "), is_http1, "{answer:?}");
    }
    call("https", served.address(), &trusting("ca.pem"))
        .await
        .unwrap();
}

/// A service with TLS that waits little for its clients to begin.
async fn impatient() -> Served {
    Served::with_config(Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        tls: Some(files(None)),
        limits: Limits {
            greeting_timeout: Duration::from_millis(200),
            ..Limits::default()
        },
        ..Config::default()
    })
    .await
}

/// Waits until the service ends a connection.
async fn cut_off(mut stream: impl AsyncRead + Unpin) {
    let mut answer = Vec::new();
    let ended = stream.read_to_end(&mut answer);
    let ended = tokio::time::timeout(Duration::from_secs(30), ended).await;
    assert!(ended.is_ok(), "the connection is held open");
}

/// The service does not wait for a handshake that never ends.
#[tokio::test]
async fn an_endless_handshake_is_cut_off() {
    let served = impatient().await;
    let mut stream = TcpStream::connect(served.address()).await.unwrap();
    // The start of a record of 256 bytes, longer than a plain greeting, of which the rest never comes.
    let mut begun = vec![0x16, 3, 1, 1, 0, 1, 0, 0, 252, 3, 3];
    begun.extend([7; 40]);
    stream.write_all(&begun).await.unwrap();
    cut_off(stream).await;
    served.stop().await;
}

/// Nor for a client that says nothing after its handshake.
#[tokio::test]
async fn silence_after_the_handshake_is_cut_off() {
    let served = impatient().await;
    let entrance = Entrance::with_tls(served.address());
    cut_off(entrance.connect().await.unwrap()).await;
    served.stop().await;
}

#[tokio::test]
async fn invalid_tls_files_are_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let junk = folder.path().join("junk.pem");
    fs::write(&junk, "no certificate").unwrap();
    let broken = folder.path().join("broken.pem");
    fs::write(
        &broken,
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    )
    .unwrap();
    let missing = folder.path().join("missing.pem");
    for cert in [&junk, &broken, &missing] {
        let tls = ServerTlsFiles {
            cert: cert.clone(),
            ..files(None)
        };
        let error = start(tls).await;
        assert!(
            matches!(error, StartError::Tls(_) | StartError::Certificate { .. }),
            "{error:?}"
        );
    }
    for tls in [
        ServerTlsFiles {
            key: file("server.pem"),
            ..files(None)
        },
        ServerTlsFiles {
            key: file("client.key"),
            ..files(None)
        },
        ServerTlsFiles {
            client_ca: Some(file("server.key")),
            ..files(None)
        },
    ] {
        let error = start(tls).await;
        assert!(
            matches!(error, StartError::Tls(_) | StartError::Certificate { .. }),
            "{error:?}"
        );
    }
}

async fn start(tls: ServerTlsFiles) -> StartError {
    let config = Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        tls: Some(tls),
        ..Config::default()
    };
    Service::start(config).await.unwrap_err()
}

/// Puts a part of `name`'s certificate, or its key, into `folder`, as a renewal does.
fn renew(folder: &Path, name: &str, part: &str) {
    fs::copy(file(&format!("{name}.{part}")), folder.join(part)).unwrap();
}

#[tokio::test]
async fn a_renewed_certificate_is_shown_to_whoever_connects_next() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    renew(folder, "expired-server", "pem");
    renew(folder, "expired-server", "key");
    let [cert, key] = ["pem", "key"].map(|part| folder.join(part));
    let flags = [
        "--tls-cert",
        cert.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
    ];
    let program = Program::serve_with(&folder.join("data"), &flags).await;
    let address = program.address();
    let has_expired = async || {
        let called = call("https", address, &trusting("ca.pem")).await;
        called.is_err_and(|error| error.to_string().contains("has expired"))
    };
    assert!(has_expired().await);
    // Half a renewal: the key is still that of the other one.
    renew(folder, "server", "pem");
    assert!(has_expired().await);
    renew(folder, "server", "key");
    call("https", address, &trusting("ca.pem")).await.unwrap();
    let name = "dragontooth_tls_certificate_expiry_timestamp_seconds";
    let expiry = Scrape::of(program.side()).await.value(name, &[]);
    // By openssl x509 -enddate.
    assert_eq!(expiry, Some(4_948_867_900.0));
    fs::remove_file(&key).unwrap();
    call("https", address, &trusting("ca.pem")).await.unwrap();
    // Reading it would wait for somebody who writes.
    let made = Command::new("mkfifo").arg(&key).status().unwrap();
    assert!(made.success());
    call("https", address, &trusting("ca.pem")).await.unwrap();
    fs::remove_file(&key).unwrap();
    renew(folder, "expired-server", "pem");
    renew(folder, "expired-server", "key");
    assert!(has_expired().await);
    // As long, and as old.
    for part in ["pem", "key"] {
        let old = File::open(folder.join(part)).unwrap().metadata().unwrap();
        let path = folder.join("new");
        fs::copy(file(&format!("server.{part}")), &path).unwrap();
        let new = File::options().write(true).open(&path).unwrap();
        new.set_modified(old.modified().unwrap()).unwrap();
        fs::rename(&path, folder.join(part)).unwrap();
    }
    call("https", address, &trusting("ca.pem")).await.unwrap();
    program.signal("TERM").await;
    let (status, log) = program.wait().await;
    assert!(status.success(), "{log:#?}");
}

/// The start of a TLS handshake with a name of the server.
fn client_hello(name: &str) -> Vec<u8> {
    let sized = |bytes: &[u8]| {
        let length = u16::try_from(bytes.len()).unwrap().to_be_bytes();
        [&length, bytes].concat()
    };
    let names = sized(&[&[0], &sized(name.as_bytes())[..]].concat());
    let extension = [&[0, 0], &sized(&names)[..]].concat();
    let mut hello = vec![3, 3];
    hello.extend([7; 32]);
    // No session, one cipher suite, no compression.
    hello.extend([0, 0, 2, 0x13, 0x01, 1, 0]);
    hello.extend(sized(&extension));
    let handshake = [&[1, 0], &sized(&hello)[..]].concat();
    [&[0x16, 3, 1], &sized(&handshake)[..]].concat()
}

#[tokio::test]
async fn a_client_without_a_token_writes_nothing_into_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let [cert, key] = ["server.pem", "server.key"].map(|name| file(name).display().to_string());
    for (filter, is_logged) in [("info", false), ("info,rustls=warn", true)] {
        let tls = ["--tls-cert", &cert, "--tls-key", &key];
        let flags = [&tls[..], &["--log-filter", filter]].concat();
        let program = Program::serve_with(folder.path(), &flags).await;
        let mut client = TcpStream::connect(program.address()).await.unwrap();
        client.write_all(&client_hello("no name!")).await.unwrap();
        // The service has nothing to say to it but an alert.
        client.read_to_end(&mut Vec::new()).await.unwrap();
        program.signal("TERM").await;
        let (_, log) = program.wait().await;
        let has_name = log.iter().any(|line| line.contains("no name!"));
        assert_eq!(has_name, is_logged, "{log:#?}");
    }
}

#[tokio::test]
async fn a_key_readable_by_others_causes_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("server.key");
    fs::copy(file("server.key"), &key).unwrap();
    for (mode, warned) in [(0o644, true), (0o600, false)] {
        fs::set_permissions(&key, Permissions::from_mode(mode)).unwrap();
        let data = folder.path().join(format!("data-{mode}"));
        let cert = file("server.pem");
        let flags = [
            "--tls-cert",
            cert.to_str().unwrap(),
            "--tls-key",
            key.to_str().unwrap(),
        ];
        let program = Program::serve_with(&data, &flags).await;
        program.signal("TERM").await;
        let (_, log) = program.wait().await;
        let is_warned = log.iter().any(|line| line.contains("chmod 600"));
        assert_eq!(is_warned, warned, "{log:#?}");
    }
}
