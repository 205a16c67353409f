use dragontooth_games::suggestion::suggestion;

use super::flags::FILE_VARIABLE;
use super::setting::Setting;

/// A variable of the environment that is called nearly like one that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misspelt {
    /// Its name.
    pub(crate) name: String,
    /// The name that was probably meant.
    pub(crate) meant: String,
}

/// The variables among `names` that set nothing and look as if they should. Those that are called
/// otherwise are none of ours: an orchestrator may set variables with the name of the service in front.
pub(super) fn misspelt(settings: &[Setting], names: impl Iterator<Item = String>) -> Vec<Misspelt> {
    let known: Vec<String> = settings
        .iter()
        .map(Setting::variable)
        .chain([FILE_VARIABLE.to_owned()])
        .collect();
    let mut found: Vec<Misspelt> = names
        .filter(|name| name.starts_with("DRAGONTOOTH_") && !known.contains(name))
        .filter(|name| !of_clients(name))
        .filter_map(|name| {
            let meant = suggestion(&name, known.iter().map(String::as_str))?.to_owned();
            Some(Misspelt { name, meant })
        })
        .collect();
    found.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    found
}

/// Returns true for a variable of the programs that call a service.
fn of_clients(name: &str) -> bool {
    matches!(
        name,
        "DRAGONTOOTH_SERVER" | "DRAGONTOOTH_TOKEN" | "DRAGONTOOTH_TLS_CA"
    )
}

#[cfg(test)]
mod tests {
    use super::super::table::SETTINGS;
    use super::*;

    #[test]
    fn a_variable_with_a_slip_is_found_and_others_are_not() {
        let names = [
            "DRAGONTOOTH_MAX_LIVE_MATCH",
            "DRAGONTOOTH_LISTN",
            "DRAGONTOOTH_LISTEN",
            "DRAGONTOOTH_SERVER",
            "DRAGONTOOTH_TLS_CA",
            "DRAGONTOOTH_SERVICE_HOST",
            "DRAGONTOOTH_PORT_4640_TCP_ADDR",
            "PATH",
        ];
        let found = misspelt(SETTINGS, names.into_iter().map(str::to_owned));
        let pairs: Vec<_> = found
            .iter()
            .map(|each| (each.name.as_str(), each.meant.as_str()))
            .collect();
        assert_eq!(
            pairs,
            [
                ("DRAGONTOOTH_LISTN", "DRAGONTOOTH_LISTEN"),
                ("DRAGONTOOTH_MAX_LIVE_MATCH", "DRAGONTOOTH_MAX_LIVE_MATCHES"),
            ]
        );
    }
}
