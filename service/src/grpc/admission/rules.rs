use std::collections::HashMap;
use std::sync::LazyLock;

use dragontooth_service_vocabulary::Scope;

use crate::access::Need;
use crate::metrics::StreamKind;

/// The demands on the calls of a method, and the charge for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) need: Need,
    pub(super) charge: Charge,
    pub(super) request: RequestShape,
    /// The kind of the stream that it answers with, if it does.
    pub(super) stream: Option<StreamKind>,
}

/// The rate that a call is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    /// That of a player's changes of matches and of its blocks.
    Action,
    /// That of all other calls.
    Call,
}

/// The form of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestShape {
    /// One message.
    One,
    /// A stream of messages, each of which is charged where it is understood.
    Play,
    /// A stream of messages, each of which is charged like a call.
    Questions,
}

impl Rule {
    const fn streams(self, kind: StreamKind) -> Self {
        Self {
            stream: Some(kind),
            ..self
        }
    }

    const fn takes(self, request: RequestShape) -> Self {
        Self { request, ..self }
    }
}

/// A call that changes no match.
const fn call(need: Need) -> Rule {
    Rule {
        need,
        charge: Charge::Call,
        request: RequestShape::One,
        stream: None,
    }
}

/// A call that changes a match or a block.
const fn action(scope: Scope) -> Rule {
    Rule {
        charge: Charge::Action,
        ..call(Need::Scope(scope))
    }
}

const fn reflection() -> Rule {
    call(Need::Nothing)
        .takes(RequestShape::Questions)
        .streams(StreamKind::Reflection)
}

const READ: Rule = call(Need::Reader);
const ADMIN: Rule = call(Need::Scope(Scope::Admin));
const PLAY: Rule = call(Need::Scope(Scope::Play))
    .takes(RequestShape::Play)
    .streams(StreamKind::Play);

/// Every method that is served.
const RULES: &[(&str, Rule)] = &[
    ("dragontooth.v1.GameService/ListGames", call(Need::Nothing)),
    (
        "dragontooth.v1.GameService/AnalyzePosition",
        call(Need::Nothing),
    ),
    ("dragontooth.v1.GameService/GetDecision", READ),
    (
        "dragontooth.v1.GameService/SubmitAction",
        action(Scope::Play),
    ),
    ("dragontooth.v1.GameService/Play", PLAY),
    (
        "dragontooth.v1.MatchService/CreateMatch",
        action(Scope::Create),
    ),
    (
        "dragontooth.v1.MatchService/CreateRematch",
        action(Scope::Create),
    ),
    ("dragontooth.v1.MatchService/JoinMatch", action(Scope::Play)),
    ("dragontooth.v1.MatchService/GetMatch", READ),
    ("dragontooth.v1.MatchService/ListMatches", READ),
    (
        "dragontooth.v1.MatchService/WatchMatches",
        READ.streams(StreamKind::Watch),
    ),
    (
        "dragontooth.v1.MatchService/WatchMatch",
        READ.streams(StreamKind::Watch),
    ),
    (
        "dragontooth.v1.MatchService/ResignMatch",
        action(Scope::Play),
    ),
    (
        "dragontooth.v1.MatchService/AbortMatch",
        action(Scope::Create),
    ),
    (
        "dragontooth.v1.MatchService/DeclineInvitation",
        action(Scope::Play),
    ),
    ("dragontooth.v1.MatchService/ExportMatch", READ),
    (
        "dragontooth.v1.MatchService/ExportMatches",
        READ.streams(StreamKind::Export),
    ),
    ("dragontooth.v1.MatchService/VerifyMatch", READ),
    ("dragontooth.v1.PlayerService/WhoAmI", call(Need::Token)),
    ("dragontooth.v1.PlayerService/GetQuotas", call(Need::Token)),
    ("dragontooth.v1.PlayerService/GetPlayer", READ),
    (
        "dragontooth.v1.PlayerService/SetOffer",
        call(Need::Scope(Scope::Play)),
    ),
    ("dragontooth.v1.PlayerService/ListPlayers", READ),
    (
        "dragontooth.v1.PlayerService/WatchPlayers",
        READ.streams(StreamKind::Watch),
    ),
    (
        "dragontooth.v1.PlayerService/BlockPlayer",
        action(Scope::Play),
    ),
    (
        "dragontooth.v1.PlayerService/UnblockPlayer",
        action(Scope::Play),
    ),
    (
        "dragontooth.v1.PlayerService/ListBlockedPlayers",
        call(Need::Scope(Scope::Play)),
    ),
    (
        "dragontooth.v1.AdminService/AbortMatch",
        action(Scope::Admin),
    ),
    ("dragontooth.v1.AdminService/CreateToken", ADMIN),
    ("dragontooth.v1.AdminService/ListTokens", ADMIN),
    ("dragontooth.v1.AdminService/RevokeToken", ADMIN),
    (
        "dragontooth.v1.AdminService/Backup",
        ADMIN.streams(StreamKind::Backup),
    ),
    ("grpc.health.v1.Health/Check", call(Need::Nothing)),
    (
        "grpc.health.v1.Health/Watch",
        call(Need::Nothing).streams(StreamKind::Health),
    ),
    (
        "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        reflection(),
    ),
    (
        "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        reflection(),
    ),
];

