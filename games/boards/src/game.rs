use super::backgammon::Backgammon;
use super::kamisado::Kamisado;
use super::linja::Linja;
use super::picture::DrawnBoard;
use super::tzaar::Tzaar;

/// The board of a game; `None` if it has none here.
///
/// ```
/// use dragontooth_games_boards::board_of;
///
/// let board = board_of("kamisado").expect("a board of Kamisado");
/// assert!(!board.ground().is_empty());
/// assert!(board.picture("not a position").is_none());
/// assert!(board_of("chess").is_none());
/// ```
#[must_use]
pub fn board_of(game: &str) -> Option<&'static dyn DrawnBoard> {
    match game {
        "kamisado" => Some(&Kamisado),
        "linja" => Some(&Linja),
        "tzaar" => Some(&Tzaar),
        "backgammon" => Some(&Backgammon),
        _ => None,
    }
}
