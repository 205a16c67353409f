use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dragontooth_runner::config::{
    Config, ConfigError, MAX_CONCURRENCY, MAX_CONFIG_BYTES, Player, ServiceConfig,
};
use dragontooth_runner::tournament::bot_seed;
use dragontooth_service_client::TimeControl;
use proptest::prelude::*;

/// A folder with a program `bot`, a file `text` that is none, and a folder `sub`.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bot", "text"] {
            fs::write(folder.path().join(name), "#!/bin/sh\n").unwrap();
        }
        fs::create_dir(folder.path().join("sub")).unwrap();
        make_executable(&folder.path().join("bot"));
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn parse(&self, text: &str) -> Result<Config, String> {
        let root = self.path().to_str().unwrap();
        let parsed = Config::parse(text, self.path(), Some(self.path().as_os_str()));
        parsed.map_err(|problems| {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            lines.join("\n").replace(root, "FOLDER")
        })
    }
}

#[cfg(unix)]
fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(
        file.with_file_name("text"),
        fs::Permissions::from_mode(0o644),
    )
    .unwrap();
}

const BOTS: &str =
    "[[bot]]\nname = 'a'\nbuiltin = 'random'\n[[bot]]\nname = 'b'\nbuiltin = 'greedy'\n";

/// The file with this `[event]` and two bots.
fn with_event(lines: &str) -> String {
    format!("[event]\n{lines}\n{BOTS}")
}

/// A file with this text between `[event]` and two bots.
fn with_text(lines: &str) -> String {
    format!("[event]\nname = 'e'\ngame = 'kamisado'\n{lines}\n{BOTS}")
}

/// A file with this bot as the first of two.
fn with_bot(lines: &str) -> String {
    format!(
        "[event]\nname = 'e'\ngame = 'kamisado'\n[[bot]]\n{lines}\n[[bot]]\nname = 'b'\nbuiltin = 'greedy'\n"
    )
}

#[test]
fn a_whole_file_is_read() {
    let folder = Folder::new();
    let config = folder
        .parse(
            "[event]\nname = 'cup-1'\nseed = 0x10\ngame = 'kamisado'\nvariant = 'random'\ntarget = 7\n\
             cycles = 2\nconcurrency = 4\ntime_control = { base_ms = 1000, increment_ms = 20 }\n\
             folder = 'some/where'\n[service]\nembedded = false\naddress = 'http://127.0.0.1:50051'\n\
             [[bot]]\nname = 'deep'\nbuiltin = 'alphabeta'\noptions = { nodes = 20_000, seed = 7 }\n\
             [[bot]]\nname = 'mine'\ncommand = ['./bot', '--level', '9']\n\
             [[bot]]\nname = 'theirs'\ncommand = ['bot']\n",
        )
        .unwrap();
    let event = &config.event;
    assert_eq!(
        (event.name().as_str(), event.seed(), event.cycles()),
        ("cup-1", 16, 2)
    );
    let rules = event.rules();
    assert_eq!(
        (rules.game(), rules.variant(), rules.target()),
        ("kamisado", "random", 7)
    );
    let names: Vec<&str> = event.bots().iter().map(|name| name.as_str()).collect();
    assert_eq!(names, ["deep", "mine", "theirs"]);
    let ms = Duration::from_millis;
    let control = TimeControl::Fischer {
        base: ms(1000),
        increment: ms(20),
    };
    assert_eq!(config.time_control, Some(control));
    assert_eq!(config.concurrency.unwrap().get(), 4);
    assert_eq!(config.run_folder(), PathBuf::from("some/where"));
    assert_eq!(
        config.service,
        ServiceConfig::Remote("http://127.0.0.1:50051".parse().unwrap())
    );
    let Player::Builtin { spec } = &config.bots[0].player else {
        panic!("{:?}", config.bots[0])
    };
    assert_eq!(spec.to_string(), "alphabeta:nodes=20000,seed=7");
    for (bot, words) in [(1, &["./bot", "--level", "9"][..]), (2, &["bot"])] {
        let Player::Program(command) = &config.bots[bot].player else {
            panic!("{:?}", config.bots[bot])
        };
        assert_eq!(command.program, folder.path().join("bot"));
        assert_eq!(command.words, words);
        assert_eq!(command.arguments(), &words[1..]);
    }
}

#[test]
fn what_is_left_out_has_defaults() {
    let config = Folder::new().parse(&with_text("")).unwrap();
    let (event, rules) = (&config.event, config.event.rules());
    assert_eq!((event.seed(), event.cycles()), (1, 1));
    assert_eq!((rules.variant(), rules.target()), ("standard", 3));
    assert_eq!((config.time_control, config.concurrency), (None, None));
    assert_eq!(config.service, ServiceConfig::Embedded);
    assert_eq!(config.run_folder(), PathBuf::from("runs/e"));
    let Player::Builtin { spec } = &config.bots[0].player else {
        panic!("{:?}", config.bots[0])
    };
    assert_eq!(spec.seed(), bot_seed(1, event.bots().first().unwrap()));
}

