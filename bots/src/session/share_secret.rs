use std::fmt;

use dragontooth_games::hex;
use dragontooth_service_client::Token;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The secret from which a player's shares of the seeds of its matches are derived.
///
/// `Debug` does not reveal it.
#[derive(Clone, PartialEq, Eq)]
pub struct ShareSecret(String);

impl ShareSecret {
    /// A secret drawn from the randomness of the operating system.
    #[must_use]
    pub fn random() -> Self {
        // Each has 122 random bits.
        let [first, second] = [Token::random(), Token::random()];
        Self(format!("{}{}", first.reveal(), second.reveal()))
    }

    /// A secret of the caller's. Sessions with the same secret have the same shares. An empty text is no secret, since
    /// everybody knows it: instead one is [drawn](Self::random).
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() {
            Self::random()
        } else {
            Self(text)
        }
    }

    /// The player's share of the seed of the matches with this commitment: HMAC-SHA256 under the secret
    /// of a tag and the commitment, in hexadecimal digits.
    ///
    /// It is the same in matches that share a seed, and says nothing about the share in any other.
    #[must_use]
    pub fn share(&self, commitment: &str) -> String {
        let key = self.0.as_bytes();
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
        mac.update(b"dragontooth.share.v1\0");
        mac.update(commitment.as_bytes());
        hex(&mac.finalize().into_bytes())
    }
}

impl fmt::Debug for ShareSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShareSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_differ_between_secrets_and_between_seeds() {
        let (one, other) = (ShareSecret::random(), ShareSecret::random());
        assert_eq!(one.share("a").len(), 64);
        assert_eq!(one.share("a"), one.clone().share("a"));
        assert_ne!(one.share("a"), one.share("b"));
        assert_ne!(one.share("a"), other.share("a"));
        assert_eq!(format!("{one:?}"), "ShareSecret(…)");
    }

    #[test]
    fn nobody_can_foresee_the_share_of_an_empty_secret() {
        let empty = ShareSecret::new("").share("c0ffee");
        assert_ne!(empty, ShareSecret::new("").share("c0ffee"));
        // printf 'dragontooth.share.v1\0c0ffee' | openssl dgst -sha256 -hmac ''
        assert_ne!(
            empty,
            "1712273c9589a9791756f6e03b5f0f895e88b9d1c552dcbf36d3a4887a405eb6"
        );
    }

    /// The packages in Python and TypeScript have the same number.
    #[test]
    fn is_pinned() {
        // printf 'dragontooth.share.v1\0c0ffee' | openssl dgst -sha256 -hmac 'a secret'
        assert_eq!(
            ShareSecret::new("a secret").share("c0ffee"),
            "1c502e1cc2993f45c40d46cfcc4b9e8ac1ab8222bac959f0513f2f2009890222"
        );
    }
}
