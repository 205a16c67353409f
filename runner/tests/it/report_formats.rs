//! The tables in JSON, CSV and JUnit, and the report, against those in text.

use std::fs;
use std::time::{Duration, Instant, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::record::{GameRecord, RecordStep, Thinking};
use dragontooth_runner::record::{
    ProgramEnd, Record, RunSession, SessionStopwatch, Transcript, program_totals, read_with_details,
};
use dragontooth_runner_report::{
    AllMatchDetails, Document, JsonTables, LuckFigures, MatchPages, Overview, RunnerUsage, Sources,
    ThinkingTime, csv, junit, report_page,
};
use dragontooth_runner_tournament::{
    BotIndex, Ending, Event, Fault, FaultKind, Format, MatchRules, Results, Schedule,
};
use dragontooth_service_vocabulary::Termination;
use serde_json::Value;

use crate::documented::{REPORTS, assert_described};
use crate::fixture::{Out, event_of, played, result, results, schedule, with_troubles};
use crate::formats::playing::names;
use crate::markup::elements;

/// Text of a bot that tries to break out of its page.
const HOSTILE: &str = "</pre><script>alert(\"1\")</script>'&amp;\u{1}\u{202e}]]>";

/// Its `results.jsonl`, in which the detail of the only fault comes from an attacker.
pub(crate) fn details(schedule: &Schedule) -> AllMatchDetails {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let mut text = String::new();
    for planned in &schedule.matches()[..5] {
        let mut played = played(planned);
        if planned.number.get() == 1 {
            played.faults = vec![Fault {
                seat: Seat::Second,
                kind: FaultKind::Time,
                detail: HOSTILE.to_owned(),
            }];
        }
        text.push_str(&Record::new(schedule, planned, &played).to_line());
    }
    text.push_str("{\"event\":\"cut sho");
    fs::write(&path, text).unwrap();
    let read = read_with_details(&path, schedule.event(), usize::MAX);
    read.unwrap().1
}

#[test]
fn json_agrees_with_the_text() {
    let (schedule, results) = with_troubles();
    let overview = Overview::new(&schedule, &results);
    let json: Value = serde_json::from_str(
        &JsonTables::new(&overview, &ThinkingTime::default(), None, Vec::new()).text(),
    )
    .unwrap();
    assert_eq!(json["event"]["name"], "demo");
    assert_eq!(
        json["matches"],
        serde_json::json!({"scheduled": 6, "played": 5, "void": 1, "faults": 1, "recorded": 0, "unique": 0})
    );
    let b = &json["standings"][1];
    assert_eq!(
        [&b["bot"], &b["place"]],
        [&Value::from("b"), &Value::from(2)]
    );
    assert_eq!(b["points"], 1.5);
    assert_eq!(b["sonneborn_berger"], 2.25);
    assert_eq!(b["head_to_head"], Value::Null);
    assert_eq!(
        b["as_second"],
        serde_json::json!({"won": 0, "drawn": 1, "lost": 1})
    );
    assert_eq!([&b["faults"], &b["void"]], [1, 1]);
    let rounded = |value: &Value| format!("{:.1}", value.as_f64().unwrap());
    assert_eq!(rounded(&b["elo"]), "27.2");
    assert_eq!(rounded(&b["elo_error"]), "286.3");
    let cell = &json["crosstable"][1][0];
    assert_eq!(cell, &serde_json::json!({"won": 1, "drawn": 0, "lost": 1}));
    assert_eq!(json["crosstable"][2][2], Value::Null);
    let likely = json["superiority"][0][2].as_f64().unwrap();
    assert_eq!(format!("{:.1}", likely * 100.0), "76.9");
    assert_eq!(json["no_ratings"], Value::Null);
}

#[test]
fn without_ratings_json_says_why_and_csv_has_none() {
    let schedule = schedule(3, 1);
    let none = Results::none(schedule.matches());
    let overview = Overview::new(&schedule, &none);
    let json: Value = serde_json::from_str(
        &JsonTables::new(&overview, &ThinkingTime::default(), None, Vec::new()).text(),
    )
    .unwrap();
    assert_eq!(json["ratings"], Value::Null);
    assert_eq!(json["superiority"], Value::Null);
    assert_eq!(json["no_ratings"], "no match that counts has been played");
    let csv = csv(&overview, &LuckFigures::Unmentioned);
    assert!(csv.contains("\n1,a,0.0,0,,0,,,0.00,0.0,,,0,0,0,"), "{csv}");
}

#[test]
fn csv_has_one_line_per_bot() {
    let (schedule, results) = with_troubles();
    let csv = csv(
        &Overview::new(&schedule, &results),
        &LuckFigures::Unmentioned,
    );
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 4);
    let columns = lines[0].iter().copied();
    let columns = columns.filter(|name| !name.starts_with("against "));
    assert_described(REPORTS, "## CSV", columns);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()));
    let value = |row: usize, name: &str| {
        let column = lines[0].iter().position(|head| *head == name).unwrap();
        lines[row][column]
    };
    assert_eq!(
        [value(1, "bot"), value(2, "bot"), value(3, "bot")],
        ["c", "b", "a"]
    );
    assert_eq!([value(2, "points"), value(2, "score")], ["1.5", "0.5000"]);
    assert_eq!([value(2, "elo"), value(2, "faults")], ["27.20", "1"]);
    assert_eq!(
        [value(2, "second_drawn"), value(2, "head_to_head")],
        ["1", ""]
    );
    assert_eq!([value(2, "against c"), value(2, "against b")], ["1.0", ""]);
}

