//! The tokens: what may be asked, what it leads to, and what events make of them. Time is an argument.

use std::time::Duration;

use dragontooth_service_domain::access::{
    AccessCommand, AccessDecided, AccessEvent, AccessMisfit, AccessRejection, AccessState,
    MAX_LIVE_TOKENS, MAX_TOKEN_TTL, REMEMBERED_DEAD_TOKENS, RecordedAccess, TokenHash, TokenIssued,
    decide,
};
use dragontooth_service_vocabulary::TokenStanding;
use dragontooth_service_vocabulary::{
    IdentityName, NewToken, PlayerId, RequestId, Scope, Scopes, Timestamp, TokenId,
};
use proptest::prelude::*;

const NOON: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);
const ADMIN: PlayerId = PlayerId::from_bytes([0xad; 16]);
const HOUR: Duration = Duration::from_hours(1);

fn hash(number: u8) -> TokenHash {
    TokenHash::from_bytes([number; 32])
}

fn id(number: u8) -> TokenId {
    hash(number).id()
}

fn new(name: &str) -> NewToken {
    NewToken {
        name: IdentityName::new(name).unwrap(),
        scopes: [Scope::Play].into_iter().collect(),
        ttl: None,
        request_id: None,
    }
}

fn give(number: u8, new: NewToken) -> AccessCommand {
    give_by(Some(ADMIN), number, new)
}

fn give_by(by: Option<PlayerId>, number: u8, new: NewToken) -> AccessCommand {
    AccessCommand::Issue {
        new,
        by,
        hash: hash(number),
        player: PlayerId::from_bytes([number; 16]),
    }
}

/// Asks and goes on by what it leads to.
fn ask(
    state: &mut AccessState,
    command: &AccessCommand,
    now: Timestamp,
) -> Result<AccessDecided, AccessRejection> {
    let decided = decide(state, command, now)?;
    if let AccessDecided::Events(events) = &decided {
        for event in events {
            let recorded = RecordedAccess {
                sequence: state.head().next(),
                time: now,
                event: event.clone(),
            };
            state.follow(&recorded).unwrap();
        }
    }
    Ok(decided)
}

#[test]
fn an_identity_keeps_its_player_whatever_tokens_it_gets() {
    let mut state = AccessState::new();
    ask(&mut state, &give(1, new("Ann")), NOON).unwrap();
    ask(&mut state, &give(2, new("Ann")), NOON).unwrap();
    ask(&mut state, &give(3, new("Bob")), NOON).unwrap();
    let player = |number| state.token(id(number)).unwrap().player;
    assert_eq!(player(1), PlayerId::from_bytes([1; 16]));
    assert_eq!(player(2), player(1));
    assert_ne!(player(3), player(1));
    assert_eq!(state.identities(), 2);
    assert!(state.token_of(&hash(1)).is_some());
    let mut same_id = [1; 32];
    same_id[31] = 9;
    assert!(state.token_of(&TokenHash::from_bytes(same_id)).is_none());
}

#[test]
fn two_tokens_of_an_identity_count_at_the_same_time() {
    let mut state = AccessState::new();
    let short = NewToken {
        ttl: Some(HOUR),
        ..new("Ann")
    };
    ask(&mut state, &give(1, short), NOON).unwrap();
    ask(&mut state, &give(2, new("Ann")), NOON).unwrap();
    let refused = ask(&mut state, &give(3, new("Ann")), NOON);
    assert!(matches!(
        refused,
        Err(AccessRejection::TooManyTokens { .. })
    ));
    assert_eq!(MAX_LIVE_TOKENS, 2);
    // When one has ended there is room, be its time up or be it revoked.
    let later = NOON.after(HOUR);
    ask(&mut state, &give(3, new("Ann")), later).unwrap();
    let revoke = AccessCommand::Revoke {
        id: id(2),
        by: None,
    };
    ask(&mut state, &revoke, later).unwrap();
    ask(&mut state, &give(4, new("Ann")), later).unwrap();
}

