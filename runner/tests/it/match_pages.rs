//! Match pages: their drawings agree with the notation of the positions.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::time::Duration;

use dragontooth_games::chance::{Draws, Seed};
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::record::{GameRecord, MatchRecord, RecordStep, Thinking, ThinkingValue};
use dragontooth_games::{Seat, catalogue};
use dragontooth_runner_report::{MatchSources, Playback, match_page, selected};
use dragontooth_runner_tournament::{Ending, Fault, FaultKind, Results};
use dragontooth_service_vocabulary::Termination;
use serde_json::Value;

use crate::contrast::contrast;
use crate::fixture::{Out, result, schedule};
use crate::markup::elements;

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>";

/// A match of the game with random legal actions.
pub(crate) fn record(game: &str, seed: &str) -> MatchRecord {
    let mut play = catalogue::find(game).unwrap().new_match(None, 3).unwrap();
    let seed = Seed::from_text(seed);
    let draws = Draws::new(seed, String::new(), [String::new(), String::new()]);
    let mut record = MatchRecord {
        game: game.to_owned(),
        variant: play.variant().to_owned(),
        target: 3,
        players: [HOSTILE.to_owned(), "b".to_owned()],
        ..MatchRecord::default()
    };
    let mut choice = 1_usize;
    loop {
        match play.step() {
            Step::Deal => {
                let start = play.deal(&mut draws.deal(play.game_number() + 1));
                play.begin_game(&start).unwrap();
                record.games.push(GameRecord {
                    start,
                    steps: Vec::new(),
                    thinking: BTreeMap::new(),
                    outcome: None,
                });
            }
            Step::Score(outcome) => {
                play.score_game().unwrap();
                record.games.last_mut().unwrap().outcome = Some(outcome.into());
            }
            Step::Over { .. } => return record,
            Step::Decide(_) | Step::Pass(_) | Step::Chance => {
                let step = next_step(&mut *play, &draws, &mut choice);
                record.games.last_mut().unwrap().steps.push(step);
            }
        }
    }
}

fn next_step(play: &mut dyn Match, draws: &Draws, choice: &mut usize) -> RecordStep {
    match play.step() {
        Step::Decide(seat) => {
            *choice = choice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695);
            let legal = play.legal_actions();
            let action = play.play(&legal[(*choice >> 33) % legal.len()]).unwrap();
            RecordStep::Action { seat, action }
        }
        Step::Pass(seat) => {
            play.pass().unwrap();
            RecordStep::Pass { seat }
        }
        Step::Chance => {
            let mut chance = draws.roll(play.game_number(), play.rolls() + 1);
            let roll = play.draw(&mut chance);
            play.roll(&roll).unwrap();
            RecordStep::Roll { roll }
        }
        Step::Deal | Step::Score(_) | Step::Over { .. } => panic!("a step of a game is due"),
    }
}

pub(crate) fn page(record: &MatchRecord) -> String {
    match_page(&MatchSources {
        title: HOSTILE,
        record,
        outcome: HOSTILE,
        thinking: &[Duration::from_millis(1234)],
        faults: &[Fault {
            seat: Seat::First,
            kind: FaultKind::Time,
            detail: HOSTILE.to_owned(),
        }],
        report: "../report.html",
        neighbours: [None, Some("c1-r1-p1-m2.html")],
    })
}

/// The frames of a page's script.
fn frames(page: &str) -> Vec<Value> {
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    data["frames"].as_array().unwrap().clone()
}

/// The pieces of a frame: glyph and place.
fn pieces(frame: &Value) -> Vec<(String, f64, f64)> {
    let text = frame["pieces"].as_str().unwrap();
    let piece = |text: &str| {
        let parts: Vec<&str> = text.split(' ').collect();
        let [glyph, x, y] = parts[..] else {
            panic!("{text}")
        };
        (glyph.to_owned(), x.parse().unwrap(), y.parse().unwrap())
    };
    text.split(';').map(piece).collect()
}

