//! The port for browsers, as a browser or a proxy sees it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::{AuthMode, Config, Limits, ServerTlsFiles, Service, UnsafeConfig};
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::program::run;
use crate::served::token;

const GRPC_WEB: (&str, &str) = ("content-type", "application/grpc-web+proto");

/// Time within which an answer comes, or a stream ends.
const LONG: Duration = Duration::from_secs(20);

/// An answer in HTTP.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value)
    }

    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The gRPC status, which is in a frame at the end, or in the head of an answer without a message.
    fn grpc_status(&self) -> u32 {
        let trailers = format!("{}\n{}", self.head, String::from_utf8_lossy(&self.body));
        let (_, rest) = trailers.split_once("grpc-status:").unwrap();
        let digits = rest.trim_start().chars();
        let digits: String = digits.take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    }

    /// The first message.
    fn message<M: Message + Default>(&self) -> M {
        let length = u32::from_be_bytes(self.body[1..5].try_into().unwrap());
        let length = usize::try_from(length).unwrap();
        M::decode(&self.body[5..5 + length]).unwrap()
    }
}

/// A service in memory with a web page on a free port.
async fn serve(config: Config) -> (Service, SocketAddr) {
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let config = Config {
        listen: any,
        web_listen: Some(any),
        ..config
    };
    let service = Service::start(config).await.unwrap();
    let web = service.web_address().unwrap();
    (service, web)
}

