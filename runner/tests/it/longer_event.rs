//! An event with more cycles than its run has played.

use std::fs;

use crate::command_line::{EVENT, Place, start, wait_for_matches};

/// The reports of the shorter event are those of the longer one before it is played on.
#[test]
fn a_longer_event_that_is_killed_is_verified() {
    let event = |cycles: u32| {
        format!(
            "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\ncycles = {cycles}\n\
             [service]\ndirect = true\n\
             [[bot]]\nname = 'a'\nbuiltin = 'random'\n[[bot]]\nname = 'b'\nbuiltin = 'greedy'\n"
        )
    };
    let place = Place::new(&event(2));
    assert_eq!(place.output(&["run", "cup.toml"]).0, 0);
    fs::write(place.path().join("cup.toml"), event(1000)).unwrap();
    // The second run finds the event as long as it is.
    for _ in 0..2 {
        play_on_and_verify(&place);
        let cover = fs::read_to_string(place.path().join("runs/cup/report.json")).unwrap();
        assert!(cover.contains("\"results\": 4,"), "{cover}");
    }
    // Missing ones are written too, as after a run that was killed before it had written them.
    fs::remove_file(place.path().join("runs/cup/report.json")).unwrap();
    let (code, out, _) = place.output(&["verify", "runs/cup"]);
    assert_eq!(code, 1, "{out}");
    play_on_and_verify(&place);
    let (code, _, err) = place.output(&["run", "cup.toml"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = place.output(&["verify", "runs/cup"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.starts_with("2000 of 2000 matches are over; 2000 of them are verified"),
        "{out}"
    );
}

/// Kills a run that goes on after its first match, and verifies what is there.
fn play_on_and_verify(place: &Place) {
    let mut child = start(place);
    assert!(wait_for_matches(&mut child, 1));
    child.kill().unwrap();
    child.wait().unwrap();
    let (code, out, err) = place.output(&["verify", "runs/cup"]);
    assert_eq!(code, 0, "{out}{err}");
}

/// The matches that are over stay, and the whole is what it would have been from the start.
#[test]
fn more_cycles_continue_a_finished_event() {
    let (short, long) = (
        Place::new(EVENT),
        Place::new(&EVENT.replace("cycles = 3", "cycles = 5")),
    );
    assert_eq!(short.output(&["run", "cup.toml"]).0, 0);
    let before = fs::read_to_string(short.results()).unwrap();
    fs::copy(long.path().join("cup.toml"), short.path().join("cup.toml")).unwrap();
    let (code, out, err) = short.output(&["run", "cup.toml"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("30 of 30 matches played"), "{out}");
    let after = fs::read_to_string(short.results()).unwrap();
    assert!(after.starts_with(&before));
    let (code, straight, err) = long.output(&["run", "cup.toml"]);
    assert_eq!((code, &straight), (0, &out), "{err}");
    let (code, verified, err) = short.output(&["verify", "runs/cup"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        verified.starts_with("30 of 30 matches are over; 30 of them are verified"),
        "{verified}"
    );
    // Back again it is another event.
    fs::write(short.path().join("cup.toml"), EVENT).unwrap();
    let (code, _, err) = short.output(&["run", "cup.toml"]);
    assert_eq!(code, 3, "{err}");
    assert!(
        err.contains(
            "event.cycles is 5 in the folder and 3 in the file (it can be raised, but not lowered)"
        ),
        "{err}"
    );
}
