//! Thoughts of an engine, with its action and before it.

use dragontooth_bots::Choice;
use dragontooth_bots_engines::stdio::{EngineMatch, FromEngine};
use dragontooth_games::record::{Thinking, ThinkingValue};

use super::{LONG, ask, engines, terms};

/// Plays a decision with an engine that writes these lines. Returns its thoughts and the notes.
fn thoughts(lines: &[&str]) -> (Option<Thinking>, Vec<String>) {
    let says = format!("say '{}'; ", lines.join("'; say '"));
    let cases = format!("*'\"type\":\"go\"'*) {says};;\n");
    let (engines, notes, _folder) = engines(&cases);
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    let answer = ask(&mut playing, 1, LONG).unwrap();
    assert_eq!(answer, Choice::Action("a1a7".to_owned()));
    let thinking = playing.take_thinking();
    assert_eq!(playing.take_thinking(), None);
    drop(playing);
    engines.close();
    let notes = notes.lock().unwrap().clone();
    (thinking, notes)
}

fn info(thinking: &str) -> String {
    format!(r#"{{"type":"info","match":"m","decision":1,"text":"so far","thinking":{thinking}}}"#)
}

fn best(thinking: &str) -> String {
    format!(
        r#"{{"type":"bestaction","match":"m","decision":1,"action":"a1a7","thinking":{thinking}}}"#
    )
}

const BARE: &str = r#"{"type":"bestaction","match":"m","decision":1,"action":"a1a7"}"#;

fn of_depth(depth: u32) -> Thinking {
    Thinking::new(None, Some(depth), None)
}

#[test]
fn the_last_thoughts_before_an_action_count_unless_it_has_its_own() {
    let (one, two) = (info(r#"{"depth":1}"#), info(r#"{"depth":2}"#));
    let other = r#"{"type":"info","match":"m","decision":9,"thinking":{"depth":9}}"#;
    assert_eq!(thoughts(&[BARE]), (None, vec![]));
    assert_eq!(
        thoughts(&[&one, &two, other, BARE]),
        (Some(of_depth(2)), vec![])
    );
    let own = best(r#"{"depth":3,"unknown":[]}"#);
    assert_eq!(thoughts(&[&one, &own]), (Some(of_depth(3)), vec![]));
}

#[test]
fn every_part_is_read() {
    let all = r#"{"seat":"first","points":-1.5,"depth":7,"nodes":12,"time_ms":250,"line":["a1a7","b8"],"tags":{"net":"v2"}}"#;
    let value = ThinkingValue::points(-1.5).unwrap();
    let mut expected = Thinking::new(Some(value), Some(7), Some(12));
    expected
        .set_time(std::time::Duration::from_millis(250))
        .unwrap();
    expected.push_line("a1a7").unwrap();
    expected.push_line("b8").unwrap();
    expected.push_tag("net", "v2").unwrap();
    let line = best(all);
    assert_eq!(thoughts(&[&line]), (Some(expected), vec![]));
    // An engine in Rust writes what is read.
    let message = FromEngine::read(line.as_bytes()).unwrap();
    let mut written = Vec::new();
    message.write(&mut written);
    assert_eq!(FromEngine::read(&written), Ok(message));
}

/// The action counts whatever is wrong with the thoughts, and the engine gets the name of the field.
#[test]
fn thoughts_that_break_a_rule_cost_no_action() {
    let long = format!(r#"{{"line":["{}"]}}"#, "x".repeat(129));
    for (thinking, field) in [
        (r#"{"win_probability":NaN}"#, "win_probability"),
        (r#"{"points":1e999}"#, "points"),
        (r#"{"points":-1.5E+999}"#, "points"),
        (r#"{"win_probability":-nan}"#, "win_probability"),
        (r#"{"points":-Infinity}"#, "points"),
        (r#"{"points":inf}"#, "points"),
        (r#"{"win_probability":1.5}"#, "win_probability"),
        (r#"{"win_probability":0.5,"points":0}"#, "points"),
        (r#"{"depth":-1}"#, "depth"),
        (r#"{"depth":4294967296}"#, "depth"),
        (r#"{"nodes":1.5}"#, "nodes"),
        (r#"{"time_ms":"long"}"#, "time_ms"),
        (r#"{"time_ms":2592000001}"#, "time_ms"),
        (&long, "line"),
        (r#"{"line":"a1a7"}"#, "line"),
        (r#"{"line":["NaN",NaN]}"#, "line"),
        (r#"{"tags":{"n":1}}"#, "tags"),
        (r#"{"seat":"second"}"#, "seat"),
        (r#"{"seat":"third"}"#, "seat"),
    ] {
        let expected = format!(": thinking.{field}: ");
        for lines in [vec![best(thinking)], vec![info(thinking), BARE.to_owned()]] {
            let lines: Vec<_> = lines.iter().map(String::as_str).collect();
            let (found, notes) = thoughts(&lines);
            assert_eq!(found, None, "{thinking}");
            assert_eq!(notes.len(), 1, "{thinking}: {notes:?}");
            assert!(notes[0].contains(&expected), "{thinking}: {notes:?}");
        }
    }
    let (found, notes) = thoughts(&[&best("7")]);
    assert!(found.is_none() && notes[0].contains("it is not an object"));
}

/// A `NaN` inside a text stays there, and elsewhere it does not become a number.
#[test]
fn only_numbers_outside_of_texts_are_replaced() {
    let read = |line: &str| FromEngine::read(line.as_bytes());
    let text = r#"{"type":"bestaction","match":"\"NaN","decision":1,"action":"NaN","thinking":{"points":NaN}}"#;
    let Ok(FromEngine::BestAction { to, action, .. }) = read(text) else {
        panic!("it is an action");
    };
    assert_eq!((&*to.match_id, &*action), ("\"NaN", "NaN"));
    assert!(read(r#"{"type":"bestaction","match":"m","decision":NaN,"action":"a"}"#).is_err());
    assert!(read(r#"{"type":NaN}"#).is_err());
    assert!(read(r#"{"type":"info","text":"NaN"#).is_err());
    assert!(read("{\"type\":\"readyok\",\"x\":Infinity}").is_ok());
}
