use std::time::Duration;

use dragontooth_games::counted;
use dragontooth_games_boards::Element;

use super::super::Overview;
use super::super::programs::programs_table;
use super::html_table::of_data;
use super::page::{preformatted, section};
use super::sources::Sources;
use crate::{AllMatchDetails, RunnerUsage};

/// The figures at the head of the report.
pub(super) fn tiles(overview: &Overview<'_>, details: &AllMatchDetails) -> Element {
    let results = overview.results;
    let all = overview.schedule.expected_matches();
    let tile = |class: &'static str, name: &str, value: String| {
        Element::new("div")
            .with("class", class)
            .child(Element::new("dt").text(name))
            .child(Element::new("dd").text(value))
    };
    let doubt = |count: usize| if count > 0 { "bad" } else { "good" };
    let (faults, void) = (results.faults(), results.void());
    let bots = overview.schedule.event().bots().len();
    let mut tiles = vec![
        tile("good", "bots", bots.to_string()),
        tile(
            "good",
            "matches played",
            format!("{} of {all}", results.played()),
        ),
        tile(doubt(faults), "faults", faults.to_string()),
        tile(doubt(void), "void matches", void.to_string()),
    ];
    let (recorded, unique) = overview.unlike();
    if recorded > 0 {
        let value = format!("{unique} of {recorded}");
        tiles.push(tile("good", "different matches", value));
    }
    if let Some((first, last)) = details.span() {
        let took = last.duration_since(first).unwrap_or_default();
        tiles.push(tile("good", "from first to last", rounded(took)));
    }
    Element::new("dl").with("class", "tiles").children(tiles)
}

/// The event, and the commands that reproduce it.
pub(super) fn facts(sources: &Sources<'_>) -> Element {
    let (overview, details) = (sources.overview, sources.details);
    let (event, rules) = (overview.schedule.event(), overview.schedule.event().rules());
    let mut all = vec![
        ("event", event.name().to_string()),
        (
            "game",
            format!("{}, variant {}", rules.game(), rules.variant()),
        ),
        ("points that win a match", rules.target().to_string()),
        ("seed", event.seed().to_string()),
        (
            "runner",
            format!("dragontooth-runner {}", env!("CARGO_PKG_VERSION")),
        ),
    ];
    if let Some((first, last)) = details.span() {
        all.push((
            "first match began",
            humantime::format_rfc3339_seconds(first).to_string(),
        ));
        all.push((
            "last match ended",
            humantime::format_rfc3339_seconds(last).to_string(),
        ));
    }
    all.push(("event digest", sources.event_digest.to_owned()));
    if let Some(session) = sources.session {
        all.push(("processor time", processor_time(&session)));
    }
    let terms = all.into_iter().flat_map(|(name, value)| {
        [
            Element::new("dt").text(name),
            Element::new("dd").text(value),
        ]
    });
    let programs = (!sources.programs.is_empty()).then(|| {
        let table = of_data("programs", &programs_table(sources.programs));
        let heading = Element::new("h3").text("What the programs took");
        Element::new("div").child(heading).child(table.element())
    });
    let manifest = Element::new("details")
        .child(Element::new("summary").text("event.json: everything on which the results depend"))
        .child(preformatted(sources.manifest));
    section("event", "The event, and how to reproduce it")
        .child(Element::new("dl").with("class", "facts").children(terms))
        .children(programs)
        .child(Element::new("p").text(
            "The schedule and the bots' own random choices follow from the seed and the names above, dice and other \
             draws from the secret of the run, which sessions.jsonl has when it is over. With that as draw_secret \
             in the file, bots that decide by a limit of nodes or depth play the same matches again, whatever ran \
             at the same time. Run the file of the event with this version of the runner in another folder:",
        ))
        .child(preformatted("dragontooth-runner run FILE --folder AGAIN\ndragontooth-runner table AGAIN"))
        .child(Element::new("p").text(
            "The event digest holds everything that was played. It is the hash of seal.json, and this replays the \
             run directory and compares it:",
        ))
        .child(preformatted(format!(
            "dragontooth-runner verify FOLDER --digest {}",
            sources.event_digest
        )))
        .child(manifest)
}

/// The resources that the runner used.
fn processor_time(session: &RunnerUsage) -> String {
    let seconds = |ms: u64| Duration::from_millis(ms).as_secs_f64();
    format!(
        "the runner, with the service and the built-in bots in it and without programs, used {:.1} s of a processor in \
         {:.1} s ({:.0} % of one), for {}",
        seconds(session.cpu_ms),
        seconds(session.wall_ms),
        session.cpu_share() * 100.0,
        counted(session.actions, "ply"),
    )
}

/// A duration in its two largest units.
fn rounded(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let rounded = if seconds < 60 {
        Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX) / 100 * 100)
    } else if seconds < 3600 {
        Duration::from_secs(seconds)
    } else {
        Duration::from_secs(seconds / 60 * 60)
    };
    humantime::format_duration(rounded).to_string()
}
