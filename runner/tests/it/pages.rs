//! Laws of all pages: their styles know their classes, and their links and ids are right.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::record::RecordStep;
use dragontooth_runner::record::Transcript;
use dragontooth_runner_report::{
    AllMatchDetails, LIVE_SCRIPT, LIVE_STYLE, LiveBoard, LiveStep, LuckFigures, MatchPages,
    Overview, ProgramTotal, RunPhase, Sources, ThinkingTime, UNDER_WAY, UnderWay, live_matches,
    live_page, live_tables, report_page, selected,
};
use dragontooth_runner_tournament::{Format, Results, Schedule};
use dragontooth_service_vocabulary::TimeControl;

use crate::contrast::contrast;
use crate::fixture::{Out, event_of, played, with_troubles};
use crate::formats::playing::{by_strength, names, play};
use crate::markup::attributes;
use crate::match_pages;
use crate::report_formats::details;

/// A page with its style and its script.
struct Page {
    name: String,
    html: String,
    style: String,
    script: String,
}

impl Page {
    /// A page that needs no other file.
    fn whole(name: &str, html: String) -> Self {
        let inside = |start: &str, end: &str| {
            let parts = html.split(start).skip(1);
            let parts = parts.filter_map(|part| part.split_once(end));
            parts.map(|(inside, _)| inside).collect::<String>()
        };
        Self {
            name: name.to_owned(),
            style: inside("<style>", "</style>"),
            script: inside("<script>", "</script>"),
            html,
        }
    }
}

/// A knockout of so many bots, in which the one named first wins.
fn knockout(bots: usize) -> (Schedule, Results) {
    let format = Format::Knockout {
        extra_encounters: 0,
        seeding: names(bots),
    };
    let order: Vec<usize> = (0..bots).collect();
    play(&event_of(bots, format), |planned| {
        by_strength(&order, planned)
    })
}

/// A Swiss event of five bots, in which the one named first wins.
fn swiss() -> (Schedule, Results) {
    let format = Format::Swiss {
        rounds: 2,
        seeding: names(5),
    };
    play(&event_of(5, format), |planned| {
        by_strength(&[0, 1, 2, 3, 4], planned)
    })
}

fn report(schedule: &Schedule, results: &Results, details: &AllMatchDetails) -> String {
    let mut thinking = ThinkingTime::default();
    for planned in schedule.matches() {
        let transcript = Transcript::new(schedule, planned, &played(planned));
        let (record, _) = transcript.read().unwrap();
        thinking.add(&record, transcript.thinking_us());
    }
    let program = ProgramTotal {
        bot: "a".to_owned(),
        starts: 1,
        ran_ms: 1,
        cpu_ms: 1,
        peak_kib: 1,
    };
    let pages = selected(schedule, results, 1).into_iter();
    let pages = pages.map(|one| (one.title, one.file));
    report_page(&Sources {
        overview: &Overview::new(schedule, results),
        details,
        luck: &LuckFigures::LeftOut("it is a test".to_owned()),
        manifest: "{}",
        thinking: &thinking,
        session: None,
        programs: &[program],
        event_digest: "5b",
        pages: &MatchPages::new(pages.collect()),
    })
}

/// The page of an event with a match under way.
fn live(name: &str, schedule: &Schedule, results: &Results, phase: RunPhase) -> Page {
    let event = schedule.event();
    let players = ["a", "b"].map(str::to_owned);
    let mut board = LiveBoard::new(event.rules(), "c1/r1/p1/m1".to_owned(), players);
    let limit = Duration::from_secs(90);
    board.start_clocks(
        [Some(TimeControl::PerAction { limit }); 2],
        SystemTime::now(),
    );
    let action = RecordStep::Action {
        seat: Seat::First,
        action: "a1a2".to_owned(),
    };
    let start = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";
    let steps = [
        LiveStep::Game(start.to_owned()),
        LiveStep::Step(action, Some(limit)),
    ];
    board.follow(&steps, SystemTime::now());
    let under_way = live_matches(&UnderWay {
        phase,
        game: event.rules().game(),
        played: results.played(),
        expected: schedule.expected_matches(),
        boards: &[&board],
        others: 1,
    });
    let luck = LuckFigures::LeftOut("it is a test".to_owned());
    let overview = Overview::new(schedule, results);
    let tables = live_tables(&overview, &AllMatchDetails::default(), &luck);
    let mut parts: Vec<(&str, &str)> = tables
        .iter()
        .map(|(name, inside)| (*name, inside.as_str()))
        .collect();
    parts.push((UNDER_WAY, &under_way));
    Page {
        name: name.to_owned(),
        html: live_page(event, &parts, "1"),
        style: LIVE_STYLE.concat(),
        script: LIVE_SCRIPT.to_owned(),
    }
}

