use std::env;

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionOptions, ThinkingPool};
use dragontooth_service_client::{Client, Token};
use tokio::signal::unix::{SignalKind, signal};

use super::processor_time::own_cpu;

/// The argument with which this program plays instead of measuring.
pub(crate) const PLAY: &str = "play-as-a-trivial-bot";

/// The text before the processor time, in milliseconds, that the program prints when it ends.
pub(crate) const CPU_MS: &str = "cpu_ms ";

/// Whether it is to play.
pub(crate) fn is_asked_for() -> bool {
    env::args().nth(1).is_some_and(|first| first == PLAY)
}

/// Plays any legal action in all matches, as a program that the runner has started, until it is asked
/// to stop.
#[expect(
    clippy::print_stdout,
    reason = "the runner keeps what a program writes"
)]
pub(crate) fn play() {
    let variable = |name| env::var(name).expect("the runner sets it");
    let address = variable("DRAGONTOOTH_SERVER");
    let address = address.parse().expect("the runner knows the address");
    let token = Token::new(variable("DRAGONTOOTH_TOKEN")).expect("the runner knows tokens");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system gives a runtime");
    runtime.block_on(async {
        let mut told = signal(SignalKind::terminate()).expect("signals can be heard");
        let client = Client::connect_lazily(&address, &token).expect("the address is one");
        let pool = ThinkingPool::new(std::num::NonZeroUsize::MIN).expect("there is a thread");
        let spec: BotSpec = "random".parse().expect("there is such a bot");
        let session = Session::new(client, pool, SessionOptions::default(), move |info| {
            Ok(spec.make(info)?)
        });
        // Why it ended does not matter: the runner tells what it cost.
        let _ = session.run(async move { _ = told.recv().await }).await;
    });
    println!("{CPU_MS}{}", own_cpu().as_millis());
}
