//! Openings: the first game begins where a position, actions and rolls lead.

use std::collections::BTreeMap;

use dragontooth_games::Seat;
use dragontooth_games::catalogue::{self, Game};
use dragontooth_games::chance::{Draws, Seed};
use dragontooth_games::match_play::{InvalidOpening, MAX_OPENING_ENTRIES, Match, Step};
use dragontooth_games::record::{
    GameRecord, Headers, MatchRecord, RecordStep, SeedHeaders, opening_entries, opening_text,
    read_text, write_text,
};
use dragontooth_games::verify::{DrawFault, verify_draws};
use proptest::prelude::*;

use crate::strategies::Choices;

/// The games and their variants.
const OPENED: [(&str, &str); 10] = [
    ("backgammon", "standard"),
    ("backgammon", "money"),
    ("backgammon", "money_jacoby_64"),
    ("kamisado", "standard"),
    ("kamisado", "random"),
    ("linja", "standard"),
    ("linja", "random"),
    ("tzaar", "fixed"),
    ("tzaar", "random"),
    ("tzaar", "tournament"),
];

fn start(game: &str, variant: &str) -> Box<dyn Match> {
    let game: &Game = catalogue::find(game).unwrap();
    let target = if variant.starts_with("money") { 1 } else { 3 };
    game.new_match(Some(variant), target).unwrap()
}

fn texts(actions: &[&str]) -> Vec<String> {
    actions.iter().map(|action| (*action).to_owned()).collect()
}

/// Plays random actions and rolls, at most this many, but not the end of a game. Returns them behind the position
/// from which they were played.
fn random_play(play: &mut dyn Match, seed: u64, count: usize) -> Vec<String> {
    let mut choices = Choices::new(seed);
    let mut entries = Vec::new();
    if play.step() == Step::Deal {
        let position = play.deal(&mut Draws::from_text(&seed.to_string()).deal(1));
        play.begin_game(&position).unwrap();
    }
    entries.extend(play.position());
    while entries.len() <= count {
        match play.step() {
            Step::Decide(_) => {
                let legal = play.legal_actions();
                entries.push(play.play(&legal[choices.below(legal.len())]).unwrap());
            }
            Step::Chance => {
                let roll = format!("{}{}", 1 + choices.below(6), 1 + choices.below(6));
                entries.push(play.roll(&roll).unwrap());
            }
            Step::Pass(_) => play.pass().unwrap(),
            Step::Score(_) => break,
            Step::Deal | Step::Over { .. } => unreachable!("the game goes on"),
        }
    }
    while let Step::Pass(_) = play.step() {
        play.pass().unwrap();
    }
    entries
}

/// The usual start of a variant draws nothing.
fn is_drawn(variant: &str) -> bool {
    variant == "random"
}

proptest! {
    #[test]
    fn the_first_game_begins_after_the_opening(
        (game, variant) in prop::sample::select(OPENED.to_vec()),
        seed in any::<u64>(),
        count in 1_usize..60,
        with_position in any::<bool>(),
    ) {
        let mut played = start(game, variant);
        let mut entries = random_play(&mut *played, seed, count);
        if !with_position && !is_drawn(variant) {
            entries.remove(0);
        }
        prop_assert_eq!(&opening_entries(&opening_text(&entries)), &entries);
        let mut opened = start(game, variant);
        let result = opened.open_with(&entries, None);
        if let Step::Score(_) = played.step() {
            prop_assert_eq!(result, Err(InvalidOpening::Over { number: entries.len() }));
            return Ok(());
        }
        prop_assert_eq!(result, Ok(entries));
        let position = opened.deal(&mut Draws::from_text("any").deal(1));
        opened.begin_game(&position).unwrap();
        prop_assert_eq!(opened.position(), played.position());
        prop_assert_eq!(opened.step(), played.step());
        prop_assert_eq!(opened.legal_actions(), played.legal_actions());
        prop_assert_eq!((opened.game_number(), opened.score()), (1, played.score()));
        // What follows is the same, to the start of the next game: who opened the first one counts there.
        for play in [&mut opened, &mut played] {
            random_play(&mut **play, seed, usize::MAX - 1);
            play.score_game().unwrap();
        }
        prop_assert_eq!(opened.step(), played.step());
        if opened.step() == Step::Deal {
            let deal = |play: &dyn Match| play.deal(&mut Draws::from_text("any").deal(2));
            prop_assert_eq!(deal(&*opened), deal(&*played));
        }
    }

    /// The first entry of an opening is a position or not, and no text can mean both.
    #[test]
    fn no_action_or_roll_reads_as_a_position(
        (game, variant) in prop::sample::select(OPENED.to_vec()),
        seed in any::<u64>(),
    ) {
        let mut played = start(game, variant);
        let entries = random_play(&mut *played, seed, 200);
        for entry in &entries[1..] {
            prop_assert!(start(game, variant).begin_game(entry).is_err(), "{}", entry);
        }
    }
}

