//! A small bot, correct or wrong in one way, independent of `dragontooth-bots`.

use std::collections::{HashMap, HashSet};
use std::env;
use std::future::pending;
use std::process;
use std::time::Duration;

use dragontooth_service_client::{
    Answer, Client, Closing, Decision, DecisionId, MatchFilter, MatchResignation, PlayEvent,
    PlayOptions, PlaySender, Reason, RefusedRequest, Token, random_request_id,
};
use dragontooth_service_vocabulary::{CloseReason, MatchId, Sequence, Stage};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};

/// Delay before a retry.
const PAUSE: Duration = Duration::from_millis(100);

/// Not a test: with a server in its environment, this is a bot that plays until it is killed, in the
/// manner that the last argument names. It has one thread, so two answers in a row leave it in one write.
#[tokio::test]
async fn built_in_bot_process() {
    let Ok(server) = env::var("DRAGONTOOTH_SERVER") else {
        return;
    };
    let token = Token::new(env::var("DRAGONTOOTH_TOKEN").unwrap()).unwrap();
    let client = Client::connect_lazily(&server.parse().unwrap(), &token).unwrap();
    let manner = env::args().next_back().unwrap();
    eprintln!("playing, {manner}");
    if manner == "ends at once" {
        process::exit(5);
    }
    if manner == "does not end" {
        // It continues even if nothing reads its output.
        let mut told = signal(SignalKind::terminate()).unwrap();
        tokio::spawn(async move { while told.recv().await.is_some() {} });
    }
    if manner == "by calls" {
        play_by_calls(&client).await;
    } else {
        let mut bot = Scripted {
            manner,
            client,
            streams: 0,
            matches: HashSet::new(),
            games: HashMap::new(),
            told: HashSet::new(),
            decisions: HashMap::new(),
            last: None,
        };
        bot.play().await;
    }
}

struct Scripted {
    manner: String,
    client: Client,
    /// Number of streams it has had.
    streams: u32,
    /// Its matches.
    matches: HashSet<MatchId>,
    /// Their games.
    games: HashMap<MatchId, String>,
    /// The decisions received on its stream.
    told: HashSet<(MatchId, DecisionId)>,
    /// The decision that is due in each match.
    decisions: HashMap<MatchId, Decision>,
    /// Its last answer.
    last: Option<Answer>,
}

impl Scripted {
    async fn play(&mut self) {
        loop {
            if self.streams > 0 && self.manner == "does not come back" {
                pending::<()>().await;
            }
            let _ = self.client.who_am_i().await;
            if let Ok(mut stream) = self.client.play(PlayOptions::default()).await {
                self.streams += 1;
                self.told.clear();
                self.repeat(&stream.sender).await;
                while let Some(Ok(event)) = stream.receiver.next().await {
                    self.take(event, &stream.sender).await;
                }
            }
            sleep(PAUSE).await;
        }
    }

    /// On a new stream, gives its last answer again, accepted or not.
    async fn repeat(&self, to: &PlaySender) {
        let Some(mut last) = self.last.clone() else {
            return;
        };
        match self.manner.as_str() {
            "repeats itself" => {}
            "repeats itself without a request id" => last.request_id = None,
            _ => return,
        }
        let _ = to.answer(last).await;
    }

    async fn take(&mut self, event: PlayEvent, to: &PlaySender) {
        match event {
            PlayEvent::Invitation(invitation) => {
                let id = invitation.view.id;
                if self.manner == "one at a time" && !self.matches.is_empty() {
                    return;
                }
                let is_new = self.matches.insert(id);
                if !is_new && self.manner == "dies of a second invitation" {
                    process::exit(6);
                }
                let _ = to.accept_invitation(id, "scripted", None).await;
            }
            PlayEvent::Opened(opened) => {
                self.matches.insert(opened.view.id);
                self.games.insert(opened.view.id, opened.view.game);
            }
            PlayEvent::Decision(decision) => {
                let is_new = self.told.insert((decision.match_id, decision.id));
                if !is_new && self.manner == "hangs on a duplicate" {
                    pending::<()>().await;
                }
                self.decisions.insert(decision.match_id, decision.clone());
                self.decide(&decision, to).await;
            }
            PlayEvent::Refused(refused) => self.refused(&refused, to).await,
            PlayEvent::Closed(closed) => {
                self.matches.remove(&closed.view.id);
            }
            PlayEvent::Closing(Closing::Reason(CloseReason::Superseded)) => process::exit(7),
            PlayEvent::Ready { .. }
            | PlayEvent::Accepted(_)
            | PlayEvent::Heartbeat(_)
            | PlayEvent::Closing(_) => {}
        }
    }