/// The pieces of both sides in a position's notation, with stacks counted once.
fn counted(game: &str, position: &str) -> usize {
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).count();
    match game {
        "kamisado" | "tzaar" => letters(position.split(' ').next().unwrap()),
        "linja" => {
            let board = position.split(' ').next().unwrap();
            let counts = board.split(['/', ',']);
            counts.map(|count| count.parse::<usize>().unwrap()).sum()
        }
        // Borne off or not, there are fifteen of each.
        _ => 30,
    }
}

#[test]
fn every_position_is_drawn_with_all_its_pieces() {
    for game in catalogue::GAMES {
        let record = record(game.name, "one");
        let page = page(&record);
        let (_, board) = page.split_once("viewBox=\"0 0 ").unwrap();
        let size: Vec<f64> = board
            .split('"')
            .next()
            .unwrap()
            .split(' ')
            .map(|side| side.parse().unwrap())
            .collect();
        let frames = frames(&page);
        let steps: usize = record.games.iter().map(|game| game.steps.len() + 1).sum();
        assert_eq!(frames.len(), steps, "{}", game.name);
        // The glyphs of pieces in each game. Other glyphs are counts, dice, cubes and marks.
        let is_piece = |glyph: &str| glyph.starts_with(['k', 'p', 'u', 'c']);
        let mut seen = HashSet::new();
        for frame in &frames {
            let pieces = pieces(frame);
            let drawn = pieces.iter().filter(|(glyph, ..)| is_piece(glyph)).count();
            let position = frame["position"].as_str().unwrap();
            assert_eq!(drawn, counted(game.name, position), "{position}");
            for (glyph, x, y) in pieces {
                assert!((0.0..=size[0]).contains(&x) && (0.0..=size[1]).contains(&y));
                seen.insert(glyph);
            }
            assert_ne!(frame["status"], "", "{position}");
        }
        for glyph in seen {
            let defined = page.matches(&format!("<g id=\"{glyph}\">")).count();
            assert_eq!(defined, 1, "{} has {glyph}", game.name);
        }
    }
}

/// Places on the boards, computed by hand: Kamisado's squares are 46 wide, starting at 22, 4.
#[test]
fn pieces_are_drawn_in_their_places() {
    let kamisado = frames(&page(&record("kamisado", "one")));
    let start = pieces(&kamisado[0]);
    for (glyph, file, rank) in [("k0b", 0.0, 0.0), ("k0o", 7.0, 0.0), ("k1o", 0.0, 7.0)] {
        let place = (22.0 + 46.0 * (file + 0.5), 4.0 + 46.0 * (7.5 - rank));
        assert!(
            start.contains(&(glyph.to_owned(), place.0, place.1)),
            "{start:?}"
        );
    }
    let backgammon = frames(&page(&record("backgammon", "one")));
    let start = pieces(&backgammon[0]);
    // Two of seat first's checkers on its 24 point, the rightmost of the upper half; five on 6.
    let at = |seat: &str, x: f64, upper: bool| {
        let here = start.iter().filter(|(glyph, place, y)| {
            glyph == seat && (place - x).abs() < 1.0 && (*y < 187.0) == upper
        });
        here.count()
    };
    let column = |place: f64| 44.0 + 6.0 * 32.0 + 36.0 + (place + 0.5) * 32.0;
    assert_eq!(
        [at("c0", column(5.0), true), at("c1", column(5.0), false)],
        [2, 2]
    );
    assert_eq!(
        [at("c0", column(0.0), false), at("c1", column(0.0), true)],
        [5, 5]
    );
}

