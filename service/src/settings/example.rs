use super::kind::TomlForm;
use super::setting::Setting;
use super::table::SETTINGS;
use super::values::Values;

/// Returns a file with every setting, explained and commented out.
pub(crate) fn example() -> String {
    let mut text = "# Settings of dragontooth-service. Each is commented out and shows its default.\n\
                    # A flag overrides an environment variable, and a variable overrides this file.\n"
        .to_owned();
    let mut table = None;
    for setting in SETTINGS {
        let place = setting.place();
        if place.0 != table
            && let Some(name) = place.0
        {
            text.extend(["\n[", name, "]\n"]);
            table = place.0;
        }
        text += &lines(setting, place.1);
    }
    text
}

fn lines(setting: &Setting, name: &str) -> String {
    let doc = setting.doc.trim_end_matches('.');
    let (expects, flag, variable) = (setting.kind.expects(), setting.flag, setting.variable());
    let value = setting.kind.show(&mut Values::default());
    let value = match (value, setting.kind.written()) {
        (Some(value), TomlForm::Text) => toml::Value::String(value).to_string(),
        (Some(value), TomlForm::Integer | TomlForm::Boolean) => value,
        (None, _) => r#""""#.to_owned(),
    };
    format!("\n# {doc}.\n# {expects}; --{flag}, {variable}\n# {name} = {value}\n")
}