static BY_PATH: LazyLock<HashMap<&str, Rule>> = LazyLock::new(|| RULES.iter().copied().collect());

/// The rule of the method at a path. One that does not exist is refused by the routes, and costs a call.
pub(super) fn of(path: &str) -> Rule {
    let rule = path.strip_prefix('/').and_then(|name| BY_PATH.get(name));
    rule.copied().unwrap_or(call(Need::Nothing))
}

/// The name of the method at a path, `package.Service/Method`, if there is one.
pub(in super::super) fn method(path: &str) -> Option<&'static str> {
    let name = BY_PATH.get_key_value(path.strip_prefix('/')?);
    name.map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::*;

    /// The methods in the descriptors of all services, with their kinds of streams.
    #[test]
    fn every_method_has_a_rule_of_its_form() {
        let mut described = BTreeMap::new();
        for descriptors in [
            dragontooth_proto::DESCRIPTORS,
            tonic_health::pb::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
        ] {
            for file in &FileDescriptorSet::decode(descriptors).unwrap().file {
                for service in &file.service {
                    for method in &service.method {
                        let [package, service] = [file.package(), service.name()];
                        let name = format!("{package}.{service}/{}", method.name());
                        let form = [method.client_streaming(), method.server_streaming()];
                        described.insert(name, form);
                    }
                }
            }
        }
        let ruled = RULES.iter().map(|(name, rule)| {
            let form = [rule.request != RequestShape::One, rule.stream.is_some()];
            ((*name).to_owned(), form)
        });
        assert_eq!(ruled.collect::<BTreeMap<_, _>>(), described);
        assert_eq!(RULES.len(), described.len());
    }

    /// A stream lasts as long as its client wants, so it is no slow call.
    #[test]
    fn the_dashboard_leaves_streams_out() {
        let dashboard = include_str!("../../../../deploy/grafana/dashboards/dragontooth.json");
        let streams = RULES.iter().filter(|(_, rule)| rule.stream.is_some());
        let names = streams.map(|(name, _)| name.split_once('/').unwrap().1);
        let names: BTreeSet<_> = names.collect();
        let names = names.into_iter().collect::<Vec<_>>().join("|");
        let left_out = format!(r#"method!~\".*/({names})\""#);
        assert!(dashboard.contains(&left_out), "it should have {left_out}");
    }

    #[test]
    fn an_action_needs_the_scope_of_a_player() {
        for (name, rule) in RULES {
            let is_scoped = matches!(rule.need, Need::Scope(_));
            assert!(rule.charge == Charge::Call || is_scoped, "{name}");
        }
    }
}
