/// The bytes in lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).expect("it is below 16");
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Parses 64 hexadecimal digits of either case; `None` for any other text.
#[must_use]
pub fn read_hex(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (pairs, rest) = text.as_bytes().as_chunks();
    let bytes: Option<Vec<u8>> = pairs
        .iter()
        .map(|&[high, low]| u8::try_from(digit(high)? << 4 | digit(low)?).ok())
        .collect();
    bytes?.try_into().ok().filter(|_| rest.is_empty())
}
