//! Conversions to generated types.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::record::Thinking;
use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{
    EndReason, IllegalActionLimit, ListOrder, MatchId, NewMatch, NewToken, PlayerId, RequestId,
    SharedSeed, TimeControl, Visibility,
};
use dragontooth_service_wire::duration::MAX;
use dragontooth_service_wire::{
    duration, offer, scope, seat, stage, thinking, time_control, timestamp, visibility,
};
use v1::play_request::{self, Request};

use crate::{
    AnalysisQuestion, Answer, InvalidRequest, MatchFilter, MatchResignation, PageToken,
    PlayOptions, PresenceId,
};

pub(crate) fn seat(seat: Option<Seat>) -> i32 {
    seat.map_or(0, seat::to_proto)
}

pub(crate) fn request_id(id: Option<RequestId>) -> String {
    id.map(RequestId::into_string).unwrap_or_default()
}

pub(crate) fn create_match(new: NewMatch) -> Result<v1::CreateMatchRequest, InvalidRequest> {
    let reservations = Seat::BOTH.into_iter().filter_map(|kept| {
        let player = new.reserved[kept.index()]?;
        Some(v1::Reservation {
            seat: seat(Some(kept)),
            player_id: player.to_string(),
        })
    });
    let (time_control, seat_time_controls) = time_controls(new.time_controls)?;
    Ok(v1::CreateMatchRequest {
        reservations: reservations.collect(),
        game: new.game,
        variant: new.variant.unwrap_or_default(),
        target: new.target,
        time_control,
        seat_time_controls,
        seed_matches: new.seed.as_ref().map_or(0, SharedSeed::matches),
        seed: new
            .seed
            .map_or_else(String::new, |seed| seed.text().to_string()),
        title: new.title.into_string(),
        request_id: request_id(new.request_id),
        visibility: match new.audience.visibility() {
            Visibility::Public => 0,
            Visibility::Private => visibility::to_proto(Visibility::Private),
        },
        spectator_delay: Some(new.audience.spectator_delay())
            .filter(|delay| !delay.is_zero())
            .map(duration::to_proto),
        disconnect_grace: new
            .disconnect_grace
            .map(|grace| duration::to_proto(grace.duration())),
        illegal_action_limit: new.illegal_action_limit.map_or(0, IllegalActionLimit::get),
        join_timeout: new
            .join_timeout
            .map(|timeout| duration(timeout, "join_timeout"))
            .transpose()?,
        opening: new.opening,
    })
}

pub(crate) fn create_token(new: NewToken) -> Result<v1::CreateTokenRequest, InvalidRequest> {
    Ok(v1::CreateTokenRequest {
        scopes: new.scopes.iter().map(scope::to_proto).collect(),
        ttl: new.ttl.map(|ttl| duration(ttl, "ttl")).transpose()?,
        request_id: request_id(new.request_id),
        name: new.name.into_string(),
    })
}

pub(crate) fn list_matches(filter: MatchFilter, page: Option<PageToken>) -> v1::ListMatchesRequest {
    v1::ListMatchesRequest {
        page_size: filter.page_size.unwrap_or_default().into(),
        page_token: page_token(page),
        state: filter.state.map_or(0, stage::to_proto),
        game: filter.game.unwrap_or_default(),
        player_id: player_id(filter.player),
        variant: filter.variant.unwrap_or_default(),
        creator_id: player_id(filter.creator),
        opponent_id: player_id(filter.opponent),
        order: match filter.order {
            ListOrder::NewestFirst => v1::MatchOrder::NewestFirst.into(),
            ListOrder::OldestFirst => v1::MatchOrder::OldestFirst.into(),
        },
        create_time_from: filter.created_from.map(timestamp::to_proto),
        create_time_before: filter.created_before.map(timestamp::to_proto),
    }
}

pub(crate) fn presence_id(presence: Option<&PresenceId>) -> String {
    presence.map_or_else(String::new, |PresenceId(text)| text.clone())
}

pub(crate) fn export_matches(
    filter: MatchFilter,
    format: String,
    resume_token: Option<PageToken>,
) -> v1::ExportMatchesRequest {
    let list = list_matches(filter, None);
    v1::ExportMatchesRequest {
        filter: Some(v1::MatchFilter {
            state: list.state,
            game: list.game,
            variant: list.variant,
            player_id: list.player_id,
            opponent_id: list.opponent_id,
            creator_id: list.creator_id,
            create_time_from: list.create_time_from,
            create_time_before: list.create_time_before,
        }),
        order: list.order,
        format,
        raw_records: false,
        resume_token: page_token(resume_token),
    }
}

fn player_id(player: Option<PlayerId>) -> String {
    player.map_or_else(String::new, |player| player.to_string())
}

pub(crate) fn page_token(page: Option<PageToken>) -> String {
    page.map(|PageToken(text)| text).unwrap_or_default()
}

pub(crate) fn analyze_position(question: AnalysisQuestion) -> v1::AnalyzePositionRequest {
    v1::AnalyzePositionRequest {
        game: question.game,
        variant: question.variant.unwrap_or_default(),
        position: question.position.unwrap_or_default(),
        actions: question.actions,
        with_results: question.results,
        seed: question.seed,
    }
}

pub(crate) fn start(options: &PlayOptions) -> v1::PlayRequest {
    play(Request::Start(play_request::Start {
        omit_legal_actions: options.omit_legal_actions,
        offer: options.offer.as_ref().map(offer::to_proto),
    }))
}

pub(crate) fn answer(answer: Answer) -> v1::PlayRequest {
    play(Request::Answer(play_request::Answer {
        match_id: answer.match_id.to_string(),
        decision_id: answer.decision_id.sequence().0,
        action: answer.action,
        request_id: request_id(answer.request_id),
        thinking: thinking(answer.thinking.as_ref()),
    }))
}

