//! The vectors of the page on fairness, read from the page.

use dragontooth_games::catalogue;
use dragontooth_games::chance::{Draws, Seed};
use dragontooth_games::match_play::Step;

const PAGE: &str = include_str!("../../../docs/fairness.md");
const MATCH: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// The server's seed is the bytes 0 to 31.
fn seed() -> Seed {
    Seed::from_bytes(std::array::from_fn(|place| {
        u8::try_from(place).expect("a seed has few bytes")
    }))
}

fn hex(bytes: [u8; 32]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

/// The rolls of a match of backgammon, in which the seats roll by turns and hit nothing.
fn rolls(draws: &Draws, count: u32) -> Vec<String> {
    let game = catalogue::find("backgammon").unwrap();
    let mut play = game.new_match(None, 1).unwrap();
    let start = play.deal(&mut draws.deal(1));
    play.begin_game(&start).unwrap();
    assert_eq!(play.step(), Step::Chance);
    (1..=count)
        .map(|number| play.draw(&mut draws.roll(1, number)))
        .collect()
}

#[test]
fn the_deals_are_those_of_the_page() {
    let draws = Draws::new(seed(), MATCH.to_owned(), ["ann", "bob"].map(str::to_owned));
    let rows = PAGE.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, game, variant, position, _] = cells[..] else {
            return None;
        };
        let game = catalogue::find(game).ok()?;
        Some((game, variant, position.trim_matches('`')))
    });
    let rows: Vec<_> = rows.collect();
    for (game, variant, position) in &rows {
        let play = game.new_match(Some(variant), 1).unwrap();
        assert_eq!(play.deal(&mut draws.deal(1)), *position, "{}", game.name);
    }
    // Every variant whose start is drawn has a row.
    for game in catalogue::GAMES {
        for variant in game.variants() {
            let target = variant.targets.usual[0];
            let deal = |draws: &Draws| {
                let play = game.new_match(Some(variant.name), target).unwrap();
                play.deal(&mut draws.deal(1))
            };
            let is_drawn = (0..64)
                .any(|number: u32| deal(&Draws::from_text(&number.to_string())) != deal(&draws));
            let has_row = rows
                .iter()
                .any(|(named, row, _)| named.name == game.name && *row == variant.name);
            assert_eq!(is_drawn, has_row, "{} {}", game.name, variant.name);
        }
    }
}

#[test]
fn the_commitments_and_rolls_are_those_of_the_page() {
    assert!(PAGE.contains(&hex(seed().commitment(MATCH))));
    let own = Draws::new(seed(), MATCH.to_owned(), ["ann", "bob"].map(str::to_owned));
    let first: Vec<String> = rolls(&own, 2);
    assert!(
        PAGE.contains(&format!("the roll `{}`", first[0])),
        "{first:?}"
    );
    assert!(
        PAGE.contains(&format!("4, 10, 26: `{}`", first[1])),
        "{first:?}"
    );

    let given = Seed::from_text("an encounter");
    assert!(PAGE.contains(&hex(given.commitment(""))));
    for players in [["ann", "bob"], ["bob", "ann"]] {
        let draws = Draws::shared(given.clone(), players.map(str::to_owned));
        let [one, two, three] = &rolls(&draws, 3)[..] else {
            panic!("three rolls")
        };
        assert!(
            PAGE.contains(&format!("`{one}`, `{two}` and `{three}`")),
            "{one} {two} {three}"
        );
    }
}
