//! The secret from which the draws of a run follow.

use std::fmt::{self, Write as _};
use std::str::FromStr;

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
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(purpose.as_bytes());
        mac.update(b"\0");
        mac.update(name.as_bytes());
        hex(&mac.finalize().into_bytes())
    }
}

impl FromStr for DrawSecret {
    type Err = InvalidDrawSecret;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = text.as_bytes();
        if bytes.len() != 64 {
            return Err(InvalidDrawSecret);
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(InvalidDrawSecret);
        let mut secret = [0; 32];
        for (byte, pair) in secret.iter_mut().zip(bytes.chunks(2)) {
            let value = digit(pair[0])? << 4 | digit(pair[1])?;
            *byte = u8::try_from(value).map_err(|_| InvalidDrawSecret)?;
        }
        Ok(Self(secret))
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

/// The bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("writing to a string does not fail");
        digits
    })
}
