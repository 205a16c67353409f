//! The secret of a run's draws: nobody foresees them, and everybody can repeat them afterwards.

use std::fs;
use std::future::{pending, ready};
use std::path::Path;

use dragontooth_games::chance::Seed;
use dragontooth_games::record::SeedHeaders;
use dragontooth_runner::config::RunConfig;
use dragontooth_runner::draw_secret::DrawSecret;
use dragontooth_runner::drive::{self, Finish, RunLimits};
use dragontooth_runner::record::{DrawSecrets, RunDraws, Seal};
use dragontooth_runner::verify::{BookCheck, verify};
use dragontooth_runner_tournament::{Event, Name, Schedule};
use serde_json::Value;
use uuid::Uuid;

use crate::fixture::{DRAW_SECRET, run, schedule, silent};
use crate::recorded::{games, json_lines, transcripts};

const PAGE: &str = include_str!("../../../docs/fairness.md");
/// The namespace of the ids of an event.
const NAMESPACE: Uuid = Uuid::from_u128(0x6472_6167_6f6e_4074_b074_685f_7275_6e31);
/// The event's seed, which anyone guesses.
const EVENT_SEED: u64 = 2026;

fn config(event: &str) -> RunConfig {
    config_on("direct", event)
}

fn config_on(service: &str, event: &str) -> RunConfig {
    let text = format!(
        "[event]\nname = 'cup'\nseed = {EVENT_SEED}\ngame = 'backgammon'\ntarget = 1\n{event}\n\
         [service]\n{service} = true\n[[bot]]\nname = 'a'\nbuiltin = 'random'\n\
         [[bot]]\nname = 'b'\nbuiltin = 'random'\n"
    );
    RunConfig::parse(&text, Path::new(""), None).unwrap()
}

async fn refusal(config: &RunConfig, folder: &Path) -> String {
    let run = drive::run(config, folder, RunLimits::USUAL, silent, pending());
    run.await.unwrap_err().to_string()
}

/// The titles and seeds of the records, in the order of the titles.
fn seeds(folder: &Path) -> Vec<(String, SeedHeaders)> {
    let mut seeds: Vec<_> = transcripts(folder)
        .into_iter()
        .map(|(title, transcript)| (title, transcript.read().unwrap().1.seeds))
        .collect();
    seeds.sort_by(|(one, _), (other, _)| one.cmp(other));
    seeds
}

/// The lines of `sessions.jsonl` with a secret.
fn published(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("sessions.jsonl")).unwrap_or_default();
    let lines = text.lines().flat_map(serde_json::from_str);
    lines
        .filter(|line: &Value| line.get("draw_secret").is_some())
        .collect()
}

/// The number of matches that agree. Nothing else than the reports, which are written later, is amiss.
fn verified(folder: &Path, event: &Event) -> usize {
    let found = verify(folder, event, None, &BookCheck::default()).unwrap();
    let mut places = found.disagreements.iter().map(|one| one.place.as_str());
    assert!(
        places.all(|place| place == "report.json"),
        "{:?}",
        found.disagreements
    );
    found.verified
}

