use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dragontooth_games::catalogue;
use dragontooth_runner::config::{
    ConfigError, MAX_CONCURRENCY, MAX_CONFIG_BYTES, Player, Remote, RunConfig, ServiceConfig,
};
use dragontooth_runner::record::Manifest;
use dragontooth_runner_tournament::{Format, Name, bot_seed};
use dragontooth_service::Durability;
use dragontooth_service_client::TlsFiles;
use dragontooth_service_vocabulary::TimeControl;
use proptest::prelude::*;

/// A folder with a program `bot`, a script `odd` whose interpreter is missing, a file `text` that is not a
/// program, and a folder `sub`.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bot", "text"] {
            fs::write(folder.path().join(name), "#!/bin/sh\n").unwrap();
        }
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("odd"), "#! /nowhere/python -u\n").unwrap();
        for name in ["bot", "odd"] {
            make_executable(&folder.path().join(name));
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn parse(&self, text: &str) -> Result<RunConfig, String> {
        let root = self.path().to_str().unwrap();
        let parsed = RunConfig::parse(text, self.path(), Some(self.path().as_os_str()));
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

const MISTAKES: &str = include_str!("../data/config_mistakes.txt");

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
        (event.name().as_str(), event.seed(), event.format()),
        ("cup-1", 16, &Format::RoundRobin { cycles: 2 })
    );
    let rules = event.rules();
    assert_eq!(
        (rules.game(), rules.variant(), rules.target()),
        ("kamisado", "random", 7)
    );
    let names: Vec<&str> = event.bots().iter().map(Name::as_str).collect();
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
        ServiceConfig::Remote(Box::new(Remote {
            address: "http://127.0.0.1:50051".parse().unwrap(),
            tls: TlsFiles::default(),
            token: None,
        }))
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
fn missing_keys_have_defaults() {
    let config = Folder::new().parse(&with_text("")).unwrap();
    let (event, rules) = (&config.event, config.event.rules());
    assert_eq!(event.seed(), 1);
    assert_eq!(event.format(), &Format::RoundRobin { cycles: 1 });
    assert_eq!((rules.variant(), rules.target()), ("standard", 3));
    assert_eq!((config.time_control, config.concurrency), (None, None));
    assert_eq!(config.service, ServiceConfig::Embedded(Durability::Match));
    assert_eq!(config.run_folder(), PathBuf::from("runs/e"));
    let Player::Builtin { spec } = &config.bots[0].player else {
        panic!("{:?}", config.bots[0])
    };
    assert_eq!(spec.seed(), bot_seed(1, event.bots().first().unwrap()));
}

#[test]
fn games_for_money_have_a_highest_cube() {
    for (keys, variant) in [
        ("variant = 'money'", "money_1024"),
        ("variant = 'money_jacoby'", "money_jacoby_1024"),
        ("variant = 'money'\nmax_cube = 1", "money_1"),
        ("variant = 'money_jacoby'\nmax_cube = 64", "money_jacoby_64"),
        ("variant = 'money'\nmax_cube = 32768", "money"),
        ("variant = 'money_2048'", "money_2048"),
        ("variant = 'standard'", "standard"),
    ] {
        let event = format!("name = 'e'\ngame = 'backgammon'\ntarget = 1\n{keys}");
        let config = Folder::new().parse(&with_event(&event)).unwrap();
        let rules = config.event.rules();
        assert_eq!(rules.variant(), variant, "{keys}");
        assert_eq!(rules.are_for_money(), variant != "standard", "{keys}");
        let bots = ["a", "b"].map(|bot| Manifest::new(&config).bot_table(bot).unwrap());
        let again = Folder::new().parse(&Manifest::new(&config).file_of(&bots));
        assert_eq!(again.unwrap().event.rules(), rules, "{keys}");
    }
}

/// A game for money is one game for points, which is the only target of its variants.
#[test]
fn the_default_target_is_one_of_the_variant() {
    for (keys, target) in [
        ("variant = 'standard'", 3),
        ("variant = 'money'", 1),
        ("variant = 'money'\nmax_cube = 64", 1),
        ("variant = 'money_jacoby_64'", 1),
    ] {
        let event = format!("name = 'e'\ngame = 'backgammon'\n{keys}");
        let config = Folder::new().parse(&with_event(&event)).unwrap();
        assert_eq!(config.event.rules().target(), target, "{keys}");
    }
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
        (
            "'60+0.5'",
            Some(TimeControl::Fischer {
                base: ms(60_000),
                increment: ms(500),
            }),
        ),
        (
            "'0.25+0'",
            Some(TimeControl::Fischer {
                base: ms(250),
                increment: ms(0),
            }),
        ),
        (
            "'60d2.125'",
            Some(TimeControl::Delay {
                base: ms(60_000),
                delay: ms(2125),
            }),
        ),
        ("'1s'", Some(TimeControl::PerAction { limit: ms(1000) })),
        ("'0.05s'", Some(TimeControl::PerAction { limit: ms(50) })),
        ("'100ms'", Some(TimeControl::PerAction { limit: ms(100) })),
    ] {
        let config = Folder::new()
            .parse(&with_text(&format!("time_control = {text}")))
            .unwrap();
        assert_eq!(config.time_control, expected, "{text}");
    }
}

