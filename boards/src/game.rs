use super::backgammon::Backgammon;
use super::kamisado::Kamisado;
use super::linja::Linja;
use super::picture::Board;
use super::tzaar::Tzaar;

/// The board of a game; `None` if it has none here.
#[must_use]
pub fn board_of(game: &str) -> Option<&'static dyn Board> {
    match game {
        "kamisado" => Some(&Kamisado),
        "linja" => Some(&Linja),
        "tzaar" => Some(&Tzaar),
        "backgammon" => Some(&Backgammon),
        _ => None,
    }
}
