mod given;

use dragontooth_games::Seat;
use dragontooth_service_client::{Code, Reason};

use super::*;
use given::{Given, LIMIT, given, id, over, passes, player, refusal, view};

#[test]
fn a_decision_is_asked_and_answered() {
    let mut given = given(Until::Stopped);
    given.open(1);
    given.decision(1, 4);
    given.check(&["opened 1", "ask 1 4"]);
    given.thought(1, 4, "a1a2");
    given.check(&["answer 1 4 a1a2"]);
    given.accepted(1, 4);
    given.decision(1, 7);
    given.check(&["ask 1 7, with bot"]);
    given.thought(1, 7, "a2a3");
    given.check(&["answer 1 7 a2a3"]);
    assert_eq!(given.table.summary().answers, 1);
}

#[test]
fn a_reconnection_repeats_the_answer_and_checks_the_matches() {
    let mut given = given(Until::Stopped);
    given.open(1);
    given.decision(1, 4);
    given.effects();
    given.table.connected(player());
    given.open(1);
    given.decision(1, 4);
    given.check(&["connected", "check 1"]);
    given.thought(1, 4, "a1a2");
    given.table.connected(player());
    given.open(1);
    given.decision(1, 4);
    given.check(&["answer 1 4 a1a2", "connected", "check 1", "answer 1 4 a1a2"]);
}

#[test]
fn a_decision_that_replaces_another_waits_for_the_bot() {
    let mut given = given(Until::Stopped);
    given.open(1);
    given.decision(1, 4);
    given.decision(1, 6);
    given.effects();
    given.thought(1, 4, "a1a2");
    given.check(&["ask 1 6, with bot"]);
}

#[test]
fn a_match_that_ended_unheard_is_closed_once() {
    let mut given = given(Until::Matches(1));
    given.open(1);
    given.effects();
    given.table.connected(player());
    given.effects();
    given.table.checked(id(1), Ok(view(1, None)));
    given.check(&[]);
    assert!(!given.table.is_done());
    given.table.checked(id(1), Ok(view(1, Some(Seat::First))));
    given.table.closed(over(view(1, Some(Seat::First))));
    given.check(&["closed 1"]);
    assert!(given.table.is_done());
    let Summary {
        matches, won, lost, ..
    } = given.table.summary();
    assert_eq!((matches, won, lost), (1, 1, 0));
}

#[test]
fn a_bot_resigns_instead_of_sending_a_choice_that_ends_the_stream() {
    let mut given = given(Until::Stopped);
    given.open(1);
    given.decision(1, 4);
    given.effects();
    given.thought(1, 4, &"a1".repeat(100_000));
    given.check(&[
        "resign 1: it chose 200000 bytes; the limit is 8192",
        "failed 1",
    ]);
}

#[test]
fn a_failed_bot_resigns() {
    let mut given = given(Until::Stopped);
    given.open(1);
    given.decision(1, 4);
    given.effects();
    given.failed(1, 4);
    given.check(&["resign 1: no idea", "failed 1"]);
    // The connection was lost before the service received it, and the opponent is to move.
    given.table.connected(player());
    given.open(1);
    given.check(&["connected", "check 1", "resign 1: no idea"]);
    // Or the bot is.
    given.decision(1, 4);
    given.check(&["resign 1: no idea"]);
    assert_eq!(given.table.summary().failures, 1);
}

#[test]
fn a_refused_action_resigns_unless_something_else_came_first() {
    for (reason, expected) in [
        (
            Reason::IllegalAction,
            &["resign 1: no (illegal_action)", "failed 1"][..],
        ),
        (
            Reason::ActionUnreadable,
            &["resign 1: no (action_unreadable)", "failed 1"],
        ),
        (Reason::StaleDecision, &[]),
        (Reason::MatchEnded, &[]),
        (Reason::Other("new".to_owned()), &[]),
    ] {
        let mut given = given(Until::Stopped);
        given.open(1);
        given.decision(1, 4);
        given.thought(1, 4, "a1a1");
        given.effects();
        given.refused(1, Some(2), refusal(reason.clone(), None));
        given.check(&[]);
        given.refused(1, Some(4), refusal(reason, None));
        given.check(expected);
    }
}

