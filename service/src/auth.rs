use dragontooth_service_domain::PlayerId;
use sha2::{Digest, Sha256};
use tonic::metadata::MetadataMap;

/// The least and the greatest length of a token.
pub(crate) const TOKEN_CHARACTERS: std::ops::RangeInclusive<usize> = 16..=256;

/// Why a call has no identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AuthError {
    #[error("this call needs the header `authorization: Bearer TOKEN`")]
    Missing,
    #[error("a token has {} to {} visible ASCII characters", TOKEN_CHARACTERS.start(), TOKEN_CHARACTERS.end())]
    Malformed,
}

/// The player that the bearer token of a call stands for.
///
/// Whoever has a token is the same player wherever it connects from. Only a hash of the token is
/// kept, as the player's id: the first 16 bytes of SHA-256 of a tag and the token.
pub(crate) fn player(metadata: &MetadataMap) -> Result<PlayerId, AuthError> {
    let header = metadata.get("authorization").ok_or(AuthError::Missing)?;
    let header = header.to_str().map_err(|_| AuthError::Malformed)?;
    let token = header
        .split_once(' ')
        .and_then(|(scheme, token)| {
            scheme
                .eq_ignore_ascii_case("bearer")
                .then_some(token.trim())
        })
        .ok_or(AuthError::Missing)?;
    let visible = token.bytes().all(|byte| byte.is_ascii_graphic());
    if !visible || !TOKEN_CHARACTERS.contains(&token.len()) {
        return Err(AuthError::Malformed);
    }
    let digest = Sha256::new()
        .chain_update(b"dragontooth.player.v1\0")
        .chain_update(token);
    let digest: [u8; 32] = digest.finalize().into();
    let id = digest.first_chunk::<16>().expect("a digest has 32 bytes");
    Ok(PlayerId::from_bytes(*id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_header(value: &str) -> MetadataMap {
        let mut metadata = MetadataMap::new();
        metadata.insert("authorization", value.parse().unwrap());
        metadata
    }

    #[test]
    fn the_same_token_is_the_same_player() {
        let one = player(&with_header("Bearer 0123456789abcdef")).unwrap();
        let again = player(&with_header("bearer 0123456789abcdef ")).unwrap();
        let other = player(&with_header("Bearer 0123456789abcdeg")).unwrap();
        assert_eq!(one, again);
        assert_ne!(one, other);
    }

    /// From `printf 'dragontooth.player.v1\0%s' 0123456789abcdef | sha256sum`.
    #[test]
    fn the_id_is_the_documented_hash() {
        let id = player(&with_header("Bearer 0123456789abcdef")).unwrap();
        assert_eq!(id.to_string(), "9d475faf7f0798b9b3f1c5f04ba938d7");
    }

    #[test]
    fn what_is_no_token_is_refused() {
        assert_eq!(player(&MetadataMap::new()), Err(AuthError::Missing));
        assert_eq!(
            player(&with_header("Basic 0123456789abcdef")),
            Err(AuthError::Missing)
        );
        assert_eq!(
            player(&with_header("Bearer 0123456789abcde")),
            Err(AuthError::Malformed)
        );
        assert_eq!(
            player(&with_header("Bearer 01234567 9abcdef")),
            Err(AuthError::Malformed)
        );
        let long = format!("Bearer {}", "x".repeat(257));
        assert_eq!(player(&with_header(&long)), Err(AuthError::Malformed));
    }
}
