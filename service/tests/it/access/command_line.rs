use std::net::SocketAddr;
use std::path::Path;

use super::Guarded;
use crate::pair::to_points;
use crate::program::{Program, ask};
use crate::raw::Raw;

const WRONG_USAGE: i32 = 2;
const NOT_STARTED: i32 = 3;
const REFUSED: i32 = 4;

/// Runs `dragontooth-service token …` with a token in its environment.
async fn token(arguments: &[&str], secret: Option<&str>) -> (i32, String, String) {
    let arguments = [&["token"], arguments].concat();
    let variables: Vec<_> = secret
        .into_iter()
        .map(|secret| ("DRAGONTOOTH_TOKEN", secret))
        .collect();
    ask(&arguments, &variables).await
}

/// The value of a field in a printed JSON object, as text.
fn field(json: &str, name: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    value[name].as_str().unwrap_or_default().to_owned()
}

async fn is_let_in(address: SocketAddr, secret: &str) -> bool {
    Raw::with_secret(address, secret)
        .await
        .who_am_i()
        .await
        .is_ok()
}

/// The whole life cycle: the first token in the folder, others through the service, rotation, revocation.
#[tokio::test]
async fn tokens_are_issued_offline_first_and_then_through_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let create = ["create", "operator", "--scopes", "admin", "--data", data];
    let (code, printed, words) = token(&create, None).await;
    assert_eq!((code, words.as_str()), (0, ""));
    let admin = printed.lines().last().unwrap();
    assert!(admin.starts_with("dgt_"), "the secret is the last line");
    assert!(printed.contains("operator") && printed.contains("admin"));

    let flags = ["--auth", "tokens"];
    let program = Program::serve_with(folder.path(), &flags).await;
    let server = format!("http://{}", program.address());
    let in_use = token(&["list", "--data", data], None).await;
    assert_eq!(in_use.0, NOT_STARTED);
    assert!(in_use.2.contains("in use"), "{}", in_use.2);

    let create = ["create", "Ann", "--ttl", "30days", "--json", "--server"];
    let (code, printed, words) = token(&[&create[..], &[&server]].concat(), Some(admin)).await;
    assert_eq!((code, words.as_str()), (0, ""));
    let (id, secret) = (field(&printed, "id"), field(&printed, "secret"));
    assert_eq!(field(&printed, "name"), "Ann");
    assert!(!field(&printed, "expire_time").is_empty());
    assert!(is_let_in(program.address(), &secret).await);

    let list = ["list", "--server", &server];
    let (code, printed, _) = token(&list, Some(admin)).await;
    assert_eq!(code, 0);
    assert_eq!(printed.lines().count(), 3, "{printed}");
    assert!(printed.contains(&id) && printed.contains("play,watch,create"));
    assert!(!printed.contains("dgt_"));
    let (_, objects, _) = token(&[&list[..], &["--json"]].concat(), Some(admin)).await;
    assert_eq!(objects.lines().count(), 2);
    assert!(objects.lines().any(|line| field(line, "id") == id));

    let revoke = ["revoke", &id, "--server", &server];
    let (code, printed, _) = token(&revoke, Some(admin)).await;
    assert_eq!(code, 0);
    assert!(printed.contains("revoked"), "{printed}");
    assert!(!is_let_in(program.address(), &secret).await);
    let refused = token(&list, Some(&secret)).await;
    assert_eq!(refused.0, REFUSED);
    assert!(refused.2.contains("revoked"), "{}", refused.2);

    program.signal("TERM").await;
    program.wait().await;
    let (code, printed, _) = token(&["list", "--data", data, "--json"], None).await;
    assert_eq!(code, 0);
    let of_ann = printed
        .lines()
        .find(|line| field(line, "id") == id)
        .unwrap();
    assert_eq!(field(of_ann, "state"), "revoked");
    assert!(!field(of_ann, "last_use_time").is_empty());
}