#[test]
fn what_is_refused_for_now_is_tried_again() {
    let mut given = given(Until::Stopped);
    given.open(1);
    given.decision(1, 4);
    given.thought(1, 4, "a1a2");
    given.effects();
    given.refused(1, Some(4), refusal(Reason::LogUnavailable, None));
    let asked = Some(Duration::from_millis(900));
    given.refused(1, Some(4), refusal(Reason::LimitReached, asked));
    given.check(&["retry 1", "retry 1"]);
    given.table.retry(id(1), given.now);
    given.check(&["answer 1 4 a1a2"]);
    given.table.retry(id(9), given.now);
    given.check(&[]);
}

/// A service that is full or broken for a while must not get every request again several times a second.
#[test]
fn the_pauses_of_what_is_refused_grow_until_something_is_accepted() {
    let mut given = given(Until::Stopped);
    given.open(1);
    given.decision(1, 4);
    given.thought(1, 4, "a1a2");
    given.effects();
    let refuse = |given: &mut Given, asked: Option<u64>| {
        let asked = asked.map(Duration::from_millis);
        given.refused(1, Some(4), refusal(Reason::LogUnavailable, asked));
        let effects = given.table.take_effects();
        let [Effect::Retry(_, pause)] = effects[..] else {
            panic!("{effects:?}");
        };
        pause.as_millis()
    };
    for longest in [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000] {
        let pause = refuse(&mut given, None);
        assert!((longest / 2..=longest).contains(&pause), "{pause}");
    }
    given.accepted(1, 4);
    let pause = refuse(&mut given, Some(900));
    assert!((900..=950).contains(&pause), "{pause}");
}

/// An earlier program of the player was refused another action, and ended before it could resign.
#[test]
fn an_answer_whose_request_id_is_used_is_sent_under_another() {
    let mut given = given(Until::Stopped);
    given.open(1);
    given.decision(1, 4);
    given.thought(1, 4, "a1a2");
    given.effects();
    let used = || refusal(Reason::RequestIdReused, None);
    given.refused(1, Some(4), used());
    given.check(&["answer 1 4 a1a2, renamed"]);
    // The new id is kept when the answer is repeated, and given once.
    given.table.retry(id(1), given.now);
    given.check(&["answer 1 4 a1a2, renamed"]);
    given.refused(1, Some(4), used());
    given.check(&[]);
    given.decision(1, 6);
    given.effects();
    given.thought(1, 6, "b1b2");
    given.check(&["answer 1 6 b1b2"]);
}

#[test]
fn an_unwanted_invitation_is_declined() {
    let mut given = given(Until::Stopped);
    let declined = "decline 1: this bot does not accept these terms: kamisado standard to 1";
    given.table.unwanted(&view(1, None));
    assert_eq!(given.effects(), [declined]);
    let later = refusal(Reason::RateLimited, Some(Duration::from_secs(1)));
    given.refused(1, None, later);
    given.effects();
    given.table.retry(id(1), given.now);
    assert_eq!(given.effects(), [declined]);
    // Its end is nothing to report.
    given.table.closed(over(view(1, Some(Seat::First))));
    given.table.retry(id(1), given.now);
    assert_eq!(given.effects(), [""; 0]);
    assert_eq!(given.table.summary(), Summary::default());
}

/// The inviter must not wait for a name that the service refuses.
#[test]
fn an_invitation_whose_seat_cannot_be_taken_is_declined() {
    let mut given = given(Until::Stopped);
    for number in 1..=3 {
        given.invited(number);
    }
    given.effects();
    given.refused(1, None, refusal(Reason::FieldInvalid, None));
    given.check(&[
        "decline 1: this bot cannot take its seat: no (field_invalid)",
        "accept 3",
    ]);
}

