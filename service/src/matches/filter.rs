use dragontooth_games::Seat;
use dragontooth_service_store::{MatchGroup, MatchKind, Party, Shelf};
use dragontooth_service_vocabulary::{ListOrder, MatchId, PlayerId, Stage};

use super::MatchFacts;
use crate::access::Viewer;

/// The filter of a list of matches, and its order; `None` in a field means any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) stage: Option<Stage>,
    /// The game's name in the catalogue.
    pub(crate) game: Option<&'static str>,
    /// The variant's name, of that game.
    pub(crate) variant: Option<&'static str>,
    pub(crate) player: Option<PlayerId>,
    /// Another player of the same match.
    pub(crate) opponent: Option<PlayerId>,
    pub(crate) creator: Option<PlayerId>,
    /// The least id.
    pub(crate) from: Option<MatchId>,
    /// The least id that is too late.
    pub(crate) before: Option<MatchId>,
    pub(crate) order: ListOrder,
}

impl Filter {
    /// Returns true if the match passes the filter, apart from its id.
    pub(in crate::matches) fn fits(&self, facts: &MatchFacts<'_>) -> bool {
        self.stage.is_none_or(|stage| stage == facts.stage()) && self.fits_at_a_stage(facts)
    }

    /// Returns true if the match passes the filter at some stage, apart from its id.
    pub(in crate::matches) fn fits_at_a_stage(&self, facts: &MatchFacts<'_>) -> bool {
        let players = Seat::BOTH.map(|seat| facts.player(seat));
        let plays = |player| players.contains(&Some(player));
        self.game.is_none_or(|game| game == facts.created.game)
            && (self.variant).is_none_or(|variant| variant == facts.created.variant)
            && self.player.is_none_or(plays)
            && self.opponent.is_none_or(plays)
            && (self.creator).is_none_or(|creator| creator == facts.created.creator)
    }

    /// Returns true if the match was created in the period of the filter.
    pub(in crate::matches) fn has(&self, id: MatchId) -> bool {
        self.from.is_none_or(|from| from <= id) && self.before.is_none_or(|before| id < before)
    }

    /// The id after which the list begins; `None` for its start.
    pub(super) fn begin(&self) -> Option<MatchId> {
        match self.order {
            ListOrder::NewestFirst => self.before,
            ListOrder::OldestFirst => self.order.before(self.from?),
        }
    }

    /// Returns true if a list that has come to this id is at its end.
    pub(super) fn is_past_end(&self, id: MatchId) -> bool {
        match self.order {
            ListOrder::NewestFirst => self.from.is_some_and(|from| id < from),
            ListOrder::OldestFirst => self.before.is_some_and(|before| before <= id),
        }
    }

    /// The shelves with the matches that may pass and that the viewer may see, for each condition: a match has to be on shelves of
    /// all of them. All pass but some of those that the viewer sees with a delay.
    pub(super) fn shelves(&self, viewer: &Viewer) -> Vec<Vec<Shelf>> {
        let own = if viewer.is_admin() {
            Some(Party::Operators)
        } else {
            viewer.player().map(Party::Player)
        };
        let shown_to = [Some(Party::Anyone), own].into_iter().flatten();
        let kinds: Vec<_> = MatchKind::all()
            .filter(|kind| self.may_fit(*kind))
            .collect();
        let shelves = |of: MatchGroup| {
            let shelves = shown_to.clone().flat_map(|shown_to| {
                let kinds = kinds.iter();
                kinds.map(move |kind| Shelf {
                    of,
                    shown_to,
                    kind: *kind,
                })
            });
            shelves.collect()
        };
        self.groups().into_iter().map(shelves).collect()
    }

    fn groups(&self) -> Vec<MatchGroup> {
        let players = [self.player, self.opponent].into_iter().flatten();
        let mut groups: Vec<_> = players.map(MatchGroup::PlayedBy).collect();
        groups.extend(self.creator.map(MatchGroup::CreatedBy));
        let variant = self.game.zip(self.variant);
        groups.extend(variant.map(|(game, variant)| MatchGroup::of_variant(game, variant)));
        if groups.is_empty() {
            groups.push(MatchGroup::All);
        }
        groups
    }

    /// Returns true if matches of a kind may pass. One with a delay may be at an earlier stage for who asks, to whom the places at which
    /// pages end must not tell its true one.
    fn may_fit(&self, kind: MatchKind) -> bool {
        let is_of_game = self.game.is_none_or(|game| kind.game_name() == Some(game));
        let is_at_stage = self.stage.is_none_or(|asked| {
            asked == kind.stage || kind.is_delayed && ![asked, kind.stage].contains(&Stage::Ended)
        });
        is_of_game && is_at_stage
    }
}

#[cfg(test)]
mod tests;
