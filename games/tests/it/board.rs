use dragontooth_games::kamisado::{Colour, Square};

fn square(file: usize, rank: usize) -> Square {
    let to_u8 = |number: usize| u8::try_from(number).unwrap();
    Square::new(to_u8(file), to_u8(rank)).unwrap()
}

#[test]
fn the_formula_of_the_rules_page_gives_the_colours() {
    for rank in 0..8 {
        for colour in Colour::ALL {
            let number = colour.index();
            let file = (number + rank * (2 * number + 1)) % 8;
            assert_eq!(
                square(file, rank).colour(),
                colour,
                "{colour} in rank {}",
                rank + 1
            );
        }
    }
}

#[test]
fn every_row_and_column_has_every_colour() {
    for line in 0..8 {
        let mut in_row: Vec<Colour> = (0..8).map(|file| square(file, line).colour()).collect();
        let mut in_column: Vec<Colour> = (0..8).map(|rank| square(line, rank).colour()).collect();
        in_row.sort();
        in_column.sort();
        assert_eq!(in_row, Colour::ALL);
        assert_eq!(in_column, Colour::ALL);
    }
}

#[test]
fn half_a_turn_keeps_every_colour() {
    for (square, turned) in Square::all().zip(Square::all().rev()) {
        assert_eq!(square.colour(), turned.colour(), "{square} and {turned}");
    }
}

#[test]
fn the_mirror_swaps_the_colours_in_pairs() {
    for square in Square::all() {
        let mirrored = Square::new(7 - square.file(), square.rank()).unwrap();
        assert_eq!(
            mirrored.colour().index(),
            7 - square.colour().index(),
            "{square}"
        );
    }
}

#[test]
fn squares_read_as_they_are_written() {
    assert_eq!(Square::all().len(), 64);
    for square in Square::all() {
        assert_eq!(square.to_string().parse(), Ok(square));
        assert_eq!(
            Square::from_index(u8::try_from(square.index()).unwrap()),
            Some(square)
        );
    }
    for text in ["", "a", "a0", "a9", "i1", "A1", "a1 ", "1a", "é1", "ａ1"] {
        assert!(text.parse::<Square>().is_err(), "{text}");
    }
    assert_eq!(Square::from_index(64), None);
    assert_eq!(Square::new(8, 0), None);
    assert_eq!(Square::new(0, 8), None);
}

#[test]
fn colours_have_the_letters_of_the_notation() {
    let letters: String = Colour::ALL.iter().map(|colour| colour.letter()).collect();
    assert_eq!(letters, "bgrypmlo");
    for colour in Colour::ALL {
        assert_eq!(Colour::from_letter(colour.letter()), Some(colour));
    }
    assert_eq!(Colour::from_letter('B'), None);
}
