use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dragontooth_bots::EnginePlayer;
use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionOptions, ShareSecret, ThinkingPool};
use dragontooth_bots_engines::stdio::Engines;
use dragontooth_runner_programs::{BotProgram, ProgramCommand, ProgramLog, Protocol};
use dragontooth_runner_tournament::{FaultKind, Name};
use dragontooth_service_client::Client;
use dragontooth_service_vocabulary::{MatchId, PlayerId};
use tokio::sync::{Mutex as AsyncMutex, watch};
use tokio::task::{JoinSet, spawn_blocking};

use super::RunError;
use super::credentials::{Credential, Credentials};
use super::debut::Debut;
use super::engines::{EngineProgram, close, kind_of};
use super::health::{Pulse, health};
use super::host::Host;
use super::player_error::PlayerError;
use super::restarter::Restarter;
use super::restarter::stopped;
use crate::config::{BotConfig, Player as Plays, StartFailure};
use crate::record::RunDraws;

/// The bots of a run, playing.
#[derive(Debug)]
pub(super) struct Players {
    all: Vec<Player>,
    tasks: JoinSet<Result<(), PlayerError>>,
    stop: watch::Sender<bool>,
}

/// A bot of a run, as its matches see it.
#[derive(Clone, Debug)]
pub(super) struct Player {
    /// Its name.
    pub(super) name: Name,
    /// Its player id in the service.
    pub(super) id: PlayerId,
    /// Acts for it when it cannot; `None` for a remote player.
    pub(super) client: Option<Client>,
    /// Reports the ends of its program, and requests them.
    pub(super) pulse: Pulse,
    /// If it is an engine, the matches in which it failed and how.
    pub(super) engine_faults: Option<EngineFaults>,
    /// If it is restarted for every match, the match that holds this lock plays.
    pub(super) turn: Option<Arc<AsyncMutex<()>>>,
    /// True if it has acted since it was started.
    pub(super) seen: Arc<AtomicBool>,
}

/// The matches that the bots have to play.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agenda<'a> {
    /// The game.
    pub(super) game: &'a str,
    /// The matches that are played at the same time, at most.
    pub(super) matches: usize,
    /// Longest start of a program until it is ready to play.
    pub(super) start_limit: Duration,
    /// The consequence of a program that ends before it has ever taken a seat.
    pub(super) start_failure: StartFailure,
}

/// The matches in which an engine failed. The service knows why the engine resigned, but not the kind of
/// fault.
#[derive(Clone, Debug, Default)]
pub(super) struct EngineFaults(Arc<Mutex<HashMap<MatchId, (FaultKind, String)>>>);

/// Engines that are running and have no seats yet.
#[derive(Debug, Default)]
pub(super) struct RunningEngines(HashMap<Name, Engines>);

impl RunningEngines {
    /// Starts the engines among the bots. Their output goes to files in the folder `logs`.
    pub(super) async fn start(
        bots: &[BotConfig],
        logs: &Path,
        agenda: Agenda<'_>,
    ) -> Result<Self, PlayerError> {
        let mut running = Self::default();
        for bot in bots {
            let Plays::Program(command) = &bot.player else {
                continue;
            };
            if command.protocol != Protocol::Stdio {
                continue;
            }
            match engine_program(&bot.name, command, logs, agenda)
                .start(agenda.game)
                .await
            {
                Ok(engines) => running.0.insert(bot.name.clone(), engines),
                Err(error) => {
                    running.close().await;
                    return Err(error);
                }
            };
        }
        Ok(running)
    }

    /// Has them end, and waits until they have.
    pub(super) async fn close(self) {
        close(self.0.into_values()).await;
    }
}

impl Players {
    /// Seats all bots: built-in ones in this process, programs as child processes. Their output goes to
    /// files in the folder `logs`. Engines that are not running yet are started; all have ended if this fails.
    pub(super) async fn start(
        mut running: RunningEngines,
        bots: &[BotConfig],
        host: &Host,
        logs: &Path,
        credentials: &Credentials,
        draws: &RunDraws,
        agenda: Agenda<'_>,
    ) -> Result<Self, RunError> {
        let seated = Self::seat_all(&mut running, bots, host, logs, credentials, draws, agenda);
        let seated = seated.await;
        // Those that were not seated.
        running.close().await;
        seated
    }