/// Two encounters of games for money: a wins 4 points and a game that has no end; b wins 2, and a game that
/// does not count.
fn for_money() -> (Schedule, Results) {
    let like = schedule(2, 2);
    let event = like.event();
    let rules = MatchRules::new("backgammon", Some("money_1024"), 1).unwrap();
    let (name, bots) = (event.name().clone(), event.bots().to_vec());
    let event = Event::new(name, event.seed(), rules, bots, event.format().clone()).unwrap();
    let schedule = Schedule::new(event);
    let mut all = Results::none(schedule.matches());
    let bots: Vec<BotIndex> = schedule.event().bot_indices().collect();
    for (planned, (points, bot)) in
        schedule
            .matches()
            .iter()
            .zip([(4, bots[0]), (0, bots[0]), (2, bots[1]), (0, bots[1])])
    {
        let winner = planned.seat_of(bot).unwrap();
        let mut result = result(planned, Out::Won(winner));
        result.score = [0, 0];
        result.score[winner.index()] = points;
        result.games.won = [0, 0];
        result.games.won[winner.index()] = u32::from(points > 0);
        match planned.number.get() {
            1 => result.termination = Ending::By(Termination::Timeout),
            3 => result = self::result(planned, Out::Void),
            _ => {}
        }
        all.add(result).unwrap();
    }
    (schedule, all)
}

#[test]
fn games_for_money_have_points_per_game() {
    let (schedule, results) = for_money();
    let text = Document::new(&schedule, &results).markdown();
    let (_, details) = text.split_once("## Details\n\n").unwrap();
    let cells = |line: &str| -> Vec<String> {
        let cells = line.split('|').map(|cell| cell.trim().to_owned());
        cells.collect()
    };
    let mut lines = details.lines().map(cells);
    let head = lines.next().unwrap();
    let at = head.iter().position(|cell| cell == "points/game").unwrap();
    assert_eq!(head[at + 1], "± 95 %");
    let _ = lines.next();
    // The mean of 4 and -2; two encounters say nothing of the error.
    for (bot, points) in [("a", "+1.000"), ("b", "-1.000")] {
        let line = lines.next().unwrap();
        assert_eq!(
            [&line[2], &line[at], &line[at + 1]],
            [bot, points, "–"],
            "{text}"
        );
    }
    assert!(text.contains("points/game: won less lost"), "{text}");
    let overview = Overview::new(&schedule, &results);
    let json = JsonTables::new(&overview, &ThinkingTime::default(), None, Vec::new()).text();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["standings"][0]["points_per_game"], 1.0);
    assert_eq!(json["standings"][0]["points_per_game_error"], Value::Null);
    assert!(
        csv(&overview, &LuckFigures::Unmentioned).contains(",4,2,1.0000,,"),
        "{}",
        csv(&overview, &LuckFigures::Unmentioned)
    );

    let (schedule, results) = with_troubles();
    assert!(
        !Document::new(&schedule, &results)
            .text()
            .contains("points/game")
    );
}

