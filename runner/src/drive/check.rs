use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dragontooth_bots::error_chain;
use dragontooth_games::counted;
use dragontooth_runner_programs::{
    BotProgram, GRACE, ProgramCommand, ProgramLog, Protocol, Supervised,
};
use dragontooth_runner_tournament::Name;
use dragontooth_service_client::{Client, Resume, Token, WatchUpdate, WatchedEvent};
use dragontooth_service_vocabulary::{MatchEvent, MatchId, Sequence};

use super::credentials::{Credential, Credentials, Holder};
use super::health::health;
use super::host::Host;
use super::outage::PATIENCE;
use super::players::{Agenda, Player, Players, RunningEngines};
use super::preflight::{Attempt, Preflight};
use super::{LogExcerpt, PlayerError, PreflightCheck, PreflightVerdict, RunError};
use crate::config::{BotConfig, Player as Plays, RunConfig, StartFailure};
use crate::draw_secret::DrawSecret;
use crate::record::RunDraws;

/// The opponent of the bots under preflight.
const OPPONENT: &str = "random:seed=1";

/// Runs the preflight checks of every bot of an event, on an in-memory service and against a built-in bot
/// that plays at random, so that all kinds of positions arise. Each bot plays `matches` at once, or one by
/// one if its program is restarted for each match. Its output goes to the folder `logs`. `tell` receives
/// each verdict as it falls. Returns true if all checks pass.
///
/// # Errors
///
/// The checks cannot run, for a reason that is no bot's fault.
pub async fn check(
    config: &RunConfig,
    logs: &Path,
    matches: NonZeroUsize,
    mut tell: impl FnMut(&PreflightVerdict),
) -> Result<bool, RunError> {
    let host = Host::in_memory().await?;
    let mut all_good = true;
    for bot in &config.bots {
        let check = Check {
            config,
            host: &host,
            logs,
            matches,
            bot,
        };
        let mut verdict = |trial: Option<PreflightCheck>, result: Result<String, String>| {
            let passed = result.is_ok();
            all_good &= passed;
            tell(&PreflightVerdict {
                bot: bot.name.clone(),
                trial,
                passed,
                detail: result.unwrap_or_else(|detail| detail),
            });
        };
        let tried = match &bot.player {
            Plays::Remote(_) => {
                verdict(None, Ok("it is a player elsewhere".to_owned()));
                Ok(())
            }
            Plays::Builtin { .. } => check.builtin(&mut verdict).await,
            Plays::Program(command) if command.protocol == Protocol::Stdio => {
                check.engine(&mut verdict).await
            }
            Plays::Program(command) => check.program(command, &mut verdict).await,
        };
        if let Err(error) = tried {
            host.close().await;
            return Err(error);
        }
    }
    host.close().await;
    Ok(all_good)
}

/// A bot that is tried.
struct Check<'a> {
    config: &'a RunConfig,
    host: &'a Host,
    logs: &'a Path,
    matches: NonZeroUsize,
    bot: &'a BotConfig,
}

/// Receives the result of a check: a detail, or the reason of the failure.
type Tell<'t> = &'t mut dyn FnMut(Option<PreflightCheck>, Result<String, String>);