    async fn decide(&mut self, due: &Decision, to: &PlaySender) {
        let legal = &due.legal_actions;
        match self.manner.as_str() {
            "ignores pushes" if is_only_push(&self.games[&due.match_id], due) => return,
            "resigns at refills" if legal == &["left", "right"] => {
                let _ = to.resign(MatchResignation::by_choice(due.match_id)).await;
                return;
            }
            "crashes at the cube" if legal.contains(&"take".to_owned()) => process::exit(3),
            "knows no second game" if due.game_number > 1 => return,
            "slow" => sleep(Duration::from_millis(400)).await,
            "very slow" => sleep(Duration::from_millis(800)).await,
            _ => {}
        }
        let answer = self.answer(due);
        self.last = Some(answer.clone());
        if self.manner == "answers twice" {
            let _ = to.answer(self.answer(due)).await;
        }
        let _ = to.answer(answer).await;
    }

    fn answer(&self, due: &Decision) -> Answer {
        let action = if self.manner == "answers garbage" {
            "garbage".to_owned()
        } else {
            due.legal_actions[0].clone()
        };
        Answer {
            match_id: due.match_id,
            decision_id: if self.manner == "names another decision" {
                DecisionId::after(Sequence(due.id.sequence().0 + 1))
            } else {
                due.id
            },
            action,
            request_id: if self.manner == "answers twice" {
                Some(random_request_id())
            } else {
                format!("{}:{}", due.match_id, due.id).parse().ok()
            },
            thinking: None,
        }
    }

    async fn refused(&mut self, refused: &RefusedRequest, to: &PlaySender) {
        let (Some(match_id), Some(decision_id)) = (refused.match_id, refused.decision_id) else {
            return;
        };
        let manner = self.manner.as_str();
        let reason = refused.error.reason();
        let ended = reason == Some(&Reason::MatchEnded);
        let stale = matches!(reason, Some(Reason::StaleDecision | Reason::NotYourTurn));
        if ended && manner == "dies with its match" {
            process::exit(4);
        }
        if stale && manner == "despairs of a stale answer" {
            pending::<()>().await;
        }
        if ended || stale || manner == "answers garbage" {
            return;
        }
        if refused.error.is_transient() {
            if manner == "does not try again" {
                return;
            }
            sleep(refused.error.retry_after().unwrap_or(PAUSE)).await;
        } else if manner == "does nothing when it is refused" {
            return;
        }
        let due = self.decisions.get(&match_id);
        if let Some(due) = due.filter(|due| due.id == decision_id) {
            let _ = to.answer(self.answer(due)).await;
        }
    }
}

/// Plays without a stream: looks for matches, asks for decisions and answers them. Calls once more after SIGTERM.
async fn play_by_calls(client: &Client) {
    let mut told = signal(SignalKind::terminate()).unwrap();
    let player = loop {
        if let Ok(player) = client.who_am_i().await {
            break player;
        }
        sleep(PAUSE).await;
    };
    let mut is_last = false;
    while !is_last {
        is_last = timeout(Duration::from_millis(10), told.recv())
            .await
            .is_ok();
        let filter = MatchFilter {
            player: Some(player),
            ..MatchFilter::default()
        };
        let page = client.list_matches(filter, None).await;
        for view in page.map(|page| page.items).unwrap_or_default() {
            let Some(seat) = view.seat_of(player) else {
                continue;
            };
            if !view.seat(seat).joined {
                let _ = client.join_match(view.id, None, "calls", None).await;
            }
            if view.state == Stage::Active
                && let Ok(due) = client.get_decision(view.id).await
                && due.seat == seat
            {
                let answer = Answer {
                    match_id: view.id,
                    decision_id: due.id,
                    action: due.legal_actions[0].clone(),
                    request_id: format!("{}:{}", view.id, due.id).parse().ok(),
                    thinking: None,
                };
                while let Err(error) = client.submit_action(answer.clone()).await
                    && error.is_transient()
                {
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Returns true if the only action in Kamisado is a push, which ends on an occupied square.
fn is_only_push(game: &str, due: &Decision) -> bool {
    let [action] = due.legal_actions.as_slice() else {
        return false;
    };
    game == "kamisado" && action.len() == 4 && ends_on_a_tower(action, &due.position)
}

/// Returns true if a move in Kamisado ends on an occupied square.
pub(super) fn ends_on_a_tower(action: &str, position: &str) -> bool {
    let bytes = action.as_bytes();
    let (file, rank) = (usize::from(bytes[2] - b'a'), usize::from(bytes[3] - b'1'));
    let row = position.split([' ', '/']).nth(7 - rank).unwrap();
    let mut squares = Vec::new();
    for sign in row.chars().filter(|sign| *sign != '+') {
        match sign.to_digit(10) {
            Some(empty) => squares.extend(vec![false; empty as usize]),
            None => squares.push(true),
        }
    }
    squares[file]
}
