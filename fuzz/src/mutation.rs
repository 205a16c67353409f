/// Bytes that have a meaning in some format.
const SPECIAL: &[u8] = b"\0\x01\x7f\x80\xff \n\t:;,./-+*()[]{}\"\\=0129azAZ";

/// Changes inputs at random, reproducibly from a seed.
#[derive(Clone, Debug)]
pub struct Mutation(u64);

impl Mutation {
    /// Creates the changes of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One of `seeds` with one to eight changes, and sometimes none.
    #[must_use]
    pub fn input(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut input = seeds[self.below(seeds.len())].clone();
        for _ in 0..self.below(9) {
            self.change(&mut input, seeds);
        }
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let from = self.below(input.len() + 1);
        let length = 1 + self.below(8);
        let to = input.len().min(from + length);
        match self.below(8) {
            0 => drop(input.drain(from..to)),
            1 => input.insert(from, SPECIAL[self.below(SPECIAL.len())]),
            2 => input.truncate(from),
            3 => {
                let piece = input[from..to].to_vec();
                let at = self.below(input.len() + 1);
                input.splice(at..at, piece);
            }
            4 => {
                let other = &seeds[self.below(seeds.len())];
                let begin = self.below(other.len() + 1);
                let end = other.len().min(begin + 1 + self.below(40));
                input.splice(from..to, other[begin..end].iter().copied());
            }
            5 if from < input.len() => input[from] = SPECIAL[self.below(SPECIAL.len())],
            6 if from < input.len() => input[from] ^= 1 << self.below(8),
            7 if from < input.len() => input[from] = input[from].wrapping_add(1),
            _ => input.extend([b'9'; 3]),
        }
    }

    /// A number below `bound` (`SplitMix64`).
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        usize::try_from(word % bound.max(1) as u64).expect("the remainder fits a usize")
    }
}
