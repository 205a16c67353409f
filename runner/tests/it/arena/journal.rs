use std::fs;
use std::path::Path;

use dragontooth_games::Seat;
use dragontooth_runner::record::{ArenaJournal, Gameplay, Origin, Played, ServiceKind, read_arena};
use dragontooth_runner::reports::export_pgn;
use dragontooth_runner_report::{ArenaTables, arena_page};
use dragontooth_runner_tournament::arena::{
    ArenaRules, ArenaState, Contender, LegResult, RatingHistory,
};
use dragontooth_runner_tournament::{
    Ending, Event, Fault, FaultKind, Format, GameCounts, Leg, MatchRules, Name,
};
use dragontooth_service_vocabulary::{BuildText, MatchId, Termination};

use crate::documented::{ARENA, assert_described, keys};
use crate::recorded::json_lines;

const SEGMENT_BYTES: u64 = 4000;

pub(super) fn rules() -> ArenaRules {
    ArenaRules {
        seed: 1,
        anchors: vec![(Name::new("anchor").unwrap(), 0.0)],
        pair_cap: 5,
        park_after: 3,
    }
}

pub(super) fn event() -> Event {
    let format = Format::Arena {
        ratings: vec![0.0],
        pair_cap: 5,
        park_after: 3,
    };
    let game = MatchRules::new("linja", None, 1).unwrap();
    let name = |text| Name::new(text).unwrap();
    Event::new(name("demo"), 1, game, vec![name("anchor")], format).unwrap()
}

fn player(number: u8, build: &str) -> Contender {
    Contender::Build {
        player: format!("{number:032x}").parse().unwrap(),
        build: BuildText::new(build).unwrap(),
    }
}

fn played(id: u64, winner: Option<Seat>, faults: Vec<Fault>) -> (Played, LegResult) {
    let termination = Ending::By(Termination::Normal);
    let match_id: MatchId = format!("00000000-0000-7000-8000-{id:012x}")
        .parse()
        .unwrap();
    let played = Played {
        match_id,
        winner,
        termination,
        score: [0, 0],
        games: GameCounts::default(),
        call: None,
        plies: 10,
        faults: faults.clone(),
        replays: 0,
        gameplay: Gameplay::default(),
        origin: Origin {
            service: ServiceKind::Remote,
            head_hash: None,
        },
        started: std::time::UNIX_EPOCH,
        ended: std::time::UNIX_EPOCH,
    };
    let result = LegResult {
        winner,
        termination,
        moves: None,
        faults,
    };
    (played, result)
}

/// A journal of 20 encounters, in several segments; returns the state after it.
pub(super) fn written(folder: &Path) -> ArenaState {
    let (journal, recovered) = ArenaJournal::open(folder, rules(), |_, _| ()).unwrap();
    let mut journal = journal.with_segments_of(SEGMENT_BYTES);
    let mut state = recovered.state;
    let one = player(1, "a \"quoted\" build");
    let contenders = [
        one,
        player(2, ""),
        Contender::Anchor(Name::new("anchor").unwrap()),
    ];
    for encounter in 1..=20_u64 {
        let place = usize::try_from(encounter).unwrap();
        let pair = [
            contenders[place % 3].clone(),
            contenders[(place + 1) % 3].clone(),
        ];
        let names = [place, place + 1].map(|at| ["one", "two", "anchor"][at % 3].to_owned());
        let entry = journal.pair(encounter, pair, names).unwrap();
        state.apply(&entry).unwrap();
        for (number, leg) in (0..).zip(Leg::BOTH) {
            let winner = [Some(Seat::First), None, Some(Seat::Second)][(place + number) % 3];
            let faults = match winner {
                Some(winner) if place.is_multiple_of(7) => vec![Fault {
                    seat: winner.other(),
                    kind: FaultKind::Time,
                    detail: "slow".to_owned(),
                }],
                Some(_) | None => Vec::new(),
            };
            let (played, result) = played(2 * encounter + number as u64, winner, faults);
            let entry = journal.end(encounter, leg, &played, result).unwrap();
            state.apply(&entry).unwrap();
        }
    }
    state
}

fn segments(folder: &Path) -> Vec<std::path::PathBuf> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
}

#[test]
fn the_state_follows_from_the_segments() {
    let folder = tempfile::tempdir().unwrap();
    let state = written(folder.path());
    assert!(segments(folder.path()).len() > 3);
    let mut entries = 0;
    let read = read_arena(folder.path(), rules(), u64::MAX, |_, _| entries += 1).unwrap();
    assert_eq!(entries, 60);
    assert_eq!(
        format!("{:?}", read.state.ranking()),
        format!("{:?}", state.ranking())
    );
    let early = read_arena(folder.path(), rules(), 11, |_, _| ()).unwrap();
    assert_eq!(early.state.counts().matches, 11);
    let again = ArenaJournal::open(folder.path(), rules(), |_, _| ())
        .unwrap()
        .1;
    assert_eq!(
        (again.torn_bytes, again.state.counts()),
        (0, state.counts())
    );
}

#[test]
fn a_line_that_is_cut_anywhere_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let last = segments(folder.path()).pop().unwrap();
    let whole = fs::read(&last).unwrap();
    let start = whole[..whole.len() - 1]
        .iter()
        .rposition(|byte| *byte == b'\n');
    let start = start.map_or(0, |at| at + 1);
    for length in start..whole.len() {
        fs::write(&last, &whole[..length]).unwrap();
        let recovered = ArenaJournal::open(folder.path(), rules(), |_, _| ())
            .unwrap()
            .1;
        assert_eq!(recovered.torn_bytes, (length - start) as u64);
        assert_eq!(recovered.state.counts().matches, 39);
        assert_eq!(fs::metadata(&last).unwrap().len(), start as u64);
    }
}

