use serde_json::json;

use super::run::{FIRST, Run, assert_found, read};

/// A way to forge.
type Change<'a> = &'a dyn Fn(&str) -> String;

#[tokio::test(flavor = "multi_thread")]
async fn every_changed_header_of_a_record_is_found() {
    let run = Run::of_backgammon().await;
    let headers: Vec<String> = read(&run.games())[0]["record"]
        .as_str()
        .unwrap()
        .lines()
        .take_while(|line| line.starts_with('['))
        .map(str::to_owned)
        .collect();
    assert_eq!(headers.len(), 13);
    for header in &headers {
        let (name, value) = header[1..].split_once(" \"").unwrap();
        let value = value.strip_suffix("\"]").unwrap();
        let digit = if value.starts_with('1') { "2" } else { "1" };
        let changed_value = match name {
            "Game" => "kamisado".to_owned(),
            "Variant" => "money".to_owned(),
            "SeedGiven" => "no".to_owned(),
            _ => format!("{digit}{}", &value[1..]),
        };
        let changed_header = format!("[{name} \"{changed_value}\"]");
        let found = run.changed_record(|text| text.replacen(header, &changed_header, 1));
        assert!(
            found.iter().any(|one| one.contains(name)) || name.ends_with("Seed"),
            "{name}: {found:?}"
        );
        // A player's seed is nowhere else, but the dice follow from it.
        if ["FirstSeed", "SecondSeed"].contains(&name) {
            assert!(found[0].contains("the seeds give"), "{found:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_changed_step_of_a_record_is_found() {
    let run = Run::of_backgammon().await;
    let text = read(&run.games())[0]["record"].as_str().unwrap().to_owned();
    let steps: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Game"))
        .collect();

    // The digest in the result reveals it, unless it is changed too.
    let swapped = steps[2].replace("first", "second");
    let found = run.changed_line(&run.games(), 0, |line| {
        line["record"] = json!(text.replacen(steps[2], &swapped, 1));
    });
    assert!(
        found[0].contains("the digest of what was played is"),
        "{found:?}"
    );

    let found = run.changed_record(|text| text.replacen(steps[2], &swapped, 1));
    assert_found(&found, &[FIRST, "step 2 of game 1", "does not decide here"]);
    let found = run.changed_record(|text| text.replacen(&format!("{}\n", steps[2]), "", 1));
    assert_found(&found, &[FIRST, "expected action 1"]);
    let roll = steps[1];
    assert!(roll.contains("roll   "), "{roll}");
    let other = if roll.ends_with("21") {
        "     roll   31"
    } else {
        "     roll   21"
    };
    let found = run.changed_record(|text| text.replacen(roll, other, 1));
    assert_found(&found, &[FIRST, "roll 1 of the match", "the seeds give"]);
    let action = steps
        .iter()
        .find(|step| step.contains('/') && step.contains(". "))
        .unwrap();
    let (who, _) = action.rsplit_once("  ").unwrap();
    let found = run.changed_record(|text| text.replacen(action, &format!("{who}  24/1"), 1));
    assert!(found[0].contains("against the rules"), "{found:?}");
    let start = steps[0];
    let found =
        run.changed_record(|text| text.replacen(start, &start.replace(":0:0:0:", ":0:0:1:"), 1));
    assert!(found[0].contains("game 1 started from"), "{found:?}");
    let last = *steps.last().unwrap();
    assert!(last.contains(" wins "), "{last}");
    let found = run.changed_record(|text| text.replacen(last, "first wins 64", 1));
    assert_found(&found, &[FIRST, "the recorded outcome is wrong"]);
    let found = run.changed_record(|text| text.replacen(last, "", 1));
    assert_found(&found, &[FIRST, "the recorded outcome is wrong"]);
    let found = run.changed_record(|text| format!("{text}nonsense\n"));
    assert_found(
        &found,
        &[FIRST, "the record of what was played cannot be read: line"],
    );
}

/// Readers of other programs may take the other one of two headers, or show one that this one ignores.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_the_runner_would_write_otherwise_is_found() {
    let run = Run::of_backgammon().await;
    let before = |place: &'static str, added: &'static str| {
        move |text: &str| text.replacen(place, &format!("{added}{place}"), 1)
    };
    let swapped = |text: &str| {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let first = lines.iter().position(|line| line.starts_with("[First "));
        let first = first.unwrap();
        lines.swap(first, first + 1);
        lines.concat()
    };
    let forged: [(Change<'_>, &str); 8] = [
        (
            &before("[Result ", "[Result \"first 9-0 normal\"]\n"),
            "line 13 is \"[Result \\\"first 9-0 normal\\\"]\\n\"",
        ),
        (
            &before("[First ", "[First \"evil\"]\n"),
            "line 6 is \"[First \\\"evil",
        ),
        (
            &before("[Date ", "[Note \"<script>\"]\n"),
            "line 8 is \"[Note \\\"<script>",
        ),
        (&swapped, "line 6 is \"[Second "),
        (&before("\nGame 1: ", "\n"), "line 15 is \"\\n\""),
        (&before("  2. ", "[Note \"\u{7}\"]\n"), "[Note \\\"\\u{7}"),
        (&before("  2. ", " "), "is \"   2. "),
        (&|text| format!("{text}\n"), "is \"\\n\""),
    ];
    for (change, told) in forged {
        let found = run.changed_record(change);
        let form = "the record is not written as the runner writes it: line ";
        assert_found(&found, &[FIRST, form, told]);
    }
    let long = format!("[Note \"{}\"]\n[Date ", "x".repeat(999));
    let found = run.changed_record(|text| text.replacen("[Date ", &long, 1));
    assert!(found[0].len() < 200, "{found:?}");
}
