use std::collections::BTreeSet;

use dragontooth_proto::v1;
use futures::stream;
use tonic::{Code, Status};
use tonic_types::StatusExt;
use v1::Scope;

use super::{Guarded, token_request};
use crate::pair::to_points;
use crate::raw::{Raw, channel};
use crate::refusals::reason_of;

const NO_MATCH: &str = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b";

/// Every method and the scope it needs if only issued tokens are accepted: `none` if it
/// needs no token, `any` if it needs one with any scopes.
const METHODS: &[(&str, &str)] = &[
    ("GameService/ListGames", "none"),
    ("GameService/AnalyzePosition", "none"),
    ("GameService/GetDecision", "watch"),
    ("GameService/SubmitAction", "play"),
    ("GameService/Play", "play"),
    ("MatchService/CreateMatch", "create"),
    ("MatchService/CreateRematch", "create"),
    ("MatchService/JoinMatch", "play"),
    ("MatchService/GetMatch", "watch"),
    ("MatchService/ListMatches", "watch"),
    ("MatchService/WatchMatches", "watch"),
    ("MatchService/WatchMatch", "watch"),
    ("MatchService/ResignMatch", "play"),
    ("MatchService/AbortMatch", "create"),
    ("MatchService/DeclineInvitation", "play"),
    ("MatchService/ExportMatch", "watch"),
    ("MatchService/ExportMatches", "watch"),
    ("MatchService/VerifyMatch", "watch"),
    ("PlayerService/WhoAmI", "any"),
    ("PlayerService/GetQuotas", "any"),
    ("PlayerService/GetPlayer", "watch"),
    ("PlayerService/SetOffer", "play"),
    ("PlayerService/ListPlayers", "watch"),
    ("PlayerService/WatchPlayers", "watch"),
    ("PlayerService/BlockPlayer", "play"),
    ("PlayerService/UnblockPlayer", "play"),
    ("PlayerService/ListBlockedPlayers", "play"),
    ("AdminService/AbortMatch", "admin"),
    ("AdminService/CreateToken", "admin"),
    ("AdminService/ListTokens", "admin"),
    ("AdminService/RevokeToken", "admin"),
    ("AdminService/Backup", "admin"),
];

const SCOPES: [(Scope, &str); 4] = [
    (Scope::Play, "play"),
    (Scope::Watch, "watch"),
    (Scope::Create, "create"),
    (Scope::Admin, "admin"),
];

/// The methods in the descriptors of the API.
#[test]
fn the_table_has_every_method() {
    let files =
        <prost_types::FileDescriptorSet as prost::Message>::decode(dragontooth_proto::DESCRIPTORS);
    let files = files.unwrap().file;
    let ours = files
        .iter()
        .filter(|file| file.package() == "dragontooth.v1");
    let services = ours.flat_map(|file| &file.service);
    let methods: BTreeSet<String> = services
        .flat_map(|service| {
            let methods = service.method.iter();
            methods.map(|method| format!("{}/{}", service.name(), method.name()))
        })
        .collect();
    let listed: BTreeSet<String> = METHODS
        .iter()
        .map(|(method, _)| (*method).to_owned())
        .collect();
    assert_eq!(methods, listed);
    assert_eq!(METHODS.len(), listed.len());
}

#[tokio::test]
async fn every_method_demands_its_scope_and_no_other() {
    let guarded = Guarded::start().await;
    for (scope, name) in SCOPES {
        let request = token_request(&format!("only {name}"), &[scope]);
        let (_, raw) = guarded.issue(request).await;
        for (method, needed) in METHODS {
            let refused = call(&raw, method).await;
            let let_in = ["none", "any", name].contains(needed);
            let reason = refused.as_ref().and_then(reason_of);
            println!("{method} with {name}: {reason:?}");
            if let_in {
                assert_ne!(reason.as_deref(), Some("SCOPE_MISSING"), "{method}, {name}");
            } else {
                assert_eq!(reason.as_deref(), Some("SCOPE_MISSING"), "{method}, {name}");
                let refused = refused.unwrap();
                assert_eq!(refused.code(), Code::PermissionDenied);
                let details = refused.get_error_details();
                assert_eq!(details.error_info().unwrap().metadata["scope"], *needed);
            }
        }
    }
}

#[tokio::test]
async fn without_a_token_only_the_rules_are_readable() {
    let guarded = Guarded::start().await;
    let channel = channel(guarded.address()).await;
    for header in [None, Some("Bearer a-secret-of-my-own")] {
        let raw = Raw::over(channel.clone(), header);
        for (method, needed) in METHODS {
            let reason = call(&raw, method).await.as_ref().and_then(reason_of);
            let expected = match (*needed, header) {
                ("none", _) => None,
                (_, None) => Some("TOKEN_MISSING"),
                (_, Some(_)) => Some("TOKEN_MALFORMED"),
            };
            assert_eq!(reason.as_deref(), expected, "{method}, {header:?}");
        }
    }
}

