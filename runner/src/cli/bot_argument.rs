use std::env;
use std::path::{Path, absolute};

use dragontooth_bots::builtin::{BOTS, BotSpec};
use dragontooth_runner_tournament::Name;

use crate::record::{builtin_table, command_table, engine_table, quoted};

/// Prefix of the command of an engine.
const ENGINE: &str = "stdio:";
/// The most bytes of a name.
const NAME_BYTES_MAX: usize = 64;

/// A bot on the command line: `alphabeta:nodes=1000`, `./mybot --level 9` or `stdio:./engine.py`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BotArgument {
    /// A built-in bot and its options.
    Builtin(BotSpec),
    /// The words of a program that connects to the service.
    Program(Vec<String>),
    /// The words of an engine.
    Engine(Vec<String>),
}

impl BotArgument {
    /// Reads a bot. Words are separated by blanks.
    ///
    /// # Errors
    ///
    /// There is no program, or a built-in bot lacks an option that is set.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let kind = text.split(':').next().unwrap_or_default();
        if BOTS.iter().any(|info| info.name == kind) {
            let spec = text.parse::<BotSpec>();
            return spec.map(Self::Builtin).map_err(|error| error.to_string());
        }
        let command = text.strip_prefix(ENGINE).unwrap_or(text);
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err("must name a built-in bot or a program".to_owned());
        }
        Ok(if text.starts_with(ENGINE) {
            Self::Engine(words)
        } else {
            Self::Program(words)
        })
    }

    /// The table of the bot in a file of an event that stands where the command was given.
    pub(super) fn table(&self, name: &str) -> String {
        match self {
            Self::Builtin(spec) => builtin_table(name, &spec.to_string()),
            Self::Program(words) => command_table(name, words.iter().map(String::as_str)),
            Self::Engine(words) => engine_table(name, words.iter().map(String::as_str)),
        }
    }

    /// The same bot, whose table means the same wherever the file is: a program with a slash in its name
    /// is named from the root.
    pub(super) fn anchored(mut self) -> Self {
        if let Self::Program(words) | Self::Engine(words) = &mut self
            && words[0].contains('/')
            && let Ok(path) = absolute(&words[0])
            && let Some(path) = path.to_str()
        {
            path.clone_into(&mut words[0]);
        }
        self
    }

    /// The line of its table for the folder in which its program runs: the one in which the command is given.
    pub(super) fn folder_line(&self) -> String {
        let here = env::current_dir().ok();
        let here = here.as_deref().and_then(Path::to_str);
        match (self, here) {
            (Self::Program(_) | Self::Engine(_), Some(here)) => format!("cwd = {}\n", quoted(here)),
            (Self::Builtin(_), _) | (_, None) => String::new(),
        }
    }

    /// The name of the bot where none is given: that of the built-in bot with its options, or of the
    /// program's file without its ending.
    pub(super) fn usual_name(&self) -> String {
        let text = match self {
            Self::Builtin(spec) => spec.to_string(),
            Self::Program(words) | Self::Engine(words) => {
                let stem = Path::new(&words[0]).file_stem();
                stem.unwrap_or_default().to_string_lossy().into_owned()
            }
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ['.', '_', '+'].contains(&c);
        let name: String = text
            .chars()
            .map(|c| if is_plain(c) { c } else { '-' })
            .take(NAME_BYTES_MAX)
            .collect();
        if Name::new(&name).is_ok() {
            name
        } else {
            "bot".to_owned()
        }
    }
}
