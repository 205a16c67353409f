use serde::Serialize;

/// Writes a message as a line with its end: JSON has no line breaks in it.
pub(super) fn write(message: &impl Serialize, lines: &mut Vec<u8>) {
    serde_json::to_writer(&mut *lines, message)
        .expect("texts, numbers and lists of them can all be written to memory");
    lines.push(b'\n');
}
