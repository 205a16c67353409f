use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use dragontooth_games::Seat;
use dragontooth_runner::progress::Progress;
use dragontooth_runner_report::{
    AllMatchDetails, Document, JsonTables, LuckFigures, Overview, ThinkingTime, live_tables,
    scoreboard, write_schedule,
};
use dragontooth_runner_tournament::statistics::{Model, Sprt};
use dragontooth_runner_tournament::{
    BotIndex, Ending, Fault, FaultKind, Format, MovesDigest, Name, Results, Schedule,
};
use dragontooth_service_vocabulary::Termination;

use crate::fixture::{Out, event, event_of, played, result, results, schedule, with_troubles};
use crate::formats::playing::play;

/// The expected tables of three bots: text, then Markdown.
const TEXT: &str = include_str!("../data/tables.txt");
const MARKDOWN: &str = include_str!("../data/tables.md");

fn document() -> Document {
    let (schedule, all) = with_troubles();
    Document::new(&schedule, &all)
}

#[test]
fn the_tables_look_as_expected() {
    assert_eq!(document().text(), TEXT);
}

#[test]
fn the_page_looks_as_expected() {
    assert_eq!(document().markdown(), MARKDOWN);
}

/// Two bots that have not met a third have no ratings with it. Without matches there are none.
#[test]
fn without_ratings_the_tables_say_why() {
    let schedule = schedule(3, 1);
    let mut some = Results::none(schedule.matches());
    let text = |results: &Results| Document::new(&schedule, results).text();
    let none = text(&some);
    assert!(
        none.contains("No ratings: no match that counts has been played.\n"),
        "{none}"
    );
    some.add(result(&schedule.matches()[0], Out::Drawn))
        .unwrap();
    let apart = text(&some);
    assert!(
        apart.contains("No ratings: the bots form 2 groups that never met"),
        "{apart}"
    );
    assert!(
        !apart.contains("Elo ┆") && apart.contains("Crosstable"),
        "{apart}"
    );
}

