//! Proofs of who wins a game: positions in which a seat wins whatever the other does, and whatever the dice are.
//!
//! A proof never rests on an evaluation. It says what a seat can force, not what it will play.

mod forced;

use dragontooth_games::{MatchPlay, Seat, backgammon, kamisado, linja, tzaar};

use self::forced::forced_winner;
use crate::backgammon::certain_winner;

/// The positions that a proof visits at most, unless told otherwise.
pub const PROOF_NODES: u32 = 5_000;

/// The largest number of positions that a proof may be told to visit.
pub const MAX_PROOF_NODES: u32 = 1_000_000;

/// Returns the seat that is proven to win the game from `position`, by the seats of the game's positions. `None`
/// if there is no proof within `nodes` positions, the position cannot be read, or the game is unknown.
///
/// In Kamisado, Linja and TZAAR the proof is a search of all replies to the end of the game. In Backgammon it is a
/// race in which the table of bear-offs gives the winner no more rolls, whatever they are, than the loser needs at
/// least. The same position and number of nodes give the same answer on every machine.
///
/// ```
/// use dragontooth_bots_builtin::proof::{PROOF_NODES, proven_winner};
/// use dragontooth_games::Seat;
///
/// // A checker on its first point against five, and seat first rolls.
/// let race = "XGID=-A----------------------e-:0:0:1:00:0:0:0:1:10";
/// assert_eq!(proven_winner("backgammon", race, PROOF_NODES), Some(Seat::First));
/// let start = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";
/// assert_eq!(proven_winner("kamisado", start, PROOF_NODES), None);
/// ```
#[must_use]
pub fn proven_winner(game: &str, position: &str, nodes: u32) -> Option<Seat> {
    match game {
        kamisado::Position::NAME => search::<kamisado::Position>(position, nodes),
        linja::Position::NAME => search::<linja::Position>(position, nodes),
        tzaar::Position::NAME => search::<tzaar::Position>(position, nodes),
        backgammon::Position::NAME => certain_winner(&position.parse().ok()?),
        _ => None,
    }
}

fn search<P: MatchPlay>(position: &str, nodes: u32) -> Option<Seat> {
    forced_winner::<P>(position.parse().ok()?, nodes)
}
