//! The catalogue of all matches: all by which they are found, without a look at their events.

use std::collections::HashSet;
use std::fmt::Debug;

use dragontooth_games::Seat;
use dragontooth_service_domain::MatchState;
use dragontooth_service_vocabulary::{
    Created, ListOrder, MatchEvent, MatchId, PlayerId, Stage, Timestamp, Visibility,
};

pub use self::memory::MemoryCatalogue;
pub use self::shelf::{MatchGroup, MatchKind, Party, Shelf};
use crate::{LogAnswer, MatchBrief, ReadError, StorageError};

mod memory;
mod shelf;

/// A match as it stands in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchEntry {
    /// The part that stays when the match is over.
    pub brief: MatchBrief,
    /// The stage that it has reached.
    pub stage: Stage,
    /// True if spectators see it as it was some time ago.
    pub is_delayed: bool,
    /// The players for whom a seat is kept that they have not taken, by [`Seat::index`].
    pub invited: [Option<PlayerId>; 2],
}

/// The change of the catalogue that an append brings about, if the log keeps one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The entry before and after; `None` if the append leaves it as it is.
    pub entry: Option<Box<EntryChange>>,
    /// The time after which somebody has to look at the match if nothing has happened in it; `None` if nobody has to.
    pub deadline: Option<Timestamp>,
}

/// A change of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryChange {
    /// As it was; `None` for a new match.
    pub before: Option<MatchEntry>,
    /// As it is.
    pub after: MatchEntry,
}

/// A match that was played from a seed which its creator gave, and perhaps for several matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeedUse {
    /// The match.
    pub id: MatchId,
    /// Its creator.
    pub creator: PlayerId,
    /// See [`MatchBrief::seed_mark`].
    pub mark: [u8; 16],
    /// The number of matches that the creator announced for the seed.
    pub announced: u32,
}

/// The matches and invitations of a player that limits count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerCounts {
    /// The matches that it has created and that are not over.
    pub matches: usize,
    /// The invitations that it has sent and that wait for an answer.
    pub invitations: usize,
    /// The invitations that wait for an answer from each of the players who were asked for, by whomever.
    pub of_invited: [usize; 2],
    /// Those of them by this player.
    pub of_pairs: [usize; 2],
}

