use dragontooth_games::Seat;
use dragontooth_games_boards::Element;
use dragontooth_runner_tournament::{BotIndex, Ending};
use dragontooth_service_vocabulary::Termination;

use super::super::Overview;
use super::super::plot::{
    self, Axis, Interval, MAX_INTERVALS, MAX_SCORE_LINES, ScoreLine, histogram, intervals,
    score_chart, sprt_chart,
};
use super::page::section;
use crate::AllMatchDetails;

/// The value at which a match of less than a millisecond is drawn.
const NO_TIME_US: u64 = 500;

/// The drawings of the report.
pub(super) fn figures(overview: &Overview<'_>, details: &AllMatchDetails) -> Element {
    let drawings = [
        test(overview),
        ratings(overview),
        scores(overview),
        plies(overview),
        durations(overview, details),
    ];
    let shown = drawings.into_iter().flatten();
    section("figures", "Figures").child(Element::new("div").with("class", "plots").children(shown))
}

fn test(overview: &Overview<'_>) -> Option<Element> {
    let test = overview.schedule.sequential()?;
    let about = "The log-likelihood ratio (LLR) of the sequential test after each encounter. H1 is accepted at the upper \
                 bound, H0 at the lower one.";
    let drawing = sprt_chart(test.ratios(), test.test().bounds())?;
    Some(figure("Sequential test", about, drawing))
}

fn ratings(overview: &Overview<'_>) -> Option<Element> {
    let mut rated: Vec<Interval<'_>> = overview
        .standings
        .iter()
        .filter_map(|line| {
            let rating = overview.rating(line.bot)?;
            Some(Interval {
                name: overview.name(line.bot),
                value: rating.elo,
                error: rating.error(),
            })
        })
        .collect();
    rated.sort_by(|a, b| b.value.total_cmp(&a.value));
    let about = format!(
        "Elo of the joint fit with intervals of 95 %{}. Intervals that overlap do not mean that two bots are \
         equal: see the likelihood of superiority.",
        first(rated.len(), MAX_INTERVALS)
    );
    Some(figure("Ratings", &about, intervals(&rated, "Elo")?))
}

fn scores(overview: &Overview<'_>) -> Option<Element> {
    let best = overview.standings.iter().take(MAX_SCORE_LINES);
    let all: Vec<ScoreLine<'_>> = best
        .map(|line| ScoreLine {
            name: overview.name(line.bot),
            shares: shares(overview, line.bot),
        })
        .collect();
    let about = format!(
        "The share of the points, in percent, that a bot had after each of its matches in the schedule's order{}.",
        first(overview.standings.len(), MAX_SCORE_LINES)
    );
    Some(figure("Score over the matches", &about, score_chart(&all)?))
}

fn plies(overview: &Overview<'_>) -> Option<Element> {
    let counting = overview.results.with_match(overview.schedule.matches());
    let counting =
        counting.filter(|(_, result)| result.termination == Ending::By(Termination::Normal));
    let plies: Vec<f64> = counting
        .map(|(_, result)| f64::from(result.plies))
        .collect();
    let axis = Axis {
        values: "plies in a match",
        counted: "matches",
    };
    let about =
        "The lengths of the matches that ended by the rules, in plies: actions of both seats.";
    Some(figure(
        "Lengths of the matches",
        about,
        histogram(&plies, axis)?,
    ))
}

fn durations(overview: &Overview<'_>, details: &AllMatchDetails) -> Option<Element> {
    let matches = overview.results.with_match(overview.schedule.matches());
    let times = matches
        .filter_map(|(planned, _)| details.duration(planned.number))
        .map(|duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
        .map(|us| us.max(NO_TIME_US));
    let times: Vec<u64> = times.collect();
    let about = "Matches by their duration. Those of less than a millisecond are shown at half a millisecond.";
    Some(figure(
        "Durations",
        about,
        plot::durations(&times, "matches")?,
    ))
}

/// The share of the points after each match of a bot that counts.
fn shares(overview: &Overview<'_>, bot: BotIndex) -> Vec<f64> {
    let (mut points, mut matches) = (0.0, 0.0);
    let mut shares = Vec::new();
    for (planned, result) in overview.results.with_match(overview.schedule.matches()) {
        let score = planned
            .seat_of(bot)
            .and_then(|seat: Seat| result.verdict().score(seat));
        if let Some(score) = score {
            points += score.points();
            matches += 1.0;
            shares.push(points / matches);
        }
    }
    shares
}

/// The note when not all bots are drawn.
fn first(bots: usize, most: usize) -> String {
    if bots > most {
        format!(" (the first {most} of {bots} bots)")
    } else {
        String::new()
    }
}

fn figure(heading: &str, about: &str, drawing: Element) -> Element {
    Element::new("figure")
        .child(Element::new("h3").text(heading))
        .child(drawing)
        .child(Element::new("figcaption").text(about))
}