#[test]
fn invitations_wait_for_room() {
    let mut given = given(Until::Matches(3));
    for number in 1..=5 {
        given.invited(number);
    }
    given.check(&["accept 1", "accept 2"]);
    // Invited again on a new stream: the acceptance may be lost.
    given.invited(1);
    given.check(&["accept 1"]);
    given.open(1);
    given.open(2);
    given.table.closed(over(view(1, Some(Seat::Second))));
    given.check(&["opened 1", "opened 2", "closed 1", "accept 3"]);
    given.refused(3, None, refusal(Reason::SeatTaken, None));
    given.check(&["accept 4"]);
    given.table.closed(over(view(2, Some(Seat::First))));
    given.check(&["closed 2"]);
    assert_eq!(given.table.summary().lost, 1);
}

/// The clock of a match may run as soon as both seats are taken.
#[test]
fn no_seat_is_taken_before_its_bot_is_made() {
    let mut given = given(Until::Stopped);
    given.table.options.makes_bots_early = true;
    for number in 1..=3 {
        given.invited(number);
    }
    given.check(&["make 1", "make 2"]);
    // Invited again on a new stream.
    given.invited(1);
    given.check(&[]);
    given.bot_made(2);
    given.check(&["accept 2"]);
    given.open(2);
    given.decision(2, 4);
    given.check(&["opened 2", "ask 2 4, with bot"]);
    // Its bot comes too late: the match is over.
    given.table.closed(over(view(1, Some(Seat::Second))));
    given.bot_made(1);
    given.check(&["closed 1", "make 3"]);
    // Without a bot it is made at the first decision.
    given.table.bot_made(id(3), None);
    given.open(3);
    given.decision(3, 4);
    given.check(&["accept 3", "opened 3", "ask 3 4"]);
}

/// A bot may have to wait for the end of a match, whose bot needs a thread to think on.
#[test]
fn the_bot_of_a_match_that_is_under_way_is_made_before_it_is_asked() {
    let mut given = given(Until::Stopped);
    given.table.options.makes_bots_early = true;
    given.open(1);
    given.decision(1, 4);
    given.open(2);
    given.decision(2, 4);
    given.check(&["make 1", "opened 1", "make 2", "opened 2"]);
    given.bot_made(1);
    given.check(&["ask 1 4, with bot"]);
    // The service repeats what is due on a new stream.
    given.table.connected(player());
    given.effects();
    given.open(2);
    given.decision(2, 4);
    given.check(&[]);
    given.table.bot_made(id(2), None);
    given.check(&["ask 2 4"]);
    // An earlier program has accepted the invitation whose bot is being made.
    given.table.closed(over(view(1, Some(Seat::First))));
    given.invited(3);
    given.open(3);
    given.decision(3, 4);
    given.check(&["closed 1", "make 3", "opened 3"]);
    given.bot_made(3);
    given.check(&["ask 3 4, with bot"]);
}

#[test]
fn a_session_for_one_match_takes_no_other() {
    let mut given = given(Until::Match(id(2)));
    given.invited(1);
    given.table.unwanted(&view(3, None));
    given.check(&[]);
    given.invited(2);
    given.check(&["accept 2"]);
    given.table.closed(over(view(1, Some(Seat::First))));
    assert!(!given.table.is_done());
    given.table.closed(over(view(2, Some(Seat::First))));
    assert!(given.table.is_done());
}

#[test]
fn a_match_that_is_not_there_ends_the_session_that_waits_for_it() {
    let mut given = given(Until::Match(id(2)));
    given
        .table
        .checked(id(2), Err(refusal(Reason::LimitReached, None)));
    given.check(&["check 2 later"]);
    // Of a proxy before the service, while that restarts.
    given.table.checked(
        id(2),
        Err(ClientError::Failed {
            code: Code::Internal,
            message: String::new(),
        }),
    );
    given.check(&["check 2 later"]);
    given
        .table
        .checked(id(2), Err(refusal(Reason::MatchNotFound, None)));
    let told = given.effects();
    assert!(told[0].starts_with("fail: the match 0190"), "{told:?}");
}

