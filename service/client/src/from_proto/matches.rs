use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::match_play::Score;
use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{EndReason, MatchOutcome, Sequence, Termination, TimeControl};
use dragontooth_service_wire::absences::InvalidAbsences;
use dragontooth_service_wire::clocks::InvalidClocks;
use dragontooth_service_wire::{UnknownNumber, absences, clocks, stage, termination, time_control};

use super::Field;
use super::fields;
use crate::invalid_response::{FieldFault, InvalidResponse};
use crate::{MatchView, SeatView, system_time};

/// Converts a required match.
pub(crate) fn match_view(wire: Option<v1::Match>) -> Result<MatchView, InvalidResponse> {
    read_match(wire.ok_or_else(|| InvalidResponse::missing("match"))?).within("match")
}

pub(super) fn score(wire: Option<v1::Score>) -> Score {
    let wire = wire.unwrap_or_default();
    Score::new([wire.first, wire.second])
}

/// Converts the clocks, by [`Seat::index`].
pub(super) fn clocks(wire: &[v1::Clock]) -> Result<Option<[Option<Duration>; 2]>, InvalidResponse> {
    if wire.is_empty() {
        return Ok(None);
    }
    let remaining = clocks::from_proto(wire).map_err(|invalid| match invalid {
        InvalidClocks::Seat(UnknownNumber(number)) => {
            InvalidResponse::new("clocks.seat", FieldFault::UnknownNumber(number))
        }
        InvalidClocks::Missing(field) => InvalidResponse::missing(&format!("clocks.{field}")),
        InvalidClocks::Remaining(_) => InvalidResponse::new("clocks.remaining", FieldFault::Time),
        InvalidClocks::Twice(_) => InvalidResponse::new("clocks", FieldFault::Count(wire.len())),
    })?;
    Ok(Some(remaining))
}

fn forfeits(wire: &[v1::Absence]) -> Result<[Option<SystemTime>; 2], InvalidResponse> {
    let forfeits = absences::from_proto(wire).map_err(|invalid| match invalid {
        InvalidAbsences::Seat(UnknownNumber(number)) => {
            InvalidResponse::new("absences.seat", FieldFault::UnknownNumber(number))
        }
        InvalidAbsences::Missing => InvalidResponse::missing("absences.seat"),
        InvalidAbsences::Forfeit(_) => {
            InvalidResponse::new("absences.forfeit_time", FieldFault::Time)
        }
    })?;
    Ok(forfeits.map(|time| time.map(system_time)))
}

pub(super) fn match_outcome(wire: v1::MatchOutcome) -> Result<MatchOutcome, InvalidResponse> {
    let termination = termination::from_proto(wire.termination);
    let termination = fields::some_number_of(termination, "termination")?;
    let mut outcome = MatchOutcome {
        aborted_by: fields::player(&wire.aborted_by, "aborted_by")?,
        ..MatchOutcome::new(fields::seat(wire.winner, "winner")?, termination)
    };
    if let Some(reason) = fields::filled(wire.reason) {
        if termination == Termination::Resignation {
            outcome.failure = Some(fields::text("reason", &reason)?);
        } else {
            let recorded = EndReason::recorded(&reason);
            let fault = |error| InvalidResponse::new("reason", FieldFault::Text(error));
            outcome.reason = Some(recorded.map_err(fault)?);
        }
    }
    Ok(outcome)
}

