use super::resolve::Resolved;

/// The text printed for a secret value.
const MASK: &str = "********";

/// The text printed for an unset value.
const NOTHING: &str = "-";

/// A line a setting: its key, its value, its unit, and where the value came from.
pub(crate) fn print(resolved: &Resolved) -> String {
    let mut values = resolved.values.clone();
    let rows: Vec<[String; 3]> = resolved
        .origins
        .iter()
        .map(|(setting, origin)| {
            let value = setting.kind.show(&mut values);
            let value = match value {
                Some(_) if setting.secret => MASK.to_owned(),
                Some(value) if setting.kind.unit().is_empty() => value,
                Some(value) => format!("{value} {}", setting.kind.unit()),
                None => NOTHING.to_owned(),
            };
            [setting.key.to_owned(), value, origin.to_string()]
        })
        .collect();
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or_default()
    };
    let (keys, values) = (width(0), width(1));
    let line =
        |[key, value, origin]: [String; 3]| format!("{key:keys$}  {value:values$}  {origin}\n");
    rows.into_iter().map(line).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::flags::Flags;
    use super::super::kind::{Kind, Number};
    use super::super::resolve::resolve_with;
    use super::super::setting::Setting;
    use super::*;

    const SETTINGS: &[Setting] = &[
        Setting::new("data", "data", Kind::Path(|all| &mut all.data), "A folder.").secret(),
        Setting::new(
            "limits.live",
            "max-live",
            Kind::count(
                "matches",
                1..=9,
                Number::Usize(|limits| &mut limits.live_matches),
            ),
            "A limit.",
        )
        .secret(),
    ];

    fn with(variables: &'static [(&str, &str)]) -> Result<Resolved, String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).into())
        };
        resolve_with(SETTINGS, &Flags::default(), variable)
            .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn secrets_are_masked() {
        let resolved = with(&[("DRAGONTOOTH_DATA", "hidden")]).unwrap();
        assert_eq!(resolved.values.data, Some(PathBuf::from("hidden")));
        let printed = print(&resolved);
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[0], "data         ********  DRAGONTOOTH_DATA");
        assert_eq!(lines[1], "limits.live  ********  default");
    }

    #[test]
    fn an_unreadable_secret_is_not_shown() {
        let error = with(&[("DRAGONTOOTH_MAX_LIVE", "hidden")]).unwrap_err();
        assert!(error.contains("DRAGONTOOTH_MAX_LIVE"), "{error}");
        assert!(!error.contains("hidden"), "{error}");
    }
}