/// Sends a request on a new connection.
async fn send(web: SocketAddr, line: &str, headers: &[(&str, &str)], body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(web).await.unwrap();
    // HTTP/1.0: the answer ends with the connection and is not in chunks.
    let length = body.len().to_string();
    let headers = headers
        .iter()
        .copied()
        .chain([("content-length", &*length)]);
    let headers = headers.map(|(name, value)| format!("{name}: {value}\r\n"));
    let headers: String = headers.collect();
    let head = format!("{line} HTTP/1.0\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    stream
}

async fn answer(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let read = timeout(LONG, stream.read_to_end(&mut bytes)).await;
    read.expect("the answer ends").unwrap();
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = bytes[end + 4..].to_vec();
    Answer { status, head, body }
}

async fn get(web: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Answer {
    answer(send(web, &format!("GET {path}"), headers, b"").await).await
}

fn frame(message: &impl Message) -> Vec<u8> {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap();
    [&[0][..], &length.to_be_bytes(), &message].concat()
}

async fn call(
    web: SocketAddr,
    method: &str,
    authorization: Option<&str>,
    message: &impl Message,
) -> Answer {
    answer(open(web, method, authorization, message).await).await
}

/// Makes a call without waiting for its answer.
async fn open(
    web: SocketAddr,
    method: &str,
    authorization: Option<&str>,
    message: &impl Message,
) -> TcpStream {
    let authorization = authorization.map(|value| ("authorization", value));
    let headers: Vec<_> = [GRPC_WEB].into_iter().chain(authorization).collect();
    let line = format!("POST /dragontooth.v1.{method}");
    send(web, &line, &headers, &frame(message)).await
}

async fn create_match(web: SocketAddr, creator: &str) -> String {
    let request = v1::CreateMatchRequest {
        game: "linja".to_owned(),
        target: 1,
        ..v1::CreateMatchRequest::default()
    };
    let created = call(web, "MatchService/CreateMatch", Some(creator), &request).await;
    assert_eq!(created.grpc_status(), 0);
    let created: v1::CreateMatchResponse = created.message();
    created.r#match.unwrap().id
}

fn bearer(name: &str) -> String {
    format!("Bearer {}", token(name))
}

#[tokio::test]
async fn the_page_loads_nothing_from_elsewhere_and_is_small() {
    let (service, web) = serve(Config::default()).await;
    let mut bytes = 0;
    for (path, content_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/app.js", "text/javascript; charset=utf-8"),
        ("/app.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ] {
        let plain = get(web, path, &[]).await;
        assert_eq!(plain.status, 200, "{path}");
        assert_eq!(plain.header("content-type"), Some(content_type));
        assert_eq!(plain.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(plain.header("content-encoding"), None);
        let policy = plain.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
        let gzip = get(web, path, &[("accept-encoding", "br, gzip")]).await;
        assert_eq!(gzip.header("content-encoding"), Some("gzip"));
        bytes += gzip.body.len();
        let tag = plain.header("etag").unwrap();
        assert_ne!(gzip.header("etag"), Some(tag));
        let again = get(web, path, &[("if-none-match", tag)]).await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        let head = answer(send(web, &format!("HEAD {path}"), &[], b"").await).await;
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
    }
    assert!(bytes <= 60_000, "{bytes} bytes, compressed");
    service.stop().await;
}

/// The name of another site leads here, as its owner can have it do; a browser says so in each request.
#[tokio::test]
async fn other_sites_do_not_reach_the_page_or_the_api() {
    let config = Config {
        web_hosts: "play.example".parse().unwrap(),
        ..Config::default()
    };
    let (service, web) = serve(config).await;
    let body = frame(&v1::ListMatchesRequest::default());
    let list = "POST /dragontooth.v1.MatchService/ListMatches";
    for (host, status) in [
        ("evil.example:4643", 421),
        ("play.example", 200),
        ("127.0.0.1:4643", 200),
        ("localhost:4643", 200),
    ] {
        let page = get(web, "/", &[("host", host)]).await;
        assert_eq!(page.status, status, "{host}");
        let listed = send(web, list, &[GRPC_WEB, ("host", host)], &body).await;
        assert_eq!(answer(listed).await.status, status, "{host}");
        if status != 200 {
            let told = page.text();
            assert!(told.contains("not evil.example: open it"), "{told}");
        }
    }
    service.stop().await;
}

#[tokio::test]
async fn positions_are_drawn_for_any_page() {
    let (service, web) = serve(Config::default()).await;
    let start = "/board/kamisado.svg?position=OLMPYRGB%2F8%2F8%2F8%2F8%2F8%2F8%2Fbgrypmlo+b+-";
    let drawn = get(web, start, &[]).await;
    assert_eq!(drawn.status, 200);
    assert_eq!(drawn.header("content-type"), Some("image/svg+xml"));
    assert_eq!(drawn.header("access-control-allow-origin"), Some("*"));
    assert!(drawn.header("cache-control").unwrap().contains("max-age"));
    assert!(
        drawn
            .text()
            .contains("aria-label=\"Black moves any tower\"")
    );
    let tag = drawn.header("etag").unwrap();
    assert_eq!(get(web, start, &[("if-none-match", tag)]).await.status, 304);
    for (path, status, words) in [
        ("/board/chess.svg?position=x", 404, "there is no such board"),
        ("/board/", 404, "there is no such board"),
        ("/board/linja.svg", 400, "`position` is missing"),
        (
            "/board/linja.svg?position=%3Cscript%3E",
            400,
            "not a position",
        ),
        ("/other", 404, "there is nothing here"),
        ("/../etc/passwd", 404, "there is nothing here"),
    ] {
        let refused = get(web, path, &[]).await;
        assert_eq!(refused.status, status, "{path}");
        assert_eq!(
            refused.header("content-type"),
            Some("text/plain; charset=utf-8")
        );
        assert!(refused.text().contains(words), "{path}: {}", refused.text());
    }
    let posted = answer(send(web, &format!("POST {start}"), &[], b"").await).await;
    assert_eq!(
        (posted.status, posted.header("allow")),
        (405, Some("GET, HEAD"))
    );
    service.stop().await;
}

#[tokio::test]
async fn pictures_count_towards_the_rate_of_calls() {
    let limits = Limits {
        calls_per_second: 1,
        call_burst: 2,
        ..Limits::default()
    };
    let config = Config {
        limits,
        ..Config::default()
    };
    let (service, web) = serve(config).await;
    let start = "/board/linja.svg?position=6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6+r+1";
    let mut refused = None;
    for _ in 0..20 {
        let drawn = get(web, start, &[]).await;
        if drawn.status != 200 {
            refused = Some(drawn);
            break;
        }
    }
    let refused = refused.expect("twenty in less than eighteen seconds");
    assert_eq!(refused.status, 429);
    assert!(
        refused.text().contains("the limit `calls`"),
        "{}",
        refused.text()
    );
    // The page itself always loads.
    assert_eq!(get(web, "/", &[]).await.status, 200);
    service.stop().await;
}

#[tokio::test]
async fn the_api_is_there_for_players_and_not_for_operators() {
    let (service, web) = serve(Config::default()).await;
    let me = call(
        web,
        "PlayerService/WhoAmI",
        Some(&bearer("ann")),
        &v1::WhoAmIRequest {},
    )
    .await;
    assert_eq!((me.status, me.grpc_status()), (200, 0));
    assert_eq!(
        me.header("content-type"),
        Some("application/grpc-web+proto")
    );
    let me: v1::WhoAmIResponse = me.message();
    assert_eq!(me.player_id.len(), 32);
    let nobody = call(web, "PlayerService/WhoAmI", None, &v1::WhoAmIRequest {}).await;
    assert_eq!(nobody.grpc_status(), 16, "unauthenticated");
    for method in [
        "AdminService/ListTokens",
        "AdminService/Backup",
        "GameService/Play",
        "OtherService/Other",
    ] {
        let refused = call(web, method, Some(&bearer("ann")), &v1::WhoAmIRequest {}).await;
        assert_eq!(refused.status, 404, "{method}");
    }
    let path = "/dragontooth.v1.PlayerService/WhoAmI";
    let line = format!("POST {path}");
    for content_type in ["grpc", "grpc-web-text", "grpc-web+json", "grpc-website"] {
        let content_type = format!("application/{content_type}");
        let headers = [("content-type", &*content_type)];
        let refused = answer(send(web, &line, &headers, b"").await).await;
        assert_eq!(refused.status, 415, "{content_type}");
    }
    let text = [GRPC_WEB, ("accept", "application/grpc-web-text")];
    let binary = answer(send(web, &line, &text, &frame(&v1::WhoAmIRequest {})).await).await;
    let content_type = binary.header("content-type");
    assert_eq!(content_type, Some("application/grpc-web+proto"));
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let refused = answer(send(web, &line, &form, b"a=b").await).await;
    assert_eq!(
        refused.status, 415,
        "other sites cannot send more than forms"
    );
    assert_eq!(get(web, path, &[GRPC_WEB]).await.status, 405);
    service.stop().await;
}

#[tokio::test]
async fn reading_without_an_issued_token_is_for_the_operator_to_allow() {
    for (public_watch, expected) in [(false, 16), (true, 0)] {
        let config = Config {
            auth: AuthMode::Tokens,
            web_public_watch: public_watch,
            ..Config::default()
        };
        let (service, web) = serve(config).await;
        let request = v1::ListMatchesRequest::default();
        let listed = call(web, "MatchService/ListMatches", None, &request).await;
        assert_eq!(listed.grpc_status(), expected);
        // A token that is not valid is refused, so that its owner notices.
        let bad = call(
            web,
            "MatchService/ListMatches",
            Some(&bearer("ann")),
            &request,
        )
        .await;
        assert_eq!(bad.grpc_status(), 16);
        let create = v1::CreateMatchRequest::default();
        let created = call(web, "MatchService/CreateMatch", None, &create).await;
        assert_eq!(created.grpc_status(), 16);
        // On the port for gRPC nothing changes.
        let raw = crate::raw::channel(service.address()).await;
        let mut raw = crate::raw::Raw::over(raw, None);
        let refused = raw.matches.list_matches(request).await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::Unauthenticated);
        service.stop().await;
    }
}

#[tokio::test]
async fn a_watch_counts_and_ends_with_the_service() {
    let limits = Limits {
        streams_of_caller: 1,
        ..Limits::default()
    };
    let config = Config {
        limits,
        ..Config::default()
    };
    let (service, web) = serve(config).await;
    let match_id = create_match(web, &bearer("ann")).await;
    let watch = v1::WatchMatchRequest {
        match_id,
        after_sequence: 0,
    };
    let mut first = open(web, "MatchService/WatchMatch", None, &watch).await;
    // It is counted once its first bytes have come.
    first.peek(&mut [0]).await.unwrap();
    let second = call(web, "MatchService/WatchMatch", None, &watch).await;
    assert_eq!(second.grpc_status(), 8, "resource exhausted");
    let stopped = tokio::spawn(service.stop());
    let mut bytes = Vec::new();
    let ended = timeout(LONG, first.read_to_end(&mut bytes)).await;
    ended.expect("the stream ends").unwrap();
    let closing = v1::WatchMatchResponse {
        response: Some(v1::watch_match_response::Response::Closing(
            v1::watch_match_response::Closing {
                reason: v1::CloseReason::Draining.into(),
                resume_after_sequence: 1,
            },
        )),
    };
    let closing = frame(&closing);
    assert!(bytes.windows(closing.len()).any(|some| some == closing));
    timeout(LONG, stopped).await.unwrap().unwrap();
}

#[tokio::test]
async fn with_tls_browsers_get_http_2() {
    let file = |name: &str| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls");
        folder.join(name)
    };
    let config = Config {
        tls: Some(ServerTlsFiles {
            cert: file("server.pem"),
            key: file("server.key"),
            client_ca: None,
        }),
        ..Config::default()
    };
    let (service, web) = serve(config).await;
    let plain = get(web, "/", &[]).await;
    assert_eq!(plain.status, 400);
    assert!(plain.text().contains("use an https:// address"));
    let mut roots = tokio_rustls::rustls::RootCertStore::empty();
    let pem = dragontooth_service_client::read_certificates(&file("ca.pem")).unwrap();
    for certificate in certificates(&pem) {
        roots.add(certificate).unwrap();
    }
    let mut browser = tokio_rustls::rustls::ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    browser.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let stream = TcpStream::connect(web).await.unwrap();
    let name = "localhost".try_into().unwrap();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(browser));
    let stream = connector.connect(name, stream).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    drop(stream);
    service.stop().await;
}

fn certificates(
    pem: &[u8],
) -> impl Iterator<Item = tokio_rustls::rustls::pki_types::CertificateDer<'static>> {
    use tokio_rustls::rustls::pki_types::CertificateDer;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem).collect();
    certificates.into_iter().map(Result::unwrap)
}

