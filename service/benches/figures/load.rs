use std::sync::Arc;

use dragontooth_games::analysis::{Question, Start};
use dragontooth_games::catalogue;
use dragontooth_service::{Config, Service, Storage};
use dragontooth_service_client::{
    Answer, Client, Decision, DecisionId, MatchView, PlayEvent, PlayOptions, ServerAddress, Token,
};
use dragontooth_service_vocabulary::NewMatch;
use tokio::task::JoinSet;

use crate::count::Count;

/// Pairs of players at most; each has its own two connections.
const MAX_PAIRS: usize = 8;

/// The way in which the players play.
#[derive(Clone, Copy)]
pub(crate) enum Path {
    Unary,
    Play,
}

/// A service with players that keep a number of matches going.
pub(crate) struct Load {
    service: Service,
    players: JoinSet<()>,
    acknowledged: Arc<Count>,
}

impl Load {
    pub(crate) async fn start(storage: Storage, path: Path, matches: usize) -> Self {
        let listen = "127.0.0.1:0".parse().expect("it is an address");
        let config = Config {
            listen,
            storage,
            ..Config::default()
        };
        let service = Service::start(config).await.expect("the service starts");
        let address: ServerAddress = format!("http://{}", service.address())
            .parse()
            .expect("it is an address");
        let acknowledged = Arc::<Count>::default();
        let pairs = matches.min(MAX_PAIRS);
        let mut players = JoinSet::new();
        for pair in 0..pairs {
            let first = connect(&address, &format!("first-player-{pair:04}")).await;
            let second = connect(&address, &format!("second-player-{pair:04}")).await;
            let share = matches / pairs;
            let acknowledged = Arc::clone(&acknowledged);
            match path {
                Path::Unary => {
                    for _ in 0..share {
                        let clients = [first.clone(), second.clone()];
                        players.spawn(play_unary(clients, Arc::clone(&acknowledged)));
                    }
                }
                Path::Play => {
                    players.spawn(play_streams([first, second], share, acknowledged));
                }
            }
        }
        Self {
            service,
            players,
            acknowledged,
        }
    }

    /// Number of acknowledged actions.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.get()
    }

    pub(crate) async fn stop(mut self) {
        self.players.shutdown().await;
        self.service.stop().await;
    }
}

pub(crate) async fn connect(address: &ServerAddress, token: &str) -> Client {
    let token = Token::new(token).expect("it is a token");
    Client::connect(address, &token)
        .await
        .expect("the service accepts connections")
}

async fn play_unary(clients: [Client; 2], acknowledged: Arc<Count>) {
    loop {
        let view = clients[0]
            .create_match(NewMatch::new("kamisado", 15))
            .await
            .expect("created");
        let id = view.id;
        clients[0]
            .join_match(id, None, "first", None)
            .await
            .expect("joined");
        let mut view = clients[1]
            .join_match(id, None, "second", None)
            .await
            .expect("joined")
            .view;
        while let Some((seat, decision)) = due(&view) {
            let answer = Answer {
                match_id: id,
                decision_id: decision,
                action: any_action(&view.position.expect("a decision has a position"), decision),
                request_id: None,
            };
            let submitted = clients[seat]
                .submit_action(answer)
                .await
                .expect("legal and in turn");
            acknowledged.add();
            view = submitted.view;
        }
    }
}

pub(crate) fn due(view: &MatchView) -> Option<(usize, DecisionId)> {
    Some((view.to_act?.index(), view.decision_id?))
}

pub(crate) fn any_action(position: &str, decision: DecisionId) -> String {
    let game = catalogue::find("kamisado").expect("it is in the catalogue");
    let start = Start {
        position: Some(position),
        ..Start::default()
    };
    let question = Question {
        start,
        ..Question::default()
    };
    let legal = game
        .analyse(&question)
        .expect("the service sends positions")
        .legal;
    legal[pick(decision, legal.len())].clone()
}

/// A choice without a pattern: a decision's number spread by Fibonacci hashing.
fn pick(decision: DecisionId, choices: usize) -> usize {
    let spread = decision.sequence().0.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (spread >> 40) as usize % choices
}

async fn play_streams(clients: [Client; 2], matches: usize, acknowledged: Arc<Count>) {
    let players = [
        clients[0].who_am_i().await.expect("the token is good"),
        clients[1].who_am_i().await.expect("the token is good"),
    ];
    let [first, second] = clients;
    let creator = first.clone();
    let create = move || {
        let creator = creator.clone();
        async move {
            let reserved = players.map(Some);
            let new = NewMatch {
                reserved,
                ..NewMatch::new("kamisado", 15)
            };
            creator.create_match(new).await.expect("created");
        }
    };
    let mut tasks = JoinSet::new();
    let (ended, mut ends) = tokio::sync::mpsc::unbounded_channel();
    tasks.spawn(answer_all(first, Some(ended), Arc::clone(&acknowledged)));
    tasks.spawn(answer_all(second, None, acknowledged));
    for _ in 0..matches {
        create().await;
    }
    while ends.recv().await.is_some() {
        create().await;
    }
}

async fn answer_all(
    client: Client,
    ended: Option<tokio::sync::mpsc::UnboundedSender<()>>,
    acknowledged: Arc<Count>,
) {
    let options = PlayOptions::default();
    let session = client.play(options).await.expect("the stream opens");
    let (sender, mut receiver) = (session.sender, session.receiver);
    // Whatever ends the stream, it is the end of the measurement.
    while let Some(Ok(event)) = receiver.next().await {
        let goes_on = match event {
            PlayEvent::Invitation(invitation) => sender
                .accept_invitation(invitation.view.id, "", None)
                .await
                .is_ok(),
            PlayEvent::Decision(decision) => sender.answer(answer(&decision)).await.is_ok(),
            PlayEvent::Accepted(_) => {
                acknowledged.add();
                true
            }
            PlayEvent::Closed(_) => ended.as_ref().is_none_or(|ended| ended.send(()).is_ok()),
            PlayEvent::Refused(refused) => panic!("refused: {}", refused.error),
            PlayEvent::Closing(_) => false,
            PlayEvent::Ready { .. } | PlayEvent::Opened(_) | PlayEvent::Heartbeat(_) => true,
        };
        if !goes_on {
            return;
        }
    }
}

fn answer(decision: &Decision) -> Answer {
    let action = decision.legal_actions[pick(decision.id, decision.legal_actions.len())].clone();
    Answer {
        match_id: decision.match_id,
        decision_id: decision.id,
        action,
        request_id: None,
    }
}
