//! Random positions, and the symmetry of the game as an operation on texts.

use proptest::prelude::*;

/// Positions with the pieces of both sides anywhere and a first move due.
pub(crate) fn positions() -> impl Strategy<Value = String> {
    let anywhere = prop::collection::vec(0..8_usize, 24);
    let turn = (
        prop::sample::select(vec!['r', 'b']),
        prop::sample::select(vec!["1", "1x"]),
    );
    prop_oneof![
        3 => anywhere.prop_map(|rows| placement(&rows)),
        1 => jams(),
    ]
    .prop_flat_map(move |pieces| {
        turn.clone()
            .prop_map(move |(side, state)| format!("{pieces} {side} {state}"))
    })
}

/// Placements with six pieces of Red right in front of six of Black, and the others anywhere.
fn jams() -> impl Strategy<Value = String> {
    let others = prop::collection::vec(prop_oneof![2 => Just(7), 1 => 0..8_usize], 6);
    (1..6_usize, others.clone(), others).prop_map(|(row, red, black)| {
        let mut rows = vec![row; 6];
        rows.extend(red);
        rows.extend([row + 1; 6]);
        rows.extend(black.into_iter().map(|row| 7 - row));
        placement(&rows)
    })
}

/// The counts of twelve red and twelve black pieces, each on its wanted row or, if that row is full,
/// on the next row up with room. Above row 7 comes row 0.
fn placement(rows: &[usize]) -> String {
    let mut counts = [[0; 8]; 2];
    for (piece, wished) in rows.iter().enumerate() {
        let row = (*wished..8)
            .chain([0])
            .find(|row| matches!(row, 0 | 7) || counts[0][*row] + counts[1][*row] < 6)
            .unwrap();
        counts[piece / 12][row] += 1;
    }
    let text = |counts: [usize; 8]| counts.map(|count| count.to_string()).join(",");
    format!("{}/{}", text(counts[0]), text(counts[1]))
}

/// A position after half a turn, with the sides swapped.
pub(crate) fn half_turn(position: &str) -> String {
    let fields: Vec<&str> = position.split(' ').collect();
    let pieces: String = fields[0]
        .split('/')
        .rev()
        .map(reversed)
        .collect::<Vec<_>>()
        .join("/");
    let side = if fields[1] == "r" { "b" } else { "r" };
    format!("{pieces} {side} {}", fields[2])
}

/// An action after half a turn.
pub(crate) fn half_turn_action(action: &str) -> String {
    let turned = |row: char| {
        row.to_digit(10)
            .map_or(row.to_string(), |row| (7 - row).to_string())
    };
    action.chars().map(turned).collect()
}

fn reversed(counts: &str) -> String {
    counts.split(',').rev().collect::<Vec<_>>().join(",")
}