/// The catalogue of the matches in a log.
///
/// The log keeps it with the appends that change it, so that services which share a log share it too. It follows from
/// the events: a match of which it does not know is [entered](Self::enter) at the start.
pub trait Catalogue: Debug + Send + Sync {
    /// Enters a match that the log has and the catalogue does not know, or not as it is now.
    ///
    /// # Errors
    /// A storage error.
    fn enter<'a>(
        &'a self,
        id: MatchId,
        entry: &'a MatchEntry,
        deadline: Option<Timestamp>,
    ) -> LogAnswer<'a, Result<(), StorageError>>;

    /// At most `limit` matches on these shelves that come after `last` in this order, and true if there are more.
    ///
    /// # Errors
    /// A storage error.
    fn list(
        &self,
        shelves: Vec<Shelf>,
        order: ListOrder,
        last: Option<MatchId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<(Vec<MatchId>, bool), ReadError>>;

    /// The matches that are not over in which one of the players has a seat, or is invited to one, in the order of their ids.
    ///
    /// # Errors
    /// A storage error.
    fn matches_of(&self, players: Vec<PlayerId>) -> LogAnswer<'_, Result<Vec<MatchId>, ReadError>>;

    /// The number of matches that are not over.
    ///
    /// # Errors
    /// A storage error.
    fn live(&self) -> LogAnswer<'_, Result<usize, ReadError>>;

    /// The matches and invitations of a player, with regard to two that it may invite.
    ///
    /// # Errors
    /// A storage error.
    fn counts_of(
        &self,
        player: PlayerId,
        invited: [Option<PlayerId>; 2],
    ) -> LogAnswer<'_, Result<PlayerCounts, ReadError>>;

    /// Those of the matches, which are over, that were the last to be played from their seeds: as many have been created as were
    /// announced, and all others are over.
    ///
    /// # Errors
    /// A storage error.
    fn spent_seeds(&self, uses: Vec<SeedUse>)
    -> LogAnswer<'_, Result<HashSet<SeedUse>, ReadError>>;

    /// At most `limit` matches that are not over and have a deadline before `time`. Their deadline is `next` from now on, so that of several
    /// services one gets each of them.
    ///
    /// # Errors
    /// A storage error.
    fn take_overdue(
        &self,
        time: Timestamp,
        next: Timestamp,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<MatchId>, ReadError>>;
}

impl MatchEntry {
    /// The entry of a match as it is now.
    #[must_use]
    pub fn of(state: &MatchState) -> Self {
        let created = state.created();
        let is_over = state.result().is_some();
        let seated = Seat::BOTH.map(|seat| state.seated(seat).map(|seated| seated.player));
        let mut entry = Self {
            brief: MatchBrief::new(created, seated),
            stage: Stage::Open,
            is_delayed: created.audience.visibility() == Visibility::Public
                && !created.audience.spectator_delay().is_zero(),
            invited: created.reserved,
        };
        for seat in Seat::BOTH {
            if let Some(player) = seated[seat.index()] {
                entry.seat(seat, player, seated.iter().all(Option::is_some));
            }
        }
        if is_over {
            entry.end();
        }
        entry
    }

    /// The entry of a match that is over.
    #[must_use]
    pub const fn ended(brief: MatchBrief) -> Self {
        Self {
            brief,
            stage: Stage::Ended,
            is_delayed: false,
            invited: [None; 2],
        }
    }

    /// Returns true if the event changes the entry of a match.
    #[must_use]
    pub const fn is_changed_by(event: &MatchEvent) -> bool {
        matches!(
            event,
            MatchEvent::Created(_) | MatchEvent::SeatJoined { .. } | MatchEvent::MatchEnded { .. }
        )
    }

    /// The entry of a match that was in `state`, after events.
    #[must_use]
    pub fn after(state: &MatchState, events: &[MatchEvent]) -> Self {
        let mut entry = Self::of(state);
        let mut is_taken = Seat::BOTH.map(|seat| state.seated(seat).is_some());
        for event in events {
            match event {
                MatchEvent::SeatJoined { seat, player, .. } => {
                    is_taken[seat.index()] = true;
                    entry.seat(*seat, *player, is_taken == [true; 2]);
                }
                MatchEvent::MatchEnded { .. } => entry.end(),
                MatchEvent::Created(_)
                | MatchEvent::GameStarted { .. }
                | MatchEvent::ActionPlayed { .. }
                | MatchEvent::ActionRefused { .. }
                | MatchEvent::Rolled { .. }
                | MatchEvent::TurnPassed { .. }
                | MatchEvent::GameEnded { .. } => {}
            }
        }
        entry
    }

    /// A player takes a seat; if it is the last one, the match is active.
    fn seat(&mut self, seat: Seat, player: PlayerId, is_last: bool) {
        self.brief.players[seat.index()] = Some(player);
        self.invited[seat.index()] = None;
        if is_last {
            self.stage = Stage::Active;
        }
    }

    fn end(&mut self) {
        self.stage = Stage::Ended;
        self.is_delayed = false;
        self.invited = [None; 2];
    }

    /// The players from whom the creator awaits an answer, each once.
    pub fn invitations(&self) -> impl Iterator<Item = PlayerId> + '_ {
        let [first, second] = self.invited;
        let invited = [first, second.filter(|_| second != first)];
        let invited = invited.into_iter().flatten();
        invited.filter(|player| *player != self.brief.creator)
    }
}

impl SeedUse {
    /// The use of the seed of a match; `None` if the service drew it for this match alone.
    #[must_use]
    pub fn of(created: &Created) -> Option<Self> {
        Some(Self {
            id: created.id,
            creator: created.creator,
            mark: MatchBrief::seed_mark(created)?,
            announced: created.seed.matches(),
        })
    }
}
