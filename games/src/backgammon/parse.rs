use std::str::FromStr;

use super::cube::Cube;
use super::notation::{
    CAPPED, DECLINED, DOUBLE_OFFERED, DROPPED, NO_DICE, PREFIX, RESIGN, RESIGNED, ROLL,
};
use super::position::{Phase, Stakes};
use super::position_id::POSITION_ID_BYTES;
use super::{
    BAR, Board, CubeLimit, MATCH_LENGTH_MAX, MONEY_SCORE_MAX, POSITION_BYTES_MAX,
    ParsePositionError, Position, Resignation, StateFault, XgidFault,
};
use crate::Seat;

/// Number of fields in an XGID.
const FIELDS: usize = 10;

impl FromStr for Position {
    type Err = ParsePositionError;

    /// Parses an XGID, with or without `XGID=`, and the words after it; a GNU Backgammon position
    /// id and match id joined by `:`; or a position id alone, with seat first on roll in a match to
    /// one point.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > POSITION_BYTES_MAX {
            return Err(ParsePositionError::TooLong);
        }
        if let Some(xgid) = text.strip_prefix(PREFIX) {
            return read_xgid(xgid);
        }
        let fields: Vec<&str> = text.split(':').collect();
        match fields[..] {
            [board] if board.len() == POSITION_ID_BYTES => {
                let mut position = Self::opening(Stakes {
                    length: 1,
                    score: [0, 0],
                    crawford: false,
                    jacoby: false,
                    cube_limit: CubeLimit::HIGHEST,
                });
                position.phase = Phase::Start;
                position.board = Board::from_position_id(board, Seat::First)?;
                position.validated().map_err(ParsePositionError::State)
            }
            [board, match_id] => Self::from_gnubg_ids(board, match_id),
            [_, _, _, ..] => read_xgid(text),
            [..] => Err(ParsePositionError::Unknown),
        }
    }
}

fn read_xgid(text: &str) -> Result<Position, ParsePositionError> {
    let mut words = text.split(' ');
    let xgid = words.next().unwrap_or_default();
    let fields: Vec<&str> = xgid.split(':').collect();
    let Ok(
        [
            board,
            cube,
            owner,
            turn,
            dice,
            bottom,
            top,
            rules,
            length,
            max_cube,
        ],
    ) = <[&str; FIELDS]>::try_from(fields.as_slice())
    else {
        return Err(XgidFault::FieldCount {
            found: fields.len(),
        }
        .into());
    };
    let mut position = Position::opening(read_stakes(length, [bottom, top], rules)?);
    position.board = read_board(board)?;
    position.cube = read_cube(cube, owner)?;
    let mover = read_sign(turn, XgidFault::Turn)?;
    let phase = match dice {
        NO_DICE => Phase::Start,
        DOUBLE_OFFERED => Phase::Doubled,
        "B" | "R" => return Err(XgidFault::Beaver.into()),
        dice => Phase::Moving(dice.parse().map_err(|_| XgidFault::Dice)?),
    };
    match (mover, phase) {
        (Some(mover), phase) => {
            // Only the owner of a cube doubles: some programs name the seat that answers.
            let doubler = position.cube.owner().filter(|_| phase == Phase::Doubled);
            position.mover = doubler.unwrap_or(mover);
            position.phase = phase;
        }
        (None, Phase::Start) => position.phase = Phase::Opening,
        (None, _) => return Err(StateFault::Opening.into()),
    }
    let max_cube = read_number(max_cube)
        .filter(|doublings| *doublings < 100)
        .ok_or(XgidFault::MaxCube)?;
    read_words(&mut position, words, max_cube)?;
    position.validated().map_err(ParsePositionError::State)
}

