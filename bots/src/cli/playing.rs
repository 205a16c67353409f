use std::future::Future;
use std::io;
use std::num::NonZeroU32;
use std::pin::pin;

use dragontooth_games::{Seat, catalogue};
use dragontooth_service_client::{Client, Invitation, MatchView};
use dragontooth_service_vocabulary::{AcceptedGame, Offer, PlayerName, SeedText, Stage};
use tokio::signal::unix::{SignalKind, signal};

use super::arguments::Playing;
use super::failure::Failure;
use super::new_match::{new_match, own_seat};
use super::output::say;
use super::{Exit, report};
use crate::session::{MakeBotError, Session, SessionOptions, ShareSecret, ThinkingPool, Until};
use crate::{Bot, MatchInfo};

/// The bot or engine that plays.
pub(super) struct Contender<'a> {
    /// Default for the player's name.
    pub(super) name: &'a str,
    /// Seed from which the seeds of the decisions are derived.
    pub(super) seed: u64,
    /// Largest number of matches at once.
    pub(super) matches_at_once: usize,
    /// True if it is made before the seat of an invitation is taken.
    pub(super) makes_bots_early: bool,
    /// The threads that it thinks on.
    pub(super) pool: ThinkingPool,
    /// Returns an error for a game that it does not play.
    pub(super) plays: &'a dyn Fn(&str) -> Result<(), Failure>,
}

impl Playing {
    /// Plays the match of `--match` or `--new`, or else the invitations for which `wants` returns true, with
    /// bots made by `factory`.
    pub(super) async fn run(
        &self,
        client: Client,
        contender: Contender<'_>,
        factory: impl Fn(&MatchInfo) -> Result<Box<dyn Bot>, MakeBotError> + Send + Sync + 'static,
        mut wants: impl FnMut(&Invitation) -> bool + Send + 'static,
    ) -> Result<Exit, Failure> {
        let offer = self.offer(&contender)?;
        let mut stop = pin!(stop_signal()?);
        let name = self.name.as_ref();
        let name = name.map_or(contender.name, PlayerName::as_str);
        let draw_seed = self.draw_seed.clone();
        let draw_secret = self.draw_secret.clone();
        let mut options = SessionOptions {
            name: name.to_owned(),
            draw_seed: draw_seed.map(SeedText::into_string),
            draw_secret: draw_secret.map_or_else(ShareSecret::random, ShareSecret::new),
            seed: contender.seed,
            until: Until::Stopped,
            offer: None,
            matches_at_once: contender.matches_at_once,
            makes_bots_early: contender.makes_bots_early,
            first_patience: self.service.wait,
            patience: self.patience,
        };
        let one_match = tokio::select! {
            () = stop.as_mut() => return Ok(Exit::Done),
            one_match = self.one_match(&client, &contender, &options) => one_match?,
        };
        if let Some((view, seat)) = &one_match
            && view.state == Stage::Ended
        {
            say(&report::closed(view, Some(*seat)));
            return Ok(Exit::Done);
        }
        options.until = match (&one_match, self.matches) {
            (Some((view, _)), _) => Until::Match(view.id),
            (None, Some(matches)) => Until::Matches(matches),
            (None, None) => Until::Stopped,
        };
        // A session of one match accepts no other.
        options.offer = one_match.is_none().then(|| offer.clone());
        let mut under_way = report::UnderWay::default();
        let session = Session::new(client, contender.pool, options, factory)
            .accept_if(move |invitation| fits(&offer, invitation) && wants(invitation))
            .on_notice(move |notice| say(&under_way.notice(&notice)));
        let summary = session.run(stop).await?;
        say(&report::summary(&summary));
        Ok(if summary.failures == 0 {
            Exit::Done
        } else {
            Exit::BotFailed
        })
    }

    /// Terms that the player accepts: those of `--accept`, or else every game that the bot plays.
    fn offer(&self, contender: &Contender<'_>) -> Result<Offer, Failure> {
        for accepted in &self.accept {
            accepted
                .check()
                .map_err(|error| Failure::usage(format!("--accept: {error}")))?;
            (contender.plays)(&accepted.game)?;
        }
        let played = catalogue::GAMES.iter().map(|game| game.name);
        let played = played.filter(|game| (contender.plays)(game).is_ok());
        let games = if self.accept.is_empty() {
            played.map(AcceptedGame::any).collect()
        } else {
            self.accept.clone()
        };
        let at_once = u32::try_from(contender.matches_at_once).unwrap_or(u32::MAX);
        Ok(Offer {
            games,
            matches_at_once: NonZeroU32::new(at_once),
            build: self.build.clone(),
        })
    }

    /// Joins the match of `--match` or `--new`, if one is given, and returns it with the seat.
    async fn one_match(
        &self,
        client: &Client,
        contender: &Contender<'_>,
        options: &SessionOptions,
    ) -> Result<Option<(MatchView, Seat)>, Failure> {
        let service = &self.service;
        let mut seat = self.seat;
        let own = own_seat(self.seat);
        let view = match (self.match_id, new_match(&self.new, own)) {
            (None, None) => {
                // A session calls a service that it does not reach a lost connection.
                service.retry(client, || client.who_am_i()).await?;
                return Ok(None);
            }
            (Some(match_id), _) => {
                let view = service.retry(client, || client.get_match(match_id)).await?;
                (contender.plays)(&view.game)?;
                let player = service.retry(client, || client.who_am_i()).await?;
                if let Some(held) = view.seat_of(player)
                    && view.seat(held).joined
                    && seat.is_none_or(|seat| seat == held)
                {
                    // An earlier program has joined, perhaps with another share of the seed.
                    say(&report::joined(&view, held));
                    return Ok(Some((view, held)));
                }
                view
            }
            (None, Some(new)) => {
                catalogue::find(&new.game)
                    .map_err(|error| Failure::usage(format!("--new: {error}")))?;
                (contender.plays)(&new.game)?;
                let view = service
                    .retry(client, || client.create_match(new.clone()))
                    .await?;
                say(&report::created(&view));
                // The time controls depend on the seat, so it has to be this one.
                seat = Some(own);
                view
            }
        };
        let (name, share) = (&options.name, options.share(&view.seed_commitment));
        let joined = service
            .retry(client, || {
                client.join_match(view.id, seat, name, Some(share.clone()))
            })
            .await?;
        say(&report::joined(&joined.view, joined.seat));
        Ok(Some((joined.view, joined.seat)))
    }
}

/// Returns true if an invitation fits an offer.
fn fits(offer: &Offer, invitation: &Invitation) -> bool {
    let view = &invitation.view;
    let control = view.seat(invitation.seat).time_control;
    offer.accepts(&view.game, &view.variant, view.target, control)
}

/// Completes at SIGTERM or SIGINT.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
