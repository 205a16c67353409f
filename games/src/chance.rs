//! Random choices as data: the rules draw nothing themselves; the caller passes in every choice.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// A source of uniform choices.
pub trait Chance {
    /// Returns a uniformly distributed number from 0 to `bound - 1`.
    ///
    /// # Panics
    ///
    /// If `bound` is 0.
    fn below(&mut self, bound: u32) -> u32;
}

/// Shuffles `items` into a uniformly random order drawn from `chance` (Fisher–Yates, last item
/// first).
pub fn shuffle<T>(items: &mut [T], chance: &mut dyn Chance) {
    for last in (1..items.len()).rev() {
        let bound = u32::try_from(last + 1).expect("a game has fewer than 2^32 pieces");
        items.swap(last, chance.below(bound) as usize);
    }
}

/// The server's secret. Together with the players' seeds it determines every random choice of a
/// match.
#[derive(Clone, PartialEq, Eq)]
pub struct Seed([u8; Self::BYTES]);

impl Seed {
    /// Its length in bytes.
    pub const BYTES: usize = 32;

    /// Creates a seed from its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Derives a seed from a text: SHA-256 of the fields `dragontooth.seed.v1` and the text.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self(digest(&[b"dragontooth.seed.v1", text.as_bytes()]))
    }

    /// Its bytes. Reveal them only when nothing more will be drawn from the seed.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// The commitment, which is published before anything is drawn so that the seed cannot be
    /// changed later: SHA-256 of the fields `dragontooth.commitment.v1`, the match id and the seed.
    #[must_use]
    pub fn commitment(&self, match_id: &str) -> [u8; 32] {
        digest(&[
            b"dragontooth.commitment.v1",
            match_id.as_bytes(),
            self.0.as_slice(),
        ])
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(…)")
    }
}

/// The seed of a player who sends none.
pub const DEFAULT_PLAYER_SEED: &str = "dragontooth";

/// The random choices of a match: its deals and its rolls.
///
/// The same seeds always give the same choices, so anyone who knows them can check a match.
///
/// ```
/// use dragontooth_games::chance::{Chance, Draws};
///
/// let draws = Draws::from_text("a seed");
/// let mut first_roll = draws.roll(1, 1);
/// let mut the_same = draws.roll(1, 1);
/// assert_eq!(first_roll.below(36), the_same.below(36));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draws {
    seed: Seed,
    match_id: String,
    player_seeds: [String; 2],
}

impl Draws {
    /// The choices that follow from the server's seed, the match id and the players' seeds, seat
    /// first's first. With an empty id, matches that share their seeds share their choices.
    #[must_use]
    pub const fn new(seed: Seed, match_id: String, player_seeds: [String; 2]) -> Self {
        Self {
            seed,
            match_id,
            player_seeds,
        }
    }

    /// The choices of matches that share a seed given by their creator. The players' seeds count in
    /// the order of their bytes, so that the players may change seats.
    #[must_use]
    pub fn shared(seed: Seed, mut player_seeds: [String; 2]) -> Self {
        player_seeds.sort_unstable();
        Self::new(seed, String::new(), player_seeds)
    }

    /// The choices that follow from a text alone: no match id and default player seeds.
    #[must_use]
    pub fn from_text(seed: &str) -> Self {
        let player_seeds = [DEFAULT_PLAYER_SEED; 2].map(str::to_owned);
        Self::new(Seed::from_text(seed), String::new(), player_seeds)
    }

    /// The choices that deal the game with this number, from 1.
    #[must_use]
    pub fn deal(&self, game_number: u32) -> SeededChance {
        self.chance("dragontooth.deal.v1", game_number, 0)
    }

    /// The choices for a roll. `roll_number` counts the rolls of the whole match, from 1;
    /// `game_number` is the game the roll belongs to.
    #[must_use]
    pub fn roll(&self, game_number: u32, roll_number: u32) -> SeededChance {
        self.chance("dragontooth.roll.v1", game_number, roll_number)
    }

    fn chance(&self, domain: &str, game_number: u32, roll_number: u32) -> SeededChance {
        let mut stream =
            Hmac::<Sha256>::new_from_slice(&self.seed.0).expect("HMAC takes a key of any length");
        let [first, second] = &self.player_seeds;
        for text in [domain, &self.match_id, first, second] {
            update(&mut stream, text.as_bytes());
        }
        update(&mut stream, &game_number.to_be_bytes());
        update(&mut stream, &roll_number.to_be_bytes());
        SeededChance {
            stream,
            next_block: 0,
            bytes: [0; 32],
            used: 32,
        }
    }
}

/// A reproducible stream of random choices.
///
/// Its bytes are HMAC-SHA256(server seed; domain, match id, seed of seat first, seed of seat second,
/// game number, roll number, block) for blocks 0, 1, …. Numbers are four bytes, big-endian, and
/// every field is preceded by its length in the same encoding. The domain is `dragontooth.deal.v1`
/// or `dragontooth.roll.v1`; the roll number of a deal is 0.
///
/// A choice below n takes the next byte, or the next four, big-endian, if n is greater than 256. It
/// skips values at or above the largest multiple of n, so that no remainder is more likely than
/// another, and returns the value modulo n.
#[derive(Clone, Debug)]
pub struct SeededChance {
    stream: Hmac<Sha256>,
    next_block: u32,
    bytes: [u8; 32],
    used: usize,
}

impl SeededChance {
    fn byte(&mut self) -> u8 {
        if self.used == self.bytes.len() {
            let mut block = self.stream.clone();
            update(&mut block, &self.next_block.to_be_bytes());
            self.bytes = block.finalize().into_bytes().into();
            self.next_block += 1;
            self.used = 0;
        }
        self.used += 1;
        self.bytes[self.used - 1]
    }
}

impl Chance for SeededChance {
    fn below(&mut self, bound: u32) -> u32 {
        let bytes = if bound <= 256 { 1 } else { 4 };
        let choices = 1_u64 << (8 * bytes);
        let fair = choices - choices % u64::from(bound);
        loop {
            let value = (0..bytes).fold(0, |value, _| value << 8 | u32::from(self.byte()));
            if u64::from(value) < fair {
                return value % bound;
            }
        }
    }
}

fn digest(fields: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for field in fields {
        hash.update(length(field));
        hash.update(field);
    }
    hash.finalize().into()
}

fn update(stream: &mut Hmac<Sha256>, field: &[u8]) {
    stream.update(&length(field));
    stream.update(field);
}

fn length(field: &[u8]) -> [u8; 4] {
    u32::try_from(field.len())
        .expect("a field has fewer than 2^32 bytes")
        .to_be_bytes()
}