#[test]
fn a_token_counts_to_the_microsecond() {
    let mut state = AccessState::new();
    let short = NewToken {
        ttl: Some(HOUR),
        ..new("Ann")
    };
    ask(&mut state, &give(1, short), NOON).unwrap();
    let token = state.token(id(1)).unwrap().clone();
    let end = NOON.after(HOUR);
    assert_eq!(token.expires(), Some(end));
    let before = Timestamp::from_micros(end.micros() - 1);
    assert_eq!(token.standing(before), TokenStanding::Live);
    assert_eq!(token.standing(end), TokenStanding::Expired);
    let revoke = AccessCommand::Revoke {
        id: id(1),
        by: None,
    };
    ask(&mut state, &revoke, before).unwrap();
    let token = state.token(id(1)).unwrap();
    assert_eq!(token.standing(NOON), TokenStanding::Revoked);
    assert_eq!(token.revoked, Some(before));
    // Once revoked it stays so, and asking again changes nothing.
    let again = ask(&mut state, &revoke, end);
    assert_eq!(again, Ok(AccessDecided::Events(Vec::new())));
}

#[test]
fn what_no_token_can_be_is_refused() {
    let mut state = AccessState::new();
    let with = |ttl| NewToken {
        ttl: Some(ttl),
        ..new("Ann")
    };
    let too_long = MAX_TOKEN_TTL + Duration::from_micros(1);
    for ttl in [Duration::ZERO, Duration::from_nanos(999), too_long] {
        let refused = ask(&mut state, &give(1, with(ttl)), NOON);
        assert_eq!(refused, Err(AccessRejection::Ttl { ttl }));
    }
    let nothing = NewToken {
        scopes: Scopes::NONE,
        ..new("Ann")
    };
    let refused = ask(&mut state, &give(1, nothing), NOON);
    assert_eq!(refused, Err(AccessRejection::NoScope));
    ask(&mut state, &give(1, with(MAX_TOKEN_TTL)), NOON).unwrap();
    // The hash, or the player of another identity, is there already.
    for command in [give(1, new("Ann")), give(1, new("Bob"))] {
        assert_eq!(
            ask(&mut state, &command, NOON),
            Err(AccessRejection::Collision)
        );
    }
    let revoke = AccessCommand::Revoke {
        id: id(9),
        by: None,
    };
    let refused = ask(&mut state, &revoke, NOON);
    assert_eq!(refused, Err(AccessRejection::UnknownToken(id(9))));
}

#[test]
fn a_request_is_granted_once_for_each_who_asks() {
    let mut state = AccessState::new();
    let once = |name: &str| NewToken {
        request_id: Some(RequestId::new("once").unwrap()),
        ..new(name)
    };
    ask(&mut state, &give(1, once("Ann")), NOON).unwrap();
    let again = ask(&mut state, &give(2, once("Ann")), NOON);
    assert_eq!(again, Ok(AccessDecided::IssuedBefore(id(1))));
    let other = ask(&mut state, &give(2, once("Bob")), NOON);
    assert_eq!(other, Err(AccessRejection::RequestIdReused(id(1))));
    let elsewhere = Some(PlayerId::from_bytes([7; 16]));
    let theirs = ask(&mut state, &give_by(elsewhere, 2, once("Bob")), NOON);
    assert!(matches!(theirs, Ok(AccessDecided::Events(events)) if events.len() == 1));
}

#[test]
fn uses_are_noted_once_and_only_forward() {
    let mut state = AccessState::new();
    ask(&mut state, &give(1, new("Ann")), NOON).unwrap();
    let later = NOON.after(HOUR);
    let note = |time| AccessCommand::NoteUse(vec![(id(1), time), (id(9), time)]);
    let noted = ask(&mut state, &note(later), later).unwrap();
    let event = AccessEvent::Used(vec![(id(1), later)]);
    assert_eq!(noted, AccessDecided::Events(vec![event]));
    assert_eq!(state.token(id(1)).unwrap().last_used, Some(later));
    for time in [later, NOON] {
        let noted = ask(&mut state, &note(time), later);
        assert_eq!(noted, Ok(AccessDecided::Events(Vec::new())));
    }
}

