use std::io::{BufRead, Read};
use std::net::TcpListener;

use dragontooth_runner_live::{EventPage, MAX_SPECTATORS, PagePort, WebAddress};
use dragontooth_runner_report::{AllMatchDetails, RunPhase};
use dragontooth_service_vocabulary::HostNames;
use tokio::task::spawn_blocking;

use super::browser::{Page, request, write_event};
use crate::command_line::call;
use crate::fixture::with_troubles;

#[tokio::test(flavor = "multi_thread")]
async fn spectators_beyond_the_limit_are_told_and_come_in_when_one_leaves() {
    let (schedule, results) = with_troubles();
    let page = EventPage::open(schedule.event().clone()).unwrap();
    page.resumed(&schedule, &results, AllMatchDetails::default());
    let address = WebAddress::new("127.0.0.1:0".parse().unwrap(), false).unwrap();
    let names = HostNames::default();
    let port = PagePort::open(address, names, &page).await.unwrap();
    let address = port.address();
    spawn_blocking(move || {
        let mut there: Vec<Page> = (0..MAX_SPECTATORS)
            .map(|_| Page::open(address, ""))
            .collect();
        let ask = || {
            let mut answer = String::new();
            let mut stream = request(address, "/events", "");
            // A stream of events does not end.
            let mut first = [0; 12];
            stream.read_exact(&mut first).unwrap();
            answer.push_str(std::str::from_utf8(&first).unwrap());
            answer
        };
        assert_eq!(ask(), "HTTP/1.0 503");
        there.truncate(MAX_SPECTATORS - 1);
        // The port notices that one has gone when it next sends something.
        while ask() != "HTTP/1.0 200" {
            std::thread::yield_now();
        }
        assert!(there[0].next().is_some());
    })
    .await
    .unwrap();
    page.end(RunPhase::Stopped);
    page.close();
    port.close().await;
}

/// The error of a run that does not begin, and its exit code.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let place = tempfile::tempdir().unwrap();
    write_event(
        place.path(),
        "game = 'kamisado'\n[service]\ndirect = true",
        &[("a", "builtin = 'random'"), ("b", "builtin = 'random'")],
    );
    let (code, _, err) = call(place.path(), &[&["run", "cup.toml"], arguments].concat());
    assert!(!place.path().join("runs").exists(), "the run has not begun");
    (Some(code), err)
}

/// The name of another site leads here, as its owner can have it do; a browser says so in each request.
#[tokio::test(flavor = "multi_thread")]
async fn other_sites_do_not_reach_the_page() {
    let (schedule, results) = with_troubles();
    let page = EventPage::open(schedule.event().clone()).unwrap();
    page.resumed(&schedule, &results, AllMatchDetails::default());
    let address = WebAddress::new("127.0.0.1:0".parse().unwrap(), false).unwrap();
    let names = "cup.example".parse().unwrap();
    let port = PagePort::open(address, names, &page).await.unwrap();
    let address = port.address();
    spawn_blocking(move || {
        for (host, status) in [
            ("evil.example:4642", "421"),
            ("cup.example", "200"),
            ("127.0.0.1:4642", "200"),
            ("localhost:4642", "200"),
        ] {
            for path in ["/", "/page.css", "/events"] {
                let mut lines = request(address, path, &format!("Host: {host}\r\n")).lines();
                let first = lines.next().unwrap().unwrap();
                assert_eq!(first.split(' ').nth(1), Some(status), "{host}{path}");
                if status != "200" {
                    let told = lines.last().unwrap().unwrap();
                    assert!(
                        told.starts_with("this page is not evil.example: "),
                        "{told}"
                    );
                    assert!(told.contains("--web-hosts"), "{told}");
                }
            }
        }
    })
    .await
    .unwrap();
    page.end(RunPhase::Stopped);
    page.close();
    port.close().await;
}

#[test]
fn a_name_with_a_port_is_refused() {
    let (code, error) = refused(&["--web", "127.0.0.1:0", "--web-hosts", "cup.example:80"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(
        error.contains("\"cup.example:80\" is not a host name"),
        "{error}"
    );
}

#[test]
fn an_address_that_others_can_reach_needs_consent() {
    for address in ["0.0.0.0:4642", "[::]:4642", "192.0.2.1:4642"] {
        let (code, error) = refused(&["--web", address]);
        assert_eq!(code, Some(2), "{error}");
        let expected = format!("dragontooth-runner: {address} can be reached by other machines");
        assert!(error.starts_with(&expected), "{error}");
        assert!(error.contains("--web-insecure-no-tls"), "{error}");
    }
    let (code, error) = refused(&["--web", "4642"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("--web <ADDRESS>"), "{error}");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, error) = refused(&["--web", &address]);
    assert_eq!(code, Some(3), "{error}");
    assert!(
        error.starts_with(&format!(
            "dragontooth-runner: cannot listen on {address}, the option `--web`: Address already in use"
        )),
        "{error}"
    );
}
