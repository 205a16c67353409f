use std::collections::HashMap;
use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::kind::Kind;
use super::setting::Setting;
use super::table::SETTINGS;
use super::values::Values;

/// The variable that names the file of settings.
pub(super) const FILE_VARIABLE: &str = "DRAGONTOOTH_CONFIG";

/// The settings on the command line: `--config`, and a flag for each setting.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    /// The file of settings.
    pub(super) file: Option<PathBuf>,
    /// Texts by the key of their setting.
    pub(super) texts: HashMap<&'static str, String>,
}

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(ValueParser::path_buf())
            .help(format!("A TOML file of settings [env: {FILE_VARIABLE}]"));
        command.arg(file).args(SETTINGS.iter().map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        if let Some(file) = matches.get_one::<PathBuf>("config") {
            self.file = Some(file.clone());
        }
        for setting in SETTINGS {
            if let Some(text) = matches.get_one::<String>(setting.key) {
                self.texts.insert(setting.key, text.clone());
            }
        }
        Ok(())
    }
}

fn arg(setting: &'static Setting) -> Arg {
    let doc = setting.doc.trim_end_matches('.');
    let mut notes = vec![format!("env: {}", setting.variable())];
    let arg = match setting.kind {
        Kind::Switch(_) => Arg::new(setting.key)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        Kind::Address(_)
        | Kind::AddressOrOff(_)
        | Kind::Path(_)
        | Kind::Count { .. }
        | Kind::Duration { .. }
        | Kind::Auth(_)
        | Kind::LogFormat(_)
        | Kind::LogFilter(_)
        | Kind::HostNames(_)
        | Kind::Url(_)
        | Kind::Database(_) => {
            notes.insert(0, setting.kind.expects());
            Arg::new(setting.key).allow_hyphen_values(true)
        }
    };
    if let Some(default) = setting.kind.show(&mut Values::default()) {
        notes.push(format!("default: {default}"));
    }
    arg.long(setting.flag)
        .overrides_with(setting.key)
        .value_name(setting.kind.placeholder())
        .help(format!("{doc} [{}]", notes.join("] [")))
}
