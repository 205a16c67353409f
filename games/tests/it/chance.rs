use dragontooth_games::chance::{Chance, Seed, SeededChance, shuffle};

fn seeded(seed: &str, purpose: &str, number: u64) -> SeededChance {
    SeededChance::new(&Seed::from_text(seed), purpose, number)
}

fn draw(mut chance: SeededChance, bound: u32, count: usize) -> Vec<u32> {
    (0..count).map(|_| chance.below(bound)).collect()
}

/// The numbers were computed by Python's `hmac` and `hashlib` from the description of
/// [`SeededChance`].
#[test]
fn the_choices_are_those_of_the_description() {
    let expected = [
        54_582, 13_085, 40_613, 65_039, 30_518, 22_894, 31_205, 24_625, 27_336, 279, 3_926, 48_219,
    ];
    assert_eq!(draw(seeded("", "deal", 1), 1 << 16, 12), expected);
    let expected = [139, 429, 720, 752, 29, 40, 801, 611, 653, 374, 605, 795];
    assert_eq!(draw(seeded("a seed", "deal", 1), 1_000, 12), expected);
    let expected = [831, 260, 274, 597, 314, 823, 835, 376, 32, 400, 439, 728];
    assert_eq!(draw(seeded("a seed", "deal", 2), 1_000, 12), expected);
    let expected = [63, 685, 480, 571, 493, 618, 688, 183, 896, 961, 771, 721];
    assert_eq!(draw(seeded("a seed", "dice", 1), 1_000, 12), expected);
}

/// With this bound three words in ten are skipped. From the same source.
#[test]
fn words_beyond_the_last_multiple_are_skipped() {
    let expected = [
        1_919_005_519,
        2_574_959_091,
        1_491_431_410,
        794_778_312,
        812_939_595,
        766_239_592,
        1_780_873_071,
        201_132_953,
    ];
    assert_eq!(
        draw(seeded("dragontooth", "deal", 1), 3_000_000_000, 8),
        expected
    );
}

/// From the same source.
#[test]
fn the_shuffle_is_that_of_the_description() {
    let mut letters = ['b', 'g', 'r', 'y', 'p', 'm', 'l', 'o'];
    shuffle(&mut letters, &mut seeded("a seed", "deal", 1));
    assert_eq!(String::from_iter(letters), "mpogrlby");
}

#[test]
fn choices_are_below_the_bound_and_all_about_as_likely() {
    for bound in [1, 2, 3, 6, 8, 36, 100] {
        let mut counts = vec![0_u32; bound as usize];
        for choice in draw(seeded("counts", "deal", 1), bound, 1_000 * bound as usize) {
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
    let mut chance = seeded("orders", "deal", 1);
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
fn nothing_and_one_thing_have_one_order() {
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
