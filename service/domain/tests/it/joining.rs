use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, Rejection};
use dragontooth_service_vocabulary::{
    DisplayName, IdentityName, MatchEvent, NewMatch, PlayerId, PlayerName, SeedText,
};

use crate::people::{
    ANN, BOB, EVE, HOST, abort, act, join, name_of, new_match, request, resign, usual_seed,
};
use crate::table::{Table, Then, check, check_refused};

const FIRST: Option<Seat> = Some(Seat::First);
const SECOND: Option<Seat> = Some(Seat::Second);

#[test]
fn a_player_gets_a_free_seat() {
    let open = Table::of(&new_match());
    check(&open, &join(ANN, None), &joined(Seat::First, ANN));
    check(&open, &join(ANN, FIRST), &joined(Seat::First, ANN));
    check(&open, &join(ANN, SECOND), &joined(Seat::Second, ANN));
    check(&open, &join(HOST, SECOND), &joined(Seat::Second, HOST));
}

#[test]
fn the_play_begins_when_both_seats_are_taken() {
    let mut table = Table::of(&new_match()).given(&join(ANN, SECOND));
    assert!(!table.state.is_full());
    assert_eq!(table.state.due(), None);
    let Then::Events(events) = table.when(&join(BOB, None)) else {
        panic!("the other seat is free");
    };
    let start = MatchEvent::GameStarted {
        number: 1,
        position: "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -".to_owned(),
    };
    let Then::Events(mut expected) = joined(Seat::First, BOB) else {
        panic!("joining gives an event");
    };
    expected.push(start);
    assert_eq!(events, expected);
    assert!(table.state.is_full());
    assert_eq!(table.state.seat_of(BOB), FIRST);
    let due = table.state.due().unwrap();
    assert_eq!((due.seat, due.decision.0), (Seat::First, 4));
}

#[test]
fn whoever_has_a_seat_joins_without_an_event() {
    let one = Table::of(&new_match()).given(&join(ANN, SECOND));
    let both = one.clone().given(&join(BOB, None));
    let over = both.clone().given(&abort(HOST, ""));
    for table in [&one, &both, &over] {
        for seat in [None, SECOND] {
            check(table, &join(ANN, seat), &Then::Events(Vec::new()));
        }
        let held = Rejection::OtherSeatHeld(Seat::Second);
        check_refused(table, &join(ANN, FIRST), held);
    }
}

#[test]
fn a_taken_seat_is_refused() {
    let one = Table::of(&new_match()).given(&join(ANN, FIRST));
    check_refused(&one, &join(BOB, FIRST), Rejection::SeatTaken(Seat::First));
    let both = one.given(&join(BOB, None));
    check_refused(&both, &join(EVE, None), Rejection::SeatsTaken);
    check_refused(
        &both,
        &join(EVE, SECOND),
        Rejection::SeatTaken(Seat::Second),
    );
}

#[test]
fn a_kept_seat_is_for_its_player_alone() {
    let table = kept([None, Some(BOB)]);
    check(&table, &join(BOB, None), &joined(Seat::Second, BOB));
    check(&table, &join(BOB, SECOND), &joined(Seat::Second, BOB));
    check(&table, &join(ANN, None), &joined(Seat::First, ANN));
    check_refused(
        &table,
        &join(ANN, SECOND),
        Rejection::SeatReserved(Seat::Second),
    );
    let full_but_for_bob = table.given(&join(ANN, None));
    check_refused(
        &full_but_for_bob,
        &join(EVE, None),
        Rejection::SeatsReserved,
    );
    check_refused(
        &full_but_for_bob,
        &join(EVE, FIRST),
        Rejection::SeatTaken(Seat::First),
    );

    let both = kept([Some(ANN), Some(BOB)]);
    check_refused(&both, &join(HOST, None), Rejection::SeatsReserved);
    check(&both, &join(ANN, None), &joined(Seat::First, ANN));
}

