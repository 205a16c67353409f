use dragontooth_games::catalogue::GAMES;
use dragontooth_service_vocabulary::{PlayerId, Stage, Visibility};
use sha2::{Digest, Sha256};

use super::MatchEntry;
use crate::MatchBrief;

/// The matches that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchGroup {
    /// All matches.
    All,
    /// Those in which a player has a seat, or one is kept for it.
    PlayedBy(PlayerId),
    /// Those that a player has created.
    CreatedBy(PlayerId),
    /// Those of the [variant](Self::of_variant) with this mark.
    OfVariant([u8; 16]),
}

/// A player, or a group of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// Anyone at all.
    Anyone,
    /// Those who may see every match.
    Operators,
    /// One player.
    Player(PlayerId),
}

/// The matches of one kind and one group that one party may see.
///
/// All that somebody may see of a group is on few shelves, and no match is on two of them. A list with more than one condition has the
/// matches that are on shelves of each of their groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shelf<G = MatchGroup, P = Party> {
    /// The group.
    pub of: G,
    /// The party that sees them.
    pub shown_to: P,
    /// Their kind.
    pub kind: MatchKind,
}

/// The game and the stage of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchKind {
    /// The place of the game in the [catalogue](GAMES).
    pub game: u8,
    /// The stage.
    pub stage: Stage,
    /// True if spectators see the match as it was some time ago.
    pub is_delayed: bool,
}

impl MatchGroup {
    /// The matches of a variant of a game, by their names.
    #[must_use]
    pub fn of_variant(game: &str, variant: &str) -> Self {
        let digest = Sha256::new().chain_update(game).chain_update(" ");
        let digest = digest.chain_update(variant).finalize();
        Self::OfVariant(std::array::from_fn(|at| digest[at]))
    }

    /// A key that no other group has, because the ids of players and the marks of variants are hashes. Databases have it. `None` for a
    /// player whose id somebody has made up.
    #[must_use]
    pub fn key(self) -> Option<[u8; 16]> {
        match self {
            Self::All => Some(ALL),
            Self::PlayedBy(player) => key_of(player),
            Self::CreatedBy(player) => Some(key_of(player)?.map(|byte| !byte)),
            Self::OfVariant(mark) => Some(mark),
        }
    }
}

impl Party {
    /// As [`MatchGroup::key`], among parties.
    #[must_use]
    pub fn key(self) -> Option<[u8; 16]> {
        match self {
            Self::Anyone => Some(ALL),
            Self::Operators => Some(OPERATORS),
            Self::Player(player) => key_of(player),
        }
    }
}

pub(super) const ALL: [u8; 16] = [0; 16];
const OPERATORS: [u8; 16] = [u8::MAX; 16];

fn key_of(player: PlayerId) -> Option<[u8; 16]> {
    let key = player.bytes();
    (key != ALL && key != OPERATORS).then_some(key)
}

impl MatchKind {
    /// All kinds of matches of the games in the catalogue.
    pub fn all() -> impl Iterator<Item = Self> {
        let stages = [Stage::Open, Stage::Active, Stage::Ended];
        let stages = stages.map(|stage| [false, true].map(|is_delayed| (stage, is_delayed)));
        (0..).zip(GAMES).flat_map(move |(game, _)| {
            let stages = stages.into_iter().flatten();
            stages.map(move |(stage, is_delayed)| Self {
                game,
                stage,
                is_delayed,
            })
        })
    }

    /// The name of its game; `None` if the game is not in the catalogue.
    #[must_use]
    pub fn game_name(self) -> Option<&'static str> {
        GAMES.get(usize::from(self.game)).map(|game| game.name)
    }

    /// A number that stands for it, from 0. Databases have it.
    #[must_use]
    pub fn number(self) -> i16 {
        let stage = match self.stage {
            Stage::Open => 0,
            Stage::Active => 2,
            Stage::Ended => 4,
        };
        i16::from(self.game) * 6 + stage + i16::from(self.is_delayed)
    }
}

impl MatchEntry {
    /// The shelves that have the match: a public one is on five at most, a private one on twenty. None has one of a game that is not in
    /// the catalogue, which no match has.
    #[must_use]
    pub fn shelves(&self) -> Vec<Shelf> {
        self.brief.shelves(self.stage, self.is_delayed)
    }
}

impl MatchBrief {
    /// The shelves that have the match when it is over, as [`MatchEntry::shelves`].
    pub(super) fn shelves_when_ended(&self) -> Vec<Shelf> {
        self.shelves(Stage::Ended, false)
    }

    fn shelves(&self, stage: Stage, is_delayed: bool) -> Vec<Shelf> {
        let brief = self;
        let mut games = GAMES.iter();
        let game = games.position(|game| game.name == brief.game);
        let Some(game) = game.and_then(|game| u8::try_from(game).ok()) else {
            return Vec::new();
        };
        let kind = MatchKind {
            game,
            stage,
            is_delayed,
        };
        let mut shown_to = vec![Party::Anyone];
        if brief.visibility == Visibility::Private {
            // It is not shown to anyone in place of the player of a free seat.
            shown_to = vec![Party::Operators, Party::Player(brief.creator)];
            shown_to.extend(brief.players.into_iter().flatten().map(Party::Player));
        }
        let mut groups = vec![
            MatchGroup::All,
            MatchGroup::of_variant(&brief.game, &brief.variant),
            MatchGroup::CreatedBy(brief.creator),
        ];
        let players = brief.players.into_iter().flatten();
        groups.extend(players.map(MatchGroup::PlayedBy));
        let mut shelves = Vec::with_capacity(groups.len() * shown_to.len());
        for shown_to in shown_to {
            for of in &groups {
                let place = Shelf {
                    of: *of,
                    shown_to,
                    kind,
                };
                if !shelves.contains(&place) {
                    shelves.push(place);
                }
            }
        }
        shelves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Databases that exist hold these keys.
    #[test]
    fn the_keys_of_groups_stay() {
        let player = PlayerId::from_bytes([0x5a; 16]);
        let [anyone, operators] = [0, u8::MAX].map(|byte| PlayerId::from_bytes([byte; 16]));
        // printf 'backgammon money_64' | sha256sum
        let money = 0x117e_3714_7aa1_c693_819b_b2cc_b0a5_d698_u128.to_be_bytes();
        for (group, key) in [
            (MatchGroup::All, Some([0; 16])),
            (MatchGroup::PlayedBy(player), Some([0x5a; 16])),
            (MatchGroup::CreatedBy(player), Some([0xa5; 16])),
            (
                MatchGroup::of_variant("backgammon", "money_64"),
                Some(money),
            ),
            (MatchGroup::PlayedBy(anyone), None),
            (MatchGroup::CreatedBy(operators), None),
        ] {
            assert_eq!(group.key(), key, "{group:?}");
        }
        for (party, key) in [
            (Party::Anyone, Some([0; 16])),
            (Party::Operators, Some([u8::MAX; 16])),
            (Party::Player(player), Some([0x5a; 16])),
            (Party::Player(anyone), None),
            (Party::Player(operators), None),
        ] {
            assert_eq!(party.key(), key, "{party:?}");
        }
    }

    /// Databases that exist hold these numbers. A new game goes behind the others.
    #[test]
    fn the_numbers_of_kinds_stay() {
        let kinds = MatchKind::all().map(|kind| (kind.game_name().unwrap(), kind.number()));
        let expected = ["kamisado", "linja", "tzaar", "backgammon"]
            .into_iter()
            .zip(0..);
        let expected =
            expected.flat_map(|(game, place)| (0..6).map(move |of| (game, place * 6 + of)));
        assert_eq!(kinds.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}
