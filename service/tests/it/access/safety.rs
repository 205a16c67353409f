use dragontooth_service::{AuthMode, Config, ServerTlsFiles, Service, StartError, UnsafeConfig};

use crate::program::run;

/// An address other than the loopback, on which no test listens.
fn wide() -> Config {
    Config {
        listen: "0.0.0.0:0".parse().unwrap(),
        ..Config::default()
    }
}

fn tls() -> ServerTlsFiles {
    ServerTlsFiles {
        cert: "cert.pem".into(),
        key: "key.pem".into(),
        client_ca: None,
    }
}

#[test]
fn an_address_beyond_the_loopback_needs_tls_and_tokens_or_explicit_consent() {
    let no_tls = |result| matches!(result, Err(UnsafeConfig::NoTls(_)));
    let open = |result| matches!(result, Err(UnsafeConfig::OpenPlayers(_)));
    assert!(no_tls(wide().check_safety()));
    let tokens = Config {
        auth: AuthMode::Tokens,
        ..wide()
    };
    assert!(no_tls(tokens.check_safety()));
    let plain_tokens = Config {
        insecure_no_tls: true,
        ..tokens.clone()
    };
    assert_eq!(plain_tokens.check_safety(), Ok(()));
    let encrypted = Config {
        tls: Some(tls()),
        ..wide()
    };
    assert!(open(encrypted.check_safety()));
    let all = Config {
        tls: Some(tls()),
        ..tokens
    };
    assert_eq!(all.check_safety(), Ok(()));
    let anybody = Config {
        insecure_open_players: true,
        ..encrypted
    };
    assert_eq!(anybody.check_safety(), Ok(()));
    let half = Config {
        insecure_open_players: true,
        ..wide()
    };
    assert!(no_tls(half.check_safety()));
}

#[test]
fn only_loopback_addresses_are_safe() {
    for (listen, is_safe) in [
        ("127.0.0.1:1", true),
        ("127.77.0.9:1", true),
        ("[::1]:1", true),
        ("[::ffff:127.0.0.1]:1", true),
        ("0.0.0.0:1", false),
        ("[::]:1", false),
        ("10.0.0.7:1", false),
        ("192.168.1.5:1", false),
        ("[fe80::1]:1", false),
    ] {
        let config = Config {
            listen: listen.parse().unwrap(),
            ..Config::default()
        };
        assert_eq!(config.check_safety().is_ok(), is_safe, "{listen}");
    }
}

#[tokio::test]
async fn a_service_does_not_start_unsafe() {
    let error = Service::start(wide()).await.unwrap_err();
    assert!(matches!(error, StartError::Unsafe(_)), "{error:?}");
}

#[tokio::test]
async fn the_program_suggests_a_fix() {
    let wide = ["serve", "--in-memory", "--listen", "0.0.0.0:0"];
    let cert = ["--tls-cert", "cert.pem"];
    let key = ["--tls-key", "key.pem"];
    for (more, words) in [
        (&[][..], &["--tls-cert", "--insecure-no-tls"][..]),
        (&["--auth", "tokens"], &["--tls-cert", "--insecure-no-tls"]),
        (
            &["--insecure-no-tls"],
            &["--auth tokens", "token create", "--insecure-open-players"],
        ),
        (
            &[cert, key].concat(),
            &["--auth tokens", "--insecure-open-players"],
        ),
        (&cert, &["--tls-key"]),
        (&key, &["--tls-cert"]),
        (&["--tls-client-ca", "ca.pem"], &["--tls-cert"]),
    ] {
        let (code, said) = run([&wide[..], more].concat()).await;
        assert_eq!(code, 2, "{more:?}: {said}");
        for word in words {
            assert!(said.contains(word), "{more:?}: {said}");
        }
    }
}