#[tokio::test]
async fn the_page_is_as_safe_as_the_other_port() {
    let config = Config {
        web_listen: Some("0.0.0.0:0".parse().unwrap()),
        ..Config::default()
    };
    let no_tls = config.check_safety();
    assert!(matches!(no_tls, Err(UnsafeConfig::NoTls(address)) if address.ip().is_unspecified()));
    let open = Config {
        insecure_no_tls: true,
        ..config
    };
    assert!(matches!(
        open.check_safety(),
        Err(UnsafeConfig::OpenPlayers(_))
    ));
    let memory = ["serve", "--in-memory", "--listen", "127.0.0.1:0"];
    let wide = memory.into_iter().chain(["--web", "0.0.0.0:4643"]);
    let (code, said) = run(wide).await;
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("0.0.0.0:4643 can be reached by other machines"),
        "{said}"
    );
    let twice = memory.into_iter().chain(["--web", "127.0.0.1:4641"]);
    let (code, said) = run(twice).await;
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("--side-listen and --web are both 127.0.0.1:4641"),
        "{said}"
    );
}

/// So that players go before spectators.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn browsers_are_served_at_a_lower_priority() {
    let (service, web) = serve(Config::default()).await;
    assert_eq!(answer(send(web, "GET /", &[], b"").await).await.status, 200);
    // A thread may end meanwhile.
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let threads = threads.filter_map(|thread| named_niceness(&thread.path().join("stat")));
    let of_browsers = threads.filter(|(name, _)| name == "web");
    let of_browsers: Vec<i32> = of_browsers.map(|(_, niceness)| niceness).collect();
    let (_, own) = named_niceness("/proc/thread-self/stat".as_ref()).unwrap();
    assert!(!of_browsers.is_empty());
    assert!(
        of_browsers.iter().all(|niceness| *niceness > own),
        "{of_browsers:?}, {own}"
    );
    service.stop().await;
}

/// The name and the niceness of a thread.
#[cfg(target_os = "linux")]
fn named_niceness(stat: &std::path::Path) -> Option<(String, i32)> {
    let stat = std::fs::read_to_string(stat).ok()?;
    let (name, values) = stat.rsplit_once(") ").unwrap();
    let (_, name) = name.split_once('(').unwrap();
    let niceness = values.split(' ').nth(16).unwrap();
    Some((name.to_owned(), niceness.parse().unwrap()))
}
