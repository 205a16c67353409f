use super::backgammon::Backgammon;
use super::kamisado::Kamisado;
use super::linja::Linja;
use super::picture::Board;
use super::tzaar::Tzaar;

/// How the positions of a game are drawn; none if it is not known here.
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