#[test]
fn junit_has_one_case_per_bot_and_one_for_the_run() {
    let (schedule, results) = with_troubles();
    let xml = junit(&Overview::new(&schedule, &results), &details(&schedule));
    let names = elements(&xml);
    let cases = names.iter().filter(|name| *name == "testcase").count();
    let failures = names.iter().filter(|name| *name == "failure").count();
    assert_eq!((cases, failures), (4, 2));
    assert!(xml.contains("tests=\"4\" failures=\"2\""), "{xml}");
    let b = "<testcase classname=\"demo\" name=\"b\" time=\"17.284\"><failure type=\"time\" message=\"1 fault\">\
             demo/c1/r1/p1/m2: time: &lt;/pre&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;\
             &#39;&amp;amp;\u{fffd}\u{fffd}]]&gt;\n</failure></testcase>";
    assert!(xml.contains(b), "{xml}");
    let run = "name=\"all matches played\" time=\"4.321\"><failure type=\"void\" message=\"1 match missing, 1 void\">\
               demo/c1/r2/p1/m2: void\n</failure>";
    assert!(xml.contains(run), "{xml}");
}

/// Of four rounds of four encounters, the first two are known and the first is over.
#[test]
fn rounds_to_come_are_missing_in_junit() {
    let seeding = names(8);
    let mut schedule = Schedule::new(event_of(8, Format::Swiss { rounds: 4, seeding }));
    let mut results = results(&schedule, |_| Out::Won(Seat::First));
    schedule.follow(&mut results);
    let xml = junit(
        &Overview::new(&schedule, &results),
        &AllMatchDetails::default(),
    );
    assert!(
        xml.contains("message=\"24 matches missing, 0 void\""),
        "{xml}"
    );
}