fn read_match(wire: v1::Match) -> Result<MatchView, InvalidResponse> {
    Ok(MatchView {
        id: fields::id("id", &wire.id)?,
        title: wire.title,
        game: wire.game,
        variant: wire.variant,
        target: wire.target,
        state: fields::some_number_of(stage::from_proto(wire.state), "state")?,
        seats: seats(wire.seats, time_control(wire.time_control)?)?,
        score: score(wire.score),
        game_number: wire.game_number,
        position: fields::filled(wire.position),
        to_act: fields::seat(wire.to_act, "to_act")?,
        decision_id: fields::decision_id(wire.decision_id),
        clocks: clocks(&wire.clocks)?,
        deadline: fields::maybe_time(wire.deadline, "deadline")?,
        outcome: wire
            .outcome
            .map(match_outcome)
            .transpose()
            .within("outcome")?,
        head_sequence: Sequence(wire.head_sequence),
        head_hash: wire.head_hash,
        created: fields::maybe_time(wire.create_time, "create_time")?,
        ended: fields::maybe_time(wire.end_time, "end_time")?,
        creator: fields::player(&wire.creator_id, "creator_id")?,
        seed_commitment: wire.seed_commitment,
        seed_given: wire.seed_given,
        server_seed: fields::filled(wire.server_seed),
        private: wire.visibility == i32::from(v1::Visibility::Private),
        spectator_delay: wire
            .spectator_delay
            .map(|delay| fields::duration(delay, "spectator_delay"))
            .transpose()?,
        disconnect_grace: wire
            .disconnect_grace
            .map(|grace| fields::duration(grace, "disconnect_grace"))
            .transpose()?,
        forfeits: forfeits(&wire.absences)?,
        illegal_action_limit: NonZeroU32::new(wire.illegal_action_limit),
        join_deadline: fields::maybe_time(wire.join_deadline, "join_deadline")?,
        opening: wire.opening,
    })
}

/// Converts a time control; `None` means no clock.
fn time_control(wire: Option<v1::TimeControl>) -> Result<Option<TimeControl>, InvalidResponse> {
    time_control::from_proto(wire)
        .map_err(|invalid| InvalidResponse::new(invalid.field, FieldFault::Time))
}

/// Converts both seats. Early versions of the service send one time control for both seats only.
fn seats(
    wire: Vec<v1::SeatInfo>,
    both: Option<TimeControl>,
) -> Result<[SeatView; 2], InvalidResponse> {
    let count = wire.len();
    let mut seats: [Option<SeatView>; 2] = [None, None];
    for info in wire {
        let seat: Seat = fields::some_seat(info.seat, "seats.seat")?;
        seats[seat.index()] = Some(SeatView {
            player: fields::player(&info.player_id, "seats.player_id")?,
            name: info.name,
            name_verified: info.name_verified,
            joined: info.joined,
            seed: info.seed,
            time_control: time_control(info.time_control)?.or(both),
        });
    }
    match (seats, count) {
        ([Some(first), Some(second)], 2) => Ok([first, second]),
        _ => Err(InvalidResponse::new("seats", FieldFault::Count(count))),
    }
}

#[cfg(test)]
mod tests {
    use dragontooth_service_vocabulary::Stage;

    use super::*;
    use crate::DecisionId;

    const ID: &str = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b";
    const HASH: &str = "1dcf3c5d8f0b6a5e4d3c2b1a09f8e7d61dcf3c5d8f0b6a5e4d3c2b1a09f8e7d6";
    const PLAYER: &str = "00112233445566778899aabbccddeeff";

    fn seconds(seconds: i64) -> prost_types::Duration {
        prost_types::Duration { seconds, nanos: 0 }
    }

    fn seat_info(seat: v1::Seat, player: &str) -> v1::SeatInfo {
        v1::SeatInfo {
            seat: seat.into(),
            player_id: player.to_owned(),
            name: "beta".to_owned(),
            joined: !player.is_empty(),
            seed: String::new(),
            time_control: None,
            name_verified: true,
        }
    }

    fn clock(seat: v1::Seat, left: i64) -> v1::Clock {
        v1::Clock {
            seat: seat.into(),
            remaining: Some(seconds(left)),
        }
    }

    fn active() -> v1::Match {
        v1::Match {
            id: ID.to_owned(),
            game: "kamisado".to_owned(),
            variant: "standard".to_owned(),
            target: 3,
            time_control: Some(v1::TimeControl {
                kind: Some(v1::time_control::Kind::Fischer(v1::time_control::Fischer {
                    base: Some(seconds(60)),
                    increment: None,
                })),
            }),
            state: v1::MatchState::Active.into(),
            seats: vec![
                seat_info(v1::Seat::Second, ""),
                seat_info(v1::Seat::First, PLAYER),
            ],
            score: Some(v1::Score {
                first: 1,
                second: 2,
            }),
            to_act: v1::Seat::Second.into(),
            decision_id: 9,
            clocks: vec![clock(v1::Seat::First, 5), clock(v1::Seat::Second, 7)],
            deadline: Some(SystemTime::UNIX_EPOCH.into()),
            head_sequence: 9,
            head_hash: HASH.to_owned(),
            visibility: v1::Visibility::Private.into(),
            spectator_delay: Some(seconds(90)),
            ..v1::Match::default()
        }
    }

