use std::fmt::Display;

/// The most bytes that the text of a refusal may have: it goes into a header of an answer.
const MAX_REFUSAL_BYTES: usize = 2048;

/// What is refused names why, on one short line.
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