/// A step marks its cells: in TZAAR and Kamisado those of its notation.
#[test]
fn a_step_marks_what_it_changes() {
    for frame in &frames(&page(&record("tzaar", "two")))[1..] {
        let marks = frame["marks"].as_str().unwrap();
        let step = frame["step"].as_str().unwrap();
        let expected = if step.ends_with("start") || step.ends_with(" -") {
            0
        } else {
            2
        };
        let marked = marks.split(';').filter(|mark| !mark.is_empty()).count();
        assert_eq!(marked, expected, "{step}: {marks}");
    }
}

/// A mark is seen on every colour of Kamisado: one of its lines has the contrast of 3 to 1 that WCAG 2.2 asks for
/// (1.4.11).
#[test]
fn a_mark_stands_out_on_every_square() {
    let page = page(&record("kamisado", "one"));
    let colours = |text: &str, attribute: &str| -> HashSet<String> {
        let start = format!(" {attribute}=\"#");
        let parts = text.split(&start).skip(1);
        let parts = parts.map(|part| part.split('"').next().unwrap().to_owned());
        parts.collect()
    };
    let (_, mark) = page.split_once("<g id=\"mark\">").unwrap();
    let lines = colours(mark.split_once("</g>").unwrap().0, "stroke");
    let (_, ground) = page.split_once("</defs>").unwrap();
    let squares = ground.split("<rect ").skip(1).take(64);
    let squares: HashSet<String> = squares
        .flat_map(|square| colours(square.split('>').next().unwrap(), "fill"))
        .collect();
    assert_eq!(squares.len(), 8);
    for square in squares {
        let contrasts = lines.iter().map(|line| contrast(line, &square));
        let best = contrasts.fold(0.0, f64::max);
        assert!(best >= 3.0, "{best} on #{square}");
    }
}

#[test]
fn texts_cannot_break_out_of_a_page() {
    let mut record = record("linja", "three");
    let whole = page(&record);
    let names = elements(&whole);
    assert!(!names.contains(&"img".to_owned()));
    assert_eq!(names.iter().filter(|name| *name == "script").count(), 2);
    assert!(whole.contains("1.23 s"));
    // A step against the rules ends the playback, is reported, and is escaped too.
    record.games[0].steps[2] = RecordStep::Action {
        seat: Seat::First,
        action: HOSTILE.to_owned(),
    };
    let broken = page(&record);
    assert!(!elements(&broken).contains(&"img".to_owned()));
    assert_eq!(frames(&broken).len(), 3);
    assert!(broken.contains("The record cannot be shown any further: game 1: "));
    record.games.clear();
    assert!(page(&record).contains("Nothing was played in this match."));
}

/// Gives the first actions of a game these chances of the first seat, as the seat that acts sees them.
pub(crate) fn think(game: &mut GameRecord, chances: &[f64]) {
    let steps = game.steps.iter().enumerate();
    let actions = steps.filter_map(|(index, step)| match step {
        RecordStep::Action { seat, .. } => Some((index, *seat)),
        RecordStep::Pass { .. } | RecordStep::Roll { .. } => None,
    });
    let mut given = 0;
    for ((index, seat), first) in actions.zip(chances) {
        let own = if seat == Seat::First {
            *first
        } else {
            1.0 - first
        };
        let value = ThinkingValue::win_probability(own).unwrap();
        let mut thinking = Thinking::new(Some(value), Some(7), None);
        thinking.push_tag("net", HOSTILE).unwrap();
        game.thinking.insert(index, thinking);
        given += 1;
    }
    assert_eq!(given, chances.len());
}

/// Both favour the first seat, then they disagree, then both favour the second, to the end.
#[test]
fn the_thoughts_of_both_players_are_drawn() {
    let mut record = record("linja", "three");
    assert!(!page(&record).contains("What the players thought"));
    think(&mut record.games[0], &[0.6, 0.6, 0.9, 0.2, 0.1, 0.1]);
    let page = page(&record);
    assert!(!elements(&page).contains(&"img".to_owned()));
    assert!(page.contains("What the players thought"));
    assert_eq!(page.matches("<polyline class=\"course c").count(), 2);
    assert_eq!(page.matches("class=\"disagreement\"").count(), 1);
    assert!(page.contains("changed sides for the rest of a game at action "));
    let first = frames(&page)[1]["thoughts"].as_str().unwrap().to_owned();
    assert_eq!(first, format!("Thinks: win 0.6, depth 7; net: {HOSTILE}"));
}

