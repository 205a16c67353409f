use std::fmt;

use dragontooth_service_domain::access::TokenHash;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The prefix of every issued token.
pub(super) const PREFIX: &str = "dgt_";

/// Random bytes of a token: 192 bits.
const RANDOM_BYTES: usize = 24;

/// Characters that hold the random bytes: 62^33 is more than 2^192.
const BODY_CHARACTERS: usize = 33;

/// Characters of the check sum: 62^6 is more than 2^32.
const CHECK_CHARACTERS: usize = 6;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The secret of an issued token: `dgt_`, 33 characters that hold 192 random bits, and a checksum of 6
/// characters, so that a mistyped or truncated one is refused without looking up the tokens.
///
/// It is never printed or stored; only its hash is kept. The hash is plain SHA-256 without salt or many
/// rounds, since 192 random bits cannot be guessed. It is not compared in constant time either: the time
/// could reveal how much of the hash of a guess is right, which does not help to find a secret whose hash
/// matches further.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// A new one, from the randomness of the operating system, by way of two ids of 122 random bits
    /// each.
    pub(crate) fn draw() -> Self {
        let [one, two] = [Uuid::new_v4(), Uuid::new_v4()];
        let digest: [u8; 32] = Sha256::new()
            .chain_update(b"dragontooth.token.random.v1\0")
            .chain_update(one.as_bytes())
            .chain_update(two.as_bytes())
            .finalize()
            .into();
        let random = digest
            .first_chunk::<RANDOM_BYTES>()
            .expect("a digest has 32 bytes");
        let body = base62(random, BODY_CHARACTERS);
        Self(format!("{PREFIX}{body}{}", check_of(&body)))
    }

    /// Returns true if the text has the form of an issued token, even if it is mistyped.
    pub(super) fn is_meant(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// Parses an issued token; `None` if it is mistyped or truncated.
    pub(super) fn read(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(PREFIX)?;
        if rest.len() != BODY_CHARACTERS + CHECK_CHARACTERS || !rest.is_ascii() {
            return None;
        }
        let (body, check) = rest.split_at(BODY_CHARACTERS);
        (check_of(body) == check).then(|| Self(text.to_owned()))
    }

    /// The hash, which is all that is stored of the secret.
    pub(crate) fn hash(&self) -> TokenHash {
        let digest = Sha256::new()
            .chain_update(b"dragontooth.token.v1\0")
            .chain_update(&self.0);
        TokenHash::from_bytes(digest.finalize().into())
    }

    /// The secret itself, for the one that it is issued to.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The first 32 bits of SHA-256 of a tag and the body.
fn check_of(body: &str) -> String {
    let digest: [u8; 32] = Sha256::new()
        .chain_update(b"dragontooth.token.check.v1\0")
        .chain_update(body)
        .finalize()
        .into();
    base62(&digest[..4], CHECK_CHARACTERS)
}

/// A big-endian number in `characters` digits of base 62.
fn base62(bytes: &[u8], characters: usize) -> String {
    let mut number = bytes.to_vec();
    let mut digits = vec![0; characters];
    for digit in digits.iter_mut().rev() {
        let mut rest = 0_u32;
        for byte in &mut number {
            let value = (rest << 8) | u32::from(*byte);
            *byte = u8::try_from(value / 62).expect("the rest is less than 62");
            rest = value % 62;
        }
        *digit = ALPHABET[usize::try_from(rest).expect("the rest is less than 62")];
    }
    digits.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_base_62() {
        for (number, text) in [
            (0_u32, "000000"),
            (61, "00000z"),
            (62, "000010"),
            (3843, "0000zz"),
            // 4294967295 = ((((4·62 + 42)·62 + 41)·62 + 5)·62 + 52)·62 + 3 + …, by `bc` with obase=62.
            (u32::MAX, "4gfFC3"),
        ] {
            assert_eq!(base62(&number.to_be_bytes(), 6), text, "{number}");
        }
        // The greatest body is shorter than 33 digits at their greatest.
        assert!(base62(&[0xff; RANDOM_BYTES], BODY_CHARACTERS) < "z".repeat(BODY_CHARACTERS));
    }

    #[test]
    fn what_was_drawn_is_read_and_is_a_bearer_token() {
        let secret = Secret::draw();
        assert_eq!(secret.reveal().len(), 43);
        assert_eq!(Secret::read(secret.reveal()), Some(secret.clone()));
        assert_ne!(secret, Secret::draw());
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn every_single_mistake_is_noticed() {
        let secret = Secret::draw();
        let text = secret.reveal();
        for at in 0..text.len() {
            let (before, rest) = text.split_at(at);
            let (typed, after) = rest.split_at(1);
            let dropped = format!("{before}{after}");
            assert_eq!(Secret::read(&dropped), None, "{at} is missing");
            for other in ALPHABET.iter().copied().map(char::from) {
                if typed != other.to_string() {
                    let wrong = format!("{before}{other}{after}");
                    assert_eq!(Secret::read(&wrong), None, "{at} is {other}");
                }
            }
        }
        for other in ["", "dgt_", &format!("{text}0"), &text.to_lowercase()] {
            assert_eq!(Secret::read(other), None, "{other}");
        }
        assert_eq!(Secret::read(&format!("dgt_{}", "é".repeat(19))), None);
    }
}
