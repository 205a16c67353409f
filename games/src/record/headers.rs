use crate::chance::{Draws, Seed};
use crate::{Seat, hex};

/// The header lines of our text format that are not part of the record itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// The match's id.
    pub match_id: String,
    /// The result of the match for human readers: `first 3-1 normal`.
    pub result: String,
    /// The hash over the match's events, as reported by the service that recorded them. `None` if
    /// unknown. Nothing here computes it.
    pub head_hash: Option<[u8; 32]>,
    /// The seeds of its random choices.
    pub seeds: SeedHeaders,
}

/// The seeds of a match's random choices, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedHeaders {
    /// The commitment to the server's seed: see [`Seed::commitment`].
    pub commitment: Option<[u8; 32]>,
    /// The server's seed. `None` before the match is over.
    pub server_seed: Option<[u8; Seed::BYTES]>,
    /// The origin of the server's seed.
    pub origin: SeedOrigin,
    /// The players' seeds, seat first's first.
    pub players: [String; 2],
}

/// The origin of the server's seed of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeedOrigin {
    /// The service drew it, for this match alone.
    #[default]
    Drawn,
    /// The creator gave it, for matches that share their choices: see [`Draws::shared`]. They share
    /// the commitment too, which contains no match id.
    Shared,
    /// The creator gave it, by an earlier version: the commitment contains the match id, and the
    /// players' seeds count in the order of the seats.
    Given,
}

impl Headers {
    /// The random choices of the match. `None` if the server's seed is unknown.
    #[must_use]
    pub fn draws(&self) -> Option<Draws> {
        let seed = Seed::from_bytes(self.seeds.server_seed?);
        let players = self.seeds.players.clone();
        Some(match self.seeds.origin {
            SeedOrigin::Drawn => Draws::new(seed, self.match_id.clone(), players),
            SeedOrigin::Shared => Draws::shared(seed, players),
            SeedOrigin::Given => Draws::new(seed, String::new(), players),
        })
    }

    /// Returns true if the server's seed matches the commitment. `None` if either is unknown.
    #[must_use]
    pub fn keeps_commitment(&self) -> Option<bool> {
        let seed = Seed::from_bytes(self.seeds.server_seed?);
        let match_id = match self.seeds.origin {
            SeedOrigin::Drawn | SeedOrigin::Given => self.match_id.as_str(),
            SeedOrigin::Shared => "",
        };
        Some(seed.commitment(match_id) == self.seeds.commitment?)
    }

    /// The seed headers in their order, as names and values.
    pub(super) fn seed_lines(&self) -> Vec<(&'static str, String)> {
        let seeds = &self.seeds;
        let mut lines = vec![
            (FIRST_SEED, seeds.players[Seat::First.index()].clone()),
            (SECOND_SEED, seeds.players[Seat::Second.index()].clone()),
        ];
        if let Some(commitment) = &seeds.commitment {
            lines.push((COMMITMENT, hex(commitment)));
        }
        match seeds.origin {
            SeedOrigin::Drawn => {}
            SeedOrigin::Shared => lines.push((SEED_GIVEN, SHARED.to_owned())),
            SeedOrigin::Given => lines.push((SEED_GIVEN, YES.to_owned())),
        }
        if let Some(seed) = &seeds.server_seed {
            lines.push((SERVER_SEED, hex(seed)));
        }
        lines
    }
}

pub(super) const OPENING: &str = "Opening";
/// The numbers of the thoughts about the action before the header.
pub(super) const THINKING: &str = "Thinking";
/// The actions that the player expected.
pub(super) const LINE: &str = "Line";
/// The name of a tag of the thoughts, and its text.
pub(super) const TAG: &str = "Tag";
pub(super) const HEAD_HASH: &str = "HeadHash";
pub(super) const FIRST_SEED: &str = "FirstSeed";
pub(super) const SECOND_SEED: &str = "SecondSeed";
pub(super) const COMMITMENT: &str = "SeedCommitment";
pub(super) const SEED_GIVEN: &str = "SeedGiven";
pub(super) const SERVER_SEED: &str = "ServerSeed";
pub(super) const YES: &str = "yes";
pub(super) const SHARED: &str = "shared";