    fn fault(change: impl FnOnce(&mut v1::Match)) -> InvalidResponse {
        let mut wire = active();
        change(&mut wire);
        match_view(Some(wire)).unwrap_err()
    }

    #[test]
    fn reads_a_match() {
        let view = match_view(Some(active())).unwrap();
        assert_eq!(view.id.to_string(), ID);
        assert_eq!(view.state, Stage::Active);
        assert_eq!(view.score.to_string(), "1-2");
        assert_eq!(view.seat_of(PLAYER.parse().unwrap()), Some(Seat::First));
        assert!(!view.seat(Seat::Second).joined);
        assert_eq!(view.to_act, Some(Seat::Second));
        assert_eq!(view.decision_id, Some(DecisionId::after(Sequence(9))));
        assert_eq!(
            view.clocks,
            Some([5, 7].map(|left| Some(Duration::from_secs(left))))
        );
        assert_eq!(view.deadline, Some(SystemTime::UNIX_EPOCH));
        assert_eq!(
            (view.position, view.outcome, view.ended, view.creator),
            (None, None, None, None)
        );
        assert_eq!(view.head_hash, HASH);
        assert!(view.private);
        assert_eq!(view.spectator_delay, Some(Duration::from_secs(90)));
        let agreed = TimeControl::Fischer {
            base: Duration::from_mins(1),
            increment: Duration::ZERO,
        };
        for seat in view.seats {
            assert_eq!(seat.time_control, Some(agreed));
        }
    }

    #[test]
    fn reads_why_a_match_was_resigned() {
        for (told, failure) in [("", None), ("it fell", Some("it fell".parse().unwrap()))] {
            let outcome = match_outcome(v1::MatchOutcome {
                winner: v1::Seat::First.into(),
                termination: v1::Termination::Resignation.into(),
                aborted_by: String::new(),
                reason: told.to_owned(),
            });
            assert_eq!(outcome.unwrap().failure, failure);
        }
    }

    #[test]
    fn reads_the_clocks_of_each_seat() {
        let mut wire = active();
        wire.seats[1].time_control = wire.time_control.take();
        wire.clocks.truncate(1);
        let view = match_view(Some(wire)).unwrap();
        let minute = TimeControl::Fischer {
            base: Duration::from_mins(1),
            increment: Duration::ZERO,
        };
        assert_eq!(view.seat(Seat::First).time_control, Some(minute));
        assert_eq!(view.seat(Seat::Second).time_control, None);
        let clocks = [Some(Duration::from_secs(5)), None];
        assert_eq!(view.clocks, Some(clocks));
    }

    #[test]
    fn names_the_field_that_cannot_be_read() {
        let missing = match_view(None).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "malformed answer: the field match is missing"
        );
        for (fault, field) in [
            (fault(|wire| wire.id.clear()), "match.id"),
            (fault(|wire| wire.state = 0), "match.state"),
            (fault(|wire| wire.state = 77), "match.state"),
            (fault(|wire| wire.seats.truncate(1)), "match.seats"),
            (
                fault(|wire| wire.seats[0] = wire.seats[1].clone()),
                "match.seats",
            ),
            (fault(|wire| wire.seats[0].seat = 0), "match.seats.seat"),
            (
                fault(|wire| wire.clocks.push(wire.clocks[0])),
                "match.clocks",
            ),
            (
                fault(|wire| wire.clocks[0].remaining = Some(seconds(-1))),
                "match.clocks.remaining",
            ),
            (
                fault(|wire| wire.spectator_delay = Some(seconds(-1))),
                "match.spectator_delay",
            ),
            (
                fault(|wire| wire.creator_id = "me".to_owned()),
                "match.creator_id",
            ),
            (
                fault(|wire| wire.outcome = Some(v1::MatchOutcome::default())),
                "match.outcome.termination",
            ),
        ] {
            assert_eq!(fault.field, field);
        }
    }
}
