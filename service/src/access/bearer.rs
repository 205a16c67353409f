use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;

use super::auth_error::{AuthError, TOKEN_CHARACTERS};

/// The bearer token of a call.
pub(super) fn bearer(headers: &HeaderMap) -> Result<&str, AuthError> {
    let header = headers.get(AUTHORIZATION).ok_or(AuthError::Missing)?;
    let header = header.to_str().map_err(|_| AuthError::Malformed)?;
    let (scheme, token) = header.split_once(' ').ok_or(AuthError::Missing)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(AuthError::Missing);
    }
    let token = token.trim();
    let visible = token.bytes().all(|byte| byte.is_ascii_graphic());
    if !visible || !TOKEN_CHARACTERS.contains(&token.len()) {
        return Err(AuthError::Malformed);
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Result<String, AuthError> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, value.parse().unwrap());
        bearer(&headers).map(str::to_owned)
    }

    #[test]
    fn the_token_is_what_follows_the_scheme() {
        for header in [
            "Bearer 0123456789abcdef",
            "bearer 0123456789abcdef ",
            "BEARER  0123456789abcdef",
        ] {
            assert_eq!(read(header), Ok("0123456789abcdef".to_owned()), "{header}");
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        assert_eq!(bearer(&HeaderMap::new()), Err(AuthError::Missing));
        for missing in ["Basic 0123456789abcdef", "0123456789abcdef"] {
            assert_eq!(read(missing), Err(AuthError::Missing), "{missing}");
        }
        let long = format!("Bearer {}", "x".repeat(257));
        for malformed in [
            "Bearer 0123456789abcde",
            "Bearer 01234567 9abcdef",
            "Bearer ",
            &long,
        ] {
            assert_eq!(read(malformed), Err(AuthError::Malformed), "{malformed}");
        }
    }
}