/// A seed that follows from the event's seed and the title is found by trying: the commitment tells when
/// the guess is right.
fn is_foreseen(title: &str, match_id: &str, commitment: [u8; 32]) -> bool {
    let (encounter, _) = title.rsplit_once('/').unwrap();
    (0..=EVENT_SEED).any(|guess| {
        let namespace = Uuid::new_v5(&NAMESPACE, format!("seed {guess}").as_bytes());
        let seed = Uuid::new_v5(&namespace, format!("encounter {encounter}").as_bytes());
        let seed = Seed::from_text(&seed.to_string());
        [seed.commitment(""), seed.commitment(match_id)].contains(&commitment)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn no_seed_of_a_match_follows_from_the_event() {
    let place = tempfile::tempdir().unwrap();
    run(&config(""), place.path()).await;
    let transcripts = transcripts(place.path());
    for (title, transcript) in &transcripts {
        let (_, headers) = transcript.read().unwrap();
        let commitment = headers.seeds.commitment.unwrap();
        assert!(
            !is_foreseen(title, &headers.match_id, commitment),
            "{title}"
        );
        assert_eq!(headers.seeds.server_seed, None, "{title}");
    }
    assert_eq!(transcripts.len(), 2);
    let results = fs::read_to_string(place.path().join("results.jsonl")).unwrap();
    assert!(!results.contains("seed"), "{results}");
}

/// A share that is the same every time lets the organiser choose the seed for it.
#[tokio::test(flavor = "multi_thread")]
async fn the_shares_of_the_bots_are_those_of_their_encounter() {
    let place = tempfile::tempdir().unwrap();
    run(&config("cycles = 2"), place.path()).await;
    let seeds = seeds(place.path());
    let [one, two, three, four] = &seeds[..] else {
        panic!("{seeds:?}")
    };
    let swapped = |seeds: &SeedHeaders| [seeds.players[1].clone(), seeds.players[0].clone()];
    for (first, second) in [(one, two), (three, four)] {
        assert_eq!(first.1.commitment, second.1.commitment);
        assert_eq!(first.1.players, swapped(&second.1));
        assert_ne!(first.1.players[0], first.1.players[1]);
        assert!(first.1.players.iter().all(|share| share.len() == 64));
    }
    assert_ne!(one.1.commitment, three.1.commitment);
    assert!(!three.1.players.contains(&one.1.players[0]));
    assert!(!three.1.players.contains(&one.1.players[1]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_secret_is_the_owners_until_the_run_is_over() {
    let place = tempfile::tempdir().unwrap();
    let config = config("");
    let cut = drive::run(&config, place.path(), RunLimits::USUAL, silent, ready(())).await;
    assert_eq!(cut.unwrap().finish, Finish::Interrupted);
    assert!(published(place.path()).is_empty());
    let file = place.path().join("draw_secret");
    let secret = fs::read_to_string(&file).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let manifest = fs::read_to_string(place.path().join("event.json")).unwrap();
    assert!(!manifest.contains("draw_secret"), "{manifest}");

    run(&config, place.path()).await;
    run(&config, place.path()).await;
    let line: Value = serde_json::from_str(&secret).unwrap();
    assert_eq!(published(place.path()), [line], "once");
    // From now on, the file is not needed.
    fs::remove_file(&file).unwrap();
    assert_eq!(verified(place.path(), &config.event), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_its_secret_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let config = config("");
    let cut = drive::run(&config, place.path(), RunLimits::USUAL, silent, ready(())).await;
    drop(cut.unwrap());
    let file = place.path().join("draw_secret");
    fs::remove_file(&file).unwrap();
    let told = refusal(&config, place.path()).await;
    assert!(
        told.contains("the file is missing, and the draws"),
        "{told}"
    );
    let told = verify(place.path(), &config.event, None, &BookCheck::default())
        .unwrap_err()
        .to_string();
    assert!(
        told.contains("the run is not over, and the secret"),
        "{told}"
    );
    for bytes in [&b"no secret"[..], b"\xff"] {
        fs::write(&file, bytes).unwrap();
        let told = refusal(&config, place.path()).await;
        assert!(told.contains("this is no secret of draws"), "{told}");
        let told = verify(place.path(), &config.event, None, &BookCheck::default());
        let told = told.unwrap_err().to_string();
        assert!(told.contains("this is no secret of draws"), "{told}");
    }
}

/// Its draws would be verified from what nobody has drawn them from.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_does_not_go_on_after_another_published_secret() {
    let place = tempfile::tempdir().unwrap();
    let config = config("");
    run(&config, place.path()).await;
    let sessions = place.path().join("sessions.jsonl");
    let sound = fs::read_to_string(&sessions).unwrap();
    Seal::write(place.path()).unwrap();
    for text in ["", &sound[..sound.len() / 2]] {
        fs::write(&sessions, text).unwrap();
        let refused = refusal(&config, place.path()).await;
        assert!(refused.contains("lines are missing"), "{refused}");
        assert_eq!(fs::read_to_string(&sessions).unwrap(), text);
    }
    let mut other: Value = serde_json::from_str(sound.lines().next().unwrap()).unwrap();
    other["draw_secret"] = "07".repeat(32).into();
    fs::write(&sessions, format!("{other}\n")).unwrap();
    Seal::write(place.path()).unwrap();
    let refused = refusal(&config, place.path()).await;
    assert!(refused.contains(OTHER_PUBLISHED), "{refused}");
}

/// A full disk may have kept a part of the line.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_was_not_published_whole_is_published_again() {
    let place = tempfile::tempdir().unwrap();
    let config = config("");
    run(&config, place.path()).await;
    let sessions = place.path().join("sessions.jsonl");
    let sound = fs::read_to_string(&sessions).unwrap();
    keep(place.path(), 2, 0);
    fs::write(&sessions, &sound[..sound.len() / 2]).unwrap();
    run(&config, place.path()).await;
    assert_eq!(published(place.path()).len(), 1);
    assert_eq!(verified(place.path(), &config.event), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_named_secret_repeats_the_draws() {
    let places = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let folders = places.each_ref().map(tempfile::TempDir::path);
    run(&config(DRAW_SECRET), folders[0]).await;
    run(&config(DRAW_SECRET), folders[1]).await;
    run(&config(""), folders[2]).await;
    let played = folders.map(games);
    assert_eq!(played[0], played[1]);
    assert_ne!(played[0], played[2]);

    let other = DRAW_SECRET.replace("5e", "60");
    let told = refusal(&config(&other), folders[0]).await;
    assert!(
        told.contains("event.draw_secret names another secret"),
        "{told}"
    );
    let told = refusal(&config(DRAW_SECRET), folders[2]).await;
    assert!(
        told.contains("event.draw_secret names another secret"),
        "{told}"
    );
}

/// The first secret is known when the event becomes longer.
#[tokio::test(flavor = "multi_thread")]
async fn a_longer_event_has_a_new_secret() {
    let place = tempfile::tempdir().unwrap();
    run(&config("cycles = 1"), place.path()).await;
    let longer = config("cycles = 2");
    run(&longer, place.path()).await;
    let lines = published(place.path());
    let [first, second] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(
        (&first["from_encounter"], &second["from_encounter"]),
        (&1.into(), &2.into())
    );
    assert_ne!(first["draw_secret"], second["draw_secret"]);
    let known: DrawSecret = first["draw_secret"].as_str().unwrap().parse().unwrap();
    let schedule = Schedule::new(longer.event.clone());
    let known = RunDraws::of(known);
    let foreseen: Vec<bool> = seeds(place.path())
        .iter()
        .map(|(title, seeds)| {
            let planned = schedule.find(title).unwrap();
            let commitment = known.seed_of(&schedule, planned, 0).commitment();
            seeds.commitment == Some(commitment)
        })
        .collect();
    assert_eq!(foreseen, [true, true, false, false]);
    assert_eq!(verified(place.path(), &longer.event), 4);
}

/// Leaves the first results of a run, as if it had been killed after them, and the first published secrets.
fn keep(folder: &Path, results: usize, secrets: usize) {
    for (file, kept) in [
        ("results.jsonl", results),
        ("games.jsonl", results),
        ("sessions.jsonl", secrets),
    ] {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let lines: String = text.split_inclusive('\n').take(kept).collect();
        fs::write(folder.join(file), lines).unwrap();
    }
    Seal::write(folder).unwrap();
}

/// The files of a run that playing on would change.
fn contents(folder: &Path) -> Vec<String> {
    let files = [
        "results.jsonl",
        "games.jsonl",
        "sessions.jsonl",
        "seal.json",
    ];
    let read = |file| fs::read_to_string(folder.join(file)).unwrap();
    files.map(read).to_vec()
}

const OTHER_PUBLISHED: &str =
    "sessions.jsonl: the published secret of the draws is not the one in draw_secret";

const OTHER_SECRET: &str =
    "draw_secret: the draws that were played follow from another secret than this";

/// It would play matches that nobody can verify.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_does_not_go_on_with_another_secret() {
    for service in ["direct", "embedded"] {
        let place = tempfile::tempdir().unwrap();
        let config = config_on(service, "cycles = 2");
        run(&config, place.path()).await;
        keep(place.path(), 1, 0);
        let file = place.path().join("draw_secret");
        let secret = fs::read_to_string(&file).unwrap();
        let mut other: Value = serde_json::from_str(&secret).unwrap();
        other["draw_secret"] = "07".repeat(32).into();
        fs::write(&file, other.to_string()).unwrap();
        let before = contents(place.path());
        let told = refusal(&config, place.path()).await;
        assert!(told.contains(OTHER_SECRET), "{service}: {told}");
        assert_eq!(contents(place.path()), before, "{service}");
        fs::write(&file, secret).unwrap();
        run(&config, place.path()).await;
        assert_eq!(verified(place.path(), &config.event), 4, "{service}");
    }
}

/// Each of several secrets is compared, and the encounter at which it begins.
#[tokio::test(flavor = "multi_thread")]
async fn a_longer_run_does_not_go_on_with_another_secret() {
    let place = tempfile::tempdir().unwrap();
    run(&config("cycles = 1"), place.path()).await;
    let longer = config("cycles = 2");
    run(&longer, place.path()).await;
    keep(place.path(), 3, 1);
    let file = place.path().join("draw_secret");
    let secrets = fs::read_to_string(&file).unwrap();
    let lines: [Value; 2] = json_lines(&secrets).try_into().unwrap();
    let before = contents(place.path());
    for (line, field, value, refused) in [
        (
            0,
            "draw_secret",
            Value::from("07".repeat(32)),
            OTHER_PUBLISHED,
        ),
        (1, "draw_secret", "07".repeat(32).into(), OTHER_SECRET),
        (1, "from_encounter", 3.into(), OTHER_SECRET),
    ] {
        let mut lines = lines.clone();
        lines[line][field] = value;
        let text = lines.map(|line| line.to_string()).join("\n");
        fs::write(&file, text).unwrap();
        let told = refusal(&longer, place.path()).await;
        assert!(told.contains(refused), "{line} {field}: {told}");
        assert_eq!(contents(place.path()), before, "{line} {field}");
    }
    fs::write(&file, secrets).unwrap();
    run(&longer, place.path()).await;
    assert_eq!(verified(place.path(), &longer.event), 4);
}

#[test]
fn a_restarted_match_has_a_seed_of_its_own() {
    let schedule = schedule(2, 1);
    let [one, two] = schedule.matches() else {
        panic!("an encounter has two matches")
    };
    let draws = RunDraws::of(DrawSecret::random());
    let seed = |planned, replays| draws.seed_of(&schedule, planned, replays);
    assert_eq!(seed(one, 0), seed(two, 0));
    assert_eq!((seed(one, 0).matches, seed(one, 1).matches), (2, 1));
    let texts = [seed(one, 0), seed(one, 1), seed(one, 2), seed(two, 1)].map(|seed| seed.text);
    for (place, text) in texts.iter().enumerate() {
        assert!(!texts[..place].contains(text), "{texts:?}");
    }
}

#[test]
fn what_follows_from_a_secret_is_on_the_page() {
    let secret: Vec<String> = (0..32).map(|byte| format!("{byte:02x}")).collect();
    let draws = RunDraws::of(secret.concat().parse().unwrap());
    let like = schedule(2, 1);
    let event = like.event();
    let event = Event::new(
        Name::new("cup").unwrap(),
        1,
        event.rules(),
        event.bots().to_vec(),
        event.format().clone(),
    );
    let schedule = Schedule::new(event.unwrap());
    let [one, two] = schedule.matches() else {
        panic!("an encounter has two matches")
    };
    for text in [
        draws.seed_of(&schedule, one, 0).text,
        draws.seed_of(&schedule, two, 1).text,
        draws.bot_secret(&Name::new("ann").unwrap()),
    ] {
        assert!(PAGE.contains(&format!("`{text}`")), "{text}");
    }
    assert_eq!("0".repeat(63).parse::<DrawSecret>().ok(), None);
    assert_eq!("x".repeat(64).parse::<DrawSecret>().ok(), None);
    assert_eq!(DrawSecrets::find(Path::new("nowhere")).unwrap(), None);
}
