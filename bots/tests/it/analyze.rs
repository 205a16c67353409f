use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::cli::{program, run};

/// Returns the answers to lines.
fn ask(lines: &str) -> Vec<Value> {
    let run = run(&["analyze"], lines.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    run.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the answer to a question.
fn answer(question: &Value) -> Value {
    let mut answers = ask(&format!("{question}\n"));
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

fn reason(answer: &Value) -> &str {
    answer["error"]["reason"].as_str().unwrap()
}

#[test]
fn tells_what_may_be_played() {
    let answer = answer(&json!({"game": "kamisado"}));
    assert_eq!(answer["position"], "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -");
    assert_eq!(answer["seat"], "first");
    assert_eq!(answer["legal"].as_array().unwrap().len(), 102);
    assert_eq!(answer["passes"], json!([]));
    assert_eq!(answer["outcome"], Value::Null);
    assert_eq!(answer["error"], Value::Null);
    let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 6, "{keys:?}");
}

#[test]
fn plays_the_actions_and_the_passes() {
    // Two passes, no deadlock: the rules page.
    let actions = ["d1d7", "g8a2", "f1f3", "a8a4"];
    let answer = answer(&json!({"game": "kamisado", "actions": actions}));
    assert_eq!(answer["passes"], json!(["--", "--"]));
    assert_eq!(answer["seat"], "first");
    let legal = answer["legal"].as_array().unwrap();
    assert!(
        legal
            .iter()
            .all(|action| action.as_str().unwrap().starts_with("f3")),
        "{legal:?}"
    );
}

#[test]
fn tells_how_a_game_ended() {
    // A deadlock in three actions: the rules page.
    let actions = ["c1a3", "b8h2", "a3e7"];
    let answer = answer(&json!({"game": "kamisado", "actions": actions, "results": true}));
    let outcome = json!({"winner": "second", "points": 1, "reason": "deadlock"});
    assert_eq!(answer["outcome"], outcome);
    assert_eq!(
        (&answer["seat"], &answer["legal"]),
        (&Value::Null, &json!([]))
    );
    assert_eq!(answer["results"], json!([]));
}

#[test]
fn results_stand_beside_the_actions() {
    let question = json!({"game": "kamisado", "actions": ["a1a7"], "results": true});
    let first = answer(&question);
    let (legal, results) = (
        first["legal"].as_array().unwrap(),
        first["results"].as_array().unwrap(),
    );
    assert_eq!(legal.len(), results.len());
    let questions: Vec<String> = legal
        .iter()
        .map(|action| json!({"game": "kamisado", "actions": ["a1a7", action]}).to_string() + "\n")
        .collect();
    let positions: Vec<Value> = ask(&questions.concat())
        .iter()
        .map(|answer| answer["position"].clone())
        .collect();
    assert_eq!(&positions, results);
}

#[test]
fn an_error_in_an_action_describes_the_position_before_it() {
    for (bad, expected, rule) in [
        ("a8a8", "illegal_action", true),
        ("castle", "action_unreadable", false),
    ] {
        let before = answer(&json!({"game": "kamisado", "actions": ["a1a7"]}));
        let mut after = answer(&json!({"game": "kamisado", "actions": ["a1a7", bad, "b8b2"]}));
        assert_eq!(reason(&after), expected);
        assert_eq!(after["error"]["action_index"], 1);
        assert_eq!(after["error"]["rule"].is_string(), rule);
        assert!(after["error"]["message"].as_str().unwrap().contains(bad));
        after["error"] = Value::Null;
        assert_eq!(after, before);
    }
    let actions = ["c1a3", "b8h2", "a3e7", "a8a7"];
    let over = answer(&json!({"game": "kamisado", "actions": actions}));
    assert_eq!(
        (reason(&over), &over["error"]["action_index"]),
        ("game_over", &json!(3))
    );
    assert_eq!(over["outcome"]["reason"], "deadlock");
}

#[test]
fn other_errors_have_no_position() {
    for (question, expected) in [
        (r#"{"game":"chess"}"#, "unknown_game"),
        (r#"{"game":"kamisado","variant":"x"}"#, "unknown_variant"),
        (
            r#"{"game":"kamisado","position":""}"#,
            "position_unreadable",
        ),
        (
            r#"{"game":"kamisado","position":"8/8 b -"}"#,
            "position_unreadable",
        ),
        (r#"{"game":"kamisado","depth":1}"#, "field_invalid"),
        (r#"{"game":"kamisado","actions":"a1a7"}"#, "field_invalid"),
        (r#"{"game":"kamisado","#, "field_invalid"),
        (r#"["kamisado"]"#, "field_invalid"),
        ("", "field_invalid"),
        ("\r", "field_invalid"),
        ("\0", "field_invalid"),
    ] {
        let answers = ask(&format!("{question}\n"));
        let [answer] = &answers[..] else {
            panic!("{question} has {} answers", answers.len());
        };
        assert_eq!(reason(answer), expected, "{question}");
        assert_eq!(answer["error"]["action_index"], Value::Null);
        assert_eq!(
            (&answer["position"], &answer["seat"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(
            (&answer["legal"], &answer["passes"]),
            (&json!([]), &json!([]))
        );
        assert_eq!(answer["outcome"], Value::Null);
    }
}

#[test]
fn an_overlong_text_is_not_said_again_whole() {
    let long = "x".repeat(100_000);
    for question in [
        json!({"game": "kamisado", "actions": [long]}),
        json!({"game": "backgammon", "actions": [long]}),
        json!({"game": "kamisado", "position": long}),
        json!({"game": "kamisado", "variant": long}),
        json!({"game": long}),
        json!({"game": "kamisado", long: 1}),
    ] {
        let answer = answer(&question);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.len() < 500, "{message}");
    }
}

#[test]
fn goes_on_after_a_bad_line() {
    let long = "x".repeat(2 << 20);
    let mut input = b"\xff\xfe\n{\"game\":\"kamisado\",\"actions\":[\"\xff\"]}\n".to_vec();
    input.extend_from_slice(long.as_bytes());
    input.extend_from_slice(b"\n\n{\"game\":\"kamisado\"}");
    let run = run(&["analyze"], &input);
    assert_eq!(run.code, Some(0));
    let answers: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 5);
    assert!(
        answers[..4]
            .iter()
            .all(|answer| reason(answer) == "field_invalid"),
        "{answers:?}"
    );
    assert_eq!(answers[4]["error"], Value::Null);
}

#[test]
fn answers_a_partner_that_waits() {
    let mut child = program(&["analyze"]).spawn().unwrap();
    let mut questions = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for action in ["a1a7", "b1b7"] {
        writeln!(
            questions,
            "{}",
            json!({"game": "kamisado", "actions": [action]})
        )
        .unwrap();
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["seat"], "second");
    }
    drop(questions);
    assert!(child.wait().unwrap().success());
}

#[test]
fn ends_well_when_nobody_reads_any_more() {
    let mut child = program(&["analyze"]).spawn().unwrap();
    let mut questions = child.stdin.take().unwrap();
    drop(child.stdout.take());
    let question = json!({"game": "kamisado"}).to_string() + "\n";
    let _ = questions.write_all(question.as_bytes());
    drop(questions);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}
