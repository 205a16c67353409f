use dragontooth_service::fuzzing;

use crate::refusal;

/// A request number and the bytes of the request.
pub(crate) fn requests(data: &[u8]) {
    if let Err(why) = fuzzing::read_request(data) {
        refusal::check(&why);
    }
}

/// Reads any text as a page token.
pub(crate) fn page_tokens(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    if let Err(why) = fuzzing::read_page_token(text) {
        refusal::check(&why);
    }
}

pub(crate) fn request_seeds() -> Vec<Vec<u8>> {
    fuzzing::requests()
}

pub(crate) fn page_token_seeds() -> Vec<Vec<u8>> {
    ["kamisado", &fuzzing::page_token(), ""]
        .map(Vec::from)
        .to_vec()
}
