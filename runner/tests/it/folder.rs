use std::fmt::Write;
use std::fs;
use std::path::Path;

use dragontooth_runner::config::RunConfig;
use dragontooth_runner::record::{FolderError, Manifest, ManifestError, RunFolder, Secret};
use dragontooth_runner_tournament::{Name, Schedule};

/// The remedy in a folder without a result.
const UNPLAYED: &str =
    "; no match of it is over: delete the folder, or play this one in another, with --dir";

/// The configuration of two built-in bots with these lines in `[event]`.
fn config(lines: &str) -> RunConfig {
    let text = format!(
        "[event]\nname = 'cup'\ngame = 'kamisado'\n{lines}\n[[bot]]\nname = 'a'\n\
         builtin = 'random'\n[[bot]]\nname = 'b'\nbuiltin = 'alphabeta'\noptions = {{ nodes = 5 }}\n"
    );
    RunConfig::parse(&text, Path::new(""), None).unwrap()
}

fn manifest(lines: &str) -> Manifest {
    Manifest::new(&config(lines))
}

/// The description of the event in a folder, without the folder's id.
fn described(path: &Path) -> String {
    let text = RunFolder::look(path).unwrap().text();
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.contains("\"id\": ")).collect()
}

#[test]
fn a_new_folder_describes_its_event() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("deep").join("cup");
    let lines = "cycles = 2\ntime_control = { base_ms = 9, delay_ms = 8 }";
    let folder = RunFolder::open(&path, &manifest(lines)).unwrap();
    assert_eq!(folder.path(), path);
    assert_eq!(folder.results(), RunFolder::results_in(&path));
    let seen = RunFolder::look(&path).unwrap();
    assert_eq!(described(&path), manifest(lines).text());
    assert_eq!(seen.event().unwrap(), config(lines).event);
}

#[test]
fn a_folder_keeps_its_id() {
    let place = tempfile::tempdir().unwrap();
    let [here, moved, there] = ["here", "moved", "there"].map(|name| place.path().join(name));
    let id = |path: &Path, lines: &str| {
        let mut folder = RunFolder::open(path, &manifest(lines)).unwrap();
        folder.write_event(None).unwrap();
        folder.id().map(ToOwned::to_owned)
    };
    let first = id(&here, "cycles = 2");
    assert!(first.is_some());
    assert_ne!(id(&there, "cycles = 2"), first);
    fs::rename(&here, &moved).unwrap();
    for longer in ["cycles = 2", "cycles = 3", "cycles = 3"] {
        assert_eq!(id(&moved, longer), first);
    }
    // Earlier versions gave none.
    fs::write(there.join("event.json"), described(&there)).unwrap();
    for longer in ["cycles = 2", "cycles = 3", "cycles = 3"] {
        assert_eq!(id(&there, longer), None);
    }
}

#[test]
fn every_time_control_is_kept() {
    for lines in [
        "",
        "time_control = { per_action_ms = 9 }",
        "time_control = { base_ms = 9, increment_ms = 0 }",
        "time_control = { base_ms = 9, increment_ms = 7 }",
        "time_control = { base_ms = 9, delay_ms = 7 }",
    ] {
        let place = tempfile::tempdir().unwrap();
        drop(RunFolder::open(place.path(), &manifest(lines)).unwrap());
        assert_eq!(described(place.path()), manifest(lines).text(), "{lines}");
    }
}

/// A bot's time control is part of a run's identity, and is in the bot's table when a match is replayed.
#[test]
fn the_time_of_a_bot_is_kept() {
    let with = |own: &str| {
        let text = format!(
            "[event]\nname = 'cup'\ngame = 'kamisado'\ntime_control = {{ per_action_ms = 5 }}\n\
             [[bot]]\nname = 'a'\nbuiltin = 'random'\n{own}\n[[bot]]\nname = 'b'\nbuiltin = 'random'\n"
        );
        Manifest::new(&RunConfig::parse(&text, Path::new(""), None).unwrap())
    };
    let lines = [
        "",
        "time_control = \"none\"\n",
        "time_control = { per_action_ms = 9 }\n",
        "time_control = { base_ms = 9, delay_ms = 7 }\n",
    ];
    for own in lines {
        let place = tempfile::tempdir().unwrap();
        drop(RunFolder::open(place.path(), &with(own)).unwrap());
        let seen = RunFolder::look(place.path()).unwrap();
        assert_eq!(described(place.path()), with(own).text());
        assert_eq!([seen.time_line("a"), seen.time_line("b")], [own, ""]);
        for other in lines {
            let differs = !seen.differences(&with(other)).is_empty();
            assert_eq!(differs, own != other, "{own} and {other}");
        }
    }
    // A time equal to the event's is not its own.
    assert_eq!(with("time_control = { per_action_ms = 5 }"), with(""));
    let text = with("").differences(&with(lines[1]))[0].to_string();
    assert!(
        text.ends_with(", time_control \"none\" in the file"),
        "{text}"
    );
}

