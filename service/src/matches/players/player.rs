use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_service_vocabulary::{MatchId, Offer, OfferPeriod, Timestamp};
use tokio::sync::Notify;

use crate::limits::OfferSlot;
use crate::matches::lobby::PlayerPresence;
use crate::matches::{Refusal, Sink};

/// The least difference between the times of two presences of a player.
const TICK: Duration = Duration::from_micros(1);

/// A player with its live matches, and the streams and offers of its programs. The newest of these counts.
#[derive(Debug, Default)]
pub(super) struct Player {
    pub(super) matches: BTreeSet<MatchId>,
    pub(super) stream: Option<OpenStream>,
    /// An offer by a call to this service, or its withdrawal.
    pub(super) offered: Option<OfferedHere>,
    /// The newest stream at another service, or offer there.
    pub(super) elsewhere: Option<Elsewhere>,
    /// The time at which the last stream ended or the player said what it accepts, here or elsewhere.
    pub(super) seen: Timestamp,
}

/// A stream of this service.
#[derive(Debug)]
pub(super) struct OpenStream {
    pub(super) sink: Sink,
    pub(super) opened: Timestamp,
    pub(super) offer: Option<Arc<Offer>>,
}

/// An offer by a call to this service.
#[derive(Debug)]
pub(super) struct OfferedHere {
    pub(super) watch: OfferWatch,
    /// By this the newest of a player's presences is known: each call that makes the offer again moves it by a tick.
    pub(super) opened: Timestamp,
    pub(super) period: OfferPeriod,
    /// `None` for a withdrawal.
    pub(super) offer: Option<Arc<Offer>>,
    /// The time until which it is posted.
    pub(super) posted_until: Timestamp,
    pub(super) slot: Option<OfferSlot>,
}

impl Drop for OfferedHere {
    fn drop(&mut self) {
        self.watch.moved.notify_one();
    }
}

/// Knows of the end of a player's offers.
#[derive(Clone, Debug)]
pub(in crate::matches) struct OfferWatch {
    pub(super) number: u64,
    /// The end has been moved, or the offer replaced.
    pub(in crate::matches) moved: Arc<Notify>,
}

/// A stream of another service, or an offer there.
#[derive(Debug)]
pub(super) struct Elsewhere {
    pub(super) opened: Timestamp,
    /// `None` for a stream.
    pub(super) period: Option<OfferPeriod>,
    pub(super) offer: Option<Arc<Offer>>,
}

/// The newest presence of a player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Newest<'a> {
    pub(super) opened: Timestamp,
    /// `None` for a stream.
    pub(super) period: Option<OfferPeriod>,
    pub(super) offer: Option<&'a Arc<Offer>>,
}

impl Player {
    pub(super) fn is_idle(&self) -> bool {
        self.matches.is_empty()
            && self.stream.is_none()
            && self.offered.is_none()
            && self.elsewhere.is_none()
    }

    pub(super) fn newest(&self) -> Option<Newest<'_>> {
        let stream = self.stream.as_ref().map(|stream| Newest {
            opened: stream.opened,
            period: None,
            offer: stream.offer.as_ref(),
        });
        let offered = self.offered.as_ref().map(|offered| Newest {
            opened: offered.opened,
            period: Some(offered.period),
            offer: offered.offer.as_ref(),
        });
        let elsewhere = self.elsewhere.as_ref().map(|elsewhere| Newest {
            opened: elsewhere.opened,
            period: elsewhere.period,
            offer: elsewhere.offer.as_ref(),
        });
        let all = [stream, offered, elsewhere].into_iter().flatten();
        all.max_by_key(|newest| newest.opened)
    }

    /// The presence of the player, which is that of the newest of its programs.
    pub(super) fn presence(&self, now: Timestamp) -> Option<PlayerPresence> {
        let Newest {
            opened,
            period,
            offer,
        } = self.newest()?;
        let is_over = period.is_some_and(|period| period.expires <= now);
        (!is_over).then(|| PlayerPresence {
            opened: period.map_or(opened, |period| period.since),
            offer: offer.cloned(),
            expires: period.map(|period| period.expires),
        })
    }

    /// A time at which a presence is newer than all others, whatever differs between the clocks.
    pub(super) fn newer(&self, now: Timestamp) -> Timestamp {
        let newest = self.newest().map(|newest| newest.opened.after(TICK));
        newest.map_or(now, |newer| newer.max(now))
    }

    /// The time of the next call of a program whose first one was at `since`, which must be the newest of the player; `None` if this is the
    /// first one.
    pub(super) fn go_on(
        &self,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Timestamp, Refusal> {
        let Some(since) = since else {
            return Ok(self.newer(now));
        };
        match self.newest() {
            Some(newest) if newest.period.is_some_and(|period| period.since == since) => {
                Ok(newest.opened.after(TICK))
            }
            Some(newest) if newest.opened > since => Err(Refusal::Superseded),
            // A service that has started again does not know of it any more.
            Some(_) | None => Ok(since),
        }
    }

    pub(super) fn has_stream_elsewhere(&self) -> bool {
        let elsewhere = self.elsewhere.as_ref();
        elsewhere.is_some_and(|elsewhere| elsewhere.period.is_none())
    }
}
