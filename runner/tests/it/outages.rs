//! Services that are temporarily unavailable, or cannot continue.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionOptions, ThinkingPool};
use dragontooth_service::{Service, Storage};
use dragontooth_service_client::{Client, PlayEvent, PlayOptions, Token};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use crate::command_line::runner;
use crate::recorded::json_lines;

async fn serve(folder: &Path, listen: SocketAddr) -> Service {
    let config = dragontooth_service::Config {
        listen,
        storage: Storage::Folder(folder.to_owned()),
        ..dragontooth_service::Config::default()
    };
    Service::start(config).await.unwrap()
}

fn run(command: &mut Command, place: &Path) -> Child {
    let command = command.current_dir(place).stdout(Stdio::null());
    command.stderr(Stdio::piped()).spawn().unwrap()
}

fn results(place: &Path) -> Vec<Value> {
    let text = fs::read_to_string(place.join("runs/cup/results.jsonl")).unwrap_or_default();
    json_lines(&text)
}

/// Takes its seat in the first match, and waits until it has to decide there.
async fn until_it_decides(client: &Client) {
    let mut session = client.play(PlayOptions::default()).await.unwrap();
    loop {
        match session.receiver.next().await.unwrap().unwrap() {
            PlayEvent::Invitation(invitation) => {
                let id = invitation.view.id;
                let accepted = session.sender.accept_invitation(id, "other", None);
                accepted.await.unwrap();
            }
            PlayEvent::Decision(_) => return,
            PlayEvent::Ready { .. }
            | PlayEvent::Opened(_)
            | PlayEvent::Accepted(_)
            | PlayEvent::Refused(_)
            | PlayEvent::Closed(_)
            | PlayEvent::Heartbeat(_)
            | PlayEvent::Closing(_) => {}
        }
    }
}

/// The service disappears while the bot has to decide, for longer than its time. The runner reports that
/// it waits for the service, and the match continues.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_outage_costs_no_bot_a_match() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let service = serve(&data, "127.0.0.1:0".parse().unwrap()).await;
    let address = service.address();
    let server = format!("http://{address}").parse().unwrap();
    let client = Client::connect(&server, &Token::random()).await.unwrap();
    let player = client.who_am_i().await.unwrap();
    let event = format!(
        "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\nconcurrency = 1\n\
         [service]\naddress = 'http://{address}'\n[limits]\ndecision_ms = 8000\n\
         [[bot]]\nname = 'good'\nbuiltin = 'random'\n\
         [[bot]]\nname = 'other'\nplayer = '{player}'\n"
    );
    fs::write(place.path().join("cup.toml"), event).unwrap();
    let mut runner = run(
        &mut runner(place.path(), &["run", "cup.toml"]),
        place.path(),
    );
    let mut lines = BufReader::new(runner.stderr.take().unwrap()).lines();
    until_it_decides(&client).await;
    service.stop().await;
    let (lines, connecting, waiting) = spawn_blocking(move || {
        let connecting = lines.next().unwrap().unwrap();
        let told = lines.by_ref().map(Result::unwrap);
        let waiting = told.into_iter().find(|line| line.contains("waiting"));
        (lines, connecting, waiting)
    })
    .await
    .unwrap();
    assert_eq!(connecting, format!("connecting to http://{address}"));
    let begins = "waiting for the service, at most 10 minutes: ";
    assert!(
        waiting
            .as_ref()
            .is_some_and(|line| line.starts_with(begins)),
        "{waiting:?}"
    );
    let service = serve(&data, address).await;
    let spec: BotSpec = "random:seed=9".parse().unwrap();
    let pool = ThinkingPool::of_the_machine().unwrap();
    let make = move |info: &_| Ok(spec.make(info)?);
    let session = Session::new(client, pool, SessionOptions::default(), make);
    let (stop, stopped) = oneshot::channel::<()>();
    let playing = spawn_blocking(move || {
        let stopped = async {
            let _ = stopped.await;
        };
        tokio::runtime::Handle::current().block_on(session.run(stopped))
    });
    let (said, code) = spawn_blocking(move || {
        let said: Vec<String> = lines.map(Result::unwrap).collect();
        (said, runner.wait().unwrap().code())
    })
    .await
    .unwrap();
    drop(stop);
    playing.await.unwrap().unwrap();
    service.stop().await;
    assert_eq!(code, Some(0), "{said:#?}");
    let answers = |line: &&String| *line == "the service answers again";
    assert_eq!(said.iter().filter(answers).count(), 1, "{said:#?}");
    let results = results(place.path());
    assert_eq!(results.len(), 2, "{said:#?}");
    for result in results {
        assert_eq!(result["faults"], Value::Array(Vec::new()), "{result}");
    }
}

/// When nothing can be written any more, the run ends without a wait.
#[test]
fn a_failed_event_log_ends_the_run() {
    let place = tempfile::tempdir().unwrap();
    let event = "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 15\ncycles = 100\n\
                 [[bot]]\nname = 'a'\nbuiltin = 'random'\n\
                 [[bot]]\nname = 'b'\nbuiltin = 'random'\n";
    fs::write(place.path().join("cup.toml"), event).unwrap();
    // Without the trap, the system ends a program that writes too much.
    let script = r#"trap "" XFSZ; ulimit -f 1600; exec "$0" "$@""#;
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_dragontooth-runner");
    command.args(["-c", script, program, "run", "cup.toml"]);
    let output = run(&mut command, place.path()).wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    let told = "runs/cup/service: the event log of the embedded service cannot be written any more";
    assert!(said.contains(told), "{said}");
    // With room again, nothing is lost.
    let mut verify = runner(place.path(), &["verify", "runs/cup"]);
    assert!(verify.status().unwrap().success());
}