/// The format and the length of matches in the file are kept and compared.
#[test]
fn every_format_is_kept() {
    let formats = [
        "cycles = 3\nmax_plies = 80",
        "format = 'gauntlet'\nchallengers = ['b']\ncycles = 2",
        "format = 'swiss'\nseeding = ['b', 'a']",
        "format = 'knockout'\nextra_encounters = 7",
        "format = 'ladder'\nrounds = 9\nseeding = ['b', 'a']",
        "format = 'sprt'\nsprt = { elo0 = -1.7, elo1 = 2.1000000000000001, alpha = 0.07, model = 'logistic', max_encounters = 9 }",
    ];
    for lines in formats {
        let place = tempfile::tempdir().unwrap();
        drop(RunFolder::open(place.path(), &manifest(lines)).unwrap());
        let seen = RunFolder::look(place.path()).unwrap();
        assert_eq!(described(place.path()), manifest(lines).text(), "{lines}");
        assert_eq!(seen.event().unwrap(), config(lines).event, "{lines}");
        assert_eq!(seen.differences(&manifest(lines)), []);
        for other in formats {
            let differ = !seen.differences(&manifest(other)).is_empty();
            assert_eq!(differ, lines != other, "{lines} and {other}");
        }
    }
    let texts = |one: &str, other: &str| -> Vec<String> {
        let differences = manifest(one).differences(&manifest(other));
        differences.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        texts("cycles = 2", "format = 'knockout'"),
        [
            "event.format is round_robin in the folder and knockout in the file",
            "event.cycles is 2 in the folder and not set in the file",
            "event.extra_encounters is not set in the folder and 2 in the file",
            "event.seeding is not set in the folder and a, b in the file",
        ]
    );
}

#[test]
fn a_folder_is_used_by_one_run_at_a_time() {
    let place = tempfile::tempdir().unwrap();
    let first = RunFolder::open(place.path(), &manifest("")).unwrap();
    let second = RunFolder::open(place.path(), &manifest("")).unwrap_err();
    assert!(matches!(second, FolderError::InUse { .. }), "{second:?}");
    assert!(RunFolder::look(place.path()).is_ok());
    drop(first);
    assert!(RunFolder::open(place.path(), &manifest("")).is_ok());
}

#[test]
fn a_run_of_another_event_is_refused() {
    let place = tempfile::tempdir().unwrap();
    drop(RunFolder::open(place.path(), &manifest("seed = 1\ncycles = 2")).unwrap());
    let other = manifest("seed = 2\ncycles = 3\ntime_control = { per_action_ms = 9 }");
    let error = RunFolder::open(place.path(), &other).unwrap_err();
    let FolderError::OtherEvent { differences, .. } = &error else {
        panic!("{error:?}")
    };
    let texts: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert_eq!(texts[0], "event.seed is 1 in the folder and 2 in the file");
    // More cycles alone would be allowed.
    let clocks = "event.time_control is none in the folder and { per_action_ms = 9 } in the file";
    assert_eq!(texts[1], clocks);
    // Their seeds follow from the event's.
    assert!(
        texts[2].starts_with("bot[1] is a, builtin random:seed="),
        "{texts:?}"
    );
    assert!(
        texts[3].starts_with("bot[2] is b, builtin alphabeta:nodes=5,seed="),
        "{texts:?}"
    );
    assert_eq!(texts.len(), 4);
    for (results, remedy) in [
        ("", UNPLAYED),
        ("{}\n", "; play this one in another folder, with --dir"),
    ] {
        fs::write(RunFolder::results_in(place.path()), results).unwrap();
        let error = RunFolder::open(place.path(), &other).unwrap_err();
        assert!(error.to_string().ends_with(remedy), "{error}");
    }
    // Settings that do not change the results may differ.
    let same = manifest("seed = 1\ncycles = 2\nconcurrency = 9\nfolder = 'x'");
    assert!(RunFolder::open(place.path(), &same).is_ok());
}

