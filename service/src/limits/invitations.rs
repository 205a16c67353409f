use dragontooth_games::Seat;
use dragontooth_service_domain::MatchState;
use dragontooth_service_store::PlayerCounts;
use dragontooth_service_vocabulary::PlayerId;

use super::counts::take;
use super::{Counted, Counts, LimitExceeded, LimitName};
use crate::config::Limits;

/// The invitations that wait for an answer: seats reserved by a creator for another player that has not joined.
#[derive(Debug)]
pub(crate) struct Invitations {
    pairs: Counts<(PlayerId, PlayerId)>,
    inviters: Counts<PlayerId>,
    invitees: Counts<PlayerId>,
}

/// An invitation, which waits until this is dropped.
#[derive(Debug)]
pub(crate) struct Invitation {
    _pair: Counted<(PlayerId, PlayerId)>,
    _from: Counted<PlayerId>,
    _to: Counted<PlayerId>,
}

/// The invitations of a match, by [`Seat::index`].
pub(crate) type PendingInvitations = [Option<Invitation>; 2];

impl Invitations {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            pairs: Counts::new(limits.invitations_of_pair),
            inviters: Counts::new(limits.invitations_of_inviter),
            invitees: Counts::new(limits.invitations_of_invitee),
        }
    }

    /// Counts the invitations from a creator to a new match.
    ///
    /// # Errors
    ///
    /// A limit has no room for them.
    pub(super) fn send(
        &self,
        from: PlayerId,
        reserved: [Option<PlayerId>; 2],
    ) -> Result<PendingInvitations, LimitExceeded> {
        let [first, second] = reserved.map(|to| {
            let to = to.filter(|to| *to != from);
            to.map(|to| self.invite(from, to))
        });
        Ok([first.transpose()?, second.transpose()?])
    }

    fn invite(&self, from: PlayerId, to: PlayerId) -> Result<Invitation, LimitExceeded> {
        Ok(Invitation {
            _pair: take(&self.pairs, (from, to), LimitName::InvitationsOfPair)?,
            _from: take(&self.inviters, from, LimitName::InvitationsOfInviter)?,
            _to: take(&self.invitees, to, LimitName::InvitationsOfInvitee)?,
        })
    }

    /// The invitations that count for a player and for two that it may invite, beside its `matches`.
    pub(super) fn begun(
        &self,
        from: PlayerId,
        reserved: [Option<PlayerId>; 2],
        matches: usize,
    ) -> PlayerCounts {
        let invited = reserved.map(|to| to.filter(|to| *to != from));
        PlayerCounts {
            matches,
            invitations: self.inviters.of(&from),
            of_invited: invited.map(|to| to.map_or(0, |to| self.invitees.of(&to))),
            of_pairs: invited.map(|to| to.map_or(0, |to| self.pairs.of(&(from, to)))),
        }
    }

    /// Checks invitations that are being sent together with all others.
    ///
    /// # Errors
    ///
    /// A limit has no room for them.
    pub(super) fn check_standing(
        &self,
        begun: PlayerCounts,
        others: PlayerCounts,
    ) -> Result<(), LimitExceeded> {
        let check = |limit, begun: usize, others: usize, allowed: usize| {
            if begun > 0 && begun + others > allowed {
                Err(LimitExceeded::Count { limit, allowed })
            } else {
                Ok(())
            }
        };
        for seat in Seat::BOTH.map(Seat::index) {
            let pairs = (begun.of_pairs[seat], others.of_pairs[seat]);
            check(
                LimitName::InvitationsOfPair,
                pairs.0,
                pairs.1,
                self.pairs.allowed(),
            )?;
            let invited = (begun.of_invited[seat], others.of_invited[seat]);
            let allowed = self.invitees.allowed();
            check(
                LimitName::InvitationsOfInvitee,
                invited.0,
                invited.1,
                allowed,
            )?;
        }
        let allowed = self.inviters.allowed();
        let limit = LimitName::InvitationsOfInviter;
        check(limit, begun.invitations, others.invitations, allowed)
    }

    /// Counts the invitations to a match of an earlier run, even beyond the limits.
    pub(super) fn take_up(&self, state: &MatchState) -> PendingInvitations {
        let from = state.created().creator;
        Seat::BOTH.map(|seat| {
            let to = state.created().reserved[seat.index()].filter(|to| *to != from)?;
            state.is_invited(to).then(|| Invitation {
                _pair: self.pairs.take_anyway((from, to)),
                _from: self.inviters.take_anyway(from),
                _to: self.invitees.take_anyway(to),
            })
        })
    }

    /// The invitations that wait, by inviter.
    pub(super) const fn inviters(&self) -> &Counts<PlayerId> {
        &self.inviters
    }
}
