//! Entry points for fuzzing the reading of requests; not part of the crate's interface.

use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_proto::v1 as wire;
use dragontooth_service_domain::{Command, MatchState, create};
use dragontooth_service_store::{ChainHead, StreamId, decode, encode};
use dragontooth_service_vocabulary::{
    MatchEvent, MatchId, PlayerId, Recorded, Sequence, Timestamp,
};
use prost::Message;
use tonic::Status;
use tonic_types::StatusExt;
use wire::play_request::{AcceptInvitation, Answer, DeclineInvitation, Request, Resign, Start};

use super::fault::{Fault, InvalidField};
use super::page_tokens::{PageTokens, PagedList};
use super::{analysis, from_proto, play, to_proto};
use crate::access::{Caller, Viewer, own_player};
use crate::matches::{Filter, MatchFacts};

const CREATOR: PlayerId = PlayerId::from_bytes([7; 16]);
const MATCH: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
/// The most actions in a request for an analysis; more only take longer.
const MAX_ACTIONS: usize = 64;

/// Parses the bytes after the first as a request of the kind that the first byte selects, up to the point
/// where a match would be asked.
///
/// # Errors
///
/// The text of the refusal.
///
/// # Panics
///
/// An invariant is broken: an accepted request reads back as it was sent, and a refusal has its details.
pub fn read_request(data: &[u8]) -> Result<(), String> {
    let Some((kind, bytes)) = data.split_first() else {
        return Ok(());
    };
    let read = match kind % 9 {
        0 => wire::CreateMatchRequest::decode(bytes).map(create_match),
        1 => wire::PlayRequest::decode(bytes).map(play_request),
        2 => wire::JoinMatchRequest::decode(bytes).map(|request| join(&request)),
        3 => wire::ListMatchesRequest::decode(bytes).map(|request| list_matches(&request)),
        4 => wire::AnalyzePositionRequest::decode(bytes).map(|request| analyze_position(&request)),
        5 => wire::SubmitActionRequest::decode(bytes).map(submit),
        6 => wire::ResignMatchRequest::decode(bytes).map(|request| {
            from_proto::match_id(&request.match_id)?;
            from_proto::request_id(&request.request_id)?;
            Ok(())
        }),
        7 => wire::CreateTokenRequest::decode(bytes).map(|request| {
            from_proto::new_token(&request)?;
            Ok(())
        }),
        _ => wire::ListGamesRequest::decode(bytes).map(|request| {
            analysis::list_games(&request)?;
            Ok(())
        }),
    };
    match read {
        Err(error) => Err(error.to_string()),
        Ok(Ok(())) => Ok(()),
        Ok(Err(fault)) => Err(refused(fault)),
    }
}

/// Reads a text as the token of a page of matches, of issued tokens, and of games.
///
/// # Errors
///
/// The text of the refusal.
///
/// # Panics
///
/// An accepted token means something else when it is written and read again.
pub fn read_page_token(text: &str) -> Result<(), String> {
    let request = wire::ListGamesRequest {
        page_size: 1,
        page_token: text.to_owned(),
    };
    if let Ok(page) = analysis::list_games(&request) {
        let first = &page.games[0];
        assert!(text.is_empty() || first.name == text, "{text:?}");
    }
    let list = match_list();
    let before = list
        .place::<16>(text)
        .map_err(|error| refused(error.into()))?;
    if let Some(place) = before {
        assert_eq!(list.token(&place), text, "a place has one token");
    }
    Ok(())
}

/// The list of all matches, for anyone.
fn match_list() -> PagedList {
    PageTokens::new([7; 32]).matches(&Viewer::default(), &Filter::default())
}

/// The token of a page of matches, as [`read_page_token`] reads it.
#[must_use]
pub fn page_token() -> String {
    match_list().token(&[7; 16])
}