/// Otherwise the match could never begin.
#[test]
fn a_player_gets_no_other_seat_than_the_one_kept_for_it() {
    let table = kept([None, Some(BOB)]);
    let refusal = Rejection::OtherSeatHeld(Seat::Second);
    check_refused(&table, &join(BOB, FIRST), refusal.clone());
    check_refused(&table.given(&join(ANN, None)), &join(BOB, FIRST), refusal);
}

#[test]
fn nobody_joins_a_match_that_is_over() {
    let over = Table::of(&new_match()).given(&abort(HOST, ""));
    check_refused(&over, &join(ANN, None), Rejection::Ended);
    check_refused(&over, &join(ANN, SECOND), Rejection::Ended);
}

#[test]
fn a_request_id_stands_for_one_request() {
    let asked = |player, seat, id: &str| Command::Join {
        player,
        seat,
        name: name_of(player),
        seed: None,
        request_id: request(id),
    };
    let table = Table::of(&new_match())
        .given(&asked(ANN, FIRST, "a"))
        .given(&asked(BOB, None, "b"));
    let nothing = Then::Events(Vec::new());
    // Repeated, and again under another id: it is so already.
    for id in ["a", "another", ""] {
        check(&table, &asked(ANN, FIRST, id), &nothing);
    }
    let reused = || Rejection::RequestIdReused;
    check_refused(&table, &act(ANN, 4, "a1a7", "a"), reused());
    check_refused(&table, &resign(BOB, "b"), reused());
    // Every player has its own ids.
    let table = table.given(&act(ANN, 4, "a1a7", "b"));
    check_refused(&table, &asked(ANN, FIRST, "b"), reused());
    check(&table, &asked(BOB, None, "b"), &nothing);
}

/// A player that joins again and asks for anything that it does not have is refused.
#[test]
fn a_request_for_another_seat_name_or_seed_is_refused() {
    let asked = |seat, name: DisplayName, seed: Option<&str>, id: &str| Command::Join {
        player: ANN,
        seat,
        name,
        seed: seed.map(|seed| SeedText::new(seed).unwrap()),
        request_id: request(id),
    };
    let own = || name_of(ANN);
    let identity = || DisplayName::Identity(IdentityName::new("Ann").unwrap());
    let other = || DisplayName::from(PlayerName::new("Anna").unwrap());
    let table = Table::of(&new_match()).given(&asked(FIRST, own(), Some("mine"), "a"));
    let differently = |field| Rejection::JoinedDifferently { field };
    for (seat, name, seed, refusal) in [
        (
            SECOND,
            own(),
            Some("mine"),
            Rejection::OtherSeatHeld(Seat::First),
        ),
        (FIRST, other(), Some("mine"), differently("name")),
        // The same text, and yet another name: one of them is the identity's.
        (FIRST, identity(), Some("mine"), differently("name")),
        (FIRST, own(), Some("yours"), differently("seed")),
        (None, own(), None, differently("seed")),
    ] {
        let again = |id| asked(seat, name.clone(), seed, id);
        check_refused(&table, &again(""), refusal.clone());
        check_refused(&table, &again("b"), refusal);
        check_refused(&table, &again("a"), Rejection::RequestIdReused);
    }
    let nothing = Then::Events(Vec::new());
    for (seat, id) in [(FIRST, "a"), (None, "a"), (None, ""), (FIRST, "b")] {
        check(&table, &asked(seat, own(), Some("mine"), id), &nothing);
    }
    // No seed is the default one.
    let table = Table::of(&new_match()).given(&asked(None, own(), None, "a"));
    let usual = usual_seed();
    check(
        &table,
        &asked(FIRST, own(), Some(usual.as_str()), "a"),
        &nothing,
    );
}

fn kept(reserved: [Option<PlayerId>; 2]) -> Table {
    Table::of(&NewMatch {
        reserved,
        ..new_match()
    })
}

fn joined(seat: Seat, player: PlayerId) -> Then {
    Then::Events(vec![MatchEvent::SeatJoined {
        seat,
        player,
        name: name_of(player),
        seed: usual_seed(),
        request_id: None,
    }])
}
