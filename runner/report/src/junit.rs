use std::time::Duration;

use dragontooth_games::{Seat, counted};
use dragontooth_games_boards::Element;
use dragontooth_runner_tournament::{
    BotIndex, FaultKind, MatchResult, ScheduledMatch, Standing, Verdict,
};

use super::Overview;
use crate::AllMatchDetails;

/// The most faults of a bot that are listed.
pub const MAX_LISTED_FAULTS: usize = 50;

/// The faults of a run as JUnit XML: a test case for each bot, and one for the run itself, which fails
/// while matches are missing or void.
#[must_use]
pub fn junit(overview: &Overview<'_>, details: &AllMatchDetails) -> String {
    let bots = overview
        .standings
        .iter()
        .map(|line| bot_case(overview, details, line));
    let cases: Vec<(Element, bool)> = bots.chain([run_case(overview, details)]).collect();
    let (tests, failures) = (
        cases.len(),
        cases.iter().filter(|(_, failed)| *failed).count(),
    );
    let time = details.span().map_or(Duration::ZERO, |(first, last)| {
        last.duration_since(first).unwrap_or_default()
    });
    let counts = |element: Element| {
        element
            .with("name", overview.schedule.event().name())
            .with("tests", tests)
            .with("failures", failures)
            .with("errors", 0)
            .with("skipped", 0)
            .with("time", seconds(time))
    };
    let suite = counts(Element::new("testsuite")).children(cases.into_iter().map(|(case, _)| case));
    let suites = counts(Element::new("testsuites")).child(suite);
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{suites}\n")
}

/// The case of a bot, and whether it failed.
fn bot_case(
    overview: &Overview<'_>,
    details: &AllMatchDetails,
    line: &Standing,
) -> (Element, bool) {
    let faults = faults_of(overview, details, line.bot);
    let time: Duration = matches_of(overview, line.bot)
        .filter_map(|(planned, _)| details.duration(planned.number))
        .sum();
    let case = case(overview, overview.name(line.bot), time);
    let Some((kind, _)) = faults.first() else {
        return (case, false);
    };
    let listed = faults.iter().take(MAX_LISTED_FAULTS);
    let mut text: String = listed.map(|(_, line)| line.as_str()).collect();
    if faults.len() > MAX_LISTED_FAULTS {
        text.push_str("and more\n");
    }
    let failure = Element::new("failure")
        .with("type", kind)
        .with("message", counted(faults.len(), "fault").to_string())
        .text(text);
    (case.child(failure), true)
}

/// The case of the run itself, and whether it failed.
fn run_case(overview: &Overview<'_>, details: &AllMatchDetails) -> (Element, bool) {
    let (results, schedule) = (overview.results, overview.schedule);
    let time = details.span().map_or(Duration::ZERO, |(first, last)| {
        last.duration_since(first).unwrap_or_default()
    });
    let case = case(overview, "all matches played", time);
    let void: Vec<String> = results
        .with_match(schedule.matches())
        .filter(|(_, result)| result.verdict() == Verdict::Void)
        .map(|(planned, _)| format!("{}: void\n", schedule.title(planned)))
        .collect();
    let missing = schedule.expected_matches() - results.played() as u64;
    if void.is_empty() && missing == 0 {
        return (case, false);
    }
    let message = format!("{} missing, {} void", counted(missing, "match"), void.len());
    let failure = Element::new("failure")
        .with("type", "void")
        .with("message", message)
        .text(void.concat());
    (case.child(failure), true)
}

fn case(overview: &Overview<'_>, name: &str, time: Duration) -> Element {
    Element::new("testcase")
        .with("classname", overview.schedule.event().name())
        .with("name", name)
        .with("time", seconds(time))
}

/// The faults of a bot in the order of the schedule, each on a line.
fn faults_of(
    overview: &Overview<'_>,
    details: &AllMatchDetails,
    bot: BotIndex,
) -> Vec<(FaultKind, String)> {
    let of_match = |(planned, result): (&ScheduledMatch, &MatchResult)| {
        let title = overview.schedule.title(planned);
        let seat = planned.seat_of(bot).unwrap_or(Seat::First);
        let own = |(guilty, _): &&(Seat, FaultKind)| *guilty == seat;
        let details: Vec<&str> = details
            .faults(planned.number)
            .iter()
            .filter(|fault| fault.seat == seat)
            .map(|fault| fault.detail.as_str())
            .collect();
        let numbered = result.faults.iter().filter(own).enumerate();
        let told = numbered.map(|(at, (_, kind))| {
            let detail = details.get(at).copied().unwrap_or_default();
            (*kind, format!("{title}: {kind}: {detail}\n"))
        });
        told.collect::<Vec<_>>()
    };
    matches_of(overview, bot).flat_map(of_match).collect()
}

/// The matches of a bot that are over.
fn matches_of<'o>(
    overview: &'o Overview<'_>,
    bot: BotIndex,
) -> impl Iterator<Item = (&'o ScheduledMatch, &'o MatchResult)> {
    let all = overview.results.with_match(overview.schedule.matches());
    all.filter(move |(planned, _)| planned.seat_of(bot).is_some())
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}
