use dragontooth_games::{Seat, catalogue};
use dragontooth_service_vocabulary::{PlayerId, Stage};

use super::shelf::Kind;
use crate::matches::MatchFacts;

/// The filter of a list of matches; `None` in a field means any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) stage: Option<Stage>,
    /// The game's name in the catalogue.
    pub(crate) game: Option<&'static str>,
    pub(crate) player: Option<PlayerId>,
}

impl Filter {
    /// Returns true if the match passes the filter.
    pub(in crate::matches) fn fits(&self, facts: &MatchFacts<'_>) -> bool {
        self.stage.is_none_or(|stage| stage == facts.stage())
            && self.game.is_none_or(|game| game == facts.created.game)
            && self.player.is_none_or(|player| {
                Seat::BOTH
                    .map(|seat| facts.player(seat))
                    .contains(&Some(player))
            })
    }

    /// The kinds of matches that may pass. A match with a delay may be at an earlier stage for who asks.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        for (game, known) in (0..).zip(catalogue::GAMES) {
            if self.game.is_some_and(|game| game != known.name) {
                continue;
            }
            for stage in [Stage::Open, Stage::Active, Stage::Ended] {
                for is_delayed in [false, true] {
                    let fits = self.stage.is_none_or(|asked| {
                        asked == stage
                            || is_delayed && asked == Stage::Open && stage == Stage::Active
                    });
                    if fits {
                        kinds.push(Kind {
                            game,
                            stage,
                            is_delayed,
                        });
                    }
                }
            }
        }
        kinds
    }
}
