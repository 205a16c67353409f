//! The settings that the Helm chart takes are those of the table, in their ranges.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::kind::Kind;
use super::table::SETTINGS;

const SCHEMA: &str = include_str!("../../../deploy/helm/dragontooth/values.schema.json");
const GUARD: &str = include_str!("../../../deploy/helm/dragontooth/templates/_helpers.tpl");

/// The setting that names a file of others.
const FILE: &str = "config";

/// Before the settings that the chart sets by itself, and behind them.
const OWN: (&str, &str) = ("range $own := list ", " }}");

#[test]
fn the_chart_takes_what_there_is() {
    let mut expected: Map<_, _> = SETTINGS
        .iter()
        .map(|setting| (setting.flag.to_owned(), schema_of(&setting.kind)))
        .collect();
    expected.insert(FILE.to_owned(), json!({}));
    // The chart says why it refuses these, where its schema could only say that it does.
    for flag in own() {
        let known = expected.insert(flag.to_owned(), json!({}));
        assert!(known.is_some(), "{flag} is not a setting");
    }
    let settings = &schema()["properties"]["settings"];
    assert_eq!(settings["additionalProperties"], false);
    let expected = Value::Object(expected);
    assert_eq!(
        settings["properties"], expected,
        "the schema should have this (settings):\n{expected:#}"
    );
}

#[test]
fn the_chart_knows_how_long_a_shutdown_may_take() {
    let setting = SETTINGS.iter().find(|of| of.flag == "shutdown-timeout");
    let Kind::Duration { least, most, .. } = setting.unwrap().kind else {
        panic!("it is a time")
    };
    let schema = &schema()["properties"]["shutdownTimeoutSeconds"];
    let seconds = |name: &str| Duration::from_secs(schema[name].as_u64().unwrap());
    assert!(seconds("minimum") >= least);
    assert_eq!(seconds("maximum"), most);
}

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn own() -> impl Iterator<Item = &'static str> {
    let (_, rest) = GUARD.split_once(OWN.0).unwrap();
    let (flags, _) = rest.split_once(OWN.1).unwrap();
    flags.split(' ').map(|flag| flag.trim_matches('"'))
}

/// The schema of the values of a kind, as far as a schema can express it; only the service checks durations.
fn schema_of(kind: &Kind) -> Value {
    match kind {
        Kind::Count { least, most, .. } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Kind::Duration { .. } => json!({"type": "string", "pattern": "^[0-9].*[a-z]$"}),
        Kind::Switch(_) => json!({"type": "boolean"}),
        Kind::Auth(_) => json!({"enum": ["open", "tokens"]}),
        Kind::LogFormat(_) => json!({"enum": ["text", "json"]}),
        Kind::Url(_) => json!({"type": "string", "pattern": "^https?://."}),
        Kind::Database(_) => json!({"type": "string", "pattern": "^postgres(ql)?://."}),
        Kind::Address(_)
        | Kind::AddressOrOff(_)
        | Kind::Path(_)
        | Kind::LogFilter(_)
        | Kind::HostNames(_) => {
            json!({"type": "string", "minLength": 1})
        }
    }
}
