use std::collections::BTreeMap;
use std::path::PathBuf;

use dragontooth_bots_engines::supervise::ResourceLimits;

/// A program and its arguments. It is started as it is, never through a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCommand {
    /// The program: a file, with its whole path, that was there and may be started when the
    /// configuration was read.
    pub program: PathBuf,
    /// The program as it was named, and the arguments after it.
    pub words: Vec<String>,
    /// Its options, as it finds them in its environment.
    pub options: BTreeMap<String, String>,
    /// Its seed if there is none among the options.
    pub usual_seed: u64,
    /// The working folder; `None` means that of the runner.
    pub folder: Option<PathBuf>,
    /// Environment variables in addition to those that every program gets.
    pub variables: BTreeMap<String, String>,
    /// The resources that it may use.
    pub allowance: ResourceLimits,
    /// True if it runs in a PID namespace of its own, where the system allows that.
    pub namespace: bool,
    /// True if it is restarted for every match, and plays one at a time.
    pub restart: bool,
    /// The protocol of the program.
    pub protocol: Protocol,
}

/// The protocol that a program speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// It connects to the service by itself.
    #[default]
    Grpc,
    /// The runner talks with it over its standard input and output.
    Stdio,
}

impl ProgramCommand {
    /// The arguments after the program.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The value of `DRAGONTOOTH_OPTIONS`: a line `name=value` for each option.
    #[must_use]
    pub fn options_text(&self) -> String {
        let lines = self.options.iter();
        let lines: Vec<String> = lines
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        lines.join("\n")
    }

    /// The seed from which the random choices of an engine follow: among its options, if it is a number
    /// there.
    #[must_use]
    pub fn seed(&self) -> u64 {
        let set = self.options.get("seed").and_then(|seed| seed.parse().ok());
        set.unwrap_or(self.usual_seed)
    }

    /// The value of `DRAGONTOOTH_SEED`.
    #[must_use]
    pub fn seed_text(&self) -> String {
        let usual = || self.usual_seed.to_string();
        self.options.get("seed").cloned().unwrap_or_else(usual)
    }
}