#[test]
fn time_controls_are_read() {
    let ms = Duration::from_millis;
    for (text, expected) in [
        ("'none'", None),
        (
            "{ per_action_ms = 20 }",
            Some(TimeControl::PerAction { limit: ms(20) }),
        ),
        (
            "{ base_ms = 5 }",
            Some(TimeControl::Fischer {
                base: ms(5),
                increment: ms(0),
            }),
        ),
        (
            "{ base_ms = 5, increment_ms = 0 }",
            Some(TimeControl::Fischer {
                base: ms(5),
                increment: ms(0),
            }),
        ),
        (
            "{ base_ms = 5, delay_ms = 1 }",
            Some(TimeControl::Delay {
                base: ms(5),
                delay: ms(1),
            }),
        ),
    ] {
        let config = Folder::new()
            .parse(&with_text(&format!("time_control = {text}")))
            .unwrap();
        assert_eq!(config.time_control, expected, "{text}");
    }
}

/// Each case is a file and all that is wrong in it.
#[test]
fn every_mistake_is_named_with_its_place() {
    let cases: Vec<(String, &str)> = vec![
        (
            "".into(),
            "1:1: event: this key is missing\n1:1: bot: this key is missing",
        ),
        (
            "event = 3\nbot = 4".into(),
            "1:9: event: must be a table, not a whole number\n2:7: bot: must be a list, not a whole number",
        ),
        (
            "[event\nname = 'x'".into(),
            "1:7: unclosed table, expected `]`",
        ),
        (
            with_event("name = 'e'\nname = 'f'\ngame = 'kamisado'"),
            "3:1: duplicate key",
        ),
        (
            with_event("name = 'e'"),
            "1:1: event.game: this key is missing",
        ),
        (
            with_event("game = 'kamisado'"),
            "1:1: event.name: this key is missing",
        ),
        (
            with_event("name = 'e'\ngame = 'chess'"),
            "3:8: event.game: there is no game \"chess\"; there is kamisado",
        ),
        (
            with_event("name = 'e'\n  game = 3"),
            "3:10: event.game: must be a text in quotes, not a whole number",
        ),
        (
            with_event("name = 'my event'\ngame = 'kamisado'"),
            "2:8: event.name: a name has letters, digits, '.', '_', '-' and '+' in it, not ' '",
        ),
        (
            with_event("name = ''\ngame = 'kamisado'"),
            "2:8: event.name: a name must not be empty",
        ),
        (
            with_text("variant = 'wild'"),
            "4:11: event.variant: there is no variant \"wild\"; there is standard, random",
        ),
        (
            with_text("target = 2"),
            "4:10: event.target: a match of kamisado is played to 1, 3, 7 or 15, not to 2 points",
        ),
        (
            with_text("target = 0"),
            "4:10: event.target: must be from 1 to 4294967295, not 0",
        ),
        (
            with_text("target = '3'"),
            "4:10: event.target: must be a whole number, not a text",
        ),
        (
            with_text("target = 3.0"),
            "4:10: event.target: must be a whole number, not a number with a fraction",
        ),
        (
            with_text("cycles = 0"),
            "4:10: event.cycles: must be from 1 to 100000, not 0",
        ),
        (
            with_text("cycles = -1"),
            "4:10: event.cycles: must be from 1 to 100000, not -1",
        ),
        (
            with_text("cycles = 100001"),
            "4:10: event.cycles: must be from 1 to 100000, not 100001",
        ),
        (
            with_text("seed = 9223372036854775808"),
            "4:8: event.seed: must be from 0 to 9223372036854775807, not 9223372036854775808",
        ),
        (
            with_text("concurrency = 0"),
            "4:15: event.concurrency: must be from 1 to 1024, not 0",
        ),
        (
            with_text("folder = ''"),
            "4:10: event.folder: must name a folder",
        ),
        (
            with_text("colour = 'red'"),
            "4:1: event.colour: there is no such key; there is name, seed, game, variant, target, \
             cycles, concurrency, time_control, folder",
        ),
        (
            with_text("[extra]\nx = 1"),
            "4:2: extra: there is no such key; there is event, service, bot",
        ),
        (
            with_text("time_control = 'fast'"),
            "4:16: event.time_control: must be { per_action_ms }, { base_ms, increment_ms } or \
             { base_ms, delay_ms }, or \"none\"",
        ),
        (
            with_text("time_control = {}"),
            "4:16: event.time_control: must be { per_action_ms }, { base_ms, increment_ms } or \
             { base_ms, delay_ms }, or \"none\"",
        ),
        (
            with_text("time_control = { base_ms = 5, increment_ms = 1, delay_ms = 1 }"),
            "4:16: event.time_control: must be { per_action_ms }, { base_ms, increment_ms } or \
             { base_ms, delay_ms }, or \"none\"",
        ),
        (
            with_text("time_control = { per_action_ms = 0 }"),
            "4:34: event.time_control.per_action_ms: must be from 1 to 2592000000, not 0",
        ),
        (
            with_text("time_control = { base_ms = 1, delay_ms = 0 }"),
            "4:42: event.time_control.delay_ms: must be from 1 to 2592000000, not 0",
        ),
        (
            with_text("time_control = { per_move_ms = 5, per_action_ms = 5 }"),
            "4:18: event.time_control.per_move_ms: there is no such key; there is per_action_ms, \
             base_ms, increment_ms, delay_ms",
        ),
        (
            with_text("time_control = true"),
            "4:16: event.time_control: must be a table, not true or false",
        ),
        (
            with_text("[service]\nembedded = 'yes'"),
            "5:12: service.embedded: must be true or false, not a text",
        ),
        (
            with_text("[service]\nembedded = false"),
            "4:1: service: without the embedded service there must be an address",
        ),
        (
            with_text("[service]\nembedded = true\naddress = 'http://x:1'"),
            "6:11: service.address: is for a service elsewhere: leave it out or set embedded = false",
        ),
        (
            with_text("[service]\naddress = 'ftp://x:1'"),
            "5:11: service.address: \"ftp://x:1\" is no address of a service: only http and https \
             are spoken; it looks like http://127.0.0.1:4640",
        ),
        (
            with_text("[service]\nport = 3"),
            "5:1: service.port: there is no such key; there is embedded, address",
        ),
        (
            "[event]\nname = 'e'\ngame = 'kamisado'\n[[bot]]\nname = 'a'\nbuiltin = 'random'"
                .into(),
            "4:1: bot: a tournament needs at least 2 bots, not 1",
        ),
        (
            with_bot("name = 'b'\nbuiltin = 'random'"),
            "8:8: bot[2].name: another bot is called b already",
        ),
        (
            with_bot("builtin = 'random'"),
            "4:1: bot[1].name: this key is missing",
        ),
        (
            with_bot("name = 'a/b'\nbuiltin = 'random'"),
            "5:8: bot[1].name: a name has letters, digits, '.', '_', '-' and '+' in it, not '/'",
        ),
        (
            with_bot("name = 'a'"),
            "4:1: bot[1]: a bot needs builtin = \"…\" or command = [\"…\"]",
        ),
        (
            with_bot("name = 'a'\nbuiltin = 'deepblue'"),
            "6:11: bot[1].builtin: there is no bot \"deepblue\"; there is random, greedy, alphabeta",
        ),
        (
            with_bot("name = 'a'\nbuiltin = 'random'\ncommand = ['./bot']"),
            "7:11: bot[1].command: a bot is either built-in or a program, not both",
        ),
        (
            with_bot("name = 'a'\nbuiltin = 'random'\noptions = { nodes = 5 }"),
            "7:21: bot[1].options.nodes: the bot random has no option \"nodes\"; it has seed",
        ),
        (
            with_bot("name = 'a'\nbuiltin = 'alphabeta'\noptions = { nodes = 0 }"),
            "7:21: bot[1].options.nodes: nodes is a number from 1 to 18446744073709551615, not \"0\"",
        ),
        (
            with_bot("name = 'a'\nbuiltin = 'alphabeta'\noptions = { nodes = [1] }"),
            "7:21: bot[1].options.nodes: must be a whole number, a text, true or false, not a list",
        ),
        (
            with_bot("name = 'a'\nbuiltin = 'alphabeta'\noptions = 3"),
            "7:11: bot[1].options: must be a table, not a whole number",
        ),
        (
            with_bot("name = 'a'\ncommand = './bot'"),
            "6:11: bot[1].command: must be a list, not a text",
        ),
        (
            with_bot("name = 'a'\ncommand = []"),
            "6:11: bot[1].command: must name a program",
        ),
        (
            with_bot("name = 'a'\ncommand = ['']"),
            "6:12: bot[1].command[1]: the name of the program is empty",
        ),
        (
            with_bot("name = 'a'\ncommand = ['./bot', 3]"),
            "6:21: bot[1].command[2]: must be a text in quotes, not a whole number",
        ),
        (
            with_bot("name = 'a'\ncommand = ['./nowhere']"),
            "6:12: bot[1].command[1]: there is no file FOLDER/nowhere",
        ),
        (
            with_bot("name = 'a'\ncommand = ['./sub']"),
            "6:12: bot[1].command[1]: FOLDER/sub is no file",
        ),
        (
            with_bot("name = 'a'\ncommand = ['./text']"),
            "6:12: bot[1].command[1]: FOLDER/text may not be executed",
        ),
        (
            with_bot("name = 'a'\ncommand = ['text']"),
            "6:12: bot[1].command[1]: there is no program \"text\" in the folders of PATH",
        ),
        (
            with_bot("name = 'a'\ncommand = ['./bot']\noptions = { x = 1 }"),
            "7:11: bot[1].options: is for built-in bots: hand a program its options as arguments",
        ),
        (
            with_bot("name = 'a'\ncount = 2\nbuiltin = 'random'"),
            "6:1: bot[1].count: there is no such key; there is name, builtin, options, command",
        ),
        (
            format!("[event]\nname = 'é'\ngame = 'é' # é\ncycles = 0\n{BOTS}"),
            "2:8: event.name: a name has letters, digits, '.', '_', '-' and '+' in it, not 'é'\n\
             3:8: event.game: there is no game \"é\"; there is kamisado\n\
             4:10: event.cycles: must be from 1 to 100000, not 0",
        ),
    ];
    let folder = Folder::new();
    for (text, expected) in cases {
        assert_eq!(folder.parse(&text), Err(expected.to_owned()), "in:\n{text}");
    }
}

