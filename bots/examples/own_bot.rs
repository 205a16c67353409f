//! A bot in Rust that plays the Kamisado matches it is invited to; the tournament runner can start it.
//!
//! A package elsewhere depends on `dragontooth-bots`, `dragontooth-games` and
//! `dragontooth-service-client`.

#![expect(clippy::print_stderr, reason = "progress goes to standard error")]

use std::env;
use std::error::Error;

use dragontooth_bots::Budget;
use dragontooth_bots::session::{Session, SessionOptions, ShareSecret, ThinkingPool};
use dragontooth_bots::{PositionBot, TextBot};
use dragontooth_games::Position as _;
use dragontooth_games::kamisado::{Action, Position};
use dragontooth_service_client::{Client, ServerAddress, TlsFiles, Token};
use tokio::signal::unix::{SignalKind, signal};

/// Plays the first of the legal actions: here you think.
struct MyEngine;

impl PositionBot<Position> for MyEngine {
    fn choose(&mut self, position: &Position, _budget: &Budget) -> Option<Action> {
        let mut chosen = None;
        position.for_each_legal(|action| {
            chosen.get_or_insert(action);
        });
        chosen
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server: ServerAddress = env::var("DRAGONTOOTH_SERVER")?.parse()?;
    let server =
        server.insecure(env::var("DRAGONTOOTH_INSECURE_NO_TLS").is_ok_and(|is| is == "true"));
    let token = Token::new(env::var("DRAGONTOOTH_TOKEN")?)?;
    let file = |name| env::var_os(name).map(Into::into);
    let tls = TlsFiles {
        ca: file("DRAGONTOOTH_TLS_CA"),
        cert: file("DRAGONTOOTH_TLS_CERT"),
        key: file("DRAGONTOOTH_TLS_KEY"),
    };
    let client = Client::connect_lazily_with(&server, &token, &tls.read()?)?;
    let options = SessionOptions {
        name: "own-bot".to_owned(),
        draw_secret: ShareSecret::new(env::var("DRAGONTOOTH_DRAW_SECRET").unwrap_or_default()),
        seed: env::var("DRAGONTOOTH_SEED").map_or(Ok(0), |seed| seed.parse())?,
        ..SessionOptions::default()
    };
    let pool = ThinkingPool::of_the_machine()?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let summary = Session::new(client, pool, options, |_| {
        Ok(Box::new(TextBot::new(MyEngine)))
    })
    .accept_if(|invitation| invitation.view.game == "kamisado")
    .on_notice(|notice| eprintln!("{notice:?}"))
    .run(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
    .await?;
    eprintln!("{summary:?}");
    Ok(())
}