#[test]
fn a_backgammon_opening_has_rolls_where_they_are_due() {
    let mut play = start("backgammon", "standard");
    let entries = texts(&["31", "6/5 8/5", "64", "24/14", "double", "take"]);
    let canonical = play.open_with(&entries, None).unwrap();
    assert_eq!(
        opening_text(&canonical),
        "31; 8/5 6/5; roll; 64; 24/14; double; take"
    );
    let position = play.deal(&mut Draws::from_text("any").deal(1));
    // Seat first has made its five point and doubled; seat second has run to the point that is 11 for seat first.
    assert_eq!(
        position,
        "XGID=-a---BD-B--aeE---c-e----B-:1:-1:1:00:0:0:0:3:10"
    );
    play.begin_game(&position).unwrap();
    assert_eq!(play.step(), Step::Chance);
    assert_eq!(play.rolls(), 0);

    // In a match to one point nobody doubles, so there is no choice to roll.
    let single = catalogue::find("backgammon").unwrap();
    let mut single = single.new_match(None, 1).unwrap();
    let rolled = texts(&["31", "8/5 6/5", "roll", "64", "24/14"]);
    let canonical = single.open_with(&rolled, None).unwrap();
    assert_eq!(opening_text(&canonical), "31; 8/5 6/5; 64; 24/14");

    let cut = |plies: usize| {
        let mut play = start("backgammon", "standard");
        let opening = play.open_with(&entries, Some(plies));
        opening.map(|entries| opening_text(&entries))
    };
    assert_eq!(cut(1).unwrap(), "31; 8/5 6/5");
    assert_eq!(cut(2).unwrap(), "31; 8/5 6/5; roll; 64; 24/14");
    assert_eq!(cut(3).unwrap(), "31; 8/5 6/5; roll; 64; 24/14; double");
    let short = InvalidOpening::TooShort { found: 4, plies: 5 };
    assert_eq!(cut(5), Err(short));
}

#[test]
fn a_position_takes_length_and_score_from_the_match() {
    let open = |variant: &str, position: &str| {
        let mut play = start("backgammon", variant);
        let opening = play.open_with(&texts(&[position]), None);
        opening.map_err(|error| error.to_string())
    };
    // A position of a match to 7 points at 4-2, with a cube on 2 and a roll of 52.
    let given = "XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:4:2:0:7:10";
    assert_eq!(
        open("standard", given).unwrap(),
        ["XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:0:0:0:3:10"]
    );
    assert_eq!(
        open("money_jacoby_64", given).unwrap(),
        ["XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:0:0:1:0:6 capped"]
    );
    let high = "XGID=-b----E-C---eE---c-e----B-:7:-1:1:52:0:0:0:0:10";
    assert_eq!(
        open("money_jacoby_64", high).unwrap_err(),
        "the match cannot start from this position: its cube is 128, and the highest is 64"
    );
    // Doubled to 4 at 0-0 in a match to 3, in which the cube on 2 is live; at 4 it is dead.
    let doubled = "XGID=-b----E-C---eE---c-e----B-:2:1:1:D:0:0:0:0:10";
    assert!(open("money", doubled).is_ok());
    assert!(
        open("standard", doubled)
            .unwrap_err()
            .starts_with("the match cannot start from this position: ")
    );
    let ids = "4HPwATDgc/ABMA:cIkWAAAAAAAA";
    let start = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:3:10";
    assert_eq!(open("standard", "4HPwATDgc/ABMA").unwrap(), [start]);
    assert!(open("standard", ids).is_ok());
    let over = "XGID=--------------------------:0:0:1:00:0:0:0:3:10";
    assert!(open("standard", over).is_err());
}

