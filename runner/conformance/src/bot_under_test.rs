use std::time::{Duration, Instant};

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionError, SessionOptions, ThinkingPool};
use dragontooth_runner_programs::{BotProgram, ProgramCommand, Supervised};
use dragontooth_service_client::{Client, ServerAddress, Token};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::failure::Failure;

/// The bot to examine, before it is started.
#[derive(Clone, Debug)]
pub enum ExaminedBot {
    /// A built-in bot, in the kit's process.
    Builtin(BotSpec),
    /// A program that connects to the service by itself.
    Program(ProgramCommand),
}

/// The bot under test while it runs.
#[derive(Debug)]
pub(super) enum BotUnderTest {
    /// A program, under its supervisor.
    Program(Box<Supervised>),
    /// A built-in bot in this process.
    Builtin {
        stop: watch::Sender<bool>,
        session: JoinHandle<Result<(), SessionError>>,
    },
}

impl BotUnderTest {
    /// Starts a program.
    pub(super) async fn program(program: &BotProgram) -> Result<Self, Failure> {
        let started = program.start().await;
        started
            .map(|program| Self::Program(Box::new(program)))
            .map_err(|error| Failure::bot(error.with_cause()))
    }

    /// Has a built-in bot play.
    pub(super) fn builtin(
        spec: &BotSpec,
        server: &ServerAddress,
        token: &Token,
    ) -> Result<Self, Failure> {
        let client = Client::connect_lazily(server, token)?;
        let pool = ThinkingPool::of_the_machine().map_err(Failure::kit)?;
        let options = SessionOptions {
            name: spec.to_string(),
            seed: spec.seed(),
            ..SessionOptions::default()
        };
        let spec = spec.clone();
        let session = Session::new(client, pool, options, move |info| Ok(spec.make(info)?));
        let stop = watch::Sender::new(false);
        let mut told = stop.subscribe();
        let stopped = async move {
            // If the sender is gone, it is time to stop too.
            let _ = told.wait_for(|stop| *stop).await;
        };
        // The session's future is not `Send`, so it needs a thread of its own.
        let session = tokio::task::spawn_blocking(move || {
            let ended = Handle::current().block_on(session.run(stopped));
            ended.map(|_| ())
        });
        Ok(Self::Builtin { stop, session })
    }

    /// Ready with how it ended when it has ended by itself. It may be dropped while it waits and
    /// called again.
    pub(super) async fn ended(&mut self) -> String {
        match self {
            Self::Program(program) => {
                let end = program.ended().await;
                end.exceeded.unwrap_or(end.status)
            }
            Self::Builtin { session, .. } => match session.await {
                Ok(Ok(())) => "it has stopped playing".to_owned(),
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
            },
        }
    }

    /// Has it end, and says how that went and how long it took.
    pub(super) async fn end(self) -> (String, Duration) {
        let began = Instant::now();
        let status = match self {
            Self::Program(program) => program.end().await.status,
            Self::Builtin { stop, session } => {
                stop.send_replace(true);
                // Errors during shutdown are not part of any check.
                let _ = session.await;
                String::new()
            }
        };
        (status, began.elapsed())
    }
}