/// Reads the words after an XGID: at most one of each kind, in order.
fn read_words<'a>(
    position: &mut Position,
    words: impl Iterator<Item = &'a str>,
    max_cube: u16,
) -> Result<(), ParsePositionError> {
    let mut order = 0;
    for word in words {
        let place = if word == ROLL || word == DROPPED {
            1
        } else if word.starts_with(DECLINED) {
            3
        } else if word == CAPPED {
            4
        } else {
            2
        };
        let is_known = if order >= place {
            false
        } else if word == ROLL {
            if position.phase != Phase::Start {
                return Err(StateFault::Roll.into());
            }
            position.phase = Phase::Rolling;
            true
        } else if word == DROPPED {
            if position.phase != Phase::Doubled {
                return Err(StateFault::Dropped.into());
            }
            position.phase = Phase::Dropped;
            true
        } else if word == CAPPED {
            let limit = u8::try_from(max_cube)
                .ok()
                .and_then(CubeLimit::of_doublings);
            let limit = limit.filter(|limit| {
                position.stakes.length == 0 && position.cube.doublings() <= limit.doublings()
            });
            position.stakes.cube_limit = limit.ok_or(XgidFault::Capped)?;
            true
        } else if let Some(declined) = resignation(word, DECLINED) {
            position.declined = Some(declined);
            true
        } else if let Some(offered) = resignation(word, RESIGN) {
            position.resigns = Some(offered);
            true
        } else if let Some(offered) = resignation(word, RESIGNED) {
            position.resigns = Some(offered);
            position.resigned = true;
            true
        } else {
            false
        };
        if !is_known {
            return Err(XgidFault::Word {
                found: word.to_owned(),
            }
            .into());
        }
        order = place;
    }
    Ok(())
}

fn resignation(word: &str, kind: &str) -> Option<Resignation> {
    match word.strip_prefix(kind)?.as_bytes() {
        [digit @ b'1'..=b'3'] => Resignation::of(digit - b'0'),
        _ => None,
    }
}

fn read_board(text: &str) -> Result<Board, ParsePositionError> {
    let found = text.chars().count();
    if found != 26 {
        return Err(XgidFault::BoardLength { found }.into());
    }
    let mut places = [[0; 26]; 2];
    for (place, letter) in (0..=BAR).zip(text.chars()) {
        let (seat, first) = match letter {
            '-' => continue,
            'A'..='O' => (Seat::First, 'A'),
            'a'..='o' => (Seat::Second, 'a'),
            found => return Err(XgidFault::Checkers { place, found }.into()),
        };
        let own = match seat {
            Seat::First => place,
            Seat::Second => BAR - place,
        };
        if own == 0 {
            return Err(XgidFault::WrongBar { place }.into());
        }
        let count = u32::from(letter) - u32::from(first) + 1;
        places[seat.index()][usize::from(own)] = count.to_le_bytes()[0];
    }
    Board::new(places).map_err(|fault| StateFault::Board(fault).into())
}

fn read_cube(value: &str, owner: &str) -> Result<Cube, ParsePositionError> {
    let owner = read_sign(owner, XgidFault::CubeOwner)?;
    let doublings = read_number(value)
        .and_then(|value| u8::try_from(value).ok())
        .ok_or(XgidFault::Cube)?;
    Cube::new(doublings, owner).ok_or_else(|| XgidFault::Cube.into())
}

fn read_stakes(length: &str, scores: [&str; 2], rules: &str) -> Result<Stakes, XgidFault> {
    let length = read_number(length)
        .and_then(|length| u8::try_from(length).ok())
        .filter(|length| *length <= MATCH_LENGTH_MAX)
        .ok_or(XgidFault::Length)?;
    let mut score = [0; 2];
    for (points, text) in score.iter_mut().zip(scores) {
        *points = read_number(text)
            .filter(|points| *points <= MONEY_SCORE_MAX)
            .ok_or(XgidFault::Score)?;
    }
    let flag = match (rules, length) {
        ("0", _) => false,
        ("1", _) => true,
        ("2" | "3", 0) => return Err(XgidFault::Beaver),
        _ => return Err(XgidFault::Rules),
    };
    Ok(Stakes {
        length,
        score,
        crawford: flag && length > 0,
        jacoby: flag && length == 0,
        cube_limit: CubeLimit::HIGHEST,
    })
}

/// Reads a sign: a seat, or `None` for 0.
fn read_sign(text: &str, fault: XgidFault) -> Result<Option<Seat>, XgidFault> {
    match text {
        "1" => Ok(Some(Seat::First)),
        "-1" => Ok(Some(Seat::Second)),
        "0" => Ok(None),
        _ => Err(fault),
    }
}

/// Reads a number of at most five digits.
fn read_number(text: &str) -> Option<u16> {
    let is_number = matches!(text.len(), 1..=5) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}
