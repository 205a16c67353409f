use std::time::Duration;

use super::place::Place;
use super::{LATE_COSTS, PRESENT};
use crate::command_line::call;

#[test]
fn excessive_memory_is_reported() {
    // It keeps all of a line that never ends.
    let script = "head -c 1000000000 /dev/zero | tail -n 1 | sleep 1000";
    let limits = format!("{PRESENT}\nstart_failure = 'forfeit'");
    let place = Place::new(script, "memory_mib = 64", &limits);
    let played = place.run(LATE_COSTS);
    played.lost_by(&["resources"]);
    let detail = played.results[0]["faults"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("MiB of memory, over the limit of 64 MiB"),
        "{detail}"
    );
    for end in place.ends().iter().filter(|end| !end["exceeded"].is_null()) {
        assert!(end["peak_kib"].as_u64().unwrap() > 64 * 1024, "{end}");
    }
    let (_, table, _) = call(place.path(), &["table", "runs/cup"]);
    assert!(table.contains("\nPrograms\n"), "{table}");
}

#[test]
fn excessive_processor_time_is_reported() {
    let script = "(while :; do :; done) & while :; do :; done";
    let limits = "join_ms = 20000\nstart_failure = 'forfeit'";
    let place = Place::new(script, "cpu_s = 1", limits);
    place.run(Duration::from_secs(20)).lost_by(&["resources"]);
    let ends = place.ends();
    assert!(ends.len() > 1, "{ends:?}");
    for end in ends.iter().filter(|end| !end["exceeded"].is_null()) {
        let cpu_ms = end["cpu_ms"].as_u64().unwrap();
        assert!((1000..3000).contains(&cpu_ms), "{end}");
        assert_eq!(end["bot"], "bad");
    }
}

/// Children that nobody waits for are counted, too.
#[test]
fn processor_time_of_short_lived_children_is_counted() {
    let script = "trap '' CHLD\n\
        while :; do sh -c 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done'; done";
    let limits = "join_ms = 20000\nstart_failure = 'forfeit'";
    let place = Place::new(script, "cpu_s = 1", limits);
    place.run(Duration::from_secs(20)).lost_by(&["resources"]);
    let ends = place.ends();
    for end in ends.iter().filter(|end| !end["exceeded"].is_null()) {
        let cpu_ms = end["cpu_ms"].as_u64().unwrap();
        assert!((1000..4000).contains(&cpu_ms), "{end}");
    }
}

#[test]
fn too_many_processes_are_reported() {
    let script = "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; wait";
    let limits = "join_ms = 20000\nstart_failure = 'forfeit'";
    let place = Place::new(script, "processes = 5", limits);
    let played = place.run(LATE_COSTS);
    played.lost_by(&["resources"]);
    let detail = played.results[0]["faults"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("processes, over the limit of 5"),
        "{detail}"
    );
}

#[test]
fn a_full_folder_is_reported() {
    let script = "head -c 6000000 /dev/zero > a; head -c 6000000 /dev/zero > b; sleep 1000";
    let limits = "join_ms = 20000\nstart_failure = 'forfeit'";
    let place = Place::new(script, "cwd = 'own'\ndisk_mib = 8", limits);
    let played = place.run(LATE_COSTS);
    played.lost_by(&["resources"]);
    let detail = played.results[0]["faults"][0]["detail"].as_str().unwrap();
    let told = "its working folder has more than the limit of 8 MiB";
    assert!(detail.contains(told), "{detail}");
}
