//! The secret from which the draws of a run follow.

use std::fmt;
use std::str::FromStr;

use dragontooth_games::{hex, read_hex};
use dragontooth_service_client::Token;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A secret of 256 bits from which draws follow.
///
/// `Debug` does not reveal it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DrawSecret([u8; 32]);

/// The error for a text that is not a secret of draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 64 hexadecimal digits")]
pub struct InvalidDrawSecret;

impl DrawSecret {
    /// A secret drawn from the randomness of the operating system.
    #[must_use]
    pub fn random() -> Self {
        // Each has 122 random bits; together they are made 256.
        let texts = [(); 3].map(|()| Token::random());
        let digest = texts
            .iter()
            .fold(Sha256::new(), |hash, text| hash.chain_update(text.reveal()));
        Self(digest.finalize().into())
    }

    /// HMAC-SHA256 under the secret of a purpose and a name, in hexadecimal digits.
    #[must_use]
    pub fn derive(&self, purpose: &str, name: &str) -> String {
        derive(&self.0, purpose, name)
    }
}

impl FromStr for DrawSecret {
    type Err = InvalidDrawSecret;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read_hex(text).map(Self).ok_or(InvalidDrawSecret)
    }
}

impl fmt::Debug for DrawSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DrawSecret(…)")
    }
}

impl Serialize for DrawSecret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for DrawSecret {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// HMAC-SHA256 under a secret of a purpose and a name, in hexadecimal digits.
pub(crate) fn derive(secret: &[u8], purpose: &str, name: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes a key of any length");
    mac.update(purpose.as_bytes());
    mac.update(b"\0");
    mac.update(name.as_bytes());
    hex(&mac.finalize().into_bytes())
}
