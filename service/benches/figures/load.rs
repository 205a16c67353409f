use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dragontooth_games::analysis::{Question, Start};
use dragontooth_games::catalogue;
use dragontooth_games::record::{Thinking, ThinkingValue};
use dragontooth_service::{Config, Service, Storage};
use dragontooth_service_client::{
    Answer, Client, Decision, DecisionId, MatchView, PlayEvent, PlayOptions, ServerAddress, Token,
};
use dragontooth_service_vocabulary::{MatchId, NewMatch, Sequence};
use tokio::runtime::{self, Runtime};
use tokio::task::{JoinHandle, JoinSet};

use crate::count::Count;
use crate::times::Times;

/// Pairs of players at most; each has its own two connections.
const MAX_PAIRS: usize = 8;

/// The way in which the players play.
#[derive(Clone, Copy)]
pub(crate) enum Path {
    Unary,
    Play,
    /// On `Play`, each answer with the thoughts of an engine.
    PlayWithThinking,
}

impl Path {
    /// The thoughts that come with each answer.
    fn thinking(self) -> Option<Thinking> {
        match self {
            Self::Unary | Self::Play => None,
            Self::PlayWithThinking => Some(thoughts()),
        }
    }
}

/// The thoughts of an engine about a decision: all numbers, and a line of six actions.
fn thoughts() -> Thinking {
    let value = ThinkingValue::win_probability(0.617).expect("it is a probability");
    let mut thinking = Thinking::new(Some(value), Some(9), Some(123_456));
    let timed = thinking.set_time(Duration::from_millis(48));
    timed.expect("it is less than the greatest time");
    for action in ["d1d7", "e8e3", "a1a5", "h8h4", "b1b6", "c8c2"] {
        thinking.push_line(action).expect("a short line");
    }
    thinking
}

/// Name of the threads on which the players run: what they take is not counted as the service's.
pub(crate) const PLAYER_THREADS: &str = "player";

/// A service, or its replicas, with players that keep a number of matches going.
pub(crate) struct Load {
    services: Vec<Service>,
    players: Players,
}

impl Load {
    pub(crate) async fn start(storage: Storage, path: Path, matches: usize) -> Self {
        Self::start_replicas(vec![storage], path, matches, Seats::Together).await
    }

    /// A service for each storage.
    pub(crate) async fn start_replicas(
        storages: Vec<Storage>,
        path: Path,
        matches: usize,
        seats: Seats,
    ) -> Self {
        let (mut services, mut addresses) = (Vec::new(), Vec::new());
        for storage in storages {
            let (service, address) = serve(storage).await;
            services.push(service);
            addresses.push(address);
        }
        let players = Players::start(path, matches, addresses, seats);
        Self { services, players }
    }

    /// Number of acknowledged actions.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.players.acknowledged.get()
    }

    /// The times from an answer on a `Play` stream to its acknowledgement since the last call of this.
    pub(crate) fn take_times(&self) -> Times {
        self.players.acknowledged.take_times()
    }

    pub(crate) async fn stop(self) {
        self.players.stop().await;
        for service in self.services {
            service.stop().await;
        }
    }
}

/// A service that listens on any free port.
pub(crate) async fn serve(storage: Storage) -> (Service, ServerAddress) {
    let config = Config {
        listen: "127.0.0.1:0".parse().expect("it is an address"),
        storage,
        ..Config::default()
    };
    let service = Service::start(config).await.expect("the service starts");
    let address = format!("http://{}", service.address());
    (service, address.parse().expect("it is an address"))
}

/// The services of the two players of a match.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seats {
    /// Both are at one.
    Together,
    /// They are at two, if there are two.
    Apart,
}

/// Players on threads of their own.
pub(crate) struct Players {
    runtime: Runtime,
    playing: JoinHandle<()>,
    acknowledged: Arc<Count>,
}

impl Players {
    /// Players that keep a number of matches going on the service at these addresses.
    fn start(path: Path, matches: usize, addresses: Vec<ServerAddress>, seats: Seats) -> Self {
        Self::playing(|acknowledged| async move {
            let mut tasks = JoinSet::new();
            let pairs = matches.min(MAX_PAIRS);
            for pair in 0..pairs {
                let second = match seats {
                    Seats::Together => pair,
                    Seats::Apart => pair + 1,
                };
                let [at, beside] =
                    [pair, second].map(|number| &addresses[number % addresses.len()]);
                // Players of an earlier load would go on with its matches, in a database that has them.
                let first = connect_as(at, &Token::random()).await;
                let second = connect_as(beside, &Token::random()).await;
                let (clients, share) = ([first, second], matches / pairs);
                let acknowledged = Arc::clone(&acknowledged);
                match path {
                    Path::Unary => {
                        for _ in 0..share {
                            let playing = play_unary(clients.clone(), Arc::clone(&acknowledged));
                            tasks.spawn(playing);
                        }
                    }
                    Path::Play | Path::PlayWithThinking => {
                        let thinking = path.thinking();
                        tasks.spawn(play_streams(clients, share, thinking, acknowledged));
                    }
                }
            }
            tasks.join_all().await;
        })
    }