/// A longer event begins with the matches of the shorter one.
#[test]
fn an_event_may_become_longer() {
    for (short, long) in [
        ("cycles = 2", "cycles = 3"),
        (
            "format = 'gauntlet'\nchallengers = ['b']",
            "format = 'gauntlet'\nchallengers = ['b']\ncycles = 4",
        ),
        ("format = 'ladder'", "format = 'ladder'\nrounds = 5"),
        (
            "format = 'sprt'\nsprt = { elo0 = 0, elo1 = 5, max_encounters = 10 }",
            "format = 'sprt'\nsprt = { elo0 = 0, elo1 = 5, max_encounters = 20 }",
        ),
    ] {
        let place = tempfile::tempdir().unwrap();
        drop(RunFolder::open(place.path(), &manifest(short)).unwrap());
        let mut folder = RunFolder::open(place.path(), &manifest(long)).unwrap();
        // Until the caller can seal it, the folder is what was sealed.
        assert_eq!(described(place.path()), manifest(short).text());
        assert!(folder.is_event_new(None));
        folder.write_event(None).unwrap();
        assert!(!folder.is_event_new(None));
        drop(folder);
        assert_eq!(described(place.path()), manifest(long).text());
        let [short_event, long_event] =
            [short, long].map(|lines| Schedule::new(config(lines).event));
        let count = short_event.matches().len();
        assert_eq!(long_event.matches()[..count], *short_event.matches());
        let error = RunFolder::open(place.path(), &manifest(short)).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(" (it can be raised, but not lowered); "),
            "{text}"
        );
        assert_eq!(described(place.path()), manifest(long).text());
    }
}

#[test]
fn what_the_course_depends_on_stays_as_it_is() {
    for (lines, other, reason) in [
        (
            "format = 'knockout'",
            "format = 'knockout'\nextra_encounters = 3",
            "is 2 in the folder and 3 in the file (the course of a knockout depends on it)",
        ),
        ("cycles = 2", "cycles = 3\nseed = 9", "in the file"),
        (
            "format = 'sprt'\nsprt = { elo0 = 0, elo1 = 5, max_encounters = 10 }",
            "format = 'sprt'\nsprt = { elo0 = 0, elo1 = 6, max_encounters = 20 }",
            "event.sprt.elo1 is 5 in the folder and 6 in the file",
        ),
    ] {
        let place = tempfile::tempdir().unwrap();
        drop(RunFolder::open(place.path(), &manifest(lines)).unwrap());
        let error = RunFolder::open(place.path(), &manifest(other)).unwrap_err();
        let text = error.to_string();
        let told = text.split("; play this one").next().unwrap();
        assert!(told.ends_with(reason), "{text}");
        assert_eq!(described(place.path()), manifest(lines).text());
    }
}

/// In a gauntlet of one challenger and one cycle the last bot plays last; elsewhere pairings move.
#[test]
fn bots_join_where_no_pairing_changes() {
    let event = |format: &str, bots: &[&str]| {
        let mut text = format!("[event]\nname = 'cup'\ngame = 'kamisado'\n{format}\n");
        for bot in bots {
            write!(text, "[[bot]]\nname = '{bot}'\nbuiltin = 'random'\n").unwrap();
        }
        Manifest::new(&RunConfig::parse(&text, Path::new(""), None).unwrap())
    };
    let gauntlet = "format = 'gauntlet'\nchallengers = ['a']";
    for (format, before, after, may_join) in [
        (gauntlet, &["a", "b"][..], &["a", "b", "c", "d"][..], true),
        (gauntlet, &["a", "b"], &["a", "c", "b"], false),
        (gauntlet, &["a", "b", "c"], &["a", "b"], false),
        (
            "format = 'gauntlet'\nchallengers = ['a']\ncycles = 2",
            &["a", "b"],
            &["a", "b", "c"],
            false,
        ),
        ("", &["a", "b"], &["a", "b", "c"], false),
        ("format = 'ladder'", &["a", "b"], &["a", "b", "c"], false),
    ] {
        let place = tempfile::tempdir().unwrap();
        drop(RunFolder::open(place.path(), &event(format, before)).unwrap());
        let opened = RunFolder::open(place.path(), &event(format, after));
        assert_eq!(
            opened.is_ok(),
            may_join,
            "{format}: {before:?} to {after:?}"
        );
    }
    let place = tempfile::tempdir().unwrap();
    drop(RunFolder::open(place.path(), &event("", &["a", "b"])).unwrap());
    let error = RunFolder::open(place.path(), &event("", &["a", "b", "c"])).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("(bots can join a gauntlet of one challenger and one cycle"),
        "{text}"
    );
}

