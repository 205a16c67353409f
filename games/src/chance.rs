//! Random choices as data: where the rules draw lots, the caller says how.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// A source of uniform choices.
pub trait Chance {
    /// A number from 0 up to and without `bound`, each as likely as the others.
    ///
    /// # Panics
    ///
    /// If `bound` is 0.
    fn below(&mut self, bound: u32) -> u32;
}

/// Puts `items` into an order drawn by `chance`, every order as likely as the others.
pub fn shuffle<T>(items: &mut [T], chance: &mut dyn Chance) {
    for last in (1..items.len()).rev() {
        let bound = u32::try_from(last + 1).expect("a game has fewer than 2^32 pieces");
        items.swap(last, chance.below(bound) as usize);
    }
}

/// The secret from which every random choice of a match follows.
#[derive(Clone, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed that `text` stands for: SHA-256 of a tag and the text.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let digest = Sha256::new()
            .chain_update(b"dragontooth.seed.v1\0")
            .chain_update(text);
        Self(digest.finalize().into())
    }
}

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(…)")
    }
}

/// A stream of choices that depends on a seed, a purpose and a number alone.
///
/// The bytes are HMAC-SHA256(seed; tag, purpose, number, block) for blocks 0, 1, …; a choice below
/// n takes four bytes, big-endian, skips values from the largest multiple of n on, and is the
/// remainder modulo n.
#[derive(Clone, Debug)]
pub struct SeededChance {
    stream: Hmac<Sha256>,
    next_block: u64,
    bytes: [u8; 32],
    used: usize,
}

impl SeededChance {
    /// The choices that `seed` gives for a purpose (`deal`) and a number (the game of the match).
    #[must_use]
    pub fn new(seed: &Seed, purpose: &str, number: u64) -> Self {
        let mut stream =
            Hmac::<Sha256>::new_from_slice(&seed.0).expect("HMAC takes a key of any length");
        for field in [b"dragontooth.chance.v1".as_slice(), purpose.as_bytes()] {
            stream.update(&(field.len() as u64).to_be_bytes());
            stream.update(field);
        }
        stream.update(&number.to_be_bytes());
        Self {
            stream,
            next_block: 0,
            bytes: [0; 32],
            used: 32,
        }
    }

    /// The choices with which the game of this number, from 1, is dealt in a match.
    #[must_use]
    pub fn for_deal(seed: &Seed, game_number: u32) -> Self {
        Self::new(seed, "deal", u64::from(game_number))
    }

    fn word(&mut self) -> u32 {
        if self.used == self.bytes.len() {
            let block = self
                .stream
                .clone()
                .chain_update(self.next_block.to_be_bytes());
            self.bytes = block.finalize().into_bytes().into();
            self.next_block += 1;
            self.used = 0;
        }
        let word = &self.bytes[self.used..self.used + 4];
        self.used += 4;
        u32::from_be_bytes(word.try_into().expect("four bytes were taken"))
    }
}

impl Chance for SeededChance {
    fn below(&mut self, bound: u32) -> u32 {
        let choices = 1 << 32;
        let fair = choices - choices % u64::from(bound);
        loop {
            let word = self.word();
            if u64::from(word) < fair {
                return word % bound;
            }
        }
    }
}