/// A token may allow to play and not to watch.
#[test]
fn matches_that_cannot_be_asked_for_are_played_on() {
    let mut given = given(Until::Match(id(1)));
    let denied = || Err(refusal(Reason::ScopeMissing, None));
    given.table.checked(id(1), denied());
    given.check(&["probe 1 1"]);
    // It has not begun: what is asked about is due in no match.
    given.refused(1, Some(1), refusal(Reason::MatchNotStarted, None));
    given.check(&[]);
    given.open(1);
    given.open(2);
    given.effects();
    given.table.connected(player());
    given.check(&["connected", "check 1", "check 2"]);
    for number in [1, 2] {
        given.table.checked(id(number), denied());
    }
    given.check(&["probe 1 1", "probe 2 1"]);
    given.refused(2, Some(1), refusal(Reason::LogUnavailable, None));
    given.check(&["check 2 later"]);
    given.refused(2, Some(1), refusal(Reason::StaleDecision, None));
    given.decision(2, 4);
    given.thought(2, 4, "a1a2");
    given.check(&["ask 2 4", "answer 2 4 a1a2"]);
    for gone in [Reason::MatchNotFound, Reason::LogDamaged] {
        given.refused(1, Some(1), refusal(gone, None));
        let told = given.effects();
        assert!(told[0].starts_with("fail: the match 0190"), "{told:?}");
    }
}

#[test]
fn a_match_whose_end_nobody_told_counts_once() {
    for until in [Until::Match(id(1)), Until::Matches(1), Until::Stopped] {
        let mut given = given(until);
        given.open(1);
        given.table.connected(player());
        let denied = refusal(Reason::ScopeMissing, None);
        given.table.checked(id(1), Err(denied));
        given.effects();
        // The second question may be of an earlier stream.
        for _ in 0..2 {
            given.refused(1, Some(1), refusal(Reason::MatchEnded, None));
            given.check(&[]);
        }
        given.table.closed(over(view(1, Some(Seat::First))));
        given.check(&[]);
        let expected = Summary {
            matches: 1,
            ..Summary::default()
        };
        assert_eq!(given.table.summary(), expected);
        assert_eq!(given.table.is_done(), until != Until::Stopped);
    }
}

/// Its engine would think for ever.
#[test]
fn a_bot_stops_thinking_about_a_match_that_is_gone() {
    let gone = || refusal(Reason::MatchNotFound, None);
    let checked = |given: &mut Given| given.table.checked(id(1), Err(gone()));
    let probed = |given: &mut Given| given.refused(1, Some(1), refusal(Reason::MatchEnded, None));
    let answered = |given: &mut Given| {
        given.thought(1, 4, "a1a2");
        given.refused(1, Some(4), gone());
    };
    for ends in [&checked as &dyn Fn(&mut Given), &probed, &answered] {
        let mut given = given(Until::Stopped);
        given.open(1);
        given.decision_since(1, 4, 2);
        let over = given.table.matches[&id(1)].over.clone();
        assert_eq!(over.end(), None);
        ends(&mut given);
        assert_eq!(over.end(), Some(&MatchEnd::unknown()));
    }
}

#[test]
fn an_accepted_match_that_ended_unheard_leaves_its_place() {
    let mut given = given(Until::Stopped);
    for number in 1..=4 {
        given.invited(number);
    }
    given.check(&["accept 1", "accept 2"]);
    given.table.connected(player());
    for number in [3, 4] {
        given.invited(number);
    }
    given.effects();
    for number in [1, 2] {
        let denied = refusal(Reason::ScopeMissing, None);
        given.table.checked(id(number), Err(denied));
    }
    given.check(&["probe 1 1", "probe 2 1"]);
    // The seat was taken before the match ended.
    given.refused(1, Some(1), refusal(Reason::MatchEnded, None));
    given.check(&["accept 3"]);
    // It was not: whether it still may be, its acceptance shows.
    given.refused(2, Some(1), refusal(Reason::NoSeat, None));
    given.check(&["accept 2"]);
    given.refused(2, None, refusal(Reason::MatchEnded, None));
    given.check(&["accept 4"]);
    assert_eq!(given.table.summary().matches, 1);
}

