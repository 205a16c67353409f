use std::future::Future;
use std::io;
use std::pin::pin;

use dragontooth_games::Seat;
use dragontooth_service_client::{Client, Invitation, MatchState, MatchView};
use tokio::signal::unix::{SignalKind, signal};

use super::arguments::Play;
use super::failure::Failure;
use super::new_match::{new_match, own_seat};
use super::output::say;
use super::{Exit, report, service};
use crate::MatchInfo;
use crate::builtin::BotSpec;
use crate::session::{Session, SessionOptions, Summary, ThinkingPool, Until};

/// Plays matches on a service.
pub(super) fn run(arguments: Play) -> Result<Exit, Failure> {
    let spec = bot(&arguments)?;
    let pool = match arguments.threads {
        Some(threads) => ThinkingPool::new(threads),
        None => ThinkingPool::of_the_machine(),
    };
    let pool =
        pool.map_err(|error| Failure::system(format!("there are no threads to think: {error}")))?;
    service::runtime()?.block_on(play(arguments, spec, pool))
}

/// The bot with the options of both ways to set them.
fn bot(arguments: &Play) -> Result<BotSpec, Failure> {
    let mut text = arguments.bot.clone();
    for option in &arguments.options {
        text.push(if text.contains(':') { ',' } else { ':' });
        text.push_str(option);
    }
    text.parse().map_err(Failure::usage)
}

async fn play(arguments: Play, spec: BotSpec, pool: ThinkingPool) -> Result<Exit, Failure> {
    let mut stop = pin!(stop_signal()?);
    let client = arguments.service.client()?;
    let name = arguments
        .name
        .clone()
        .unwrap_or_else(|| spec.info().name.to_owned());
    let asked_for = tokio::select! {
        () = stop.as_mut() => return Ok(Exit::Done),
        asked_for = asked_for(&arguments, &client, &spec, &name) => asked_for?,
    };
    if let Some((view, seat)) = &asked_for
        && view.state == MatchState::Ended
    {
        say(&report::closed(view, Some(*seat)));
        return Ok(Exit::Done);
    }
    let options = SessionOptions {
        name,
        draw_seed: arguments.draw_seed.clone(),
        seed: spec.seed(),
        until: match (&asked_for, arguments.matches) {
            (Some((view, _)), _) => Until::Match(view.id),
            (None, Some(matches)) => Until::Matches(matches),
            (None, None) => Until::Stopped,
        },
        matches_at_once: arguments.matches_at_once,
        first_patience: arguments.service.wait,
        patience: arguments.patience,
    };
    let picky = spec.clone();
    let session = Session::new(client, pool, options, move |info| Ok(spec.make(info)?))
        .accept_if(move |invitation| can_play(&picky, invitation))
        .on_notice(|notice| say(&report::notice(&notice)));
    Ok(end(&session.run(stop).await?))
}

/// Tells what was played, and how the program ends for it.
pub(super) fn end(summary: &Summary) -> Exit {
    say(&report::summary(summary));
    if summary.failures == 0 {
        Exit::Done
    } else {
        Exit::BotFailed
    }
}

/// The match that is to be played, with the seat that was taken in it; none if no special one is.
async fn asked_for(
    arguments: &Play,
    client: &Client,
    spec: &BotSpec,
    name: &str,
) -> Result<Option<(MatchView, Seat)>, Failure> {
    let service = &arguments.service;
    let mut seat = arguments.seat;
    let own = own_seat(arguments.seat);
    let match_id = match (arguments.match_id, new_match(&arguments.new, own)) {
        (None, None) => return Ok(None),
        (Some(match_id), _) => {
            let view = service.insist(|| client.get_match(match_id)).await?;
            plays(spec, &view.game)?;
            match_id
        }
        (None, Some(new)) => {
            plays(spec, &new.game)?;
            let view = service.insist(|| client.create_match(new.clone())).await?;
            say(&report::created(&view));
            // The times of the seats are agreed, so it has to be this one.
            seat = Some(own);
            view.id
        }
    };
    let joined = service
        .insist(|| client.join_match(match_id, seat, name, arguments.draw_seed.clone()))
        .await?;
    say(&report::joined(&joined.view, joined.seat));
    Ok(Some((joined.view, joined.seat)))
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

/// Whether the bot plays the game to which it is invited.
fn can_play(spec: &BotSpec, invitation: &Invitation) -> bool {
    let view = &invitation.view;
    let made = spec.make(&MatchInfo {
        id: view.id.to_string(),
        title: view.title.clone(),
        game: view.game.clone(),
        variant: view.variant.clone(),
        target: view.target,
        seat: invitation.seat,
        time_controls: Seat::BOTH.map(|seat| view.seat(seat).time_control),
    });
    match made {
        Ok(_) => true,
        Err(error) => {
            tracing::warn!(match_id = %view.id, %error, "an invitation is left alone");
            false
        }
    }
}

/// Ready when the program is told to stop.
pub(super) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;
    use dragontooth_service_client::TimeControl;

    use super::*;
    use crate::cli::arguments::{Arguments, Command};

    /// The time controls by seat of the match that these arguments ask for.
    fn time_controls(arguments: &str) -> [Option<TimeControl>; 2] {
        let words =
            "dragontooth-bot play --bot random --token 0123456789abcdef --new linja --target 1";
        let words = words.split(' ').chain(arguments.split_whitespace());
        let Command::Play(play) = Arguments::parse_from(words).command else {
            panic!("it is no other task");
        };
        new_match(&play.new, own_seat(play.seat))
            .unwrap()
            .time_controls
    }

    #[test]
    fn the_opponent_may_have_another_time() {
        let [two, nine] = [2, 9].map(|seconds| {
            let limit = Duration::from_secs(seconds);
            Some(TimeControl::PerAction { limit })
        });
        let own = "--time per-action:2s";
        assert_eq!(time_controls(""), [None, None]);
        assert_eq!(time_controls(own), [two, two]);
        for (arguments, expected) in [
            ("--opponent-time per-action:9s", [two, nine]),
            ("--opponent-time none", [two, None]),
        ] {
            let arguments = format!("{own} {arguments}");
            assert_eq!(time_controls(&arguments), expected);
            let [own, opponent] = expected;
            assert_eq!(
                time_controls(&format!("{arguments} --seat second")),
                [opponent, own]
            );
        }
    }
}
