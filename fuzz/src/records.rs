use std::collections::BTreeMap;

use dragontooth_games::catalogue::{self, Game};
use dragontooth_games::chance::Seed;
use dragontooth_games::match_play::Step;
use dragontooth_games::record::{
    GameRecord, Headers, MatchRecord, RecordStep, SeedHeaders, SeedOrigin, read_text, write_text,
};
use dragontooth_games::verify::verify_draws;

use crate::refusal;

const MATCH: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// Reads any text as a record in our text format.
pub(crate) fn records(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    let (record, headers) = match read_text(text) {
        Ok(read) => read,
        Err(error) => {
            assert!(error.line >= 1);
            return refusal::check(&error);
        }
    };
    let written = write_text(&record, &headers);
    let again = read_text(&written);
    assert_eq!(
        again.as_ref(),
        Ok(&(record.clone(), headers.clone())),
        "{written}"
    );
    if let Some(draws) = headers.draws()
        && let Err(fault) = verify_draws(&record, &draws)
    {
        refusal::check(&fault);
    }
    for format in catalogue::GAMES.iter().flat_map(|game| game.formats) {
        if let Err(error) = (format.write)(&record) {
            refusal::check(&error);
        }
    }
}

/// Reads any text as a record in every format of other programs.
pub(crate) fn formats(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    for format in catalogue::GAMES.iter().flat_map(|game| game.formats) {
        let Some(read) = format.read else {
            continue;
        };
        let record = match read(text) {
            Ok(read) => {
                assert!(read.warnings.iter().all(|warning| warning.line >= 1));
                read.record
            }
            Err(error) => {
                assert!(error.line >= 1);
                refusal::check(&error);
                continue;
            }
        };
        match (format.write)(&record) {
            Ok(written) => {
                let again = read(&written).expect("what is written is read");
                assert_eq!(again.warnings, []);
                assert_eq!((format.write)(&again.record), Ok(written));
            }
            Err(error) => panic!("{}: read, but not written: {error}", format.name),
        }
    }
}

/// A match of every variant, in our text format.
pub(crate) fn record_seeds() -> Vec<Vec<u8>> {
    played()
        .into_iter()
        .map(|(record, headers)| write_text(&record, &headers).into_bytes())
        .collect()
}

/// The same matches in every format that can express them.
pub(crate) fn format_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (record, _) in played() {
        let game = catalogue::find(&record.game).expect("it is a game of the catalogue");
        for format in game.formats {
            if let Ok(text) = (format.write)(&record) {
                seeds.push(text.into_bytes());
            }
        }
    }
    seeds
}

fn played() -> Vec<(MatchRecord, Headers)> {
    let mut all = Vec::new();
    for game in catalogue::GAMES {
        for variant in game.variants() {
            all.push(play(game, variant.name, variant.targets.usual[0]));
        }
    }
    all
}

/// A match that picks a different choice each time, in turn.
fn play(game: &Game, variant: &str, target: u32) -> (MatchRecord, Headers) {
    let seed = Seed::from_text(game.name);
    let headers = Headers {
        match_id: MATCH.to_owned(),
        result: String::new(),
        head_hash: Some([0x5a; 32]),
        seeds: SeedHeaders {
            commitment: Some(seed.commitment("")),
            server_seed: Some(*seed.bytes()),
            origin: SeedOrigin::Shared,
            players: ["ann".to_owned(), "bob".to_owned()],
        },
    };
    let draws = headers.draws().expect("the seed is there");
    let mut record = MatchRecord {
        game: game.name.to_owned(),
        variant: variant.to_owned(),
        target,
        players: ["Ann".to_owned(), "Bob".to_owned()],
        title: "a title".to_owned(),
        date: Some("2026-11-21".to_owned()),
        opening: Vec::new(),
        games: Vec::new(),
    };
    let mut play = game
        .new_match(Some(variant), target)
        .expect("the variant has the target");
    let mut number: usize = 0;
    loop {
        let legal = "the step that is due is taken";
        let step = match play.step() {
            Step::Deal => {
                let start = play.deal(&mut draws.deal(play.game_number() + 1));
                play.begin_game(&start).expect(legal);
                record.games.push(GameRecord {
                    start,
                    steps: Vec::new(),
                    thinking: BTreeMap::new(),
                    outcome: None,
                });
                continue;
            }
            Step::Decide(seat) => {
                let actions = play.legal_actions();
                number += 1;
                let action = &actions[number * 13 % actions.len()];
                let action = play.play(action).expect(legal);
                RecordStep::Action { seat, action }
            }
            Step::Pass(seat) => {
                play.pass().expect(legal);
                RecordStep::Pass { seat }
            }
            Step::Chance => {
                let roll = play.draw(&mut draws.roll(play.game_number(), play.rolls() + 1));
                let roll = play.roll(&roll).expect(legal);
                RecordStep::Roll { roll }
            }
            Step::Score(outcome) => {
                play.score_game().expect(legal);
                let game = record.games.last_mut().expect("a game was played");
                game.outcome = Some(outcome.into());
                continue;
            }
            Step::Over { .. } => return (record, headers),
        };
        let game = record.games.last_mut().expect("a game was dealt");
        game.steps.push(step);
    }
}