/// Well-formed requests of every kind, as [`read_request`] reads them.
#[must_use]
pub fn requests() -> Vec<Vec<u8>> {
    let id = || MATCH.to_owned();
    let text = str::to_owned;
    let seconds = |seconds| prost_types::Duration {
        seconds,
        nanos: 500,
    };
    let fischer = wire::time_control::Kind::Fischer(wire::time_control::Fischer {
        base: Some(seconds(300)),
        increment: Some(seconds(2)),
    });
    let created = wire::CreateMatchRequest {
        game: text("backgammon"),
        target: 7,
        time_control: Some(wire::TimeControl {
            kind: Some(fischer),
        }),
        seed: text("a seed"),
        title: text("a title"),
        reservations: vec![wire::Reservation {
            seat: 2,
            player_id: CREATOR.to_string(),
        }],
        request_id: text("r-1"),
        visibility: wire::Visibility::Private.into(),
        spectator_delay: Some(seconds(5)),
        disconnect_grace: Some(seconds(60)),
        join_timeout: Some(seconds(90)),
        illegal_action_limit: 3,
        seat_time_controls: vec![wire::SeatTimeControl {
            seat: 1,
            time_control: Some(wire::TimeControl {
                kind: Some(wire::time_control::Kind::PerAction(
                    wire::time_control::PerAction {
                        limit: Some(seconds(3)),
                    },
                )),
            }),
        }],
        ..wire::CreateMatchRequest::default()
    };
    let join = wire::JoinMatchRequest {
        match_id: id(),
        name: text("name"),
        seed: text("mine"),
        request_id: text("r-7"),
        ..wire::JoinMatchRequest::default()
    };
    let list = wire::ListMatchesRequest {
        page_size: 10,
        page_token: page_token(),
        state: 2,
        player_id: CREATOR.to_string(),
        create_time_from: Some(prost_types::Timestamp {
            seconds: 1_700_000_000,
            nanos: 5,
        }),
        ..wire::ListMatchesRequest::default()
    };
    let analyze = wire::AnalyzePositionRequest {
        game: text("kamisado"),
        actions: ["b1h7", "c8a6", "a6e2"].map(text).to_vec(),
        with_results: true,
        ..wire::AnalyzePositionRequest::default()
    };
    let submit = wire::SubmitActionRequest {
        match_id: id(),
        decision_id: 5,
        action: text("b1h7"),
        request_id: text("r-4"),
        thinking: Some(Box::new(thinking())),
    };
    let resigned = wire::ResignMatchRequest {
        match_id: id(),
        request_id: text("r-5"),
        reason: text("why"),
    };
    let token = wire::CreateTokenRequest {
        name: text("Ann"),
        scopes: vec![1, 2, 3],
        ttl: Some(seconds(60)),
        request_id: text("r-8"),
    };
    let games = wire::ListGamesRequest {
        page_size: 2,
        page_token: text("linja"),
    };
    let mut requests = vec![
        of_kind(0, &created),
        of_kind(2, &join),
        of_kind(3, &list),
        of_kind(4, &analyze),
        of_kind(5, &submit),
        of_kind(6, &resigned),
        of_kind(7, &token),
        of_kind(8, &games),
    ];
    requests.extend(play_requests());
    requests
}

/// Thoughts with every part.
fn thinking() -> wire::Thinking {
    wire::Thinking {
        seat: 1,
        value: Some(wire::thinking::Value::WinProbability(0.612)),
        depth: Some(7),
        nodes: Some(12_345),
        time: Some(prost_types::Duration {
            seconds: 1,
            nanos: 500_000_000,
        }),
        line: vec!["b1h7".to_owned(), "c8a6".to_owned()],
        tags: vec![wire::thinking::Tag {
            name: "net".to_owned(),
            value: "v2".to_owned(),
        }],
    }
}

fn play_requests() -> Vec<Vec<u8>> {
    let id = || MATCH.to_owned();
    let text = str::to_owned;
    let play = |request| wire::PlayRequest {
        request: Some(request),
    };
    let answer = Answer {
        match_id: id(),
        decision_id: 5,
        action: text("13/11 8/7"),
        request_id: text("r-2"),
        thinking: Some(Box::new(thinking())),
    };
    let accept = AcceptInvitation {
        match_id: id(),
        name: text("name"),
        request_id: text("r-6"),
        ..AcceptInvitation::default()
    };
    let resign = Resign {
        match_id: id(),
        request_id: text("r-3"),
        reason: text("why"),
    };
    let decline = DeclineInvitation {
        match_id: id(),
        reason: text("why"),
        request_id: text("r-9"),
    };
    let start = Start {
        omit_legal_actions: true,
        offer: Some(wire::Offer {
            games: vec![wire::AcceptedGame {
                game: text("kamisado"),
                variants: vec![text("random")],
                target_min: 1,
                target_max: 7,
                time_controls: vec![wire::TimeControl::default()],
            }],
            matches_at_once: 4,
            build: text("v12"),
        }),
    };
    vec![
        of_kind(1, &play(Request::Start(start))),
        of_kind(1, &play(Request::Answer(answer))),
        of_kind(1, &play(Request::AcceptInvitation(accept))),
        of_kind(1, &play(Request::Resign(resign))),
        of_kind(1, &play(Request::DeclineInvitation(decline))),
    ]
}

fn of_kind(kind: u8, request: &impl Message) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend(request.encode_to_vec());
    bytes
}

