use std::time::Duration;

use dragontooth_games::catalogue;
use dragontooth_games::chance::{Draws, Seed};
use dragontooth_service_domain::{MatchState, Rejection};
use dragontooth_service_vocabulary::{
    Created, IllegalActionLimit, MAX_THINKING_TIME, MatchEvent, MatchSeed, NewMatch, Recorded,
    SeedText, Sequence, TimeControl,
};
use proptest::prelude::*;

use crate::people::{ANN, BOB, HOST, ID, create, grace, new_match, request, timed, usual_seed};
use crate::table::{START, Table};

const MICROSECOND: Duration = Duration::from_micros(1);

#[test]
fn a_match_is_created_as_it_was_asked_for() {
    let new = NewMatch {
        variant: Some("random".to_owned()),
        target: 15,
        time_controls: [Some(TimeControl::PerAction { limit: MICROSECOND }), None],
        reserved: [Some(ANN), Some(BOB)],
        disconnect_grace: Some(grace(30)),
        illegal_action_limit: IllegalActionLimit::new(3).ok(),
        join_timeout: Some(Duration::from_mins(5)),
        request_id: request("r"),
        ..new_match()
    };
    let created = Created {
        game: "kamisado".to_owned(),
        variant: "random".to_owned(),
        target: 15,
        time_controls: new.time_controls,
        seed: MatchSeed::Shared(SeedText::new("seed").unwrap().into()),
        id: ID,
        title: new.title.clone(),
        creator: HOST,
        reserved: [Some(ANN), Some(BOB)],
        audience: dragontooth_service_vocabulary::Audience::default(),
        disconnect_grace: Some(grace(30)),
        illegal_action_limit: IllegalActionLimit::new(3).ok(),
        join_timeout: Some(Duration::from_mins(5)),
        opening: Vec::new(),
        request_id: request("r"),
    };
    assert_eq!(
        create(&new).unwrap(),
        MatchEvent::Created(Box::new(created))
    );
}

#[test]
fn without_a_variant_it_is_the_default_one() {
    let MatchEvent::Created(created) = create(&new_match()).unwrap() else {
        panic!("the first event creates the match");
    };
    assert_eq!(created.variant, "standard");
}

/// The seed that was drawn counts for one match alone, one that was given for all that have it.
#[test]
fn without_a_seed_it_is_the_drawn_one() {
    let unseeded = NewMatch {
        seed: None,
        ..new_match()
    };
    let sevens = Seed::from_bytes([7; Seed::BYTES]);
    let usual = usual_seed();
    let draws = |new: &NewMatch| {
        let Ok(MatchEvent::Created(created)) = create(new) else {
            panic!("the first event creates the match");
        };
        created.seed.draws(created.id, [&usual; 2])
    };
    let players = || ["dragontooth"; 2].map(str::to_owned);
    let of_this_match = Draws::new(sevens, ID.to_string(), players());
    assert_eq!(draws(&unseeded), of_this_match);
    assert_eq!(draws(&new_match()), Draws::from_text("seed"));
}

#[test]
fn what_there_is_not_is_refused() {
    let no_game = NewMatch {
        game: "Kamisado".to_owned(),
        ..new_match()
    };
    let unknown_game = catalogue::find("Kamisado").unwrap_err();
    assert_eq!(
        create(&no_game).unwrap_err(),
        Rejection::UnknownGame(unknown_game)
    );

    let kamisado = catalogue::find("kamisado").unwrap();
    for (variant, target) in [
        (Some("Standard"), 1),
        (Some(""), 1),
        (None, 0),
        (None, 2),
        (Some("random"), u32::MAX),
    ] {
        let new = NewMatch {
            variant: variant.map(str::to_owned),
            target,
            ..new_match()
        };
        let why = kamisado.new_match(variant, target).unwrap_err();
        assert_eq!(create(&new).unwrap_err(), Rejection::Setup(why));
    }
}

