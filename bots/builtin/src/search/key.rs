use std::hash::{Hash, Hasher};

/// A 64-bit key of `item` that is the same in every run and on every little-endian machine: a derived hash writes the
/// bytes of arrays and of wide numbers in the machine's order.
pub(super) fn key_of(item: &impl Hash) -> u64 {
    let mut folder = Folder(SEED);
    item.hash(&mut folder);
    folder.finish()
}

/// Hashes word by word: the word is mixed in and the 128-bit product with an odd constant folded
/// into its two halves' exclusive or, as in wyhash.
struct Folder(u64);

/// Digits of the fraction of pi.
const SEED: u64 = 0x243f_6a88_85a3_08d3;
const FACTOR: u64 = 0x1319_8a2e_0370_7345;
const LAST_FACTOR: u64 = 0xa409_3822_299f_31d1;

impl Hasher for Folder {
    fn finish(&self) -> u64 {
        fold(self.0, LAST_FACTOR)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word, FACTOR);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves of the product are wanted"
)]
const fn fold(word: u64, factor: u64) -> u64 {
    let product = word as u128 * factor as u128;
    product as u64 ^ (product >> 64) as u64
}