#[tokio::test]
async fn an_open_service_is_readable_but_not_administrable() {
    let guarded = Guarded::start_open().await;
    let channel = channel(guarded.address()).await;
    let nobody = Raw::over(channel.clone(), None);
    let player = Raw::over(channel.clone(), Some("Bearer a-secret-of-my-own"));
    let (_, reader) = guarded
        .issue(token_request("reader", &[Scope::Create]))
        .await;
    for (method, needed) in METHODS {
        let reason = call(&nobody, method).await.as_ref().and_then(reason_of);
        let is_missing = reason.as_deref() == Some("TOKEN_MISSING");
        assert_eq!(is_missing, !["none", "watch"].contains(needed), "{method}");
        let reason = call(&player, method).await.as_ref().and_then(reason_of);
        let is_denied = reason.as_deref() == Some("SCOPE_MISSING");
        assert_eq!(is_denied, *needed == "admin", "{method}");
        let reason = call(&reader, method).await.as_ref().and_then(reason_of);
        let is_denied = reason.as_deref() == Some("SCOPE_MISSING");
        assert_eq!(is_denied, ["play", "admin"].contains(needed), "{method}");
    }
    // A token that is sent must be valid, even where none is needed.
    let mistyped = Raw::over(channel, Some("Bearer dgt_0000000000000000"));
    let refused = call(&mistyped, "MatchService/GetMatch").await.unwrap();
    assert_eq!(reason_of(&refused).unwrap(), "TOKEN_MALFORMED");
}

/// Makes a call and returns its refusal, if any.
async fn call(raw: &Raw, method: &str) -> Option<Status> {
    let match_id = || NO_MATCH.to_owned();
    let mut games = raw.games.clone();
    let mut matches = raw.matches.clone();
    match method {
        "GameService/ListGames" => games
            .list_games(v1::ListGamesRequest::default())
            .await
            .err(),
        "GameService/AnalyzePosition" => {
            let game = "kamisado".to_owned();
            let question = v1::AnalyzePositionRequest {
                game,
                ..v1::AnalyzePositionRequest::default()
            };
            raw.analyze_position(question).await.err()
        }
        "GameService/GetDecision" => raw.decision(NO_MATCH).await.err(),
        "GameService/SubmitAction" => raw.submit(v1::SubmitActionRequest::default()).await.err(),
        "GameService/Play" => games.play(stream::empty()).await.err(),
        "MatchService/CreateMatch" => raw.create(to_points(1)).await.err(),
        "MatchService/JoinMatch" => raw.join(NO_MATCH, v1::Seat::First).await.err(),
        "MatchService/GetMatch" => raw.get(NO_MATCH).await.err(),
        "MatchService/ListMatches" => {
            let request = v1::ListMatchesRequest::default();
            matches.list_matches(request).await.err()
        }
        "MatchService/CreateRematch" => raw.rematch(NO_MATCH, "").await.err(),
        "MatchService/WatchMatches" => {
            let request = v1::WatchMatchesRequest::default();
            raw.watch_matches(request).await.err()
        }
        "MatchService/WatchMatch" => raw.watch(NO_MATCH, 0).await.err(),
        "MatchService/ResignMatch" => raw.resign(NO_MATCH, "").await.err(),
        "MatchService/AbortMatch" => raw.abort(NO_MATCH, "").await.err(),
        "MatchService/DeclineInvitation" => raw.decline(NO_MATCH, "", "").await.err(),
        "AdminService/AbortMatch" => raw.abort_as_operator(NO_MATCH, "why", "").await.err(),
        "MatchService/ExportMatch" => raw.export(NO_MATCH).await.err(),
        "MatchService/ExportMatches" => {
            let request = v1::ExportMatchesRequest::default();
            matches.export_matches(request).await.err()
        }
        "MatchService/VerifyMatch" => {
            let match_id = match_id();
            let request = v1::VerifyMatchRequest { match_id };
            matches.verify_match(request).await.err()
        }
        "PlayerService/WhoAmI" => raw.who_am_i().await.err(),
        "PlayerService/GetQuotas" => {
            let request = v1::GetQuotasRequest {};
            raw.players.clone().get_quotas(request).await.err()
        }
        "PlayerService/GetPlayer" => raw.name_of(&"0".repeat(32)).await.err(),
        "PlayerService/SetOffer" => {
            let request = v1::SetOfferRequest::default();
            raw.players.clone().set_offer(request).await.err()
        }
        "PlayerService/ListPlayers" => raw.present_players("").await.err(),
        "PlayerService/WatchPlayers" => raw.watch_players("").await.err(),
        "PlayerService/BlockPlayer" => raw.block("").await.err(),
        "PlayerService/UnblockPlayer" => raw.unblock("").await.err(),
        "PlayerService/ListBlockedPlayers" => raw.blocked_players().await.err(),
        "AdminService/CreateToken" => raw.create_token(token_request("", &[])).await.err(),
        "AdminService/ListTokens" => raw.list_tokens(0, "").await.err(),
        "AdminService/RevokeToken" => raw.revoke_token("").await.err(),
        "AdminService/Backup" => raw.backup().await.err(),
        other => panic!("{other} is not called here"),
    }
}
