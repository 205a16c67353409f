use dragontooth_games::chance::{Chance, DEFAULT_PLAYER_SEED, Draws, Seed, SeededChance, shuffle};

fn seeded(seed: &str, game_number: u32) -> SeededChance {
    Draws::from_text(seed).deal(game_number)
}

fn draw(mut chance: SeededChance, bound: u32, count: usize) -> Vec<u32> {
    (0..count).map(|_| chance.below(bound)).collect()
}

/// Computed with Python's `hmac` and `hashlib` from the description of
/// [`SeededChance`].
#[test]
fn the_choices_are_those_of_the_description() {
    let expected = [
        28_281, 3_478, 47_107, 1_204, 57_183, 32_191, 17_148, 64_553, 28_528, 38_200, 24_342, 1_863,
    ];
    assert_eq!(draw(seeded("", 1), 1 << 16, 12), expected);
    let expected = [512, 341, 590, 603, 635, 367, 443, 555, 884, 714, 33, 301];
    assert_eq!(draw(seeded("a seed", 1), 1_000, 12), expected);
    let expected = [376, 190, 755, 149, 994, 588, 911, 702, 715, 138, 216, 579];
    assert_eq!(draw(seeded("a seed", 2), 1_000, 12), expected);
    let expected = [10, 17, 4, 24, 5, 29, 9, 5, 28, 29, 23, 34];
    assert_eq!(draw(seeded("a seed", 1), 36, 12), expected);
}

/// With this bound three words in ten are skipped. Same source.
#[test]
fn words_beyond_the_last_multiple_are_skipped() {
    let expected = [
        1_059_835_478,
        2_848_976_926,
        1_379_750_729,
        2_802_030_631,
        740_065_445,
        1_542_106_103,
        1_230_922_381,
        1_827_034_070,
    ];
    assert_eq!(draw(seeded("dragontooth", 1), 3_000_000_000, 8), expected);
}

const MATCH: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// The server's seed is the bytes 0 to 31.
fn draws(match_id: &str, players: [&str; 2]) -> Draws {
    let seed = Seed::from_bytes(std::array::from_fn(|place| {
        u8::try_from(place).expect("a seed has few bytes")
    }));
    Draws::new(seed, match_id.to_owned(), players.map(str::to_owned))
}

/// Same source. The first takes more than one block.
#[test]
fn rolls_are_those_of_the_description() {
    let draws = draws(MATCH, ["ann", "bob"]);
    let expected = [
        13, 29, 0, 35, 9, 28, 3, 14, 19, 2, 30, 26, 24, 14, 16, 25, 16, 31, 17, 30, 27, 12, 35, 23,
        23, 17, 31, 20, 10, 14, 11, 35, 5, 19, 20, 6, 18, 33, 1, 25,
    ];
    assert_eq!(draw(draws.roll(1, 1), 36, 40), expected);
    assert_eq!(draw(draws.roll(1, 2), 36, 6), [4, 10, 26, 20, 26, 17]);
    assert_eq!(draw(draws.roll(2, 40), 36, 6), [31, 18, 27, 21, 17, 12]);
}

#[test]
fn every_field_changes_the_rolls() {
    let usual = draw(draws(MATCH, ["ann", "bob"]).roll(1, 1), 36, 20);
    for other in [
        draws("", ["ann", "bob"]).roll(1, 1),
        draws(MATCH, ["bob", "ann"]).roll(1, 1),
        draws(MATCH, ["annb", "ob"]).roll(1, 1),
        draws(MATCH, ["ann", DEFAULT_PLAYER_SEED]).roll(1, 1),
        draws(MATCH, ["ann", "bob"]).roll(2, 1),
        draws(MATCH, ["ann", "bob"]).roll(1, 2),
        draws(MATCH, ["ann", "bob"]).deal(1),
    ] {
        assert_ne!(draw(other, 36, 20), usual);
    }
}

/// Same source.
#[test]
fn the_commitment_is_that_of_the_description() {
    let seed = Seed::from_bytes(std::array::from_fn(|place| {
        u8::try_from(place).expect("a seed has few bytes")
    }));
    let expected = [
        0xe8fb_8f8e_5f1a_a999,
        0x3829_1879_9926_9e7d,
        0xd36c_6b0a_9b27_7e83,
        0xfe14_f499_4893_6ffe_u64,
    ];
    let expected = expected.map(u64::to_be_bytes).concat();
    assert_eq!(seed.commitment(MATCH).as_slice(), expected);
}

/// Same source.
#[test]
fn the_shuffle_is_that_of_the_description() {
    let mut letters = ['b', 'g', 'r', 'y', 'p', 'm', 'l', 'o'];
    shuffle(&mut letters, &mut seeded("a seed", 1));
    assert_eq!(String::from_iter(letters), "byrmopgl");
}

#[test]
fn choices_are_below_the_bound_and_all_about_as_likely() {
    for bound in [1, 2, 3, 6, 8, 36, 100] {
        let mut counts = vec![0_u32; bound as usize];
        for choice in draw(seeded("counts", 1), bound, 1_000 * bound as usize) {
            counts[choice as usize] += 1;
        }
        // The standard deviation is below 32.
        assert!(
            counts.iter().all(|count| (840..1_160).contains(count)),
            "{bound}: {counts:?}"
        );
    }
}

#[test]
fn orders_are_about_as_likely() {
    let mut chance = seeded("orders", 1);
    let mut counts = [0_u32; 24];
    for _ in 0..24_000 {
        let mut order = [0, 1, 2, 3];
        shuffle(&mut order, &mut chance);
        let rank = |index: usize| {
            order[index + 1..]
                .iter()
                .filter(|o| **o < order[index])
                .count()
        };
        counts[rank(0) * 6 + rank(1) * 2 + rank(2)] += 1;
    }
    assert!(
        counts.iter().all(|count| (840..1_160).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn zero_or_one_items_have_one_order() {
    struct NoChoice;
    impl Chance for NoChoice {
        fn below(&mut self, bound: u32) -> u32 {
            panic!("nothing is to be chosen below {bound}");
        }
    }
    let mut nothing: [u8; 0] = [];
    shuffle(&mut nothing, &mut NoChoice);
    shuffle(&mut [1], &mut NoChoice);
}

#[test]
fn a_seed_does_not_show_itself() {
    assert_eq!(format!("{:?}", Seed::from_text("secret")), "Seed(…)");
    assert_eq!(Seed::from_text("a"), Seed::from_text("a"));
    assert_ne!(Seed::from_text("a"), Seed::from_text("b"));
}
