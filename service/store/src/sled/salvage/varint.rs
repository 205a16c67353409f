//! Whole numbers as sled writes them.

/// Takes a number from the front; none if it is cut short.
pub(super) fn read(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    let (number, rest) = match first {
        0..=240 => (u64::from(first), rest),
        241..=248 => {
            let (&low, rest) = rest.split_first()?;
            (240 + 256 * u64::from(first - 241) + u64::from(low), rest)
        }
        249 => {
            let ([high, low], rest) = rest.split_first_chunk()?;
            (2288 + 256 * u64::from(*high) + u64::from(*low), rest)
        }
        250.. => {
            let len = usize::from(first - 247);
            let (digits, rest) = rest.split_at_checked(len)?;
            let mut number = [0; 8];
            number[..len].copy_from_slice(digits);
            (u64::from_le_bytes(number), rest)
        }
    };
    *bytes = rest;
    Some(number)
}

/// Takes bytes with their number in front; none if they are cut short.
pub(super) fn read_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = usize::try_from(read(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the last number of every length, by sled's own table.
    #[test]
    fn every_length_is_read() {
        let cases: [(&[u8], u64); 9] = [
            (&[0], 0),
            (&[240], 240),
            (&[241, 0], 240),
            (&[248, 255], 2287),
            (&[249, 0, 0], 2288),
            (&[249, 255, 255], 67_823),
            (&[250, 240, 8, 1], 67_824),
            (&[251, 0, 0, 0, 1], 0x0100_0000),
            (&[255, 255, 255, 255, 255, 255, 255, 255, 255], u64::MAX),
        ];
        for (mut bytes, number) in cases {
            assert_eq!(read(&mut bytes), Some(number));
            assert!(bytes.is_empty());
        }
        for mut short in [&[][..], &[241], &[249, 1], &[255, 1, 2]] {
            assert_eq!(read(&mut short), None);
        }
    }
}
