use dragontooth_games_boards::Element;
use dragontooth_runner_tournament::{BotIndex, Event, Format, Leg, Points, ScheduledMatch, Tally};

use super::super::Overview;
use super::page::section;

/// The most bots of a knockout whose bracket is drawn: a larger one is too tall to be read.
const MAX_BOTS: usize = 64;

/// A pairing of a knockout: its bots and the points of their encounters.
struct Pairing {
    bots: [BotIndex; 2],
    points: [Points; 2],
    encounters: u32,
    /// True while a match of it has no result.
    is_open: bool,
}

/// Returns true if the event has a bracket: a knockout of at most [`MAX_BOTS`].
pub(super) fn has_bracket(event: &Event) -> bool {
    matches!(event.format(), Format::Knockout { .. }) && event.bots().len() <= MAX_BOTS
}

/// The rounds of a knockout beside each other; `None` without a bracket.
pub(super) fn bracket(overview: &Overview<'_>) -> Option<Element> {
    let event = overview.schedule.event();
    if !has_bracket(event) {
        return None;
    }
    let bots = event.bots().len();
    let places = bots.next_power_of_two();
    let last = places.trailing_zeros();
    let rounds = (1..=last).map(|number| {
        let here = overview.schedule.matches().iter();
        let here: Vec<&ScheduledMatch> = here.filter(|one| one.slot.round == number).collect();
        let pairings = 1..=u32::try_from(places >> number).unwrap_or(1);
        let pairings = pairings.map(|at| match pairing(overview, &here, at) {
            Some(pairing) => drawn(overview, number, &pairing),
            None => Element::new("li")
                .with("class", "empty")
                .child(Element::new("p").text("–")),
        });
        let name = match last - number {
            0 => "Final".to_owned(),
            1 => "Semi-finals".to_owned(),
            2 => "Quarter-finals".to_owned(),
            _ => format!("Round {number}"),
        };
        Element::new("div")
            .with("class", "round")
            .child(Element::new("h3").text(name))
            .child(Element::new("ol").children(pairings))
    });
    let rounds = Element::new("div")
        .with("class", "bracket")
        .children(rounds);
    let frame = Element::new("div")
        .with("class", "scroll")
        .with("tabindex", 0)
        .with("role", "region")
        .with("aria-label", "rounds of the bracket");
    Some(section("bracket", "Bracket").child(frame.child(rounds)))
}

/// The pairing with this number in the matches of a round; `None` if it is not known or a bot has no opponent.
fn pairing(overview: &Overview<'_>, round: &[&ScheduledMatch], number: u32) -> Option<Pairing> {
    let mut matches = round.iter().filter(|one| one.slot.pairing == number);
    let first = matches.next()?;
    let mut found = Pairing {
        bots: first.bots,
        points: [Points::ZERO; 2],
        encounters: 0,
        is_open: false,
    };
    for planned in std::iter::once(first).chain(matches) {
        found.encounters += u32::from(planned.slot.leg == Leg::BOTH[0]);
        let Some(result) = overview.results.of(planned.number) else {
            found.is_open = true;
            continue;
        };
        for (points, bot) in found.points.iter_mut().zip(found.bots) {
            let seat = planned.seat_of(bot);
            let won = seat.map(|seat| Tally::of(result.verdict(), seat).points());
            *points += won.unwrap_or(Points::ZERO);
        }
    }
    Some(found)
}

fn drawn(overview: &Overview<'_>, round: u32, pairing: &Pairing) -> Element {
    let is_out = |bot: BotIndex| {
        let mut lines = overview.standings.iter();
        lines.any(|line| line.bot == bot && line.out_in == Some(round))
    };
    let [one, other] = pairing.bots;
    let lines = [(one, other), (other, one)].into_iter().zip(pairing.points);
    let lines = lines.map(|((bot, opponent), points)| {
        let name = if is_out(opponent) { "strong" } else { "span" };
        Element::new("p")
            .child(Element::new(name).text(overview.name(bot)))
            .text(" ")
            .child(Element::new("span").with("class", "points").text(points))
    });
    let more = (pairing.encounters > 1).then(|| {
        let text = format!("{} encounters", pairing.encounters);
        Element::new("p").with("class", "note").text(text)
    });
    let class = if pairing.is_open { "open" } else { "" };
    Element::new("li")
        .with("class", class)
        .children(lines)
        .children(more)
}