#[test]
fn the_report_is_complete_and_safe() {
    let (schedule, results) = with_troubles();
    let overview = Overview::new(&schedule, &results);
    let page = report_page(&Sources {
        overview: &overview,
        details: &details(&schedule),
        luck: &LuckFigures::Unmentioned,
        manifest: HOSTILE,
        thinking: &ThinkingTime::default(),
        session: None,
        programs: &[],
        event_digest: "5b",
        pages: &MatchPages::default(),
    });
    let names = elements(&page);
    assert!(!names.contains(&"script".to_owned()), "{page}");
    assert_eq!(page.matches("alert(&quot;1&quot;)").count(), 2, "{page}");
    for figure in ["+101.4", "298.7", "76.9", "1-0-1", "66.7"] {
        assert!(page.contains(&format!(">{figure}<")), "{figure}: {page}");
    }
    let drawings = names.iter().filter(|name| *name == "svg").count();
    assert_eq!(drawings, 4, "ratings, scores, lengths and durations");
    // A page can load only what has an address, and all its addresses lead to its own parts.
    for (at, _) in page.match_indices("href=\"") {
        assert!(page[at + 6..].starts_with('#'));
    }
    for word in ["src=", "url(", "@import", "http:", "https:"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn an_empty_report_is_valid() {
    let schedule = schedule(2, 1);
    let none = Results::none(schedule.matches());
    let page = report_page(&Sources {
        overview: &Overview::new(&schedule, &none),
        details: &AllMatchDetails::default(),
        luck: &LuckFigures::Unmentioned,
        manifest: "{}",
        thinking: &ThinkingTime::default(),
        session: None,
        programs: &[],
        event_digest: "5b",
        pages: &MatchPages::default(),
    });
    let names = elements(&page);
    assert!(!names.contains(&"svg".to_owned()), "{page}");
    assert!(page.contains("No ratings: no match that counts has been played."));
}

/// Two matches, in which one bot took 1, 2, … milliseconds and the other 10.
#[test]
fn decisions_are_reported_by_bot() {
    let schedule = schedule(2, 1);
    let mut thinking = ThinkingTime::default();
    let sent = |at: usize| {
        let mut sent = Thinking::new(None, u32::try_from(at).ok(), Some(3_000));
        sent.set_time(Duration::from_millis(1_500)).unwrap();
        sent
    };
    for planned in schedule.matches() {
        let mut played = played(planned);
        let action = |at: u64| RecordStep::Action {
            seat: if at.is_multiple_of(2) {
                Seat::First
            } else {
                Seat::Second
            },
            action: "a1a2".to_owned(),
        };
        let bot = |at: u64| planned.bots[usize::from(!at.is_multiple_of(2))].get();
        let time = |at: u64| if bot(at) == 0 { at / 2 + 1 } else { 10 };
        played.gameplay.games = vec![GameRecord {
            start: "start".to_owned(),
            steps: (0..200).map(action).collect(),
            // 3,000 positions in 1.5 seconds, and depths from 0 to 198, of the first seat alone.
            thinking: (0..200).step_by(2).map(|at| (at, sent(at))).collect(),
            outcome: None,
        }];
        played.gameplay.thinking = (0..200).map(|at| Duration::from_millis(time(at))).collect();
        let transcript = Transcript::new(&schedule, planned, &played);
        let (record, _) = transcript.read().unwrap();
        thinking.add(&record, transcript.thinking_us());
        assert!(!thinking.is_full());
    }
    let [a, b] = &thinking.lines()[..] else {
        panic!("{:?}", thinking.lines())
    };
    assert_eq!([&*a.bot, &*b.bot], ["a", "b"]);
    for line in [a, b] {
        let told = [line.nodes_per_second, line.mean_depth];
        assert_eq!(told, [Some(2_000.0), Some(99.0)]);
    }
    assert_eq!([a.decisions, b.decisions], [200, 200]);
    let figures = [
        a.shortest_ms,
        a.median_ms,
        a.mean_ms,
        a.percentile_99_ms,
        a.longest_ms,
    ];
    assert_eq!(format!("{figures:?}"), "[1.0, 50.0, 50.5, 99.0, 100.0]");
    let figures = [
        b.shortest_ms,
        b.median_ms,
        b.mean_ms,
        b.percentile_99_ms,
        b.longest_ms,
    ];
    assert_eq!(format!("{figures:?}"), "[10.0, 10.0, 10.0, 10.0, 10.0]");
    assert_eq!((thinking.matches(), thinking.times_us().len()), (2, 400));
}

/// Missing values are `null`, as the page on reports says.
#[test]
fn a_bot_that_sends_no_thoughts_has_no_depth() {
    let schedule = schedule(2, 1);
    let planned = &schedule.matches()[0];
    let transcript = Transcript::new(&schedule, planned, &played(planned));
    let mut thinking = ThinkingTime::default();
    thinking.add(&transcript.read().unwrap().0, transcript.thinking_us());
    let none = Results::none(schedule.matches());
    let overview = Overview::new(&schedule, &none);
    let json = JsonTables::new(&overview, &thinking, None, Vec::new()).text();
    let json: Value = serde_json::from_str(&json).unwrap();
    for bot in json["decisions"].as_array().unwrap() {
        for name in ["nodes_per_second", "mean_depth"] {
            assert_eq!(bot.get(name), Some(&Value::Null), "{name}");
        }
    }
    assert_eq!(json["decisions"].as_array().unwrap().len(), 2);
}

/// Two sessions and a cut line. Only the processor time grows with work.
#[test]
fn sessions_are_summed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.jsonl");
    assert_eq!(RunSession::sum_in(&path).unwrap(), None);
    let one = RunSession {
        matches: 2,
        actions: 90,
        wall_ms: 1000,
        cpu_ms: 250,
    };
    one.append_to(&path).unwrap();
    fs::write(
        &path,
        fs::read_to_string(&path).unwrap() + "{\"matches\":\n",
    )
    .unwrap();
    one.append_to(&path).unwrap();
    let sum = RunSession::sum_in(&path).unwrap().unwrap();
    assert_eq!(
        (sum.matches, sum.actions, sum.wall_ms, sum.cpu_ms),
        (4, 180, 2000, 500)
    );
    assert!((RunnerUsage::from(sum).cpu_share() - 0.25).abs() < 1e-9);

    let stopwatch = SessionStopwatch::start();
    let mut work = 1_u64;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(50) {
        work = std::hint::black_box(work.wrapping_mul(3));
    }
    let session = stopwatch.stop(1, 1);
    assert!(session.cpu_ms > 0 && session.wall_ms >= 50, "{session:?}");
}

/// If there are more matches than the list holds, those with pages are listed.
#[test]
fn a_match_with_a_page_is_listed() {
    let schedule = schedule(2, 1200);
    let results = results(&schedule, |_| Out::Drawn);
    let last = schedule.matches().last().unwrap();
    let title = schedule.title(last);
    let overview = Overview::new(&schedule, &results);
    let page = |pages: &MatchPages| {
        report_page(&Sources {
            overview: &overview,
            details: &AllMatchDetails::default(),
            luck: &LuckFigures::Unmentioned,
            manifest: "{}",
            thinking: &ThinkingTime::default(),
            session: None,
            programs: &[],
            event_digest: "5b",
            pages,
        })
    };
    let rows = |page: &str| page.matches("<td class=\"text\">normal</td>").count();
    let without = page(&MatchPages::default());
    assert_eq!((rows(&without), without.contains(&title)), (2000, false));
    let pages = [(title.clone(), "matches/last.html".to_owned())];
    let with = page(&MatchPages::new(pages.into()));
    assert_eq!(rows(&with), 2000);
    assert!(with.contains(&format!("<a href=\"matches/last.html\">{title}</a>")));
    assert!(with.contains("2000 of 2400; all of them are in results.jsonl."));
}

/// The programs' resources are summed by bot, in JSON and in the report.
#[test]
fn resource_use_is_reported() {
    let schedule = schedule(2, 1);
    let none = Results::none(schedule.matches());
    let overview = Overview::new(&schedule, &none);
    let end = |cpu_ms, peak_kib| ProgramEnd {
        cpu_ms,
        peak_kib,
        ..ProgramEnd::new("b", SystemTime::UNIX_EPOCH, Duration::from_secs(10))
    };
    let programs = program_totals(&[end(1230, 2048), end(770, 1025)]);
    let json = JsonTables::new(&overview, &ThinkingTime::default(), None, programs.clone()).text();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["programs"],
        serde_json::json!([{"bot": "b", "starts": 2, "ran_ms": 20000, "cpu_ms": 2000, "peak_kib": 2048}])
    );
    let page = report_page(&Sources {
        overview: &overview,
        details: &AllMatchDetails::default(),
        luck: &LuckFigures::Unmentioned,
        manifest: "{}",
        thinking: &ThinkingTime::default(),
        session: None,
        programs: &programs,
        event_digest: "5b",
        pages: &MatchPages::default(),
    });
    let row = "<td class=\"text\">b</td><td>2</td><td>2.00</td><td>10</td><td>2</td>";
    assert!(page.contains(row), "{page}");
}
