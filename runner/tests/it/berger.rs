use dragontooth_runner_tournament::berger_rounds;

const TABLES: &str = include_str!("../data/berger.txt");

/// The rounds of a table, each with its pairings as they are written.
type Rounds = Vec<Vec<(usize, usize)>>;

/// The published tables, each with the number of players.
fn published() -> Vec<(usize, Rounds)> {
    let mut tables: Vec<(usize, Rounds)> = Vec::new();
    for line in TABLES.lines().filter(|line| !line.starts_with('#')) {
        if let Ok(players) = line.parse() {
            tables.push((players, Vec::new()));
            continue;
        }
        let pair = |text: &str| {
            let (first, second) = text.split_once('-').unwrap();
            (first.parse().unwrap(), second.parse().unwrap())
        };
        tables
            .last_mut()
            .unwrap()
            .1
            .push(line.split(' ').map(pair).collect());
    }
    tables
}

fn ours(bots: usize) -> Rounds {
    let number = |pair: dragontooth_runner_tournament::Pairing| {
        (pair.first.get() + 1, pair.second.get() + 1)
    };
    berger_rounds(bots)
        .into_iter()
        .map(|round| round.into_iter().map(number).collect())
        .collect()
}

#[test]
fn even_numbers_follow_the_published_tables() {
    let tables = published();
    assert_eq!(tables.len(), 7);
    for (players, rounds) in tables {
        assert_eq!(ours(players), rounds, "{players} players");
    }
}

#[test]
fn odd_numbers_follow_the_next_table_and_the_last_number_is_the_bye() {
    for (players, rounds) in published() {
        let without_last: Rounds = rounds
            .into_iter()
            .map(|round| {
                round
                    .into_iter()
                    .filter(|(a, b)| *a != players && *b != players)
                    .collect()
            })
            .collect();
        assert_eq!(ours(players - 1), without_last, "{} players", players - 1);
    }
}

#[test]
fn two_bots_meet_once() {
    assert_eq!(ours(2), [[(1, 2)]]);
    assert!(ours(1).concat().is_empty());
    assert!(ours(0).is_empty());
}