/// The bot with the most points need not have the best rating. The tables of bots against bots
/// have one order anyway.
#[test]
fn tables_of_bots_against_bots_have_the_order_of_the_standings() {
    let format = Format::Gauntlet {
        challengers: vec![Name::new("a").unwrap()],
        cycles: 1,
    };
    let schedule = Schedule::new(event_of(3, format));
    let all = results(&schedule, |planned| match planned.bots.map(BotIndex::get) {
        [0, 1] => Out::Drawn,
        [1, 0] | [0, _] => Out::Won(Seat::First),
        _ => Out::Won(Seat::Second),
    });
    let text = Document::new(&schedule, &all).text();
    let bots = |title: &str| {
        let (_, table) = text.split_once(&format!("\n{title}")).unwrap();
        let rows = table.lines().skip(1).take_while(|line| !line.is_empty());
        let bots = rows.filter_map(|row| row.split(['│', '┆']).nth(2));
        bots.map(str::trim).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(bots("Standings"), "bot a b c");
    // A rating stands in the row of its bot, wherever that is.
    let elo = |bot: &str| {
        let name = format!("┆ {bot} ");
        let row = text.lines().find(|row| row.contains(&name));
        let elo = row.unwrap().split(['│', '┆']).nth(6).unwrap();
        elo.trim().parse::<f64>().unwrap()
    };
    assert!(elo("b") > elo("a") && elo("a") > elo("c"), "{text}");
    assert_eq!(bots("Crosstable"), "bot a b c");
    assert_eq!(bots("Likelihood of superiority, %"), "bot a b c");
    let (_, matrix) = text.split_once("Likelihood of superiority, %").unwrap();
    let row: Vec<&str> = matrix.lines().nth(4).unwrap().split(['│', '┆']).collect();
    let over_b: f64 = row[4].trim().parse().unwrap();
    assert!(row[2].trim() == "a" && over_b < 50.0, "{row:?}");
}

#[test]
fn the_score_of_a_bye_is_shown_if_there_are_byes() {
    let seeding: Vec<Name> = event(3, 1).bots().to_vec();
    let swiss = Format::Swiss { rounds: 2, seeding };
    let told = "byes: rounds without an opponent, which bring 2 points";
    for (format, is_told) in [(swiss, true), (Format::RoundRobin { cycles: 1 }, false)] {
        let schedule = Schedule::new(event_of(3, format));
        let some = results(&schedule, |_| Out::Drawn);
        let document = Document::new(&schedule, &some);
        assert_eq!(document.text().contains(told), is_told);
        assert_eq!(document.markdown().contains(told), is_told);
    }
}

/// Matches with the same moves and seats are reported, and do not make the errors smaller.
#[test]
fn repeated_matches_are_reported() {
    let text = |cycles, alike: bool| {
        let schedule = schedule(2, cycles);
        let mut all = Results::none(schedule.matches());
        for planned in schedule.matches() {
            let mut result = result(planned, Out::Won(Seat::First));
            let number = planned.number.get();
            let kind = if alike {
                planned.bot(Seat::First).get()
            } else {
                number
            };
            result.moves = Some(MovesDigest::from_bytes([u8::try_from(kind).unwrap(); 32]));
            all.add(result).unwrap();
        }
        Document::new(&schedule, &all).text()
    };
    let (repeated, varied, one) = (text(40, true), text(40, false), text(1, true));
    let note = "a and b repeat themselves: of 80 matches only 2 are distinct";
    assert!(repeated.contains(note), "{repeated}");
    assert!(!varied.contains("repeat themselves"), "{varied}");
    assert!(!one.contains("repeat themselves"), "{one}");

    let column = |text: &str, number: usize| {
        let table = text.split("Standings\n").nth(1).unwrap();
        let row = table.lines().nth(3).unwrap();
        row.split(['│', '┆']).nth(number).unwrap().trim().to_owned()
    };
    let [repeated, varied, one] = [&repeated, &varied, &one].map(|text| column(text, 7));
    assert_eq!(repeated, one, "the errors are those of one encounter");
    assert_ne!(varied, one);
}

/// All pairs of six bots repeat themselves, the later ones more often. Text, page and JSON have the same sums.
#[test]
fn one_note_tells_of_all_pairs_that_repeat_themselves() {
    let schedule = schedule(6, 4);
    let mut all = Results::none(schedule.matches());
    let mut distinct = HashSet::new();
    for planned in schedule.matches() {
        let [first, second] = Seat::BOTH.map(|seat| planned.bot(seat).get());
        // Of the four matches in these seats so many are alike.
        let alike = u32::try_from(first + second).unwrap().min(4);
        let cycle = planned.slot.cycle;
        let kind = u8::try_from(if cycle <= alike { 1 } else { cycle }).unwrap();
        let mut result = result(planned, Out::Drawn);
        result.moves = Some(MovesDigest::from_bytes([kind; 32]));
        distinct.insert((first, second, kind));
        all.add(result).unwrap();
    }
    let overview = Overview::new(&schedule, &all);
    let json = JsonTables::new(&overview, &ThinkingTime::default(), None, Vec::new()).text();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let pairs = json["repeats"].as_array().unwrap();
    let sum = |key: &str| -> u64 { pairs.iter().map(|pair| pair[key].as_u64().unwrap()).sum() };
    // But for a and b, of whose matches one in each seat is alike to no other.
    assert_eq!((pairs.len(), sum("matches")), (14, 14 * 8));
    assert_eq!(sum("unique"), distinct.len() as u64 - 8);
    let start = format!(
        "14 pairs of bots repeat themselves: of 112 matches only {} are distinct, and the errors are computed from \
         those. Distinct matches of the 10 with the most copies: a and e 2 of 8, ",
        sum("unique")
    );
    let parts = live_tables(
        &overview,
        &AllMatchDetails::default(),
        &LuckFigures::Unmentioned,
    );
    let standings = parts.into_iter().find(|(name, _)| *name == "standings");
    for text in [Document::new(&schedule, &all).text(), standings.unwrap().1] {
        assert_eq!(text.matches("repeat themselves").count(), 1, "{text}");
        let (_, named) = text.split_once(&start).expect(&text);
        let named = named.split('.').next().unwrap();
        assert_eq!(named.split(", ").count(), 9, "{named}");
        assert!(!named.contains("a and c"), "{named}");
    }
}

/// Bots of the same strength have a rating of zero, which has no sign.
#[test]
fn a_rating_of_zero_has_no_sign() {
    let schedule = schedule(2, 1);
    let all = results(&schedule, |_| Out::Drawn);
    let overview = Overview::new(&schedule, &all);
    let lines = scoreboard(&overview, 12);
    assert_eq!(lines[1].split_whitespace().nth(4), Some("0"), "{lines:?}");
    let parts = live_tables(
        &overview,
        &AllMatchDetails::default(),
        &LuckFigures::Unmentioned,
    );
    for (name, part) in parts {
        assert!(
            !part.contains("+0") && !part.contains("−0"),
            "{name}: {part}"
        );
        assert_eq!(part.contains("<td>0.0</td>"), name == "standings", "{part}");
    }
}

/// Lines of a paragraph in Markdown would become one.
#[test]
fn the_lines_of_a_sequential_test_stay_apart_in_markdown() {
    let test = Sprt::new(Model::Logistic, [-50.0, 50.0], 0.1, 0.1).unwrap();
    let format = Format::Sprt {
        test,
        max_encounters: 3,
    };
    let (schedule, all) = play(&event_of(2, format), |_| Out::Drawn);
    let document = Document::new(&schedule, &all);
    let markdown = document.markdown();
    let (_, block) = markdown.split_once("\n\n```text\n").expect(&markdown);
    let (block, _) = block.split_once("\n```\n\n").unwrap();
    assert!(block.starts_with("a against b: 3 encounters"), "{block}");
    assert!(block.lines().count() > 3, "{block}");
    assert!(document.text().contains(&format!("\n\n{block}\n\n")));
}

#[test]
fn equals_share_a_place() {
    let schedule = schedule(2, 1);
    let text = Document::new(&schedule, &results(&schedule, |_| Out::Drawn)).text();
    assert!(text.contains("│ 1= ┆ a"), "{text}");
    assert!(text.contains("│ 1= ┆ b"), "{text}");
}

#[test]
fn the_schedule_is_written_round_by_round() {
    let mut out = Vec::new();
    write_schedule(&mut out, &schedule(3, 2)).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "demo: 3 bots, 6 rounds, 6 encounters, 12 matches");
    assert_eq!(lines[2], "cycle 1, round 1 (bye: a)");
    assert_eq!(lines[3], "demo/c1/r1/p1/m1  b - c");
    assert_eq!(lines.len(), 1 + 6 * 4);
}