impl Check<'_> {
    async fn builtin(&self, tell: Tell<'_>) -> Result<(), RunError> {
        let own = BotConfig {
            token: None,
            ..self.bot.clone()
        };
        let players = self.seat(vec![opponent(), own]).await?;
        let all = players.all();
        let preflight = self.preflight(all[0].clone(), all[1].clone()).await?;
        judge(
            &preflight.play_at_once(0..self.matches.get()).await,
            true,
            tell,
        );
        players.stop().await;
        Ok(())
    }

    async fn engine(&self, tell: Tell<'_>) -> Result<(), RunError> {
        let own = BotConfig {
            token: None,
            ..self.bot.clone()
        };
        let players = match self.seat(vec![opponent(), own]).await {
            Ok(players) => players,
            Err(RunError::Player(PlayerError::Engine { fault, .. })) => {
                tell(Some(PreflightCheck::Starts), Err(fault.to_string()));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        tell(Some(PreflightCheck::Starts), Ok(String::new()));
        let all = players.all();
        let preflight = self.preflight(all[0].clone(), all[1].clone()).await?;
        judge(
            &preflight.play_at_once(0..self.matches.get()).await,
            true,
            tell,
        );
        let began = Instant::now();
        players.stop().await;
        let took = began.elapsed();
        let result = if took < GRACE {
            Ok(format!("after {:.2} s", took.as_secs_f64()))
        } else {
            Err(format!("it was killed after {} s", GRACE.as_secs()))
        };
        tell(Some(PreflightCheck::Ends), result);
        Ok(())
    }

    async fn program(&self, command: &ProgramCommand, tell: Tell<'_>) -> Result<(), RunError> {
        let credential = credential(Some(&self.bot.name));
        let (client, id) = self.host.client(&credential).await?;
        let players = self.seat(vec![opponent()]).await?;
        let (_vitals, pulse) = health();
        let bot = Player {
            name: self.bot.name.clone(),
            id,
            client: Some(client),
            pulse,
            engine_faults: None,
            turn: None,
            seen: Arc::default(),
        };
        let preflight = self.preflight(players.all()[0].clone(), bot).await?;
        let program = BotProgram {
            draw_secret: None,
            bot: self.bot.name.clone(),
            command: command.clone(),
            server: self.host.address().to_string(),
            insecure_no_tls: self.host.address().is_insecure(),
            tls: self.host.tls_files().clone(),
            token: credential.token,
            log: ProgramLog::of(self.logs, &self.bot.name),
        };
        match program.start().await {
            Err(error) => tell(Some(PreflightCheck::Starts), Err(error_chain(&error))),
            Ok(running) => {
                tell(Some(PreflightCheck::Starts), Ok(String::new()));
                self.try_running(&program, running, &preflight, tell).await;
            }
        }
        players.stop().await;
        Ok(())
    }

    async fn try_running(
        &self,
        program: &BotProgram,
        mut running: Supervised,
        preflight: &Arc<Preflight>,
        tell: Tell<'_>,
    ) {
        let matches = self.matches.get();
        let mut tried = Vec::new();
        while tried.len() < matches {
            let numbers = if program.command.restart {
                tried.len()..tried.len() + 1
            } else {
                0..matches
            };
            if !tried.is_empty() {
                running = match restart(program, running).await {
                    Ok(again) => again,
                    Err(reason) => return tell(Some(PreflightCheck::Plays), Err(reason)),
                };
            }
            tried.extend(tokio::select! {
                tried = preflight.play_at_once(numbers) => tried,
                end = running.ended() => {
                    let status = end.exceeded.unwrap_or(end.status);
                    let log = LogExcerpt::of(&program.log, 0).await;
                    let ended = Err(format!("its program ended: {status}{log}"));
                    let check = if preflight.has_connected().await {
                        tell(Some(PreflightCheck::Connects), Ok(String::new()));
                        PreflightCheck::Plays
                    } else {
                        PreflightCheck::Connects
                    };
                    return tell(Some(check), ended);
                }
            });
        }
        let at_once = !program.command.restart;
        if judge(&tried, at_once, tell) {
            match self.restart(program, running, preflight).await {
                Ok(again) => {
                    tell(Some(PreflightCheck::Restarts), Ok(String::new()));
                    running = again;
                }
                Err(reason) => {
                    tell(Some(PreflightCheck::Restarts), Err(reason));
                    return;
                }
            }
        }
        let began = Instant::now();
        let end = running.end().await;
        let took = began.elapsed();
        let result = if took < GRACE {
            Ok(format!("after {:.2} s", took.as_secs_f64()))
        } else {
            Err(format!(
                "it was killed after {} s: {}",
                GRACE.as_secs(),
                end.status
            ))
        };
        tell(Some(PreflightCheck::Ends), result);
    }

    /// Ends the program in the middle of a match and starts it again.
    async fn restart(
        &self,
        program: &BotProgram,
        mut running: Supervised,
        preflight: &Arc<Preflight>,
    ) -> Result<Supervised, String> {
        if program.command.restart {
            running = restart(program, running).await?;
        }
        let match_id = preflight
            .create("restart", 0, preflight.rules, None)
            .await?;
        let following = Arc::clone(preflight);
        let watched = tokio::spawn(async move { following.follow(match_id, 0, false).await });
        first_action(&preflight.runner, match_id).await;
        let mut again = restart(program, running).await?;
        let tried = watched.await.map_err(|error| error.to_string())?;
        played(tried?)?;
        if program.command.restart {
            again = restart(program, again).await?;
        }
        // The match may have been over before.
        let match_id = preflight.create("again", 1, preflight.rules, None).await?;
        played(preflight.follow(match_id, 1, false).await?)?;
        Ok(again)
    }

    async fn seat(&self, bots: Vec<BotConfig>) -> Result<Players, RunError> {
        let credentials = Credentials {
            runner: credential(None),
            bots: bots
                .iter()
                .map(|bot| Some(credential(Some(&bot.name))))
                .collect(),
        };
        let agenda = Agenda {
            game: self.config.event.rules().game(),
            matches: self.matches.get(),
            start_limit: self.config.limits.join,
            start_failure: StartFailure::Stop,
        };
        let draws = RunDraws::of(DrawSecret::random());
        let engines = RunningEngines::default();
        Players::start(
            engines,
            &bots,
            self.host,
            self.logs,
            &credentials,
            &draws,
            agenda,
        )
        .await
    }

    async fn preflight(&self, opponent: Player, bot: Player) -> Result<Arc<Preflight>, RunError> {
        let (runner, _) = self.host.client(&credential(None)).await?;
        let own = self.config.time_controls(std::slice::from_ref(&bot.name));
        let time_control = own.into_iter().next().flatten();
        Ok(Arc::new(Preflight {
            runner,
            rules: self.config.event.rules(),
            time_control,
            limits: self.config.limits,
            bot,
            opponent,
        }))
    }
}

/// Ends a program and starts it again.
async fn restart(program: &BotProgram, running: Supervised) -> Result<Supervised, String> {
    running.end().await;
    program.start().await.map_err(|error| error_chain(&error))
}

/// Says how the matches went; whether the bot has played them all.
fn judge(tried: &[Result<Attempt, String>], at_once: bool, tell: Tell<'_>) -> bool {
    let mut slowest = Duration::ZERO;
    let (mut plies, mut absent, mut late, mut bad) = (0, None, None, None);
    for each in tried {
        match each {
            Ok(Attempt::Played {
                decisions,
                slowest: own,
            }) => {
                plies += decisions;
                slowest = slowest.max(*own);
            }
            Ok(Attempt::Absent(detail)) => absent = Some(detail.clone()),
            Ok(Attempt::Late(detail)) => late = Some(detail.clone()),
            Ok(Attempt::Stopped(detail)) | Err(detail) => bad = Some(detail.clone()),
        }
    }
    if let Some(detail) = absent {
        tell(Some(PreflightCheck::Connects), Err(detail));
        return false;
    }
    tell(Some(PreflightCheck::Connects), Ok(String::new()));
    let good = bad.is_none() && late.is_none();
    let matches = tried.len();
    let how = if at_once { "at once" } else { "one by one" };
    let played = format!(
        "{} {how}, {}",
        counted(matches, "match"),
        counted(plies, "decision")
    );
    tell(Some(PreflightCheck::Plays), bad.map_or(Ok(played), Err));
    let slowest = format!("the slowest decision took {:.3} s", slowest.as_secs_f64());
    tell(
        Some(PreflightCheck::KeepsTime),
        late.map_or(Ok(slowest), Err),
    );
    good
}

/// Waits for the first action of a match, or for its end.
async fn first_action(runner: &Client, match_id: MatchId) {
    let mut watch = runner.watch(match_id, Sequence(0), Resume::For(PATIENCE));
    let is_action = |event: &WatchedEvent| {
        matches!(
            event.event(),
            MatchEvent::ActionPlayed { .. } | MatchEvent::MatchEnded { .. }
        )
    };
    while let Some(Ok(update)) = watch.next().await {
        if let WatchUpdate::Events(events) = update
            && events.iter().any(is_action)
        {
            return;
        }
    }
}

/// Checks that a match was played; the error says why it was not.
fn played(tried: Attempt) -> Result<(), String> {
    match tried {
        Attempt::Played { .. } => Ok(()),
        Attempt::Absent(detail) | Attempt::Late(detail) | Attempt::Stopped(detail) => Err(detail),
    }
}

fn opponent() -> BotConfig {
    BotConfig {
        name: Name::new("opponent").expect("it has letters alone"),
        player: Plays::Builtin {
            spec: OPPONENT.parse().expect("there is such a bot"),
        },
        time_control: None,
        token: None,
        rating: None,
    }
}

/// A new random token.
fn credential(bot: Option<&Name>) -> Credential {
    Credential {
        token: Token::random(),
        holder: Holder::new(bot, None, "check".to_owned()),
        scopes: &[],
    }
}
