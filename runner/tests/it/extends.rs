//! Files that extend others, and the example.

use std::fs;

use dragontooth_runner::config::{
    MAX_CONFIG_BYTES, MAX_EXTENDED, Player, RunConfig, ServiceConfig,
};
use tempfile::TempDir;

use crate::command_line::call;
use crate::faults::write_program;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    place
}

fn load(place: &TempDir, file: &str) -> Result<RunConfig, String> {
    let root = format!("{}/", place.path().display());
    RunConfig::load(&place.path().join(file)).map_err(|error| error.to_string().replace(&root, ""))
}

const BASE: &str = "\
[event]
name = 'base'
game = 'kamisado'
seed = 5
time_control = { base_ms = 1000, increment_ms = 10 }
[limits]
join_ms = 700
faults = 4
[[bot]]
name = 'ann'
builtin = 'random'
options = { seed = 3 }
[[bot]]
name = 'bob'
command = ['./bob']
restart = true
";

#[test]
fn a_file_overrides_what_it_extends() {
    let place = folder(&[
        ("sub/base.toml", BASE),
        (
            "cup.toml",
            "extends = 'sub/base.toml'\n[event]\nname = 'cup'\ntime_control = { per_action_ms = 9 }\n\
             [limits]\nfaults = 7\n\
             [[bot]]\nname = 'bob'\nmemory_mib = 9\n\
             [[bot]]\nname = 'cat'\ncommand = ['./cat']\n\
             [[bot]]\nname = 'ann'\nbuiltin = 'greedy'\n",
        ),
    ]);
    for program in ["sub/bob", "cat"] {
        write_program(&place.path().join(program), "#!/bin/sh\n");
    }
    let config = load(&place, "cup.toml").unwrap();
    assert_eq!(
        (config.event.name().as_str(), config.event.seed()),
        ("cup", 5)
    );
    let control = config.time_control.unwrap();
    assert_eq!(format!("{control:?}"), "PerAction { limit: 9ms }");
    assert_eq!(config.limits.join.as_millis(), 700);
    assert_eq!(config.limits.max_faults, Some(7));
    let names: Vec<&str> = config.bots.iter().map(|bot| bot.name.as_str()).collect();
    assert_eq!(names, ["ann", "bob", "cat"]);
    // It names a bot, so the options of the overridden bot do not carry over.
    let Player::Builtin { spec } = &config.bots[0].player else {
        panic!("{:?}", config.bots[0])
    };
    assert!(
        spec.to_string().starts_with("greedy") && spec.seed() != 3,
        "{spec}"
    );
    // Programs are found relative to the file that names them.
    for (bot, program) in [(1, "sub/bob"), (2, "cat")] {
        let Player::Program(command) = &config.bots[bot].player else {
            panic!("{:?}", config.bots[bot])
        };
        assert_eq!(command.program, place.path().join(program));
        let bob = bot == 1;
        assert_eq!(command.restart, bob);
        assert_eq!(command.allowance.memory_mib, bob.then_some(9));
    }
}

#[test]
fn a_mistake_is_reported_with_its_file() {
    let place = folder(&[
        ("sub/base.toml", &BASE.replace("seed = 5", "seed = 'é'; ")),
        ("syntax.toml", "extends = 'sub/base.toml'\n"),
        ("sub/bad.toml", &BASE.replace("seed = 5", "seeds = 5")),
        (
            "sub/more.toml",
            "extends = 'bad.toml'\n\n[event]\ncycles = 0\n",
        ),
        (
            "cup.toml",
            "# é\nextends = 'sub/more.toml'\n[event]\ntarget = 4\n[[bot]]\nname = 'ann'\nplayers = 3\n",
        ),
    ]);
    let error = load(&place, "syntax.toml").unwrap_err();
    assert!(error.starts_with("sub/base.toml:4:11: "), "{error}");
    let error = load(&place, "cup.toml").unwrap_err();
    let places: Vec<&str> = error
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    let expected = [
        "cup.toml:4:10",
        "cup.toml:7:1",
        "sub/bad.toml:4:1",
        "sub/bad.toml:15:12",
        "sub/more.toml:4:10",
    ];
    assert_eq!(places, expected, "{error}");
    assert!(error.contains("event.seeds: unknown key"), "{error}");
    assert!(
        error.contains("bot[2].command[1]: there is no file sub/bob"),
        "{error}"
    );
}

