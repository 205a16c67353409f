//! The contents of a run's folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dragontooth_games::record::{MatchRecord, Thinking};
use dragontooth_runner::record::Transcript;
use serde_json::Value;

/// The values of lines of JSON.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The records of a run without the parts that differ between runs, in the order of the
/// schedule.
pub(crate) fn records(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let mut records: Vec<Value> = json_lines(&text)
        .into_iter()
        .map(|mut record| {
            let hashes = ["transcript", "service", "head_hash", "previous"];
            for field in ["match_id", "started", "ended", "duration_ms"]
                .into_iter()
                .chain(hashes)
            {
                assert!(record.as_object_mut().unwrap().remove(field).is_some());
            }
            record
        })
        .collect();
    records.sort_by_key(|record| record["title"].to_string());
    records
}

/// The transcripts of a run, by title.
pub(crate) fn transcripts(folder: &Path) -> BTreeMap<String, Transcript> {
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let lines = text
        .lines()
        .map(|line| Transcript::from_line(line.as_bytes()).unwrap());
    lines
        .map(|transcript| (transcript.title().to_owned(), transcript))
        .collect()
}

/// The transcripts of a run, by title, without the parts that differ between runs.
pub(crate) fn games(folder: &Path) -> BTreeMap<String, (MatchRecord, [String; 2])> {
    let read = transcripts(folder).into_iter().map(|(title, transcript)| {
        let (mut record, headers) = transcript.read().unwrap();
        record.date = None;
        for thinking in record
            .games
            .iter_mut()
            .flat_map(|game| game.thinking.values_mut())
        {
            let timed = thinking.clone();
            *thinking = Thinking::new(timed.value, timed.depth, timed.nodes);
            for action in timed.line() {
                thinking.push_line(action).unwrap();
            }
            assert!(timed.time().is_some() && timed.tags().is_empty());
        }
        (title, (record, headers.seeds.players))
    });
    read.collect()
}