/// An accepted match is stored, and shown, as it was requested.
fn create_match(request: wire::CreateMatchRequest) -> Result<(), Fault> {
    let new = from_proto::new_match(request.clone())?;
    let id: MatchId = from_proto::match_id(MATCH)?;
    let event = create(&new, CREATOR, id, &Seed::from_text("drawn"))?;
    let time = Timestamp::from_micros(1);
    let stored = decode(&encode(time, &event));
    assert_eq!(stored, Ok((time, event.clone())));
    let first = Recorded {
        sequence: Sequence(1),
        time,
        event,
    };
    let state = MatchState::new(&first).expect("`create` made it");
    let head = ChainHead::start(StreamId(id.bytes()));
    let shown = to_proto::match_resource(&MatchFacts::at(&state, head), false, &|_| None);
    let variant_fits = request.variant.is_empty() || request.variant == shown.variant;
    assert!(variant_fits, "{shown:?}");
    assert_eq!(
        (shown.game, shown.target, shown.title, shown.seed_given),
        (
            request.game,
            request.target,
            request.title,
            !request.seed.is_empty()
        )
    );
    for kept in request.reservations {
        let seat = shown.seats.iter().find(|seat| seat.seat == kept.seat);
        let player = seat.map(|seat| seat.player_id.to_ascii_lowercase());
        assert_eq!(player, Some(kept.player_id.to_ascii_lowercase()));
    }
    Ok(())
}

fn play_request(request: wire::PlayRequest) -> Result<(), Fault> {
    match request.request {
        Some(Request::Start(start)) => {
            start.offer.map(from_proto::offer).transpose()?;
        }
        Some(request) => drop(play::command(&caller(), request)?),
        None => {}
    }
    Ok(())
}

fn submit(request: wire::SubmitActionRequest) -> Result<(), Fault> {
    from_proto::match_id(&request.match_id)?;
    let wire::SubmitActionRequest {
        decision_id,
        action,
        request_id,
        thinking,
        ..
    } = request;
    let (thinking, _) = from_proto::thinking(thinking);
    let command = from_proto::act(CREATOR, decision_id, action, thinking, &request_id)?;
    if let Command::Act {
        action,
        thinking: Some(offered),
        ..
    } = command
    {
        let event = MatchEvent::ActionPlayed {
            seat: Seat::First,
            action,
            received: None,
            remaining: None,
            request_id: None,
            written: None,
            thinking: Some(Box::new(offered.thinking)),
        };
        let time = Timestamp::from_micros(1);
        assert_eq!(decode(&encode(time, &event)), Ok((time, event)));
    }
    Ok(())
}

fn join(request: &wire::JoinMatchRequest) -> Result<(), Fault> {
    let id = from_proto::match_id(&request.match_id)?;
    assert_eq!(from_proto::match_id(&id.to_string()).ok(), Some(id));
    from_proto::seat_or_any("seat", request.seat)?;
    from_proto::request_id(&request.request_id)?;
    let name = from_proto::seat_name(&caller(), &request.name)?;
    assert_eq!(name.as_str(), request.name);
    let seed = from_proto::seed(&request.seed)?;
    assert_eq!(
        seed.map(|seed| seed.to_string()).unwrap_or_default(),
        request.seed
    );
    Ok(())
}

fn caller() -> Caller {
    Caller::of_own_choice(own_player("a secret of its own choice"))
}

fn list_matches(request: &wire::ListMatchesRequest) -> Result<(), Fault> {
    let size = from_proto::page_size(request.page_size, 50, 500)?;
    assert!((1..=500).contains(&size));
    let filter = from_proto::filter(request)?;
    let list = PageTokens::new([7; 32]).matches(&Viewer::default(), &filter);
    list.place::<16>(&request.page_token)?;
    Ok(())
}

/// The position in an analysis can be parsed again, and has the same legal actions.
fn analyze_position(request: &wire::AnalyzePositionRequest) -> Result<(), Fault> {
    if request.actions.len() > MAX_ACTIONS {
        return Ok(());
    }
    let analyzed = analysis::analyze_position(request)?;
    if request.with_results {
        assert_eq!(analyzed.results.len(), analyzed.legal_actions.len());
    }
    let again = wire::AnalyzePositionRequest {
        game: request.game.clone(),
        position: analyzed.position.clone(),
        ..wire::AnalyzePositionRequest::default()
    };
    let again = analysis::analyze_position(&again)?;
    assert_eq!(again.position, analyzed.position);
    assert_eq!(again.legal_actions, analyzed.legal_actions);
    assert_eq!(again.rolls, analyzed.rolls);
    Ok(())
}

/// The text of a refusal, which has its details.
fn refused(fault: Fault) -> String {
    let field = if let Fault::Field(InvalidField { field, .. }) = &fault {
        Some(field.clone())
    } else {
        None
    };
    let status = Status::from(fault);
    let details = status.get_error_details();
    let info = details.error_info().expect("every refusal has its reason");
    assert!(!info.reason.is_empty());
    if let Some(field) = field {
        let named = details.bad_request().expect("the field is named");
        assert_eq!(named.field_violations[0].field, field);
    }
    status.message().to_owned()
}
