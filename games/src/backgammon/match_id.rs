use super::position::{Phase, Stakes};
use super::position_id::{decode, encode};
use super::{
    Board, Cube, CubeLimit, Dice, Due, MATCH_LENGTH_MAX, MatchIdFault, ParsePositionError,
    Position, Resignation, StateFault,
};
use crate::Seat;

/// The bits of a match id: 66, one for the Jacoby rule, and five unused.
const BITS: usize = 72;
/// The characters of a match id.
const MATCH_ID_BYTES: usize = 12;

/// The fields of a match id, in order. Seat second is player 0, seat first is player 1.
struct Fields {
    cube: u16,
    cube_owner: u16,
    mover: u16,
    crawford: u16,
    game_state: u16,
    decider: u16,
    doubled: u16,
    resigns: u16,
    dice: [u16; 2],
    length: u16,
    score: [u16; 2],
    no_jacoby: u16,
    unknown: u16,
}

/// No game: before the opening roll.
const NO_GAME: u16 = 0;
const PLAYING: u16 = 1;
const OVER: u16 = 2;
const RESIGNED: u16 = 3;
const DROPPED: u16 = 4;
/// The owner of a cube in the centre.
const CENTRE: u16 = 3;

impl Fields {
    /// The fields in order, each with its size in bits. Writing and reading share this one list.
    fn with_sizes(&mut self) -> [(&mut u16, usize); 15] {
        let [second, first] = &mut self.score;
        let [one, two] = &mut self.dice;
        [
            (&mut self.cube, 4),
            (&mut self.cube_owner, 2),
            (&mut self.mover, 1),
            (&mut self.crawford, 1),
            (&mut self.game_state, 3),
            (&mut self.decider, 1),
            (&mut self.doubled, 1),
            (&mut self.resigns, 2),
            (one, 3),
            (two, 3),
            (&mut self.length, 15),
            (second, 15),
            (first, 15),
            (&mut self.no_jacoby, 1),
            (&mut self.unknown, 5),
        ]
    }
}

impl Position {
    /// GNU Backgammon's match id: cube, dice, score and what is due. It has no room for the
    /// mover's choice to roll or for declined resignations.
    #[must_use]
    pub fn match_id(&self) -> String {
        let decider = match self.due() {
            Due::TakeOrDrop | Due::Answer(_) => self.mover.other(),
            Due::Nothing if self.resigned || self.phase == Phase::Dropped => self.mover.other(),
            Due::OpeningRoll | Due::Roll | Due::RollOrDouble | Due::Moves(_) | Due::Nothing => {
                self.mover
            }
        };
        let game_state = match (self.due(), self.phase) {
            (Due::OpeningRoll, _) => NO_GAME,
            (Due::Nothing, Phase::Dropped) => DROPPED,
            (Due::Nothing, _) if self.resigned => RESIGNED,
            (Due::Nothing, _) => OVER,
            (_, _) => PLAYING,
        };
        let dice = match self.phase {
            Phase::Moving(dice) => [dice.first(), dice.second()].map(u16::from),
            Phase::Opening | Phase::Start | Phase::Rolling | Phase::Doubled | Phase::Dropped => {
                [0, 0]
            }
        };
        let mut fields = Fields {
            cube: self.cube.doublings().into(),
            cube_owner: self.cube.owner().map_or(CENTRE, player),
            mover: player(self.mover),
            crawford: self.stakes.crawford.into(),
            game_state,
            decider: player(decider),
            doubled: matches!(self.phase, Phase::Doubled | Phase::Dropped).into(),
            resigns: self.resigns.map_or(0, |resigns| resigns.times().into()),
            dice,
            length: self.stakes.length.into(),
            score: [self.points(Seat::Second), self.points(Seat::First)],
            no_jacoby: (!self.stakes.jacoby).into(),
            unknown: 0,
        };
        let mut bits = Vec::with_capacity(BITS);
        for (value, size) in fields.with_sizes() {
            bits.extend((0..size).map(|place| *value >> place & 1 == 1));
        }
        encode(&bits)
    }

