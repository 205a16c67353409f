use dragontooth_games_boards::Element;

use super::super::{Overview, calls};
use super::html_table::of_data;
use super::page::{note, section};

/// The calls of the event and what their audit found; `None` if it has no adjudication.
pub(super) fn calls(overview: &Overview<'_>) -> Option<Element> {
    let table = calls::table(overview.schedule, overview.results)?;
    let part = section("calls", "Adjudication").child(of_data("calls", &table).element());
    Some(part.child(note(calls::LEGEND)))
}