#[test]
fn the_budget_follows_the_services_clock() {
    let mut given = given(Until::Stopped);
    // The service's clock is an hour behind.
    given.wall -= Duration::from_hours(1);
    given.table.heartbeat(given.wall, given.now);
    given.open(1);
    // The decision is half a second old when it comes.
    given.now += LIMIT / 4;
    given.decision(1, 4);
    let effects = given.table.take_effects();
    let Some(Effect::Ask(question)) = effects.last() else {
        panic!("the bot is not asked: {effects:?}");
    };
    let left = question.until.unwrap() - given.now;
    assert!(left < LIMIT * 3 / 4 && left > LIMIT / 2, "{left:?}");
}

/// The first decision may come before the service has told its time.
#[test]
fn no_decision_has_more_than_its_clock_nor_nothing() {
    for is_ahead in [false, true] {
        let mut given = given(Until::Stopped);
        let hour = Duration::from_hours(1);
        given.wall = if is_ahead {
            given.wall - hour
        } else {
            given.wall + hour
        };
        given.open(1);
        given.decision(1, 4);
        let effects = given.table.take_effects();
        let Some(Effect::Ask(question)) = effects.last() else {
            panic!("the bot is not asked: {effects:?}");
        };
        assert_eq!(question.deadline, Some(given.now + LIMIT));
        assert!(question.until.unwrap() > given.now + LIMIT * 9 / 10);
    }
}

#[test]
fn a_fresh_decision_tells_the_services_time() {
    let mut given = given(Until::Stopped);
    // The service's clock is an hour behind, and it has not said so.
    given.wall -= Duration::from_hours(1);
    given.open(1);
    given.decision(1, 4);
    given.thought(1, 4, "a1a2");
    given.accepted(1, 4);
    given.effects();
    given.decision(1, 6);
    let effects = given.table.take_effects();
    let Some(Effect::Ask(question)) = effects.last() else {
        panic!("the bot is not asked: {effects:?}");
    };
    let left = question.until.unwrap() - given.now;
    assert!(left > LIMIT * 9 / 10 && left < LIMIT, "{left:?}");
}

#[test]
fn a_bot_gets_every_event_of_play_once() {
    fn asked(given: &mut Given) -> History {
        let mut effects = given.table.take_effects();
        let Some(Effect::Ask(question)) = effects.pop() else {
            panic!("{effects:?}");
        };
        question.decision.since
    }
    let mut given = given(Until::Stopped);
    given.open(1);
    given.decision_since(1, 6, 3);
    assert_eq!(asked(&mut given), passes(3..=6));
    // Its player answers this decision and the next one elsewhere, while the bot thinks.
    given.decision_since(1, 8, 6);
    given.decision_since(1, 10, 8);
    given.thought(1, 6, "a1a2");
    assert_eq!(asked(&mut given), passes(6..=10));
    // On the next stream the answer is sent again, and after it comes what the bot does not know.
    given.thought(1, 10, "a1a3");
    given.effects();
    given.table.connected(player());
    given.effects();
    given.decision_since(1, 10, 8);
    let [Effect::Answer(_)] = &given.table.take_effects()[..] else {
        panic!("the answer is sent again");
    };
    given.open(1);
    given.decision_since(1, 13, 10);
    assert_eq!(asked(&mut given), passes(10..=13));
    // The match ends before the bot has answered: of what the end brings, it knows a part.
    let over = given.table.matches[&id(1)].over.clone();
    given.table.closed(Closed {
        view: view(1, Some(Seat::Second)),
        since: passes(10..=15),
    });
    assert_eq!(over.end().unwrap().since, passes(13..=15));
}
