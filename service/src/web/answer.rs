use std::io::Write;

use axum::body::Bytes;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use dragontooth_games::hex;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tonic::body::Body;

/// The page loads nothing from elsewhere, runs no script but its own, and stands in no frame.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                           img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A picture loads nothing.
const PICTURE_POLICY: &str = "default-src 'none'";

const TEXT: &str = "text/plain; charset=utf-8";

/// Something that the port serves, in the two encodings in which it does.
#[derive(Clone, Debug)]
pub(super) struct Content {
    media_type: &'static str,
    policy: &'static str,
    cache: &'static str,
    plain: Bytes,
    gzip: Bytes,
    /// Differs for every content, and for each of its encodings.
    tag: String,
}

impl Content {
    /// A file of the page. Browsers ask for it each time, so that a new version is used at once.
    pub(super) fn page(media_type: &'static str, bytes: &'static [u8]) -> Self {
        let plain = Bytes::from_static(bytes);
        Self::new(media_type, PAGE_POLICY, "no-cache", plain)
    }

    /// The drawing of a position, which is the same for a day at least.
    pub(super) fn picture(svg: String) -> Self {
        let cache = "public, max-age=86400";
        Self::new("image/svg+xml", PICTURE_POLICY, cache, svg.into())
    }

    fn new(
        media_type: &'static str,
        policy: &'static str,
        cache: &'static str,
        plain: Bytes,
    ) -> Self {
        let digest: [u8; 32] = Sha256::digest(&plain).into();
        Self {
            media_type,
            policy,
            cache,
            gzip: compressed(&plain),
            plain,
            tag: hex(&digest[..12]),
        }
    }

    /// The answer to a request for it.
    pub(super) fn answer(&self, request: &HeaderMap) -> Response<Body> {
        let compresses = accepts_gzip(request);
        let (body, tag) = if compresses {
            (&self.gzip, format!("\"{}-gzip\"", self.tag))
        } else {
            (&self.plain, format!("\"{}\"", self.tag))
        };
        let is_known = is_known(request, &tag);
        let mut answer = if is_known {
            with_status(StatusCode::NOT_MODIFIED, Bytes::new())
        } else {
            with_status(StatusCode::OK, body.clone())
        };
        let headers = answer.headers_mut();
        let fixed: [(HeaderName, &'static str); 4] = [
            (CONTENT_TYPE, self.media_type),
            (CONTENT_SECURITY_POLICY, self.policy),
            (CACHE_CONTROL, self.cache),
            (VARY, "accept-encoding"),
        ];
        for (name, value) in fixed {
            headers.insert(name, HeaderValue::from_static(value));
        }
        let tag = HeaderValue::try_from(tag).expect("hexadecimal digits are a header");
        headers.insert(ETAG, tag);
        if compresses && !is_known {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if self.policy == PICTURE_POLICY {
            // It shows nothing but what was asked for, so any page may have it.
            let any = HeaderValue::from_static("*");
            headers.insert("access-control-allow-origin", any);
            let other = HeaderValue::from_static("cross-origin");
            headers.insert("cross-origin-resource-policy", other);
        }
        answer
    }
}

/// An answer that says in a sentence why there is nothing else.
pub(super) fn refusal(status: StatusCode, sentence: &str) -> Response<Body> {
    let mut answer = with_status(status, format!("{sentence}\n").into());
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(TEXT));
    let policy = HeaderValue::from_static(PICTURE_POLICY);
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    answer
}

fn with_status(status: StatusCode, body: Bytes) -> Response<Body> {
    let mut answer = Response::new(Body::new(axum::body::Body::from(body)));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    answer
}

/// True if a client takes gzip; one that only says that it does not is believed too.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let accepted = request.get_all(ACCEPT_ENCODING).iter();
    let accepted = accepted.filter_map(|value| value.to_str().ok());
    let mut codings = accepted.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight: String = weight.split_whitespace().collect();
        let is_refused = ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains(&&*weight);
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

/// True if the client has the content with this tag.
fn is_known(request: &HeaderMap, tag: &str) -> bool {
    let known = request.get_all(IF_NONE_MATCH).iter();
    let known = known.filter_map(|value| value.to_str().ok());
    let mut tags = known.flat_map(|value| value.split(','));
    // A weak comparison, as HTTP demands here: proxies that compress mark tags as weak.
    tags.any(|known| {
        let known = known.trim();
        known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
    })
}

fn compressed(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(plain).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        for (accepted, takes) in [
            ("gzip, deflate, br", true),
            ("br, GZIP;q=0.5", true),
            ("gzip; q=0", false),
            ("gzip;q=0.000", false),
            ("identity", false),
        ] {
            let request = request(ACCEPT_ENCODING, accepted);
            assert_eq!(accepts_gzip(&request), takes, "{accepted}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    #[test]
    fn known_content_is_not_sent_again() {
        let content = Content::picture("<svg/>".to_owned());
        let answer = content.answer(&HeaderMap::new());
        let tag = answer.headers()[ETAG].clone();
        assert!(tag.as_bytes().starts_with(b"\""), "{tag:?} is strong");
        let again = content.answer(&HeaderMap::from_iter([(IF_NONE_MATCH, tag.clone())]));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        let other = Content::picture("<svg></svg>".to_owned());
        let other = other.answer(&HeaderMap::from_iter([(IF_NONE_MATCH, tag.clone())]));
        assert_eq!(other.status(), StatusCode::OK);
        let gzip = content.answer(&request(ACCEPT_ENCODING, "gzip"));
        assert_ne!(
            gzip.headers()[ETAG],
            tag,
            "another encoding has another tag"
        );
        for listed in ["\"x\", *", "W/\"y\", *"] {
            assert!(is_known(&request(IF_NONE_MATCH, listed), "\"z\""));
        }
    }
}