#[test]
fn more_or_fewer_bots_are_another_event() {
    let place = tempfile::tempdir().unwrap();
    drop(RunFolder::open(place.path(), &manifest("")).unwrap());
    let mut text = "[event]\nname = 'cup'\ngame = 'kamisado'\n".to_owned();
    for bot in ["a", "b", "c"] {
        write!(text, "[[bot]]\nname = '{bot}'\nbuiltin = 'random'\n").unwrap();
    }
    let other = Manifest::new(&RunConfig::parse(&text, Path::new(""), None).unwrap());
    let error = RunFolder::open(place.path(), &other)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("bot[3] is not set in the folder and c, builtin random"),
        "{error}"
    );
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("thesis.txt"), "years of work").unwrap();
    let error = RunFolder::open(place.path(), &manifest("")).unwrap_err();
    assert!(matches!(error, FolderError::Foreign { .. }), "{error:?}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    let error = RunFolder::look(place.path()).unwrap_err();
    assert!(matches!(error, FolderError::NoRun { .. }), "{error:?}");
}

#[test]
fn an_interrupted_start_does_not_count() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("lock"), "").unwrap();
    fs::write(place.path().join("event.json.unfinished"), "{").unwrap();
    assert!(RunFolder::open(place.path(), &manifest("")).is_ok());
}

#[test]
fn a_path_that_is_not_a_folder_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("below")] {
        let error = RunFolder::open(&path, &manifest("")).unwrap_err();
        assert!(matches!(error, FolderError::Unusable { .. }), "{error:?}");
    }
}

#[test]
fn an_invalid_description_is_refused() {
    let place = tempfile::tempdir().unwrap();
    drop(RunFolder::open(place.path(), &manifest("")).unwrap());
    let file = place.path().join("event.json");
    let good = fs::read_to_string(&file).unwrap();
    let clocks = |keys: &str| {
        good.replacen(
            "\"time_control\": null",
            &format!("\"time_control\": {keys}"),
            1,
        )
    };
    for (bad, said) in [
        (String::new(), "no description of an event"),
        ("[]".to_owned(), "no description of an event"),
        (
            good.replacen("\"format\": 2", "\"format\": 1", 1),
            "has format 1; this runner reads and writes format 2, in which the results carry the hashes",
        ),
        (
            good.replacen("\"seed\": 1", "\"seed\": -1", 1),
            "no description of an event",
        ),
        (
            good.replacen('{', "{ \"more\": 1,", 1),
            "unknown field `more`",
        ),
        (
            clocks("{ \"per_action_ms\": \"x\" }"),
            "invalid type: string \"x\", expected u64",
        ),
        (
            clocks("{ \"per_action_s\": 1 }"),
            "unknown field `per_action_s`",
        ),
        (
            clocks("{ \"base_ms\": 1 }"),
            "time_control has per_action_ms, or base_ms and one of increment_ms and delay_ms",
        ),
    ] {
        fs::write(&file, &bad).unwrap();
        let error = RunFolder::open(place.path(), &manifest("")).unwrap_err();
        assert!(
            matches!(
                error,
                FolderError::Manifest(ManifestError::Malformed { .. })
            ),
            "{error:?}"
        );
        assert!(error.to_string().contains(said), "{error}");
    }
    fs::write(&file, clocks("{ \"per_action_ms\": 1 }")).unwrap();
    RunFolder::look(place.path()).unwrap();
    fs::write(&file, good.replacen("\"cycles\": 1", "\"cycles\": 0", 1)).unwrap();
    assert!(RunFolder::look(place.path()).unwrap().event().is_err());
}

#[test]
fn tokens_are_stable_within_a_folder_and_differ_elsewhere() {
    let place = tempfile::tempdir().unwrap();
    let (here, there) = (place.path().join("here"), place.path().join("there"));
    let tokens = |path: &Path| {
        let secret = Secret::open(path).unwrap();
        let bot = |name| {
            secret
                .bot_token(&Name::new(name).unwrap())
                .reveal()
                .to_owned()
        };
        [
            secret.runner_token().reveal().to_owned(),
            bot("a"),
            bot("b"),
        ]
    };
    let first = tokens(&here);
    assert_eq!(first, tokens(&here));
    let mut all = [first, tokens(&there)].concat();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
    assert_eq!(format!("{:?}", Secret::open(&here).unwrap()), "Secret(…)");
    for bad in ["", "short", &"x".repeat(5000)] {
        fs::write(&here, bad).unwrap();
        assert!(Secret::open(&here).is_err(), "{bad:.10}");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_secret() {
    use std::os::unix::fs::PermissionsExt;

    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("secret");
    // Left behind by a runner that others could read.
    let unfinished = place.path().join("secret.unfinished");
    fs::write(&unfinished, "").unwrap();
    fs::set_permissions(&unfinished, fs::Permissions::from_mode(0o644)).unwrap();
    Secret::open(&path).unwrap();
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}
