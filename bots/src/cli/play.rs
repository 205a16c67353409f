use super::arguments::Play;
use super::failure::Failure;
use super::playing::Contender;
use super::{Exit, service};
use crate::builtin::BotSpec;
use crate::session::ThinkingPool;

/// Plays matches on a service.
pub(super) fn run(arguments: &Play) -> Result<Exit, Failure> {
    let spec = bot(arguments)?;
    let pool = match arguments.threads {
        Some(threads) => ThinkingPool::new(threads),
        None => ThinkingPool::of_the_machine(),
    };
    let pool = pool
        .map_err(|error| Failure::system(format!("cannot start the thinking threads: {error}")))?;
    service::run(play(arguments, &spec, pool))
}

/// The bot with the options of `--bot` and `--option`.
fn bot(arguments: &Play) -> Result<BotSpec, Failure> {
    let mut text = arguments.bot.clone();
    for option in &arguments.options {
        text.push(if text.contains(':') { ',' } else { ':' });
        text.push_str(option);
    }
    text.parse().map_err(Failure::usage)
}

async fn play(arguments: &Play, spec: &BotSpec, pool: ThinkingPool) -> Result<Exit, Failure> {
    let playing = &arguments.playing;
    let contender = Contender {
        name: spec.info().name,
        seed: spec.seed(),
        matches_at_once: arguments.matches_at_once,
        makes_bots_early: false,
        pool,
        plays: &|game| plays(spec, game),
    };
    let (making, picky) = (spec.clone(), spec.clone());
    playing
        .run(
            playing.service.client()?,
            contender,
            move |info| Ok(making.make(info)?),
            move |invitation| picky.plays(&invitation.view.game),
        )
        .await
}

fn plays(spec: &BotSpec, game: &str) -> Result<(), Failure> {
    if spec.plays(game) {
        return Ok(());
    }
    let bot = spec.info().name;
    Err(Failure::usage(format!(
        "there is no bot {bot} for the game {game:?}"
    )))
}
