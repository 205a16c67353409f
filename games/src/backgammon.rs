//! Backgammon: fifteen checkers a side, two dice, and a cube that doubles the stake.
//!
//! The rules page `docs/rules/backgammon.md` explains the rule labels. Seat first is the bottom
//! player of an XGID. Each side numbers the points from its own side: 24 is the farthest, 1 the
//! nearest, 25 the bar, and 0 stands for checkers borne off.
//!
//! ```
//! use dragontooth_games::backgammon::{Action, Dice, Position};
//! use dragontooth_games::{Position as _, Seat, Turn};
//!
//! let mut position = Position::match_start(7).expect("7 is a match length");
//! let roll: Dice = "31".parse()?;
//! position.roll(roll);
//! assert_eq!(position.turn(), Turn::Decide(Seat::First));
//!
//! // Any notation of a play is accepted; the canonical one is returned.
//! let played = position.play("6/5 8/5".parse::<Action>()?)?;
//! assert_eq!(played.to_string(), "8/5 6/5");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod board;
mod check;
mod cube;
mod cube_limit;
mod dice;
mod error;
mod explain;
mod illegal;
mod match_id;
mod match_play;
mod moves;
mod notation;
mod parse;
mod parse_action;
mod play;
mod position;
mod position_id;
mod record;
mod rules;
mod stakes;
mod steps;
mod validate;
mod variant;
mod ways;

pub use action::{Action, Resignation};
pub use board::{BAR, Board, BoardFault, CHECKERS, OFF};
pub use cube::{CUBE_DOUBLINGS_MAX, Cube};
pub use cube_limit::CubeLimit;
pub use dice::{Dice, ParseDiceError};
pub use error::{
    MatchIdFault, POSITION_BYTES_MAX, ParsePositionError, PositionIdFault, StateFault, XgidFault,
};
pub use illegal::Illegal;
pub use parse_action::{ACTION_BYTES_MAX, ParseActionError};
pub use play::{Move, PARTS_MAX, Play, Stop};
pub use position::{Due, MATCH_LENGTH_MAX, MONEY_SCORE_MAX, Position};
pub use record::{MAT, MAT_BYTES_MAX, SGF};
pub use rules::{BACKGAMMON, BORNE_OFF, DROPPED, GAMMON, RESIGNED};
pub use variant::Variant;
