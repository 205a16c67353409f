use std::fmt::Display;

/// Maximum length in bytes of a refusal's text, which is sent in a response header.
const MAX_REFUSAL_BYTES: usize = 2048;

/// Checks that a refusal gives its reason on one short line.
pub(crate) fn check(refusal: &impl Display) {
    let text = refusal.to_string();
    assert!(!text.trim().is_empty(), "a refusal without a reason");
    assert!(
        text.len() <= MAX_REFUSAL_BYTES,
        "a refusal of {} bytes: {text:.200}",
        text.len()
    );
    assert!(!text.contains('\n'), "a refusal of several lines: {text:?}");
}