pub(crate) fn thinking(thinking: Option<&Thinking>) -> Option<Box<v1::Thinking>> {
    thinking.map(|thinking| Box::new(thinking::to_proto(thinking)))
}

pub(crate) fn accept_invitation(
    match_id: MatchId,
    name: String,
    seed: Option<String>,
) -> v1::PlayRequest {
    play(Request::AcceptInvitation(play_request::AcceptInvitation {
        match_id: match_id.to_string(),
        name,
        seed: seed.unwrap_or_default(),
        request_id: String::new(),
    }))
}

pub(crate) fn resign(resignation: MatchResignation) -> v1::PlayRequest {
    play(Request::Resign(play_request::Resign {
        match_id: resignation.match_id.to_string(),
        request_id: request_id(resignation.request_id),
        reason: resignation.failure.unwrap_or_default(),
    }))
}

pub(crate) fn decline_invitation(
    match_id: MatchId,
    reason: Option<EndReason>,
    id: Option<RequestId>,
) -> v1::PlayRequest {
    play(Request::DeclineInvitation(
        play_request::DeclineInvitation {
            match_id: match_id.to_string(),
            reason: end_reason(reason),
            request_id: request_id(id),
        },
    ))
}

pub(crate) fn end_reason(reason: Option<EndReason>) -> String {
    reason.map(EndReason::into_string).unwrap_or_default()
}

fn play(request: Request) -> v1::PlayRequest {
    v1::PlayRequest {
        request: Some(request),
    }
}

/// Returns the time control of both seats, and those of seats that differ: as few as possible.
fn time_controls(
    agreed: [Option<TimeControl>; 2],
) -> Result<(Option<v1::TimeControl>, Vec<v1::SeatTimeControl>), InvalidRequest> {
    let of = |seat: Seat| agreed[seat.index()].map(time_control).transpose();
    let both = of(Seat::First)?;
    let mut others = Vec::new();
    if agreed[0] != agreed[1] {
        others.push(v1::SeatTimeControl {
            seat: seat(Some(Seat::Second)),
            time_control: of(Seat::Second)?,
        });
    }
    Ok((both, others))
}

fn time_control(agreed: TimeControl) -> Result<v1::TimeControl, InvalidRequest> {
    let field = match agreed {
        TimeControl::PerAction { limit } if limit > MAX => "time_control.per_action.limit",
        TimeControl::Fischer { base, .. } if base > MAX => "time_control.fischer.base",
        TimeControl::Fischer { increment, .. } if increment > MAX => {
            "time_control.fischer.increment"
        }
        TimeControl::Delay { base, .. } if base > MAX => "time_control.delay.base",
        TimeControl::Delay { delay, .. } if delay > MAX => "time_control.delay.delay",
        TimeControl::PerAction { .. } | TimeControl::Fischer { .. } | TimeControl::Delay { .. } => {
            return Ok(time_control::to_proto(agreed));
        }
    };
    Err(InvalidRequest { field })
}

pub(crate) fn duration(
    value: Duration,
    field: &'static str,
) -> Result<prost_types::Duration, InvalidRequest> {
    if value > MAX {
        return Err(InvalidRequest { field });
    }
    Ok(duration::to_proto(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_match_keeps_what_was_asked_for() {
        let mut new = NewMatch::new("kamisado", 3);
        new.reserved[1] = Some("00112233445566778899aabbccddeeff".parse().unwrap());
        new.time_controls = [Some(TimeControl::Fischer {
            base: Duration::from_mins(1),
            increment: Duration::from_millis(1500),
        }); 2];
        new.request_id = Some("r1".parse().unwrap());

        let wire = create_match(new).unwrap();
        assert_eq!(
            (wire.game.as_str(), wire.target, wire.variant.as_str()),
            ("kamisado", 3, "")
        );
        assert_eq!(wire.reservations.len(), 1);
        assert_eq!(wire.reservations[0].seat(), v1::Seat::Second);
        assert_eq!(wire.request_id, "r1");
        let Some(v1::time_control::Kind::Fischer(fischer)) = wire.time_control.unwrap().kind else {
            panic!("the agreement is not the one that was asked for");
        };
        assert!(wire.seat_time_controls.is_empty());
        assert_eq!(fischer.base.unwrap().seconds, 60);
        assert_eq!(fischer.increment.unwrap().nanos, 500_000_000);
    }

    #[test]
    fn a_seat_may_have_a_time_control_of_its_own() {
        let control = TimeControl::PerAction {
            limit: Duration::from_secs(2),
        };
        let mut new = NewMatch::new("kamisado", 3);
        new.time_controls[0] = Some(control);
        let wire = create_match(new.clone()).unwrap();
        assert!(wire.time_control.is_some());
        assert_eq!(wire.seat_time_controls.len(), 1);
        assert_eq!(wire.seat_time_controls[0].seat(), v1::Seat::Second);
        assert_eq!(wire.seat_time_controls[0].time_control, None);

        new.time_controls = [None, Some(control)];
        let wire = create_match(new).unwrap();
        assert_eq!(wire.time_control, None);
        assert_eq!(wire.seat_time_controls[0].seat(), v1::Seat::Second);
        assert!(wire.seat_time_controls[0].time_control.is_some());
    }

    #[test]
    fn names_a_duration_that_is_too_long() {
        let mut new = NewMatch::new("kamisado", 3);
        new.time_controls[1] = Some(TimeControl::PerAction {
            limit: Duration::MAX,
        });
        let error = create_match(new).unwrap_err();
        assert_eq!(error.field, "time_control.per_action.limit");
    }
}
