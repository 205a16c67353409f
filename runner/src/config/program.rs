use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use dragontooth_bots_engines::supervise::ResourceLimits;
use dragontooth_runner_programs::{ProgramCommand, Protocol};

use super::field::Field;
use super::section::Section;

/// The most arguments of a program.
const MAX_ARGUMENTS: usize = 256;
/// The most environment variables that a file gives to a program.
const MAX_VARIABLES: usize = 256;
/// The most MiB, seconds or processes that a limit may be.
const MAX_ALLOWANCE: u64 = 1 << 32;
/// The bytes of a script's first line that a system looks at.
const MAX_FIRST_LINE: u64 = 256;
/// Prefix of the environment variables that the runner sets itself.
const OWN_VARIABLES: &str = "DRAGONTOOTH_";

/// The keys of a bot that are for programs alone.
pub(super) struct ProgramKeys<'a> {
    folder: Option<Field<'a>>,
    variables: Option<Field<'a>>,
    memory: Option<Field<'a>>,
    cpu: Option<Field<'a>>,
    processes: Option<Field<'a>>,
    disk: Option<Field<'a>>,
    namespace: Option<Field<'a>>,
    restart: Option<Field<'a>>,
    protocol: Option<Field<'a>>,
}

impl<'a> ProgramKeys<'a> {
    pub(super) fn get(section: &Section<'a>) -> Self {
        Self {
            folder: section.get("cwd"),
            variables: section.get("env"),
            memory: section.get("memory_mib"),
            cpu: section.get("cpu_s"),
            processes: section.get("processes"),
            disk: section.get("disk_mib"),
            namespace: section.get("namespace"),
            restart: section.get("restart"),
            protocol: section.get("protocol"),
        }
    }

    /// True if the file sets the protocol.
    pub(super) const fn has_protocol(&self) -> bool {
        self.protocol.is_some()
    }

    /// Each of them is a problem for what is no program.
    pub(super) fn refuse(&self) {
        let limits = [&self.memory, &self.cpu, &self.processes, &self.disk];
        let others = [
            &self.folder,
            &self.variables,
            &self.namespace,
            &self.restart,
            &self.protocol,
        ];
        for field in others.into_iter().chain(limits).flatten() {
            field.report("is for a program, with a command");
        }
    }

    /// The program that `command` names, sought in the folders of `path` if it has no slash. What is in `options` it finds in its environment, and
    /// `usual_seed` if there is no seed among them.
    pub(super) fn read(
        &self,
        command: &Field<'_>,
        options: Option<&Field<'_>>,
        usual_seed: u64,
        path: Option<&OsStr>,
    ) -> Option<ProgramCommand> {
        let found = read_words(command, path);
        let folder = optional(self.folder.as_ref(), read_folder);
        let variables = self.variables.as_ref();
        let variables = variables.map_or_else(|| Some(BTreeMap::new()), read_variables);
        let options = match options {
            Some(options) => read_options(options),
            None => Some(BTreeMap::new()),
        };
        let limit = |field: &Option<Field<'_>>| {
            optional(field.as_ref(), |field| field.integer(1..=MAX_ALLOWANCE))
        };
        let (memory_mib, cpu_s) = (limit(&self.memory), limit(&self.cpu));
        let (processes, disk_mib) = (limit(&self.processes), limit(&self.disk));
        if let (Some(disk), None) = (&self.disk, &self.folder) {
            disk.report("needs cwd, the folder whose size is limited");
        }
        let namespace = self.namespace.as_ref();
        let namespace = namespace.map_or(Some(true), Field::boolean);
        let restart = self.restart.as_ref();
        let restart = restart.map_or(Some(false), Field::boolean);
        let protocol = self.protocol.as_ref();
        let protocol = protocol.map_or(Some(Protocol::Grpc), read_protocol);
        let (program, words) = found?;
        Some(ProgramCommand {
            program,
            words,
            options: options?,
            usual_seed,
            folder: folder?,
            variables: variables?,
            allowance: ResourceLimits {
                memory_mib: memory_mib?,
                cpu_s: cpu_s?,
                processes: processes?,
                disk_mib: disk_mib?,
            },
            namespace: namespace?,
            restart: restart?,
            protocol: protocol?,
        })
    }
}

#[expect(
    clippy::option_option,
    reason = "what is wrong and what is not there are two things"
)]
fn optional<'a, T>(
    field: Option<&Field<'a>>,
    read: impl FnOnce(&Field<'a>) -> Option<T>,
) -> Option<Option<T>> {
    match field {
        Some(field) => read(field).map(Some),
        None => Some(None),
    }
}

/// All values, once all have been looked at.
pub(super) fn all_of<T, C: FromIterator<T>>(values: impl Iterator<Item = Option<T>>) -> Option<C> {
    let looked_at: Vec<Option<T>> = values.collect();
    looked_at.into_iter().collect()
}

