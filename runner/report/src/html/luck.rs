use dragontooth_games_boards::Element;

use super::super::{LuckFigures, Overview, luck};
use super::html_table::of_data;
use super::page::{note, section};

/// The results with and without the luck in the dice, or why they are left out; `None` if neither is to be shown.
pub(super) fn luck(overview: &Overview<'_>, figures: &LuckFigures) -> Option<Element> {
    let part = || section("luck", luck::TITLE);
    if let Some(reason) = figures.left_out() {
        return Some(part().child(note(&reason)));
    }
    let table = luck::table(overview.schedule, &overview.standings, figures)?;
    let part = part().child(of_data("luck", &table).element());
    Some(part.child(note(&luck::legend())))
}
