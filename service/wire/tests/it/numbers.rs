use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{
    CloseReason, Scope, Stage, Termination, TokenStanding, Visibility,
};
use dragontooth_service_wire::{
    UnknownNumber, close_reason, scope, seat, stage, termination, token_standing, visibility,
};

/// Both directions of an enum: its values have the numbers from 1, in any order, and no others.
macro_rules! check {
    ($module:ident, [$($value:expr),+ $(,)?]) => {
        let values = [$($value),+];
        let count = i32::try_from(values.len()).expect("an enum has few values");
        for value in values {
            let number = $module::to_proto(value);
            assert!((1..=count).contains(&number), "{value:?} is {number}");
            assert_eq!($module::from_proto(number), Ok(Some(value)));
        }
        assert_eq!($module::from_proto(0), Ok(None));
        for number in [-1, count + 1, i32::MAX] {
            assert_eq!($module::from_proto(number), Err(UnknownNumber(number)));
        }
    };
}

#[test]
fn enums_are_read_as_they_are_written() {
    check!(seat, [Seat::First, Seat::Second]);
    check!(stage, [Stage::Open, Stage::Active, Stage::Ended]);
    check!(visibility, [Visibility::Public, Visibility::Private]);
    check!(
        scope,
        [Scope::Play, Scope::Watch, Scope::Create, Scope::Admin]
    );
    check!(
        token_standing,
        [
            TokenStanding::Live,
            TokenStanding::Expired,
            TokenStanding::Revoked
        ]
    );
    check!(
        termination,
        [
            Termination::Normal,
            Termination::Timeout,
            Termination::Resignation,
            Termination::Aborted,
            Termination::IllegalAction,
            Termination::Disconnect,
            Termination::Expired,
            Termination::Declined,
        ]
    );
    check!(
        close_reason,
        [
            CloseReason::MatchEnded,
            CloseReason::Superseded,
            CloseReason::SlowReader,
            CloseReason::Draining,
            CloseReason::LogDamaged,
            CloseReason::LogUnavailable,
            CloseReason::TokenEnded,
            CloseReason::ConnectionAged,
        ]
    );
}
