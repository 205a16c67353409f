use dragontooth_games_boards::Element;
use dragontooth_runner_tournament::Standing;
use dragontooth_runner_tournament::statistics::FEW_UNITS;

use super::super::Overview;
use super::super::document::{BYES, POINTS_PER_GAME};
use super::super::figures::signed;
use super::super::repeated::repeated;
use super::super::tables;
use super::html_table::{HtmlTable, maybe, number, of_data, row_head};
use super::page::{note, preformatted, section};

/// The encounters that the page of an event in progress lists: the last of the schedule's order.
pub(super) const MAX_LATEST_ENCOUNTERS: usize = 200;

/// The standings with the ratings, and the results in matches and games, with at most so many encounters, the last.
pub(super) fn standings(overview: &Overview<'_>, encounters: usize) -> Element {
    let lines = || overview.standings.iter();
    let is_swiss = lines().any(|line| line.buchholz.is_some());
    let is_for_money = overview.schedule.event().rules().are_for_money();
    let places = HtmlTable::new("standings")
        .column("#", false)
        .column("bot", true)
        .column("points", false)
        .column("matches", false)
        .column("score %", false)
        .column("Elo", false)
        .column("± 95 %", false)
        .column("W-D-L", false)
        .columns(if is_swiss { &["byes", "Buchholz"] } else { &[] })
        .column("SB", false)
        .column("H2H", false)
        .column("faults", false)
        .column("void", false)
        .rows(lines().map(|line| place_row(overview, line)));
    let details = HtmlTable::new("details")
        .column("#", false)
        .column("bot", true)
        .column("as first", false)
        .column("as second", false)
        .column("games", false)
        .column("game points", false)
        .columns(if is_for_money {
            &["points a game", "± 95 %"]
        } else {
            &[]
        })
        .column("plies a game", false)
        .rows(lines().map(|line| detail_row(overview, line)));
    section("standings", "Standings")
        .child(places.element())
        .children(tested(overview))
        .children(notes(overview))
        .children(is_swiss.then(|| note(BYES)))
        .child(note(
            "Points: a win 1, a draw ½. Elo: ratings fitted to all matches together, whose sum is 0, with an \
             interval of 95 % by the scatter of the encounters (two matches from the same seed, seats swapped). \
             W-D-L: won, drawn, lost. SB: Sonneborn-Berger. H2H: points among those still tied. Void: matches \
             that were called off and count for neither bot.",
        ))
        .child(Element::new("h3").text("Details"))
        .child(details.element())
        .children(is_for_money.then(|| note(POINTS_PER_GAME)))
        .children(rounds(overview, encounters))
        .children(openings(overview))
}

/// The results by opening, if there are openings.
fn openings(overview: &Overview<'_>) -> Vec<Element> {
    let Some(table) = tables::openings(overview.schedule, overview.results) else {
        return Vec::new();
    };
    vec![
        Element::new("h3").text(table.title),
        of_data("openings", &table).tall().element(),
    ]
}

/// The state of a sequential test.
fn tested(overview: &Overview<'_>) -> Option<Element> {
    let figures = overview.tested()?.text();
    let text = figures.trim_end();
    Some(preformatted(text))
}

/// The encounters by rounds, where they follow from the results: at most `most`, the last.
fn rounds(overview: &Overview<'_>, most: usize) -> Vec<Element> {
    let Some(mut table) = tables::rounds(overview.schedule, overview.results) else {
        return Vec::new();
    };
    let count = table.rows.len();
    let more = count > most;
    table.rows.drain(..count.saturating_sub(most));
    let mut parts = vec![
        Element::new("h3").text(table.title),
        of_data("encounters", &table).tall().element(),
    ];
    if more {
        parts.push(note(&format!(
            "The last {most} of {count}; the report of the run has all of them."
        )));
    }
    parts
}

fn place_row(overview: &Overview<'_>, line: &Standing) -> Vec<Element> {
    let tally = line.tally();
    let rating = overview.rating(line.bot);
    let swiss = line.buchholz;
    let swiss = swiss.map(|buchholz| [number(line.byes), number(buchholz)]);
    let start = [
        place(line),
        row_head(overview.name(line.bot)),
        number(line.points),
        number(tally.matches()),
        maybe(tally.score().map(|score| format!("{:.1}", score * 100.0))),
        maybe(rating.map(|rating| signed(Some(rating.elo)).replace('-', "−"))),
        maybe(rating.map(|rating| format!("{:.1}", rating.error()))),
        number(tally),
    ];
    let end = [
        number(line.sonneborn_berger),
        maybe(line.head_to_head),
        number(line.faults),
        number(line.void),
    ];
    let row = start.into_iter().chain(swiss.into_iter().flatten());
    row.chain(end).collect()
}

fn detail_row(overview: &Overview<'_>, line: &Standing) -> Vec<Element> {
    let (won, drawn, lost) = (line.games_won, line.games_drawn, line.games_lost);
    let is_for_money = overview.schedule.event().rules().are_for_money();
    let per_game = tables::money_cells(overview.points_per_game[line.bot.get()]);
    let per_game = per_game.map(number).into_iter().filter(|_| is_for_money);
    let start = [
        place(line),
        row_head(overview.name(line.bot)),
        number(line.by_seat[0]),
        number(line.by_seat[1]),
        number(format!("{won}-{drawn}-{lost}")),
        number(format!("{}-{}", line.points_for, line.points_against)),
    ];
    let plies = maybe(line.mean_game_plies.map(|plies| format!("{plies:.1}")));
    start.into_iter().chain(per_game).chain([plies]).collect()
}

fn place(line: &Standing) -> Element {
    let equal = if line.place.shared { "=" } else { "" };
    number(format!("{}{equal}", line.place.rank))
}

/// The notes beside the figures.
fn notes(overview: &Overview<'_>) -> Vec<Element> {
    let mut notes = Vec::new();
    match &overview.ratings {
        Err(error) => notes.push(format!("No ratings: {error}.")),
        Ok(ratings) if ratings.has_prior() => notes.push(
            "Some bots never scored against the others, so their ratings would be infinite: a virtual draw was added for \
             every bot."
                .to_owned(),
        ),
        Ok(ratings) if ratings.is_cautious() => notes.push(format!(
            "A bot has fewer than {FEW_UNITS} encounters: its error is not taken for less than that of \
             independent matches."
        )),
        Ok(_) => {}
    }
    notes.extend(repeated(overview.schedule.event(), &overview.repeats));
    let paragraph = |text: String| Element::new("p").text(text);
    notes.into_iter().map(paragraph).collect()
}
