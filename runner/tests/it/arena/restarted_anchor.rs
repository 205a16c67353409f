//! An anchor that plays one match at a time.

use std::future::pending;
use std::sync::{Arc, Mutex, mpsc};

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionOptions, ThinkingPool, Until};
use dragontooth_bots::{Bot, BotError, Budget};
use dragontooth_runner::config::RunConfig;
use dragontooth_runner::drive::run_arena;
use dragontooth_runner::record::{arena_rules, read_arena};
use dragontooth_service::Service;
use dragontooth_service_client::{Client, MatchFilter, Token};
use dragontooth_service_vocabulary::{AcceptedGame, Offer};
use tokio::sync::Notify;
use tokio::task::yield_now;

use super::on_a_service::{player, quiet, service};
use crate::faults::write_program;
use crate::programs::becomes;

/// A bot whose first choice says that it is asked, and waits.
struct Waiting {
    asked: Arc<Notify>,
    /// Over once nobody can send.
    gate: Arc<Mutex<mpsc::Receiver<()>>>,
    bot: Box<dyn Bot>,
}

impl Bot for Waiting {
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError> {
        self.asked.notify_one();
        let _ = self.gate.lock().unwrap().recv();
        self.bot.choose(position, budget)
    }
}

/// Plays Linja when nobody holds the other end of the gate.
async fn waiting_player(service: &Service, asked: Arc<Notify>, gate: mpsc::Receiver<()>) {
    let address = format!("http://{}", service.address()).parse().unwrap();
    let client = Client::connect_lazily(&address, &Token::random()).unwrap();
    let options = SessionOptions {
        offer: Some(Offer {
            games: vec![AcceptedGame::any("linja")],
            build: "waiting".parse().unwrap(),
            ..Offer::default()
        }),
        ..SessionOptions::default()
    };
    let spec: BotSpec = "random".parse().unwrap();
    let gate = Arc::new(Mutex::new(gate));
    let pool = ThinkingPool::of_the_machine().unwrap();
    let session = Session::new(client, pool, options, move |info| {
        Ok(Box::new(Waiting {
            asked: Arc::clone(&asked),
            gate: Arc::clone(&gate),
            bot: spec.make(info)?,
        }))
    });
    session.run(pending()).await.unwrap();
}

/// A match of the process before goes on when the arena starts again: until it is over, there is no other one.
#[tokio::test(flavor = "multi_thread")]
async fn an_anchor_of_one_match_at_a_time_has_one_after_a_restart() {
    let service = service().await;
    let place = tempfile::tempdir().unwrap();
    let program = format!("#!/bin/sh\n{}\n", becomes("random:seed=9"));
    write_program(&place.path().join("program"), &program);
    let text = format!(
        "[event]\nname = 'open'\nformat = 'arena'\ngame = 'linja'\ntarget = 1\nconcurrency = 2\n\
         [service]\naddress = 'http://{}'\n\
         [[bot]]\nname = 'zero'\ncommand = ['./program']\nrestart = true\nrating = 0\n",
        service.address()
    );
    let config = RunConfig::parse(&text, place.path(), None).unwrap();
    let folder = place.path().join("run");
    let asked = Arc::new(Notify::new());
    let (open, gate) = mpsc::channel();
    let story = async {
        // Dropped in the middle of a match, like a process that is killed.
        tokio::select! {
            ended = run_arena(&config, &folder, &quiet, None, pending()) => panic!("{ended:?}"),
            () = asked.notified() => {}
        }
        let second = async {
            let rules = arena_rules(&config.event).unwrap();
            let begun = || {
                let read = read_arena(&folder, rules.clone(), u64::MAX, |_, _| ());
                read.map_or(0, |read| read.state.counts().encounters)
            };
            let another = player(&service, "v1", Until::Matches(1));
            let release = async {
                while begun() < 2 {
                    yield_now().await;
                }
                drop(open);
            };
            tokio::join!(another, release);
        };
        let arena = run_arena(&config, &folder, &quiet, None, Box::pin(second));
        arena.await.unwrap();
    };
    tokio::select! {
        () = waiting_player(&service, Arc::clone(&asked), gate) => panic!("the player has left"),
        () = story => {}
    }
    let address = format!("http://{}", service.address()).parse().unwrap();
    let client = Client::connect_lazily(&address, &Token::random()).unwrap();
    let listed = client.list_matches(MatchFilter::default(), None).await;
    let mut times: Vec<_> = (listed.unwrap().items.iter())
        .map(|view| (view.created.unwrap(), view.ended))
        .collect();
    times.sort();
    assert!(times.len() >= 2);
    for pair in times.windows(2) {
        let (before, next) = (pair[0].1, pair[1].0);
        assert!(before.is_some_and(|before| before <= next), "{times:?}");
    }
    service.stop().await;
}