    async fn seat_all(
        running: &mut RunningEngines,
        bots: &[BotConfig],
        host: &Host,
        logs: &Path,
        credentials: &Credentials,
        draws: &RunDraws,
        agenda: Agenda<'_>,
    ) -> Result<Self, RunError> {
        let pool = ThinkingPool::of_the_machine().map_err(RunError::Threads)?;
        let mut players = Self {
            all: Vec::new(),
            tasks: JoinSet::new(),
            stop: watch::Sender::new(false),
        };
        let connected = connect(host, bots, &credentials.bots).await?;
        for ((bot, credential), (client, id)) in bots.iter().zip(&credentials.bots).zip(connected) {
            let (vitals, pulse) = health();
            let draw_secret = draws.bot_secret(&bot.name);
            let mut player = Player {
                name: bot.name.clone(),
                id,
                client: client.clone(),
                pulse,
                engine_faults: None,
                turn: None,
                seen: Arc::default(),
            };
            match (&bot.player, client, credential) {
                (Plays::Builtin { spec }, Some(client), _) => {
                    let options = session_options(bot, spec.seed(), draw_secret);
                    players.seat_builtin(
                        bot.name.clone(),
                        options,
                        client,
                        spec.clone(),
                        pool.clone(),
                    );
                }
                (Plays::Program(command), Some(client), _)
                    if command.protocol == Protocol::Stdio =>
                {
                    let started = if let Some(engines) = running.0.remove(&bot.name) {
                        Ok(engines)
                    } else {
                        let program = engine_program(&bot.name, command, logs, agenda);
                        program.start(agenda.game).await
                    };
                    let engines = match started {
                        Ok(engines) => engines,
                        Err(error) => {
                            players.stop().await;
                            return Err(error.into());
                        }
                    };
                    let faults = EngineFaults::default();
                    player.engine_faults = Some(faults.clone());
                    let threads = NonZeroUsize::new(agenda.matches).unwrap_or(NonZeroUsize::MIN);
                    let pool = ThinkingPool::new(threads).map_err(RunError::Threads)?;
                    let options = session_options(bot, command.seed(), draw_secret);
                    players.seat_engines(bot.name.clone(), options, client, engines, pool, faults);
                }
                (Plays::Program(command), Some(client), Some(credential)) => {
                    player.turn = command.restart.then(Arc::default);
                    let program = BotProgram {
                        bot: bot.name.clone(),
                        command: command.clone(),
                        server: host.address().to_string(),
                        insecure_no_tls: host.address().is_insecure(),
                        tls: host.tls_files().clone(),
                        token: credential.token.clone(),
                        draw_secret: Some(draw_secret),
                        log: ProgramLog::of(logs, &bot.name),
                    };
                    let running = match program.start().await {
                        Ok(running) => running,
                        Err(error) => {
                            players.stop().await;
                            return Err(PlayerError::from(error).into());
                        }
                    };
                    let stop = players.stop.subscribe();
                    let restarter = Restarter {
                        program,
                        debut: Debut {
                            seen: Arc::clone(&player.seen),
                            client,
                            player: id,
                        },
                        start_failure: agenda.start_failure,
                        turn: player.turn.clone(),
                    };
                    let kept = restarter.keep_running(running, vitals, stop);
                    players.tasks.spawn(kept);
                }
                (Plays::Builtin { .. } | Plays::Program(_) | Plays::Remote(_), _, _) => {}
            }
            players.all.push(player);
        }
        Ok(players)
    }

    /// The bots, in the order of the event's list.
    pub(super) fn all(&self) -> &[Player] {
        &self.all
    }

