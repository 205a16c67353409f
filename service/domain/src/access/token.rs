use std::fmt;

use dragontooth_service_vocabulary::TokenId;

/// The hash of a token's secret. The secret itself is not stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// The hash with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The id of the token.
    #[must_use]
    pub const fn id(&self) -> TokenId {
        TokenId::from_bytes(*self.0.first_chunk().expect("a hash has 32 bytes"))
    }
}

/// Shows only the first digits: the id identifies the token.
impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenHash({}…)", self.id())
    }
}