#[test]
fn the_oldest_ended_tokens_are_forgotten() {
    let mut state = AccessState::new();
    let rotations = u8::try_from(REMEMBERED_DEAD_TOKENS).unwrap() + 3;
    for number in 1..=rotations {
        ask(&mut state, &give(number, new("Ann")), NOON).unwrap();
        let revoke = AccessCommand::Revoke {
            id: id(number),
            by: None,
        };
        ask(&mut state, &revoke, NOON).unwrap();
    }
    // The last one was revoked after it was issued, so one more than that is there.
    assert_eq!(state.tokens_after(None).count(), REMEMBERED_DEAD_TOKENS + 1);
    assert!(state.token(id(1)).is_none());
    assert!(state.token(id(rotations)).is_some());
    assert_eq!(state.identities(), 1);
}

#[test]
fn a_player_blocks_and_unblocks_another_once() {
    let [ann, bob] = [1, 2].map(|number| PlayerId::from_bytes([number; 16]));
    let mut state = AccessState::new();
    let nothing = Ok(AccessDecided::Events(Vec::new()));
    let (player, blocked) = (ann, bob);
    let block = AccessCommand::Block { player, blocked };
    let unblock = AccessCommand::Unblock { player, blocked };
    assert_eq!(ask(&mut state, &unblock, NOON), nothing);
    let event = AccessEvent::Blocked { player, blocked };
    let done = Ok(AccessDecided::Events(vec![event]));
    assert_eq!(ask(&mut state, &block, NOON), done);
    assert_eq!(ask(&mut state, &block, NOON), nothing);
    assert!(state.blocks().is_blocked(ann, bob) && !state.blocks().is_blocked(bob, ann));
    assert_eq!((state.blocks().count(ann), state.blocks().total()), (1, 1));
    let event = AccessEvent::Unblocked { player, blocked };
    let done = Ok(AccessDecided::Events(vec![event]));
    assert_eq!(ask(&mut state, &unblock, NOON), done);
    assert_eq!((state.blocks().count(ann), state.blocks().total()), (0, 0));
    let own = AccessCommand::Block {
        player: ann,
        blocked: ann,
    };
    assert_eq!(ask(&mut state, &own, NOON), Err(AccessRejection::OwnBlock));
}

#[test]
fn events_that_cannot_have_happened_are_refused() {
    let mut state = AccessState::new();
    let AccessDecided::Events(events) = decide(&state, &give(1, new("Ann")), NOON).unwrap() else {
        panic!("a token is issued");
    };
    let [issued] = &events[..] else {
        panic!("it is one event");
    };
    let at = |sequence, event: &AccessEvent| RecordedAccess {
        sequence: dragontooth_service_vocabulary::Sequence(sequence),
        time: NOON,
        event: event.clone(),
    };
    assert_eq!(state.follow(&at(2, issued)), Err(AccessMisfit::Gap));
    let revoked = AccessEvent::Revoked {
        id: id(1),
        by: None,
    };
    let unknown = state.follow(&at(1, &revoked));
    assert_eq!(unknown, Err(AccessMisfit::UnknownToken));
    state.follow(&at(1, issued)).unwrap();
    assert_eq!(state.follow(&at(2, issued)), Err(AccessMisfit::Issued));
    state.follow(&at(2, &revoked)).unwrap();
    assert_eq!(state.head().0, 2);
    let [player, blocked] = [1, 2].map(|number| PlayerId::from_bytes([number; 16]));
    let add = AccessEvent::Blocked { player, blocked };
    let remove = AccessEvent::Unblocked { player, blocked };
    let blocked = player;
    let own = AccessEvent::Blocked { player, blocked };
    for event in [&remove, &own] {
        assert_eq!(state.follow(&at(3, event)), Err(AccessMisfit::Block));
    }
    state.follow(&at(3, &add)).unwrap();
    assert_eq!(state.follow(&at(4, &add)), Err(AccessMisfit::Block));
}