#[test]
fn a_match_begins_after_its_opening() {
    let opening = ["a1a7", "f8f4"].map(str::to_owned).to_vec();
    let new = NewMatch {
        opening: opening.clone(),
        ..new_match()
    };
    let table = Table::started(&new);
    assert_eq!(table.state.created().opening, opening);
    let played = Table::started(&new_match()).played("a1a7 f8f4");
    assert_eq!(
        table.state.play().position(),
        played.state.play().position()
    );
    let due = |table: &Table| table.state.due().map(|due| due.seat);
    assert_eq!(due(&table), due(&played));
    // They are no actions of the players.
    assert_eq!(table.state.ply(), 0);
    assert_eq!(table.log.len(), 4);

    let refused = NewMatch {
        opening: vec!["a1a7".to_owned(), "a1a7".to_owned()],
        ..new_match()
    };
    let error = create(&refused).unwrap_err();
    assert!(matches!(error, Rejection::Opening(_)), "{error:?}");
}

#[test]
fn a_seat_each_is_kept_for_one_player() {
    let new = |reserved| NewMatch {
        reserved,
        ..new_match()
    };
    assert_eq!(
        create(&new([Some(ANN), Some(ANN)])),
        Err(Rejection::BothSeats)
    );
    for reserved in [[None, None], [Some(ANN), None], [None, Some(HOST)]] {
        assert!(create(&new(reserved)).is_ok(), "{reserved:?}");
    }
}

#[test]
fn durations_are_whole_microseconds_up_to_thirty_days() {
    let ok = [MICROSECOND, Duration::from_hours(30 * 24)];
    let too_long = MAX_THINKING_TIME + MICROSECOND;
    let wrong = [too_long, Duration::from_nanos(1_500), Duration::MAX];
    let zero = Duration::ZERO;
    for fine in ok {
        for control in controls(fine, fine) {
            assert_eq!(control.check(), Ok(control));
        }
        for bad in wrong {
            let parts = controls(bad, fine).map(|control| control.check().unwrap_err().part);
            assert_eq!(parts, ["limit", "base", "base"]);
            let [_, fischer, delay] = controls(fine, bad).map(TimeControl::check);
            assert_eq!(fischer.unwrap_err().part, "increment");
            assert_eq!(delay.unwrap_err().part, "delay");
        }
        assert!(
            controls(zero, fine)
                .iter()
                .all(|control| control.check().is_err())
        );
        let [_, fischer, delay] = controls(fine, zero);
        assert_eq!(fischer.check(), Ok(fischer));
        assert!(delay.check().is_err());
    }
}

#[test]
fn a_refused_duration_is_told() {
    let [limit, fischer, _] = controls(Duration::from_secs(1), Duration::MAX);
    assert_eq!(
        fischer.check().unwrap_err().to_string(),
        "increment must be zero or more and at most 30 days, in whole microseconds"
    );
    assert!(limit.check().is_ok());
    let limit = TimeControl::PerAction {
        limit: Duration::ZERO,
    };
    assert_eq!(
        limit.check().unwrap_err().to_string(),
        "limit must be more than zero and at most 30 days, in whole microseconds"
    );
}

#[test]
#[should_panic(expected = "the caller has checked the time controls")]
fn an_unchecked_time_control_is_an_error_of_the_program() {
    let _ = create(&timed(TimeControl::PerAction {
        limit: Duration::MAX,
    }));
}

proptest! {
    /// Nothing is put into a log that no match can be made of.
    #[test]
    fn what_is_created_is_a_match(
        game in "kamisado|[a-z]{0,9}",
        variant in prop::option::of("standard|random|[a-z]{0,9}"),
        target in prop_oneof![prop::sample::select(vec![1, 3, 7, 15]), any::<u32>()],
        reserved in prop::array::uniform2(prop::option::of(prop::sample::select(vec![ANN, BOB]))),
    ) {
        let new = NewMatch { game, variant, target, reserved, ..new_match() };
        if let Ok(event) = create(&new) {
            let first = Recorded { sequence: Sequence(1), time: START, event };
            let state = MatchState::new(&first).unwrap();
            prop_assert_eq!(state.created().target, target);
            prop_assert_eq!(state.head(), Sequence(1));
            prop_assert_eq!(state.due(), None);
        }
    }
}

/// A time control of each kind with these durations.
fn controls(base: Duration, extra: Duration) -> [TimeControl; 3] {
    [
        TimeControl::PerAction { limit: base },
        TimeControl::Fischer {
            base,
            increment: extra,
        },
        TimeControl::Delay { base, delay: extra },
    ]
}