/// A bot has the time of the event unless it has its own.
#[test]
fn a_bot_may_have_its_own_time() {
    let limit = TimeControl::PerAction {
        limit: Duration::from_millis(5),
    };
    let minute = TimeControl::Fischer {
        base: Duration::from_mins(1),
        increment: Duration::ZERO,
    };
    let text = |of_event: &str| {
        format!(
            "[event]\nname = 'e'\ngame = 'kamisado'\ntime_control = {of_event}\n\
             [[bot]]\nname = 'a'\nbuiltin = 'random'\n\
             [[bot]]\nname = 'b'\nbuiltin = 'random'\ntime_control = 'none'\n\
             [[bot]]\nname = 'c'\nbuiltin = 'random'\ntime_control = {{ base_ms = 60000 }}\n"
        )
    };
    for (of_event, expected) in [("'none'", None), ("{ per_action_ms = 5 }", Some(limit))] {
        let config = Folder::new().parse(&text(of_event)).unwrap();
        assert_eq!(config.time_control, expected);
        let own: Vec<_> = config.bots.iter().map(|bot| bot.time_control).collect();
        assert_eq!(own, [expected, None, Some(minute)]);
        let names = ["c", "nobody", "b"].map(|name| Name::new(name).unwrap());
        assert_eq!(config.time_controls(&names), [Some(minute), expected, None]);
    }
}

/// The cases of the data file: the text of a file and all of its mistakes.
fn mistakes() -> impl Iterator<Item = (String, &'static str)> {
    let (_, cases) = MISTAKES.split_once("\n= ").unwrap();
    cases.trim_end().split("\n= ").map(|case| {
        let (kind, rest) = case.split_once('\n').unwrap();
        let (lines, problems) = rest.split_once("\n->\n").unwrap();
        let text = match kind {
            "event" => with_event(lines),
            "text" => with_text(lines),
            "bot" => with_bot(lines),
            "file" => lines.to_owned(),
            other => panic!("{other} is no kind of case"),
        };
        (text, problems)
    })
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let folder = Folder::new();
    assert!(mistakes().count() > 50);
    let games: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name).collect();
    let wrong = mistakes().filter_map(|(text, problems)| {
        let problems = problems.replace("GAMES", &games.join(", "));
        let found = folder.parse(&text).map(|_| ());
        (found != Err(problems)).then(|| format!("in:\n{text}found:\n{}\n", found.unwrap_err()))
    });
    assert_eq!(wrong.collect::<String>(), "");
}

#[test]
fn too_many_matches_are_named_at_the_cycles() {
    let mut text = "[event]\nname = 'e'\ngame = 'kamisado'\ncycles = 100000\n".to_owned();
    for i in 0..5 {
        write!(text, "[[bot]]\nname = 'b{i}'\nbuiltin = 'random'\n").unwrap();
    }
    let expected = "4:10: event.cycles: 5 bots and 100000 cycles make 2000000 matches; \
                    the limit is 1000000";
    assert_eq!(Folder::new().parse(&text), Err(expected.to_owned()));
}

#[test]
fn problems_name_the_file() {
    let folder = Folder::new();
    let file = folder.path().join("bad.toml");
    fs::write(&file, with_text("cycles = 0\ntarget = 2")).unwrap();
    let error = RunConfig::load(&file).unwrap_err().to_string();
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
fn the_examples_are_good() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/tournaments");
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert!(!files.is_empty());
    for file in files {
        RunConfig::load(&file).unwrap();
    }
}

#[test]
fn invalid_files_are_refused() {
    let folder = Folder::new();
    let missing = RunConfig::load(&folder.path().join("nowhere.toml")).unwrap_err();
    assert!(
        matches!(missing, ConfigError::Unreadable { .. }),
        "{missing:?}"
    );
    let directory = RunConfig::load(folder.path()).unwrap_err();
    assert!(
        matches!(directory, ConfigError::Unreadable { .. }),
        "{directory:?}"
    );

    let odd = folder.path().join("odd.toml");
    fs::write(&odd, b"[event]\nname = '\xff'").unwrap();
    let error = RunConfig::load(&odd).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}:2:9: the text is not UTF-8", odd.display())
    );

    let large = folder.path().join("large.toml");
    let bytes = usize::try_from(MAX_CONFIG_BYTES).unwrap() + 1;
    fs::write(&large, "#".repeat(bytes)).unwrap();
    let error = RunConfig::load(&large).unwrap_err();
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
    /// Any file is read or refused.
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = RunConfig::parse(&text, Path::new(""), Some(OsStr::new("")));
    }

    /// A valid file with a piece replaced.
    #[test]
    fn any_damage_is_read_or_refused(start in 0_usize..150, length in 0_usize..20, piece in "[\\PC\n]{0,12}") {
        let mut text = with_text("seed = 3\ncycles = 2\ntime_control = { base_ms = 1, delay_ms = 2 }");
        let start = (start..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let end = (start + length).min(text.len());
        text.replace_range(start..end, &piece);
        if let Err(problems) = RunConfig::parse(&text, Path::new(""), None) {
            prop_assert!(!problems.is_empty());
        }
    }
}
