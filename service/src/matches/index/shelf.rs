use std::collections::BTreeSet;

use dragontooth_games::{Seat, catalogue};
use dragontooth_service_store::MatchBrief;
use dragontooth_service_vocabulary::{Stage, Visibility};

use super::party::{Parties, Party};
use crate::matches::MatchFacts;

/// The matches of one kind that one player plays, or anyone, and that one party may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Shelf {
    pub(super) played_by: Party,
    pub(super) shown_to: Party,
    pub(super) kind: Kind,
}

/// The game and the stage of a match, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Kind {
    pub(super) game: u8,
    pub(super) stage: Stage,
    /// True if spectators see it as it was some time ago.
    pub(super) is_delayed: bool,
}

/// The places of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// By [`Seat::index`]; anyone in a seat that is free for anyone.
    pub(super) players: [Party; 2],
    /// The creator of a private match; anyone for a public one.
    pub(super) keeper: Party,
}

impl Entry {
    /// The entry of a match; `None` for one of a game that is not in the catalogue, which no match has.
    pub(super) fn of(facts: &MatchFacts<'_>, parties: &mut Parties) -> Option<Self> {
        let audience = facts.created.audience;
        let is_private = audience.visibility() == Visibility::Private;
        Some(Self {
            kind: Kind {
                game: game_number(&facts.created.game)?,
                stage: facts.stage(),
                is_delayed: !is_private
                    && !audience.spectator_delay().is_zero()
                    && !facts.is_over(),
            },
            players: parties.enter_both(Seat::BOTH.map(|seat| facts.player(seat))),
            keeper: parties.keeper(facts.created.creator, is_private),
        })
    }

    /// The entry of a match that is over.
    pub(super) fn ended(brief: &MatchBrief, parties: &mut Parties) -> Option<Self> {
        Some(Self {
            kind: Kind {
                game: game_number(&brief.game)?,
                stage: Stage::Ended,
                is_delayed: false,
            },
            players: parties.enter_both(brief.players),
            keeper: parties.keeper(brief.creator, brief.visibility == Visibility::Private),
        })
    }

    /// The shelves that have the match: a public one is on three at most, a private one on twelve.
    pub(super) fn shelves(&self) -> BTreeSet<Shelf> {
        let [first, second] = self.players;
        let shown_to: &[Party] = if self.keeper == Party::ANYONE {
            &[Party::ANYONE]
        } else {
            &[Party::OPERATORS, self.keeper, first, second]
        };
        // A private match is not shown to anyone in place of the player of a free seat.
        let is_private = self.keeper != Party::ANYONE;
        let shown_to = shown_to
            .iter()
            .filter(|party| !is_private || **party != Party::ANYONE);
        shown_to
            .flat_map(|shown_to| {
                [Party::ANYONE, first, second].map(|played_by| Shelf {
                    played_by,
                    shown_to: *shown_to,
                    kind: self.kind,
                })
            })
            .collect()
    }
}

/// The place of a game in the catalogue.
fn game_number(name: &str) -> Option<u8> {
    let mut games = catalogue::GAMES.iter();
    u8::try_from(games.position(|game| game.name == name)?).ok()
}