#[test]
fn a_changed_line_and_a_missing_segment_are_named() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let all = segments(folder.path());
    let text = fs::read_to_string(&all[1]).unwrap();
    let forged = text.replacen("\"winner\":\"first\"", "\"winner\":\"second\"", 1);
    assert_ne!(forged, text);
    fs::write(&all[1], forged).unwrap();
    let error = read_arena(folder.path(), rules(), u64::MAX, |_, _| ()).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("arena-000002.jsonl:") && error.contains("previous"),
        "{error}"
    );
    fs::write(&all[1], &text).unwrap();
    fs::remove_file(&all[1]).unwrap();
    let error = read_arena(folder.path(), rules(), u64::MAX, |_, _| ()).unwrap_err();
    assert!(error.to_string().contains("arena-000002.jsonl"), "{error}");
}

#[test]
fn the_games_are_written_as_ratings_programs_read_them() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let mut out = Vec::new();
    let name = Name::new("demo").unwrap();
    export_pgn(folder.path(), &name, rules(), 2, &mut out)
        .unwrap()
        .unwrap();
    let expected = "[Event \"demo\"]\n[Round \"1.1\"]\n[White \"two (00000000)\"]\n[Black \"anchor\"]\n\
                    [Result \"1/2-1/2\"]\n\n1/2-1/2\n\n\
                    [Event \"demo\"]\n[Round \"1.2\"]\n[White \"anchor\"]\n[Black \"two (00000000)\"]\n\
                    [Result \"0-1\"]\n\n0-1\n\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn a_name_of_markup_is_text_in_every_table() {
    const NAME: &str = "a|b *c* `d` <b>e</b> [f](g) https://h.i \\|";
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, recovered) = ArenaJournal::open(folder.path(), rules(), |_, _| ()).unwrap();
    let mut state = recovered.state;
    for encounter in 1..=2_u64 {
        let anchor = Contender::Anchor(Name::new("anchor").unwrap());
        let pair = [player(1, "~v1~|"), anchor];
        let names = [NAME.to_owned(), String::new()];
        let entry = journal.pair(encounter, pair, names).unwrap();
        state.apply(&entry).unwrap();
        for leg in Leg::BOTH {
            let seat = if leg == Leg::One {
                Seat::First
            } else {
                Seat::Second
            };
            let fault = Fault {
                seat,
                kind: FaultKind::Crash,
                detail: "*gone* | <i>away</i>".to_owned(),
            };
            let (played, result) = played(encounter, Some(seat.other()), vec![fault]);
            let entry = journal.end(encounter, leg, &played, result).unwrap();
            state.apply(&entry).unwrap();
        }
    }
    let event = event();
    let tables = ArenaTables::new(&event, &state);
    let markdown = tables.markdown();
    let row = markdown.lines().find(|line| line.contains("~v1")).unwrap();
    let expected =
        r"| a\|b \*c\* \`d\` \<b\>e\</b\> \[f\](g) https\://h.i \\\| \~v1\~\| (parked) |";
    assert!(row.contains(expected), "{row}");
    // As GitHub reads it, a bar without a backslash before it ends a cell.
    let bars = row.replace(r"\\", "").replace(r"\|", "");
    assert_eq!(bars.matches('|').count(), 10, "{row}");
    let reason = r"crash: \*gone\* \| \<i\>away\</i\>";
    assert!(
        markdown.contains(&reason.replace(": ", r"\: ")),
        "{markdown}"
    );
    let page = arena_page(&tables);
    assert!(page.contains("&lt;b&gt;e&lt;/b&gt;") && page.contains("&lt;i&gt;away"));
    assert!(!page.contains("<b>e") && !page.contains("<i>away"));
}

#[test]
fn every_form_of_the_table_escapes_what_a_bot_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = RatingHistory::new(40);
    let nothing = ArenaState::new(rules());
    let empty = event();
    assert!(
        ArenaTables::new(&empty, &nothing)
            .text()
            .contains("0 matches over")
    );
    written(folder.path());
    let read = read_arena(folder.path(), rules(), u64::MAX, |_, state| {
        history.follow(state);
    })
    .unwrap();
    let tables = ArenaTables::new(&empty, &read.state).with_history(&history);
    let json: serde_json::Value = serde_json::from_str(&tables.json()).unwrap();
    assert_described(ARENA, "### JSON and CSV", keys(&json));
    assert_eq!(json["matches"], 40);
    assert_eq!(json["contenders"].as_array().unwrap().len(), 3);
    assert!(!json["history"].as_array().unwrap().is_empty());
    let csv = tables.csv();
    let head = csv.lines().next().unwrap();
    assert_described(ARENA, "### JSON and CSV", head.split(','));
    let journal = fs::read_to_string(folder.path().join("arena-000001.jsonl")).unwrap();
    let lines = json_lines(&journal);
    assert_described(ARENA, "## The folder", lines.iter().flat_map(keys));
    assert!(csv.contains("\"one a \"\"quoted\"\" build\""), "{csv}");
    let page = arena_page(&tables);
    assert!(page.contains("a &quot;quoted&quot; build") || page.contains("a \"quoted\" build</"));
    assert!(page.contains("frozen") && page.contains("<polyline"));
    assert_eq!(page, arena_page(&tables));
}