#[test]
fn too_many_matches_are_named_at_the_cycles() {
    let mut text = "[event]\nname = 'e'\ngame = 'kamisado'\ncycles = 100000\n".to_owned();
    for i in 0..5 {
        text.push_str(&format!("[[bot]]\nname = 'b{i}'\nbuiltin = 'random'\n"));
    }
    let expected = "4:10: event.cycles: 5 bots and 100000 cycles make 2000000 matches; \
                    at most 1000000 are played";
    assert_eq!(Folder::new().parse(&text), Err(expected.to_owned()));
}

#[test]
fn problems_name_the_file() {
    let folder = Folder::new();
    let file = folder.path().join("bad.toml");
    fs::write(&file, with_text("cycles = 0\ntarget = 2")).unwrap();
    let error = Config::load(&file).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    let name = file.display();
    assert_eq!(lines.len(), 2, "{error}");
    assert!(
        lines[0].starts_with(&format!("{name}:4:10: event.cycles: ")),
        "{error}"
    );
    assert!(
        lines[1].starts_with(&format!("{name}:5:10: event.target: ")),
        "{error}"
    );
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = Folder::new();
    let missing = Config::load(&folder.path().join("nowhere.toml")).unwrap_err();
    assert!(
        matches!(missing, ConfigError::Unreadable { .. }),
        "{missing:?}"
    );
    let directory = Config::load(folder.path()).unwrap_err();
    assert!(
        matches!(directory, ConfigError::Unreadable { .. }),
        "{directory:?}"
    );

    let odd = folder.path().join("odd.toml");
    fs::write(&odd, b"[event]\nname = '\xff'").unwrap();
    let error = Config::load(&odd).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}:2:9: the text is not UTF-8", odd.display())
    );

    let large = folder.path().join("large.toml");
    let bytes = usize::try_from(MAX_CONFIG_BYTES).unwrap() + 1;
    fs::write(&large, "#".repeat(bytes)).unwrap();
    let error = Config::load(&large).unwrap_err();
    assert!(matches!(error, ConfigError::TooLarge { .. }), "{error:?}");
}

#[test]
fn the_limit_of_concurrency_is_as_documented() {
    assert_eq!(MAX_CONCURRENCY, 1024);
    assert!(
        Folder::new()
            .parse(&with_text("concurrency = 1024"))
            .is_ok()
    );
    assert!(
        Folder::new()
            .parse(&with_text("concurrency = 1025"))
            .is_err()
    );
}

proptest! {
    /// Whatever stands in the file, it is read or refused.
    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,200}") {
        let _ = Config::parse(&text, Path::new(""), Some(OsStr::new("")));
    }

    /// A good file with a piece of it replaced.
    #[test]
    fn no_damage_is_too_odd(start in 0_usize..150, length in 0_usize..20, piece in "[\\PC\n]{0,12}") {
        let mut text = with_text("seed = 3\ncycles = 2\ntime_control = { base_ms = 1, delay_ms = 2 }");
        let start = (start..).find(|at| text.is_char_boundary(*at)).unwrap().min(text.len());
        let end = (start + length).min(text.len());
        text.replace_range(start..end, &piece);
        if let Err(problems) = Config::parse(&text, Path::new(""), None) {
            prop_assert!(!problems.is_empty());
        }
    }
}