    /// Creates a position from GNU Backgammon's position id and match id.
    ///
    /// # Errors
    ///
    /// An id cannot be parsed, or the two contradict each other.
    pub fn from_gnubg_ids(position_id: &str, match_id: &str) -> Result<Self, ParsePositionError> {
        let fields = read_fields(match_id)?;
        let mover = seat(fields.mover);
        let mut position = Self::opening(read_stakes(&fields)?);
        position.board = Board::from_position_id(position_id, mover)?;
        position.mover = mover;
        position.cube = read_cube(&fields)?;
        position.resigns = Resignation::of(fields.resigns.to_le_bytes()[0]);
        let dice = read_dice(&fields)?;
        // Some programs leave out the game state.
        let opening = Self::opening(position.stakes);
        let has_begun =
            dice.is_some() || (position.board, position.cube) != (opening.board, opening.cube);
        let game_state = match fields.game_state {
            NO_GAME if has_begun && fields.doubled == 0 => PLAYING,
            state => state,
        };
        position.phase = match (game_state, dice) {
            (NO_GAME, None) if fields.doubled == 0 => {
                position.mover = Seat::First;
                Phase::Opening
            }
            (DROPPED, None) => Phase::Dropped,
            (PLAYING, None) if fields.doubled == 1 => Phase::Doubled,
            (PLAYING | OVER | RESIGNED, None) if fields.doubled == 0 => Phase::Start,
            (PLAYING | RESIGNED, Some(dice)) if fields.doubled == 0 => Phase::Moving(dice),
            (NO_GAME, _) => return Err(StateFault::Opening.into()),
            (OVER, _) => return Err(StateFault::NotOver.into()),
            (PLAYING | RESIGNED | DROPPED, _) => return Err(StateFault::Double.into()),
            (found, _) => {
                return Err(MatchIdFault::GameState {
                    found: found.to_le_bytes()[0],
                }
                .into());
            }
        };
        if fields.game_state == RESIGNED {
            if position.resigns.is_none() {
                return Err(StateFault::Resignation.into());
            }
            position.resigned = true;
        }
        if fields.game_state == OVER && position.board.finisher().is_none() {
            return Err(StateFault::NotOver.into());
        }
        let position = position.validated().map_err(ParsePositionError::State)?;
        let answers = matches!(position.due(), Due::TakeOrDrop | Due::Answer(_));
        let decider = if answers { mover.other() } else { mover };
        if fields.game_state == PLAYING && seat(fields.decider) != decider {
            return Err(MatchIdFault::Turn.into());
        }
        Ok(position)
    }
}

fn read_fields(text: &str) -> Result<Fields, MatchIdFault> {
    let found = text.chars().count();
    if found != MATCH_ID_BYTES {
        return Err(MatchIdFault::Length { found });
    }
    let bits = decode(text).map_err(|index| MatchIdFault::Base64 { index })?;
    let mut fields = Fields {
        cube: 0,
        cube_owner: 0,
        mover: 0,
        crawford: 0,
        game_state: 0,
        decider: 0,
        doubled: 0,
        resigns: 0,
        dice: [0; 2],
        length: 0,
        score: [0; 2],
        no_jacoby: 0,
        unknown: 0,
    };
    let mut bits = bits.into_iter();
    for (value, size) in fields.with_sizes() {
        for (place, bit) in (0..size).zip(&mut bits) {
            *value |= u16::from(bit) << place;
        }
    }
    if fields.unknown != 0 {
        return Err(MatchIdFault::UnknownBits);
    }
    Ok(fields)
}

fn read_stakes(fields: &Fields) -> Result<Stakes, MatchIdFault> {
    let length = u8::try_from(fields.length)
        .ok()
        .filter(|length| *length <= MATCH_LENGTH_MAX)
        .ok_or(MatchIdFault::MatchLength {
            found: fields.length,
        })?;
    let [second, first] = fields.score;
    Ok(Stakes {
        length,
        score: [first, second],
        crawford: fields.crawford == 1,
        // In a match the bit means nothing: older programs leave it out.
        jacoby: length == 0 && fields.no_jacoby == 0,
        cube_limit: CubeLimit::HIGHEST,
    })
}

fn read_cube(fields: &Fields) -> Result<Cube, MatchIdFault> {
    let owner = match fields.cube_owner {
        CENTRE => None,
        player @ (0 | 1) => Some(seat(player)),
        _ => return Err(MatchIdFault::CubeOwner),
    };
    Cube::new(fields.cube.to_le_bytes()[0], owner).ok_or(MatchIdFault::CubeOwner)
}

fn read_dice(fields: &Fields) -> Result<Option<Dice>, MatchIdFault> {
    let [first, second] = fields.dice.map(|die| die.to_le_bytes()[0]);
    if (first, second) == (0, 0) {
        return Ok(None);
    }
    match Dice::new(first, second) {
        Some(dice) => Ok(Some(dice)),
        None => Err(MatchIdFault::Dice { first, second }),
    }
}

const fn player(seat: Seat) -> u16 {
    match seat {
        Seat::First => 1,
        Seat::Second => 0,
    }
}

const fn seat(player: u16) -> Seat {
    if player == 0 {
        Seat::Second
    } else {
        Seat::First
    }
}