    /// Waits until a bot cannot continue, and returns the reason. Until the bots are stopped, each end
    /// has one.
    pub(super) async fn failure(&mut self) -> PlayerError {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(Ok(()))) => {}
                Some(Ok(Err(error))) => return error,
                Some(Err(error)) => std::panic::resume_unwind(error.into_panic()),
                None => std::future::pending().await,
            }
        }
    }

    /// Stops all bots and waits for their end.
    pub(super) async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }

    fn seat_engines(
        &mut self,
        bot: Name,
        options: SessionOptions,
        client: Client,
        engines: Engines,
        pool: ThinkingPool,
        faults: EngineFaults,
    ) {
        let player = EnginePlayer::new(engines.clone()).on_fault(move |match_id, fault| {
            if let Ok(match_id) = match_id.parse() {
                faults.note(match_id, kind_of(fault), fault.to_string());
            }
        });
        let making = player.clone();
        let make = move |info: &_| Ok(Box::new(making.bot(info)) as Box<_>);
        let options = SessionOptions {
            makes_bots_early: true,
            ..options
        };
        let session = Session::new(client, pool, options, make);
        let stopped = stopped(self.stop.subscribe());
        self.tasks.spawn(async move {
            let ended = session.run(stopped).await;
            player.settled().await;
            // It waits for their ends.
            let closing = spawn_blocking(move || engines.close()).await;
            if let Err(error) = closing {
                std::panic::resume_unwind(error.into_panic());
            }
            ended
                .map(|_| ())
                .map_err(|source| PlayerError::Session { bot, source })
        });
    }

    fn seat_builtin(
        &mut self,
        bot: Name,
        options: SessionOptions,
        client: Client,
        spec: BotSpec,
        pool: ThinkingPool,
    ) {
        let session = Session::new(client, pool, options, move |info| Ok(spec.make(info)?));
        let stopped = stopped(self.stop.subscribe());
        self.tasks.spawn(async move {
            let ended = session.run(stopped).await;
            ended
                .map(|_| ())
                .map_err(|source| PlayerError::Session { bot, source })
        });
    }
}

impl EngineFaults {
    /// The engine's failure in a match that it resigned, if it failed. Each failure is returned once.
    pub(super) fn of(&self, match_id: MatchId) -> Option<(FaultKind, String)> {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.remove(&match_id)
    }

    /// The first fault in a match counts.
    fn note(&self, match_id: MatchId, kind: FaultKind, detail: String) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.entry(match_id).or_insert((kind, detail));
    }
}

fn engine_program(
    bot: &Name,
    command: &ProgramCommand,
    logs: &Path,
    agenda: Agenda<'_>,
) -> EngineProgram {
    EngineProgram {
        bot: bot.clone(),
        command: command.clone(),
        log: ProgramLog::of(logs, bot),
        matches: agenda.matches,
        processor: None,
        start_limit: agenda.start_limit,
        start_failure: agenda.start_failure,
    }
}

/// The options of the session of a bot, with the secret of its shares of the seeds.
fn session_options(bot: &BotConfig, seed: u64, draw_secret: String) -> SessionOptions {
    SessionOptions {
        name: bot.name.to_string(),
        seed,
        draw_secret: ShareSecret::new(draw_secret),
        ..SessionOptions::default()
    }
}

/// The players that the bots are, with clients for those that are not elsewhere. Their tokens are
/// checked before any of the bots is started.
async fn connect(
    host: &Host,
    bots: &[BotConfig],
    credentials: &[Option<Credential>],
) -> Result<Vec<(Option<Client>, PlayerId)>, RunError> {
    let mut connected: Vec<(Option<Client>, PlayerId)> = Vec::new();
    for (bot, credential) in bots.iter().zip(credentials) {
        let (client, id) = match (&bot.player, credential) {
            (Plays::Remote(id), _) => (None, *id),
            (_, Some(credential)) => {
                let (client, id) = host.client(credential).await?;
                (Some(client), id)
            }
            (_, None) => continue,
        };
        if let Some(other) = connected.iter().position(|(_, other)| *other == id) {
            let name = |at: usize| match &credentials[at] {
                Some(credential) => credential.holder.to_string(),
                None => format!("the player of the bot {}", bots[at].name),
            };
            return Err(PlayerError::SamePlayer {
                holder: name(connected.len()),
                other: name(other),
            }
            .into());
        }
        connected.push((client, id));
    }
    Ok(connected)
}