#[tokio::test]
async fn failures_are_reported_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let missing = format!("{data}/mistyped");
    let guarded = Guarded::start().await;
    let server = format!("http://{}", guarded.address());
    let (code, _, _) = token(&["create", "mark", "--data", data], None).await;
    assert_eq!(code, 0);
    for (arguments, secret, code, word) in [
        (
            &["create", "", "--data", data][..],
            None,
            WRONG_USAGE,
            "empty",
        ),
        (
            &["create", "Ann\u{202e}", "--data", data],
            None,
            WRONG_USAGE,
            "character 4, U+202E,",
        ),
        (
            &["create", "rnark", "--data", data],
            None,
            REFUSED,
            "looks like mark",
        ),
        (
            &["revoke", "x", "--data", data],
            None,
            WRONG_USAGE,
            "16 hexadecimal",
        ),
        (
            &["revoke", "0123456789abcdef", "--data", data],
            None,
            REFUSED,
            "no token",
        ),
        (&["list"], None, WRONG_USAGE, "--server"),
        (
            &["list", "--data", &missing],
            None,
            NOT_STARTED,
            "there is no event log in",
        ),
        (
            &["revoke", "0123456789abcdef", "--data", &missing],
            None,
            NOT_STARTED,
            "there is no event log in",
        ),
        (
            &["list", "--data", data, "--server", &server],
            None,
            WRONG_USAGE,
            "--server",
        ),
        (
            &["create", "Ann", "--scopes", "all", "--data", data],
            None,
            WRONG_USAGE,
            "not a scope",
        ),
        (
            &["list", "--server", &server],
            None,
            WRONG_USAGE,
            "DRAGONTOOTH_TOKEN",
        ),
        (
            &["list", "--server", &server],
            Some("short"),
            WRONG_USAGE,
            "16 to 256",
        ),
        (
            &["list", "--server", &server],
            Some("a-secret-of-my-own"),
            REFUSED,
            "issued",
        ),
        (
            &["list", "--server", &server, "--tls-ca", "no.pem"],
            Some("a-secret-of-my-own"),
            WRONG_USAGE,
            "no.pem",
        ),
    ] {
        let (ended, printed, words) = token(arguments, secret).await;
        assert_eq!(ended, code, "{arguments:?}: {words}");
        assert!(words.contains(word), "{arguments:?}: {words}");
        assert_eq!(printed, "", "{arguments:?}");
        assert!(!words.contains("a-secret-of-my-own"), "{words}");
    }
    assert!(!Path::new("no.pem").exists());
}

/// The variables of the service beside the command say nothing about the connection to another one.
#[tokio::test]
async fn the_settings_of_serve_do_not_open_the_way_for_a_token() {
    let beside = [
        ("DRAGONTOOTH_INSECURE_NO_TLS", "true"),
        ("DRAGONTOOTH_TLS_CERT", "no.pem"),
        ("DRAGONTOOTH_TLS_KEY", "no.key"),
    ];
    // An address for documentation, which nobody has.
    let far = ["token", "list", "--server", "http://192.0.2.1:4640"];
    let token = ("DRAGONTOOTH_TOKEN", "a-secret-of-my-own");
    let (code, _, words) = ask(&far, &[&beside[..], &[token]].concat()).await;
    assert_eq!(code, WRONG_USAGE, "{words}");
    assert!(words.contains("--insecure-no-tls"), "{words}");

    let guarded = Guarded::start().await;
    let server = format!("http://{}", guarded.address());
    let token = ("DRAGONTOOTH_TOKEN", guarded.secret());
    let near = ["token", "list", "--server", &server];
    let (code, _, words) = ask(&near, &[&beside[..], &[token]].concat()).await;
    assert_eq!((code, words.as_str()), (0, ""));
    guarded.served.stop().await;
}

#[tokio::test]
async fn an_operator_aborts_a_match() {
    let guarded = Guarded::start().await;
    let ann = guarded.player("ann").await;
    let id = ann.create(to_points(1)).await.unwrap().id;
    let server = format!("http://{}", guarded.address());
    let abort = [
        "match", "abort", &id, "--reason", "it hangs", "--server", &server,
    ];
    let operator = [("DRAGONTOOTH_TOKEN", guarded.secret())];
    let (code, printed, words) = ask(&abort, &operator).await;
    assert_eq!((code, words.as_str()), (0, ""));
    assert!(printed.contains(&id), "{printed}");
    let outcome = ann.get(&id).await.unwrap().outcome.unwrap();
    assert_eq!(outcome.reason, "it hangs");
    let (code, _, words) = ask(&abort, &operator).await;
    assert_eq!(code, REFUSED);
    assert!(words.contains("the match is over"), "{words}");
    let (code, _, words) = ask(&abort[..5], &operator).await;
    assert_eq!(code, WRONG_USAGE);
    assert!(words.contains("--server"), "{words}");
    guarded.served.stop().await;
}
