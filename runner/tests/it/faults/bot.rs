use std::env;
use std::io::Write;
use std::net::TcpStream;
use std::thread;

use dragontooth_service_client::{
    Answer, Client, MatchResignation, PlayEvent, PlayOptions, Reason, Token,
};

/// Not a test: with a server in its environment, this is a bot that misbehaves.
#[tokio::test(flavor = "multi_thread")]
async fn misbehaving_bot_process() {
    let Ok(server) = env::var("DRAGONTOOTH_SERVER") else {
        return;
    };
    let how = env::args().next_back().unwrap();
    if how == "garbage" {
        let address = server.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).unwrap();
        let _ = stream.write_all(&vec![0xff; 100_000]);
        wait_for_ever();
    }
    let token = Token::new(env::var("DRAGONTOOTH_TOKEN").unwrap()).unwrap();
    let client = Client::connect(&server.parse().unwrap(), &token).await;
    let client = client.unwrap();
    let mut session = client.play(PlayOptions::default()).await.unwrap();
    while let Some(Ok(event)) = session.receiver.next().await {
        match event {
            PlayEvent::Invitation(invitation) => {
                let accept = session
                    .sender
                    .accept_invitation(invitation.view.id, "bad", None);
                accept.await.unwrap();
            }
            PlayEvent::Opened(opened) if how == "abort" => {
                let _ = client.abort_match(opened.view.id, None).await;
            }
            PlayEvent::Decision(decision) if NONSENSE.contains(&how.as_str()) => {
                let answer = Answer {
                    match_id: decision.match_id,
                    decision_id: decision.id,
                    action: "nonsense".to_owned(),
                    request_id: None,
                    thinking: None,
                };
                session.sender.answer(answer).await.unwrap();
            }
            PlayEvent::Decision(decision) if how == "fails" => {
                let resignation = MatchResignation::by_failure(decision.match_id, "ValueError: 7");
                session.sender.resign(resignation).await.unwrap();
            }
            PlayEvent::Decision(_) if how == "crash" => std::process::exit(9),
            PlayEvent::Refused(refused)
                if matches!(
                    refused.error.reason(),
                    Some(Reason::IllegalAction | Reason::ActionUnreadable)
                ) =>
            {
                println!("refused");
                let (match_id, decision) = (refused.match_id.unwrap(), refused.decision_id);
                match how.as_str() {
                    "stubborn" => {
                        let answer = Answer {
                            match_id,
                            decision_id: decision.unwrap(),
                            action: "a1a1".to_owned(),
                            request_id: None,
                            thinking: None,
                        };
                        session.sender.answer(answer).await.unwrap();
                    }
                    "quitter" => session
                        .sender
                        .resign(MatchResignation::by_choice(match_id))
                        .await
                        .unwrap(),
                    _ => {}
                }
            }
            // It never answers.
            PlayEvent::Ready { .. }
            | PlayEvent::Opened(_)
            | PlayEvent::Decision(_)
            | PlayEvent::Accepted(_)
            | PlayEvent::Refused(_)
            | PlayEvent::Closed(_)
            | PlayEvent::Heartbeat(_)
            | PlayEvent::Closing(_) => {}
        }
    }
}

/// The bots that answer nonsense: once, until they are stopped, or until they give up.
const NONSENSE: [&str; 3] = ["illegal", "stubborn", "quitter"];

fn wait_for_ever() -> ! {
    loop {
        thread::park();
    }
}

/// This program as a bot that misbehaves, as a line of a script.
pub(crate) fn own(how: &str) -> String {
    let program = env::current_exe().unwrap();
    let test = "faults::bot::misbehaving_bot_process";
    format!(
        "exec '{}' {test} --exact --nocapture -- {how}",
        program.display()
    )
}

/// This program as a bot that behaves, as a line of a script.
pub(super) fn rightly() -> String {
    let program = env::current_exe().unwrap();
    let test = "programs::built_in_bot_process";
    format!(
        "exec '{}' {test} --exact --nocapture -- random:seed=3",
        program.display()
    )
}