/// Both disagree at the end of a game, and agree at the start of the next, in which each of them acts once.
#[test]
fn the_thoughts_of_a_game_end_with_it() {
    let mut record = record("kamisado", "one");
    let [first, second, ..] = &mut record.games[..] else {
        panic!("two games")
    };
    think(first, &[0.6, 0.6, 0.9, 0.2]);
    let actions = |game: &GameRecord| {
        let steps = game.steps.iter();
        steps
            .filter(|step| matches!(step, RecordStep::Action { .. }))
            .count()
    };
    assert!(actions(first) > 4);
    second.steps.truncate(2);
    think(second, &[0.5, 0.5]);
    let page = page(&record);
    let value = |element: &str, name: &str| -> f64 {
        let (_, value) = element.split_once(&format!(" {name}=\"")).unwrap();
        value.split('"').next().unwrap().parse().unwrap()
    };
    let drawn = |start: &str| -> Vec<&str> {
        let elements = page.split(start).skip(1);
        elements.map(|one| one.split('>').next().unwrap()).collect()
    };
    let curves = drawn("<polyline class=\"course c");
    assert_eq!(curves.len(), 2, "{curves:?}");
    let last = curves.iter().map(|curve| {
        let (_, points) = curve.split_once("points=\"").unwrap();
        let (x, _) = points.rsplit_once(',').unwrap();
        x.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap()
    });
    let last = last.fold(0.0, f64::max);
    let [shade] = drawn("<rect class=\"disagreement\"")[..] else {
        panic!("{page}")
    };
    let end = value(shade, "x") + value(shade, "width");
    assert!((end - last).abs() < 1.5, "{end} {last}");
    let dots = drawn("<circle class=\"c");
    let dots = dots
        .iter()
        .filter(|dot| value(dot, "cx") > end && value(dot, "r") < 3.0);
    assert_eq!(dots.count(), 2, "a dot for each player in the second game");
}

#[test]
fn a_playback_ends_with_the_score() {
    let record = record("tzaar", "two");
    let playback = Playback::of(&record);
    let last = playback.frames.last().unwrap();
    assert_eq!(playback.fault, None);
    assert!(last.score.contains(&3), "{last:?}");
    // The sides of TZAAR change from game to game.
    let sides: Vec<Seat> = [1, 2]
        .map(|number| {
            let mut frames = playback.frames.iter();
            frames
                .find(|frame| frame.game == number)
                .unwrap()
                .first_side
        })
        .to_vec();
    assert_eq!(sides, [Seat::First, Seat::Second]);
}

#[test]
fn matches_with_faults_get_pages_first() {
    let schedule = schedule(3, 1);
    let mut all = Results::none(schedule.matches());
    for planned in schedule.matches() {
        let mut result = result(planned, Out::Won(Seat::First));
        if planned.number.get() == 3 {
            result.termination = Ending::By(Termination::Timeout);
            result.faults = vec![(Seat::Second, FaultKind::Time)];
        }
        all.add(result).unwrap();
    }
    let files = |pages| {
        let chosen = selected(&schedule, &all, pages).into_iter();
        chosen.map(|one| one.file).collect::<Vec<_>>()
    };
    assert_eq!(files(1), ["c1-r2-p1-m2.html"]);
    assert_eq!(
        files(3),
        ["c1-r1-p1-m1.html", "c1-r1-p1-m2.html", "c1-r2-p1-m2.html"]
    );
    assert_eq!([files(0).len(), files(100).len()], [0, 6]);
}