    /// Players whose answers a server echoes, on as many connections, each with `at_once` actions under way.
    pub(crate) fn start_echoed(
        path: Path,
        connections: usize,
        at_once: usize,
        address: ServerAddress,
    ) -> Self {
        Self::playing(|acknowledged| async move {
            let mut tasks = JoinSet::new();
            for _ in 0..connections {
                let client = connect(&address, "an-echoed-player").await;
                match path {
                    Path::Unary => {
                        for _ in 0..at_once {
                            tasks.spawn(submit_forever(client.clone(), Arc::clone(&acknowledged)));
                        }
                    }
                    Path::Play | Path::PlayWithThinking => {
                        let (thinking, acknowledged) = (path.thinking(), Arc::clone(&acknowledged));
                        tasks.spawn(answer_all(client, None, thinking, acknowledged));
                    }
                }
            }
            tasks.join_all().await;
        })
    }

    fn playing<F>(play: impl FnOnce(Arc<Count>) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut threads = runtime::Builder::new_multi_thread();
        let threads = threads.thread_name(PLAYER_THREADS).enable_all();
        let runtime = threads.build().expect("tokio starts");
        let acknowledged = Arc::<Count>::default();
        let playing = runtime.spawn(play(Arc::clone(&acknowledged)));
        Self {
            runtime,
            playing,
            acknowledged,
        }
    }

    /// Number of acknowledged actions.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.get()
    }

    /// Ready when none of them plays any more.
    pub(crate) async fn stop(self) {
        self.playing.abort();
        // It was aborted.
        let _ = self.playing.await;
        let ended = tokio::task::spawn_blocking(|| drop(self.runtime));
        ended.await.expect("no player blocks its thread");
    }
}

pub(crate) async fn connect(address: &ServerAddress, token: &str) -> Client {
    connect_as(address, &Token::new(token).expect("it is a token")).await
}

async fn connect_as(address: &ServerAddress, token: &Token) -> Client {
    Client::connect(address, token)
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
        let joined = clients[1].join_match(id, None, "second", None).await;
        let mut view = joined.expect("joined").view;
        while let Some((seat, decision)) = due(&view) {
            view = submit(&clients[seat], view, decision).await;
            acknowledged.add();
        }
    }
}

async fn submit_forever(client: Client, acknowledged: Arc<Count>) {
    // The server echoes the same match whatever it is asked.
    let mut view = client
        .submit_action(Answer {
            match_id: MatchId::from_bytes([0; 16]),
            decision_id: DecisionId::after(Sequence(1)),
            action: String::new(),
            request_id: None,
            thinking: None,
        })
        .await
        .expect("echoed")
        .view;
    loop {
        let (_, decision) = due(&view).expect("the match goes on");
        view = submit(&client, view, decision).await;
        acknowledged.add();
    }
}

/// Plays the action that is due, and returns the match after it.
pub(crate) async fn submit(client: &Client, view: MatchView, decision: DecisionId) -> MatchView {
    let answer = Answer {
        match_id: view.id,
        decision_id: decision,
        action: any_action(&view.position.expect("a decision has a position"), decision),
        request_id: None,
        thinking: None,
    };
    let submitted = client.submit_action(answer).await;
    submitted.expect("legal and in turn").view
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
        .analyze(&question)
        .expect("the service sends positions")
        .legal;
    legal[pick(decision, legal.len())].clone()
}

/// A choice without a pattern: a decision's number spread by Fibonacci hashing.
fn pick(decision: DecisionId, choices: usize) -> usize {
    let spread = decision.sequence().0.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (spread >> 40) as usize % choices
}

async fn play_streams(
    clients: [Client; 2],
    matches: usize,
    thinking: Option<Thinking>,
    acknowledged: Arc<Count>,
) {
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
    let counted = Arc::clone(&acknowledged);
    tasks.spawn(answer_all(first, Some(ended), thinking.clone(), counted));
    tasks.spawn(answer_all(second, None, thinking, acknowledged));
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
    thinking: Option<Thinking>,
    acknowledged: Arc<Count>,
) {
    let options = PlayOptions::default();
    let session = client.play(options).await.expect("the stream opens");
    let (sender, mut receiver) = (session.sender, session.receiver);
    // Whatever ends the stream, it is the end of the measurement.
    let mut answered = HashMap::new();
    while let Some(Ok(event)) = receiver.next().await {
        let goes_on = match event {
            PlayEvent::Invitation(invitation) => sender
                .accept_invitation(invitation.view.id, "", None)
                .await
                .is_ok(),
            PlayEvent::Decision(decision) => {
                answered.insert(decision.match_id, Instant::now());
                let answer = Answer {
                    thinking: thinking.clone(),
                    ..answer(&decision)
                };
                sender.answer(answer).await.is_ok()
            }
            PlayEvent::Accepted(accepted) => {
                let refused = &accepted.refused_thinking;
                assert!(refused.is_none(), "{refused:?}");
                let answered = answered.remove(&accepted.match_id);
                acknowledged.add_after(answered.map(|answered| answered.elapsed()));
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
        thinking: None,
    }
}
