//! Who sees a match, and how soon.

use std::time::Duration;

use dragontooth_service_domain::{Command, Misfit, Rejection, replay};
use dragontooth_service_vocabulary::{
    Audience, InvalidSpectatorDelay, MAX_SPECTATOR_DELAY, MatchEvent, NewMatch, Sight, Visibility,
};

use crate::people::{ANN, BOB, EVE, HOST, ID, abort, act, join, new_match, resign};
use crate::table::{Table, Then};

const DELAY: Duration = Duration::from_mins(10);

fn of(visibility: Visibility, delay: Duration) -> Audience {
    Audience::new(visibility, delay).unwrap()
}

#[test]
fn those_whom_it_concerns_see_everything_and_others_what_the_audience_says() {
    use Visibility::{Private, Public};
    for (audience, running, over) in [
        (of(Public, Duration::ZERO), Sight::Whole, Sight::Whole),
        (of(Public, DELAY), Sight::Delayed(DELAY), Sight::Whole),
        (of(Private, Duration::ZERO), Sight::Nothing, Sight::Nothing),
        (of(Private, DELAY), Sight::Nothing, Sight::Nothing),
    ] {
        for is_over in [false, true] {
            assert_eq!(audience.sight(true, is_over), Sight::Whole, "{audience:?}");
        }
        assert_eq!(audience.sight(false, false), running, "{audience:?}");
        assert_eq!(audience.sight(false, true), over, "{audience:?}");
    }
    assert_eq!(Audience::default(), of(Public, Duration::ZERO));
}

#[test]
fn a_delay_has_a_limit() {
    let beyond = MAX_SPECTATOR_DELAY + Duration::from_micros(1);
    let refused = Audience::new(Visibility::Public, beyond);
    assert_eq!(refused, Err(InvalidSpectatorDelay));
    of(Visibility::Public, MAX_SPECTATOR_DELAY);
}

fn private(reserved: [Option<dragontooth_service_vocabulary::PlayerId>; 2]) -> NewMatch {
    NewMatch {
        audience: of(Visibility::Private, Duration::ZERO),
        reserved,
        ..new_match()
    }
}

#[test]
fn a_private_match_is_not_there_for_others_whatever_they_ask() {
    let mut table = Table::of(&private([Some(ANN), Some(BOB)]));
    let asks = || -> [Command; 4] {
        [
            join(EVE, None),
            act(EVE, 1, "c1a3", ""),
            resign(EVE, ""),
            abort(EVE, ""),
        ]
    };
    let refused = || Then::Refused(Rejection::Hidden(ID));
    for command in asks() {
        assert_eq!(table.when(&command), refused(), "{command:?}");
    }
    for player in [ANN, BOB, HOST] {
        assert_eq!(table.state.sight(player), Sight::Whole);
    }
    assert_eq!(table.state.sight(EVE), Sight::Nothing);
    let mut table = table
        .given(&join(ANN, None))
        .given(&join(BOB, None))
        .given(&resign(ANN, ""));
    // Even after the end it is hidden from everyone else.
    for command in asks() {
        assert_eq!(table.when(&command), refused(), "{command:?}");
    }
}

#[test]
fn the_creator_may_take_a_free_seat_of_a_private_match() {
    let table = Table::of(&private([Some(ANN), None]))
        .given(&join(HOST, None))
        .given(&join(ANN, None));
    assert!(table.state.is_full());
}

#[test]
fn a_log_in_which_a_stranger_sits_at_a_private_match_is_refused() {
    let mut events = Table::of(&new_match()).given(&join(EVE, None)).log;
    let MatchEvent::Created(created) = &mut events[0].event else {
        panic!("it is the first event");
    };
    created.audience = of(Visibility::Private, Duration::ZERO);
    let error = replay(&events).unwrap_err();
    assert_eq!(error.why, Misfit::Seat);
}
