use dragontooth_games::catalogue::GAMES;
use dragontooth_service_vocabulary::{PlayerId, Stage, Visibility};

use super::MatchEntry;

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

/// The matches of one kind that one player plays, or anyone, and that one party may see.
///
/// Every list that somebody may ask for is on few shelves, and no match is on two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shelf<P = Party> {
    /// The player; anyone for the matches of all.
    pub played_by: P,
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
    /// The shelves that have the match: a public one is on three at most, a private one on twelve. None has one of a game that is not in
    /// the catalogue, which no match has.
    #[must_use]
    pub fn shelves(&self) -> Vec<Shelf> {
        let mut games = GAMES.iter();
        let game = games.position(|game| game.name == self.brief.game);
        let Some(game) = game.and_then(|game| u8::try_from(game).ok()) else {
            return Vec::new();
        };
        let kind = MatchKind {
            game,
            stage: self.stage,
            is_delayed: self.is_delayed,
        };
        let players = self.brief.players.map(|player| player.map(Party::Player));
        let mut shown_to = vec![Party::Anyone];
        if self.brief.visibility == Visibility::Private {
            // It is not shown to anyone in place of the player of a free seat.
            shown_to = vec![Party::Operators, Party::Player(self.brief.creator)];
            shown_to.extend(players.iter().flatten());
        }
        let mut shelves = Vec::with_capacity(3 * shown_to.len());
        for shown_to in shown_to {
            for played_by in [Some(Party::Anyone)].iter().chain(&players).flatten() {
                let place = Shelf {
                    played_by: *played_by,
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