/// A page of each kind, with all its parts.
fn pages() -> Vec<Page> {
    let (schedule, results) = with_troubles();
    let troubles = report(&schedule, &results, &details(&schedule));
    let mut pages = vec![
        Page::whole("report", troubles),
        live("live", &schedule, &results, RunPhase::Live),
        live("stopped", &schedule, &results, RunPhase::Stopped),
    ];
    for (name, (schedule, results)) in [
        ("knockout of 5", knockout(5)),
        ("knockout of 65", knockout(65)),
        ("Swiss event", swiss()),
    ] {
        let page = report(&schedule, &results, &AllMatchDetails::default());
        pages.push(Page::whole(&format!("report of a {name}"), page));
        let page = live(&format!("live {name}"), &schedule, &results, RunPhase::Live);
        pages.push(page);
    }
    // A knockout with an open match.
    let (schedule, _) = knockout(4);
    let none = Results::none(schedule.matches());
    pages.push(live("begun knockout", &schedule, &none, RunPhase::Live));
    for game in dragontooth_games::catalogue::GAMES {
        let mut record = match_pages::record(game.name, "one");
        match_pages::think(&mut record.games[0], &[0.6, 0.6, 0.9, 0.2, 0.1, 0.1]);
        pages.push(Page::whole(game.name, match_pages::page(&record)));
    }
    pages
}

/// Returns true if a text has the selector of a class.
fn selects(text: &str, before: &str, class: &str) -> bool {
    let selector = format!("{before}.{class}");
    let mut found = text.match_indices(&selector);
    found.any(|(at, _)| {
        let next = text[at + selector.len()..].chars().next();
        !next.is_some_and(|next| next.is_ascii_alphanumeric() || ['-', '_'].contains(&next))
    })
}

#[test]
fn every_class_has_a_rule_or_is_looked_up() {
    for page in pages() {
        let classes = attributes(&page.html, "class").into_iter();
        let classes: HashSet<&str> = classes.flat_map(str::split_whitespace).collect();
        let is_known =
            |class: &str| selects(&page.style, "", class) || selects(&page.script, "\"", class);
        let unknown: Vec<&str> = classes
            .into_iter()
            .filter(|class| !is_known(class))
            .collect();
        assert_eq!(unknown, [""; 0], "{}", page.name);
    }
}

#[test]
fn ids_are_unique_and_links_within_a_page_lead_to_one() {
    for page in pages() {
        let ids = attributes(&page.html, "id");
        let known: HashSet<&str> = ids.iter().copied().collect();
        let mut left: Vec<&str> = ids;
        for id in &known {
            let place = left.iter().position(|one| one == id);
            left.swap_remove(place.unwrap());
        }
        assert_eq!(left, [""; 0], "{} has these twice", page.name);
        let links = attributes(&page.html, "href").into_iter();
        let links = links.filter_map(|link| link.strip_prefix('#'));
        let names = attributes(&page.html, "aria-labelledby");
        let lost: HashSet<&str> = links
            .chain(names)
            .filter(|id| !known.contains(id))
            .collect();
        assert!(lost.is_empty(), "{}: {lost:?}", page.name);
    }
}

/// A text that is wider than the page is scrolled by the keyboard, too.
#[test]
fn preformatted_texts_take_the_focus() {
    for page in pages() {
        let texts = page.html.split("<pre").skip(1);
        let reached = texts
            .clone()
            .filter(|text| text.starts_with(" tabindex=\"0\">"));
        assert_eq!(reached.count(), texts.count(), "{}", page.name);
    }
}

/// A figure that is bad news has the contrast of 4.5 to 1 on its tile that WCAG 2.2 asks for (1.4.3), in both schemes.
#[test]
fn bad_figures_can_be_read() {
    let style = LIVE_STYLE.concat();
    let values = |name: &str| -> Vec<&str> {
        let parts = style.split(name).skip(1);
        parts.map(|part| &part[..6]).collect()
    };
    let (inks, tiles) = (values("--bad: #"), values("--raised: #"));
    assert_eq!([inks.len(), tiles.len()], [2, 2]);
    for (ink, tile) in inks.into_iter().zip(tiles) {
        let contrast = contrast(ink, tile);
        assert!(contrast >= 4.5, "{contrast}: #{ink} on #{tile}");
    }
}

/// The page of an event in progress lists the last 200 encounters, and the report all of them.
#[test]
fn a_live_page_lists_the_last_encounters() {
    let format = Format::Swiss {
        rounds: 14,
        seeding: names(32),
    };
    let (schedule, results) = play(&event_of(32, format), |_| Out::Drawn);
    let report = report(&schedule, &results, &AllMatchDetails::default());
    let live = live("live", &schedule, &results, RunPhase::Live).html;
    for (page, rows, first) in [(report, 14 * 16, "1"), (live.clone(), 200, "2")] {
        let (_, table) = page.split_once("table of encounters").unwrap();
        let (_, table) = table.split_once("<tbody>").unwrap();
        let (table, _) = table.split_once("</tbody>").unwrap();
        assert_eq!(table.matches("<tr>").count(), rows);
        let round = table.split("<td>").nth(1).unwrap();
        assert_eq!(round, format!("{first}</td>"));
        assert!(table.contains("<td>14</td><td>16</td>"), "{table}");
    }
    assert!(live.contains("The last 200 of 224; the report of the run has all of them."));
}

/// Without a style, as in a reader or on a clipboard, a name does not run into its points.
#[test]
fn a_bracket_can_be_read_without_its_style() {
    let (schedule, results) = knockout(2);
    let page = report(&schedule, &results, &AllMatchDetails::default());
    assert!(page.contains("<a href=\"#bracket\">Bracket</a>"), "{page}");
    let (_, bracket) = page.split_once("class=\"bracket\"").unwrap();
    let mut text = String::new();
    for part in bracket.split('<').take_while(|part| *part != "/section>") {
        text.push_str(part.split_once('>').unwrap().1);
    }
    assert!(text.contains("a 2.0"), "{text}");
}