fn read_words(field: &Field<'_>, path: Option<&OsStr>) -> Option<(PathBuf, Vec<String>)> {
    let words = field.list()?;
    let Some(program) = words.first() else {
        field.report("must name a program");
        return None;
    };
    if words.len() > MAX_ARGUMENTS {
        field.report(format!(
            "a program and its arguments are at most {MAX_ARGUMENTS} texts"
        ));
        return None;
    }
    let found = program
        .text()
        .map(|name| find(name, program.folder(), path));
    let found = found.and_then(|found| program.check(found));
    let words = words.iter().map(|word| {
        let text = word.text()?;
        if text.contains('\0') {
            word.report("must have no character of the code 0");
            return None;
        }
        Some(text.to_owned())
    });
    let words = all_of(words);
    Some((found?, words?))
}

fn read_protocol(field: &Field<'_>) -> Option<Protocol> {
    match field.text()? {
        "grpc" => Some(Protocol::Grpc),
        "stdio" => Some(Protocol::Stdio),
        _ => {
            field.report("must be \"grpc\" or \"stdio\"");
            None
        }
    }
}

fn read_folder(field: &Field<'_>) -> Option<PathBuf> {
    let folder = whole(field.folder().join(field.text()?));
    if !folder.is_dir() {
        field.report(format!("there is no folder {}", folder.display()));
        return None;
    }
    Some(folder)
}

fn read_variables(field: &Field<'_>) -> Option<BTreeMap<String, String>> {
    let all = Section::of(field)?.all();
    if all.len() > MAX_VARIABLES {
        field.report(format!("has at most {MAX_VARIABLES} variables"));
        return None;
    }
    let variables = all.into_iter().map(|(name, value)| {
        if name.is_empty() || name.contains(['=', '\0']) {
            value.report("is no name of an environment variable");
            return None;
        }
        if name.starts_with(OWN_VARIABLES) {
            value.report(format!("the runner sets what begins with {OWN_VARIABLES}"));
            return None;
        }
        let text = value.scalar()?;
        if text.contains('\0') {
            value.report("must have no character of the code 0");
            return None;
        }
        Some((name.to_owned(), text))
    });
    all_of(variables)
}

fn read_options(field: &Field<'_>) -> Option<BTreeMap<String, String>> {
    let options = Section::of(field)?
        .all()
        .into_iter()
        .map(|(option, value)| {
            let text = value.scalar()?;
            if [option, &text]
                .iter()
                .any(|part| part.contains(['\n', '\0']))
                || option.contains('=')
            {
                value.report("has a line break, a character of the code 0 or, in its name, a =");
                return None;
            }
            Some((option.to_owned(), text))
        });
    all_of(options)
}

/// The reason why a program cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum NoProgram {
    #[error("there is no file {}", .0.display())]
    Missing(PathBuf),
    #[error("{} is no file", .0.display())]
    NoFile(PathBuf),
    #[error("{} may not be executed", .0.display())]
    NotExecutable(PathBuf),
    #[error("{} needs the interpreter {interpreter:?}, which does not exist", program.display())]
    NoInterpreter {
        program: PathBuf,
        /// The interpreter that its first line names after `#!`.
        interpreter: String,
    },
    #[error("there is no program {0:?} in the folders of PATH")]
    NotInPath(String),
    #[error("the name of the program is empty")]
    Empty,
}

/// The file of a program: a name with a slash counts from `folder`, one without is sought in the
/// folders of `path`.
fn find(name: &str, folder: &Path, path: Option<&OsStr>) -> Result<PathBuf, NoProgram> {
    if name.is_empty() {
        return Err(NoProgram::Empty);
    }
    if name.contains('/') {
        let file = whole(folder.join(name));
        return executable(&file).map(|()| file);
    }
    let path = path.map(OsString::from).unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| whole(folder.join(name)))
        .find_map(|file| match executable(&file) {
            Ok(()) => Some(Ok(file)),
            Err(error @ NoProgram::NoInterpreter { .. }) => Some(Err(error)),
            Err(_) => None,
        })
        .unwrap_or_else(|| Err(NoProgram::NotInPath(name.to_owned())))
}

/// The path from the root, with its links as they are: a program may look at how it was called.
fn whole(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

fn executable(file: &Path) -> Result<(), NoProgram> {
    let Ok(metadata) = file.metadata() else {
        return Err(NoProgram::Missing(file.to_owned()));
    };
    if !metadata.is_file() {
        return Err(NoProgram::NoFile(file.to_owned()));
    }
    if !may_execute(&metadata) {
        return Err(NoProgram::NotExecutable(file.to_owned()));
    }
    match interpreter(file) {
        Some(interpreter) if !Path::new(&interpreter).exists() => Err(NoProgram::NoInterpreter {
            program: file.to_owned(),
            interpreter,
        }),
        Some(_) | None => Ok(()),
    }
}

/// The program by which a script is read: what its first line names after `#!`, if it is a path from the
/// root. What cannot be read is left to the system.
fn interpreter(file: &Path) -> Option<String> {
    let mut start = Vec::new();
    let file = File::open(file).ok()?;
    file.take(MAX_FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?.trim_ascii_start();
    let is_blank = |byte: &u8| [b' ', b'\t'].contains(byte);
    let name = line.split(is_blank).next()?;
    let name = String::from_utf8_lossy(name).into_owned();
    name.starts_with('/').then_some(name)
}

#[cfg(unix)]
fn may_execute(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;

    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_execute(_: &Metadata) -> bool {
    true
}
