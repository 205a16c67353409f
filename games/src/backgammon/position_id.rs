use super::{Board, BoardFault, ParsePositionError, Position, PositionIdFault, StateFault};
use crate::Seat;

/// Length of a position id in characters.
pub(super) const POSITION_ID_BYTES: usize = 14;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Board {
    /// GNU Backgammon's position id with this seat as the player on roll: 80 bits, the opponent
    /// first. Each of the places 1 to 25, from that side, is a one for each checker and a zero.
    #[must_use]
    pub fn position_id(&self, on_roll: Seat) -> String {
        let mut bits = [false; 80];
        let mut next = 0;
        for seat in [on_roll.other(), on_roll] {
            for count in &self.places(seat)[1..] {
                for _ in 0..*count {
                    bits[next] = true;
                    next += 1;
                }
                next += 1;
            }
        }
        encode(&bits)
    }

    /// Parses a position id in which this seat is the player on roll.
    ///
    /// # Errors
    ///
    /// The text is not a position id, or its checkers do not form a board.
    pub fn from_position_id(text: &str, on_roll: Seat) -> Result<Self, ParsePositionError> {
        let found = text.chars().count();
        if found != POSITION_ID_BYTES {
            return Err(PositionIdFault::Length { found }.into());
        }
        let bits = decode(text).map_err(|index| PositionIdFault::Base64 { index })?;
        let (bits, padding) = bits.split_at(80);
        let mut bits = bits.iter();
        let mut places = [[0_u8; 26]; 2];
        for seat in [on_roll.other(), on_roll] {
            for count in &mut places[seat.index()][1..] {
                while *bits.next().ok_or(PositionIdFault::Bits)? {
                    *count += 1;
                }
            }
        }
        if bits.chain(padding).any(|bit| *bit) {
            return Err(PositionIdFault::Bits.into());
        }
        Self::new(places).map_err(|fault| match fault {
            BoardFault::TooMany { seat, .. } => PositionIdFault::TooMany {
                side: if seat == on_roll {
                    "player on roll"
                } else {
                    "opponent"
                },
            }
            .into(),
            BoardFault::Shared { .. } | BoardFault::BothFinished => StateFault::Board(fault).into(),
        })
    }
}

impl Position {
    /// GNU Backgammon's position id. The player on roll is the mover, or seat first before the
    /// opening roll.
    #[must_use]
    pub fn position_id(&self) -> String {
        self.board.position_id(self.mover)
    }
}

/// Encodes bits, the lowest of each byte first, in base64 without padding.
pub(super) fn encode(bits: &[bool]) -> String {
    let bytes: Vec<u8> = bits
        .chunks(8)
        .map(|byte| {
            (0..)
                .zip(byte)
                .map(|(shift, bit)| u8::from(*bit) << shift)
                .sum()
        })
        .collect();
    let bit = |index: usize| {
        bytes
            .get(index / 8)
            .is_some_and(|byte| byte >> (7 - index % 8) & 1 == 1)
    };
    (0..bits.len().div_ceil(6))
        .map(|letter| {
            let value = (0..6).fold(0, |value, place| {
                2 * value + usize::from(bit(6 * letter + place))
            });
            char::from(ALPHABET[value])
        })
        .collect()
}

/// Decodes base64 into bits, including the ones that pad the last character.
///
/// # Errors
///
/// The index, from 0, of a character that is not base64.
pub(super) fn decode(text: &str) -> Result<Vec<bool>, usize> {
    let mut bits = Vec::new();
    for (index, letter) in text.bytes().enumerate() {
        let value = ALPHABET
            .iter()
            .position(|known| *known == letter)
            .ok_or(index)?;
        bits.extend((0..6).rev().map(|place| value >> place & 1 == 1));
    }
    // Base64 has the highest bit of each byte first.
    for byte in bits.chunks_exact_mut(8) {
        byte.reverse();
    }
    Ok(bits)
}