/// Keeps everything written to it.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn progress_is_one_line_per_match() {
    let schedule = schedule(2, 1);
    let paper = Paper::default();
    let mut progress = Progress::lines(Box::new(paper.clone()));
    let [first, second] = schedule.matches() else {
        panic!("two bots meet twice")
    };
    let mut all = Results::none(schedule.matches());
    progress.resumed(&schedule, &all, AllMatchDetails::default());
    all.add(result(first, Out::Drawn)).unwrap();
    progress.resumed(&schedule, &all, AllMatchDetails::default());
    all.add(result(second, Out::Drawn)).unwrap();
    progress.resumed(&schedule, &all, AllMatchDetails::default());
    let mut over = played(second);
    over.faults = vec![Fault {
        seat: Seat::Second,
        kind: FaultKind::Crash,
        detail: "it is\u{1b}[2J no more".to_owned(),
    }];
    progress.finished(&schedule, second, &over, &all);
    progress.close(&schedule, &all);
    let text = String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
    assert_eq!(
        text,
        "1 match was played before; going on\n\
         2 matches were played before; none is left\n\
         demo/c1/r1/p1/m2: fault of a: crash: it is\u{fffd}[2J no more\n\
         [2/2] demo/c1/r1/p1/m2: b 3-1 a, b won (normal)\n"
    );
}

#[test]
fn a_line_of_progress_names_the_winner() {
    let schedule = schedule(2, 1);
    let planned = &schedule.matches()[0];
    let paper = Paper::default();
    let mut progress = Progress::lines(Box::new(paper.clone()));
    let results = Results::none(schedule.matches());
    for (winner, termination) in [
        (Some(Seat::Second), Ending::By(Termination::Resignation)),
        (None, Ending::Adjudicated),
        (None, Ending::By(Termination::Aborted)),
    ] {
        let mut over = played(planned);
        (over.winner, over.termination, over.score) = (winner, termination, [0, 0]);
        progress.finished(&schedule, planned, &over, &results);
    }
    let text = String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
    assert_eq!(
        text,
        "[0/2] demo/c1/r1/p1/m1: a 0-0 b, b won (resignation)\n\
         [0/2] demo/c1/r1/p1/m1: a 0-0 b, drawn (adjudicated)\n\
         [0/2] demo/c1/r1/p1/m1: a 0-0 b, void (aborted)\n"
    );
}

/// The figures of the table, on one scale from the lowest end to the highest.
#[test]
fn the_scoreboard_draws_the_intervals() {
    let (schedule, results) = with_troubles();
    let lines = scoreboard(&Overview::new(&schedule, &results), 12);
    assert_eq!(
        lines,
        [
            "   #  bot                 points score %     Elo   ± 95 %",
            "  1   c                      2.0    66.7    +101      299         ├─────●──────┤",
            "  2   b                      1.5    50.0     +27      286       ├──────●─────┤",
            "  3   a                      0.5    25.0    -129      373  ├───────●────────┤",
        ]
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 80));
    let few = scoreboard(&Overview::new(&schedule, &results), 2);
    assert_eq!((few.len(), &*few[3]), (4, "      and 1 more"));
    let none = Results::none(schedule.matches());
    let nothing = scoreboard(&Overview::new(&schedule, &none), 12);
    assert_eq!(
        nothing[1],
        "  1=  a                      0.0       –       –        –"
    );
}