#[test]
fn an_invalid_extends_is_reported_at_its_key() {
    let circle = "extends = 'circle.toml'\n";
    let large = " ".repeat(usize::try_from(MAX_CONFIG_BYTES).unwrap() + 1);
    let mut files = vec![
        (
            "missing.toml".to_owned(),
            "\nextends = 'nowhere.toml'\n".to_owned(),
        ),
        (
            "circle.toml".to_owned(),
            "extends = 'other.toml'\n".to_owned(),
        ),
        ("other.toml".to_owned(), circle.to_owned()),
        ("own.toml".to_owned(), "extends = 'own.toml'".to_owned()),
        ("number.toml".to_owned(), "extends = 3".to_owned()),
        ("large.toml".to_owned(), large),
        (
            "larger.toml".to_owned(),
            "extends = 'large.toml'".to_owned(),
        ),
    ];
    for number in 0..=MAX_EXTENDED {
        let text = format!("extends = 'long{}.toml'", number + 1);
        files.push((format!("long{number}.toml"), text));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let place = folder(&files);
    for (file, expected) in [
        (
            "missing.toml",
            "missing.toml:2:11: extends: nowhere.toml cannot be read: ",
        ),
        (
            "circle.toml",
            "other.toml:1:11: extends: circle.toml extends itself",
        ),
        (
            "own.toml",
            "own.toml:1:11: extends: own.toml extends itself",
        ),
        (
            "number.toml",
            "number.toml:1:11: extends: must name a file, in quotes",
        ),
        (
            "larger.toml",
            "larger.toml:1:11: extends: large.toml: the file has more than",
        ),
        (
            "long0.toml",
            "long15.toml:1:11: extends: at most 16 files extend each other",
        ),
    ] {
        let error = load(&place, file).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// A line that is commented out shows the default, unless it says that it is an example.
#[test]
fn the_example_shows_the_defaults() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("cup.toml");
    assert_eq!(call(place.path(), &["init", "cup.toml"]).0, 0);
    let plain = RunConfig::load(&file).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let (text, _) = text.split_once("# A program of your own.").unwrap();
    let (mut is_example, mut count) = (false, 0);
    let lines = text.lines().map(|line| {
        let shown = line
            .strip_prefix('#')
            .filter(|rest| rest.starts_with(|first: char| first.is_alphabetic() || first == '['));
        match shown {
            Some(shown) if !is_example => {
                count += 1;
                shown
            }
            Some(_) => line,
            None => {
                is_example = line.ends_with("or example:");
                line
            }
        }
    });
    let lines: Vec<&str> = lines.collect();
    assert!(count >= 7, "{count}");
    fs::write(&file, lines.join("\n")).unwrap();
    let shown = RunConfig::load(&file).unwrap();
    let expected = RunConfig {
        folder: Some(plain.run_folder()),
        ..plain
    };
    assert_eq!(shown, expected);
}

#[test]
fn the_example_can_be_played_without_a_service() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("cup.toml");
    assert_eq!(call(place.path(), &["init", "cup.toml"]).0, 0);
    let text = fs::read_to_string(&file).unwrap();
    let direct = text.replace("\n#[service]\n", "\n[service]\ndirect = true\n");
    assert_ne!(direct, text);
    fs::write(&file, direct).unwrap();
    let config = RunConfig::load(&file).unwrap();
    assert_eq!(config.service, ServiceConfig::Direct);
}

#[test]
fn the_example_can_be_played_and_is_not_overwritten() {
    let place = tempfile::tempdir().unwrap();
    assert_eq!(call(place.path(), &["init", "cup.toml"]).0, 0);
    let text = fs::read_to_string(place.path().join("cup.toml")).unwrap();
    assert!(text.contains("dragontooth-runner run cup.toml "), "{text}");
    let (code, _, said) = call(place.path(), &["run", "cup.toml"]);
    assert_eq!(code, 0, "{said}");
    assert!(place.path().join("runs/cup/results.jsonl").exists());

    fs::write(place.path().join("cup.toml"), "mine").unwrap();
    let (code, _, said) = call(place.path(), &["init", "cup.toml"]);
    assert_eq!(code, 2);
    assert!(said.contains("cup.toml: the file exists already"), "{said}");
    assert_eq!(
        fs::read_to_string(place.path().join("cup.toml")).unwrap(),
        "mine"
    );
    assert_eq!(call(place.path(), &["init", "no/where.toml"]).0, 3);

    // The options that it shows in comments can be used, too.
    let shown: Vec<&str> = text
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if rest.starts_with(|first: char| first.is_alphabetic() || first == '[') => {
                rest
            }
            _ => line,
        })
        .collect();
    fs::create_dir(place.path().join("mybot")).unwrap();
    write_program(&place.path().join("mybot/mybot"), "#!/bin/sh\n");
    let shown = shown.join("\n").replace("./mybot", "./mybot/mybot");
    fs::write(place.path().join("all.toml"), shown).unwrap();
    fs::write(place.path().join("base.toml"), "").unwrap();
    let position = "OLMPYRGB/8/8/8/8/8/8/gbrypmlo b -;\n";
    fs::write(place.path().join("book.txt"), position).unwrap();
    let config = RunConfig::load(&place.path().join("all.toml")).unwrap();
    assert_eq!(config.bots.len(), 4);
    assert_eq!(config.limits.max_faults, Some(10));
}