#[test]
fn an_opening_is_refused_where_it_cannot_be_played() {
    let refused = |game: &str, variant: &str, actions: &[&str]| {
        let mut play = start(game, variant);
        let error = play.open_with(&texts(actions), None).unwrap_err();
        let usual = start(game, variant);
        if game == "kamisado" && variant == "standard" {
            // Nothing of it is left.
            let deal = |play: &dyn Match| play.deal(&mut Draws::from_text("any").deal(1));
            assert_eq!(deal(&*play), deal(&*usual));
        }
        error.to_string()
    };
    let kamisado = |actions: &[&str]| refused("kamisado", "standard", actions);
    assert_eq!(
        kamisado(&["a1a7", "f8f4", "a8a7"]),
        "entry 3, \"a8a7\": Black must move the blue tower on g1, not White's orange tower on a8 (rule T2)"
    );
    assert!(kamisado(&["a1a7", "b9"]).starts_with("entry 2, \"b9\": invalid action: "));
    for game in ["kamisado", "tzaar"] {
        let told = refused(game, "random", &["a1a7"]);
        let expected = "the variant random draws the first position, so an opening begins with one, and \"a1a7\" is not a position: ";
        assert!(told.starts_with(expected), "{told}");
    }
    assert_eq!(
        refused("backgammon", "standard", &["24/18"]),
        "entry 1, \"24/18\", cannot be played (invalid roll: a roll is due here: expected two digits from 1 to 6, such as 31) and is \
         not a position (expected an XGID, a 14-character position id, or a position id and match id joined by :)"
    );
    assert_eq!(
        refused("backgammon", "standard", &["21", "24/18"]),
        "entry 2, \"24/18\": 24 to 18 cannot be played with 21: no die shows that (rule dice)"
    );
    // Black has brought its brown tower home.
    let over = "bLMPYRGB/O7/8/8/8/8/8/1grypmlo w o";
    assert_eq!(
        refused("kamisado", "random", &[over]),
        "the game is over after entry 1"
    );
    // A position of another game.
    let linja = "6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 1";
    assert!(
        kamisado(&[linja]).contains("and is not a position ("),
        "{}",
        kamisado(&[linja])
    );
    let long = vec!["a1a7"; MAX_OPENING_ENTRIES + 1];
    assert_eq!(
        kamisado(&long),
        "an opening has at most 200 entries, not 201"
    );
    assert_eq!(
        start("kamisado", "random").open_with(&[], None),
        Ok(Vec::new())
    );
}

/// A record of the first action after an opening.
fn opened_record() -> (MatchRecord, Headers) {
    let server_seed = *Seed::from_text("seed").bytes();
    let headers = Headers {
        seeds: SeedHeaders {
            server_seed: Some(server_seed),
            ..SeedHeaders::default()
        },
        ..Headers::default()
    };
    let mut play = start("kamisado", "standard");
    let opening = play.open_with(&texts(&["a1a7", "f8f4"]), None).unwrap();
    let start = play.deal(&mut headers.draws().unwrap().deal(1));
    play.begin_game(&start).unwrap();
    let action = play.legal_actions().swap_remove(0);
    let step = RecordStep::Action {
        seat: Seat::First,
        action,
    };
    let record = MatchRecord {
        game: "kamisado".to_owned(),
        variant: "standard".to_owned(),
        target: 3,
        opening,
        games: vec![GameRecord {
            start,
            steps: vec![step],
            thinking: BTreeMap::new(),
            outcome: None,
        }],
        ..MatchRecord::default()
    };
    (record, headers)
}

#[test]
fn a_record_has_its_opening_and_is_verified_with_it() {
    let (record, headers) = opened_record();
    let draws = headers.draws().unwrap();
    let text = write_text(&record, &headers);
    assert!(text.contains("[Opening \"a1a7 f8f4\"]\n"), "{text}");
    assert_eq!(read_text(&text), Ok((record.clone(), headers)));
    assert!(verify_draws(&record, &draws).is_ok());

    let with = |opening: &[&str]| {
        let opening = texts(opening);
        let changed = MatchRecord {
            opening,
            ..record.clone()
        };
        verify_draws(&changed, &draws).unwrap_err()
    };
    assert!(matches!(with(&[]), DrawFault::Deal { game: 1, .. }));
    assert!(matches!(with(&["a1a7"]), DrawFault::Deal { game: 1, .. }));
    assert!(matches!(with(&["a1a9"]), DrawFault::Opening(_)));
}