proptest! {
    /// Whatever is asked: no identity has more valid tokens than it may have, and what was revoked
    /// is never valid again.
    #[test]
    fn the_laws_hold_for_whatever_is_asked(
        asks in prop::collection::vec((0_u8..4, 0_u8..40, 0_u64..100), 1..80),
    ) {
        let mut state = AccessState::new();
        let mut now = NOON;
        let mut revoked = Vec::new();
        for (kind, number, wait) in asks {
            now = now.after(Duration::from_mins(wait));
            let name = ["Ann", "Bob", "Eve"][usize::from(number % 3)];
            let command = match kind {
                0 | 1 => give(number, NewToken {
                    ttl: (kind == 1).then_some(HOUR),
                    ..new(name)
                }),
                2 => AccessCommand::Revoke { id: id(number), by: None },
                _ => AccessCommand::NoteUse(vec![(id(number), now)]),
            };
            if ask(&mut state, &command, now).is_ok() && kind == 2 {
                revoked.push(id(number));
            }
            for name in ["Ann", "Bob", "Eve"] {
                let of_name = state.tokens_after(None).filter(|token| token.name.as_str() == name);
                let live = of_name.filter(|token| token.standing(now) == TokenStanding::Live);
                prop_assert!(live.count() <= MAX_LIVE_TOKENS);
            }
            // A number may be issued again when its token was forgotten.
            revoked.retain(|id| state.token(*id).is_some());
            for id in &revoked {
                let token = state.token(*id).unwrap();
                if token.revoked.is_some() {
                    prop_assert_eq!(token.standing(now), TokenStanding::Revoked);
                }
            }
        }
    }
}

#[test]
fn a_new_identity_has_no_name_that_looks_like_another_one() {
    let mut state = AccessState::new();
    ask(&mut state, &give(1, new("paypal")), NOON).unwrap();
    ask(&mut state, &give(2, new("mark 10")), NOON).unwrap();
    // Cyrillic letters; "rn" for "m"; the letters l and O for digits, as in `confusables.txt` of UTS 39.
    for (name, like) in [
        ("\u{440}\u{430}\u{443}\u{440}\u{430}\u{4cf}", "paypal"),
        ("paypa1", "paypal"),
        ("paypaI", "paypal"),
        ("rnark 10", "mark 10"),
        ("mark lO", "mark 10"),
    ] {
        let name = IdentityName::new(name).unwrap();
        let refused = ask(&mut state, &give(3, new(name.as_str())), NOON).unwrap_err();
        let like = IdentityName::new(like).unwrap();
        assert_eq!(refused, AccessRejection::Confusable { name, like });
    }
    // The identities themselves get further tokens, and other names are free.
    for (number, name) in [(3, "paypal"), (4, "mark 10"), (5, "paypals"), (6, "Paypal")] {
        ask(&mut state, &give(number, new(name)), NOON).unwrap();
    }
    assert_eq!(state.identities(), 4);
}

/// Earlier versions allowed such names.
#[test]
fn recorded_names_that_look_alike_stay() {
    let mut state = AccessState::new();
    for (number, name) in [(1, "mark"), (2, "rnark"), (3, "\u{202e}kram")] {
        let issued = TokenIssued {
            hash: hash(number),
            player: PlayerId::from_bytes([number; 16]),
            name: IdentityName::recorded(name).unwrap(),
            scopes: [Scope::Play].into_iter().collect(),
            ttl: None,
            by: None,
            request_id: None,
        };
        let recorded = RecordedAccess {
            sequence: state.head().next(),
            time: NOON,
            event: AccessEvent::Issued(Box::new(issued)),
        };
        state.follow(&recorded).unwrap();
    }
    for (number, name) in [(4, "mark"), (5, "rnark")] {
        ask(&mut state, &give(number, new(name)), NOON).unwrap();
        let own = PlayerId::from_bytes([number - 3; 16]);
        assert_eq!(state.token(id(number)).unwrap().player, own);
        assert_eq!(state.name_of(own), Some(&IdentityName::new(name).unwrap()));
    }
}
