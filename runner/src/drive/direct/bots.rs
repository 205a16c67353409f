use std::path::Path;

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots_engines::stdio::Engines;
use dragontooth_runner_programs::{ProgramLog, Protocol};

use crate::config::{BotConfig, Player, RunConfig};
use crate::drive::RunError;
use crate::drive::affinity::Processor;
use crate::drive::engines::{EngineProgram, close};

/// The player of a bot without a service.
#[derive(Clone, Debug)]
pub(in crate::drive) enum DirectBot {
    /// A built-in bot.
    Builtin(BotSpec),
    /// Engines, from which number the seeds of their decisions follow.
    Engines(Engines, u64),
}

/// Returns true if a bot can play without a service.
pub(in crate::drive) fn plays_directly(player: &Player) -> bool {
    match player {
        Player::Builtin { .. } => true,
        Player::Program(command) => command.protocol == Protocol::Stdio,
        Player::Remote(_) => false,
    }
}

/// The bots, with the engines among them started for `matches` at the same time, on a processor or on all.
pub(in crate::drive) async fn direct_bots(
    config: &RunConfig,
    bots: &[BotConfig],
    logs: &Path,
    matches: usize,
    processor: Option<Processor>,
) -> Result<Vec<DirectBot>, RunError> {
    let mut started = Vec::new();
    for bot in bots {
        let next = match &bot.player {
            Player::Builtin { spec } => Ok(DirectBot::Builtin(spec.clone())),
            Player::Program(command) if command.protocol == Protocol::Stdio => {
                let program = EngineProgram {
                    bot: bot.name.clone(),
                    command: command.clone(),
                    log: ProgramLog::of(logs, &bot.name),
                    matches,
                    processor,
                    start_limit: config.limits.join,
                    start_failure: config.limits.start_failure,
                };
                let engines = program.start(config.event.rules().game()).await;
                let seed = command.seed();
                engines
                    .map(|engines| DirectBot::Engines(engines, seed))
                    .map_err(RunError::from)
            }
            Player::Program(_) | Player::Remote(_) => Err(RunError::NeedsService(bot.name.clone())),
        };
        match next {
            Ok(bot) => started.push(bot),
            Err(error) => {
                close_bots(started).await;
                return Err(error);
            }
        }
    }
    Ok(started)
}

/// Has the engines among bots end.
pub(in crate::drive) async fn close_bots(bots: Vec<DirectBot>) {
    let engines = bots.into_iter().filter_map(|bot| match bot {
        DirectBot::Builtin(_) => None,
        DirectBot::Engines(engines, _) => Some(engines),
    });
    close(engines.collect::<Vec<_>>()).await;
}
