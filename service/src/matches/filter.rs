use dragontooth_games::Seat;
use dragontooth_service_store::{MatchKind, Party, Shelf};
use dragontooth_service_vocabulary::{MatchId, PlayerId, Stage};

use super::MatchFacts;
use crate::access::Viewer;

/// The filter of a list of matches; `None` in a field means any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) stage: Option<Stage>,
    /// The game's name in the catalogue.
    pub(crate) game: Option<&'static str>,
    pub(crate) player: Option<PlayerId>,
    /// The least id.
    pub(crate) from: Option<MatchId>,
    /// The least id that is too late.
    pub(crate) before: Option<MatchId>,
}

impl Filter {
    /// Returns true if the match passes the filter, apart from its id.
    pub(in crate::matches) fn fits(&self, facts: &MatchFacts<'_>) -> bool {
        self.stage.is_none_or(|stage| stage == facts.stage())
            && self.game.is_none_or(|game| game == facts.created.game)
            && self.player.is_none_or(|player| {
                Seat::BOTH
                    .map(|seat| facts.player(seat))
                    .contains(&Some(player))
            })
    }

    /// Returns true if the id is late enough. A list begins before those that are too late.
    pub(super) fn is_late_enough(&self, id: MatchId) -> bool {
        self.from.is_none_or(|from| from <= id)
    }

    /// The shelves with the matches that may pass and that the viewer may see. All pass but some of those that the viewer sees with a
    /// delay.
    pub(super) fn shelves(&self, viewer: &Viewer) -> Vec<Shelf> {
        let own = if viewer.is_admin() {
            Some(Party::Operators)
        } else {
            viewer.player().map(Party::Player)
        };
        let shown_to = [Some(Party::Anyone), own].into_iter().flatten();
        let played_by = self.player.map_or(Party::Anyone, Party::Player);
        let shelves = shown_to.flat_map(|shown_to| {
            let kinds = MatchKind::all().filter(|kind| self.may_fit(*kind));
            kinds.map(move |kind| Shelf {
                played_by,
                shown_to,
                kind,
            })
        });
        shelves.collect()
    }

    /// Returns true if matches of a kind may pass. One with a delay may be at an earlier stage for who asks.
    fn may_fit(&self, kind: MatchKind) -> bool {
        let is_of_game = self.game.is_none_or(|game| kind.game_name() == Some(game));
        let is_at_stage = self.stage.is_none_or(|asked| {
            asked == kind.stage
                || kind.is_delayed && asked == Stage::Open && kind.stage == Stage::Active
        });
        is_of_game && is_at_stage
    }
}

#[cfg(test)]
mod tests;
