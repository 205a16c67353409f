//! The laws of every game: one body, run for each game of the catalogue.

mod laws;
mod matches;

use dragontooth_games::{MatchPlay as _, catalogue};

/// A module of tests for each game. The bound limits the number of actions of a game from
/// the start of a match.
macro_rules! laws {
    ($($game:ident: $position:ty, $actions_max:literal;)*) => {
        $(mod $game {
            use super::laws;

            #[test]
            fn notation_reads_back() {
                laws::notation_reads_back::<$position>();
            }

            #[test]
            fn exactly_the_legal_actions_pass_the_check() {
                laws::exactly_the_legal_actions_pass_the_check::<$position>();
            }

            #[test]
            fn games_end_within_the_bound() {
                laws::games_end_within_the_bound::<$position>($actions_max);
            }

            #[test]
            fn counting_agrees_with_playing() {
                laws::counting_agrees_with_playing::<$position>();
            }

            #[test]
            fn the_distinct_rolls_cover_all_rolls() {
                laws::the_distinct_rolls_cover_all_rolls::<$position>();
            }

            #[test]
            fn offers_are_legal_and_not_listed() {
                laws::offers_are_legal_and_not_listed::<$position>();
            }

            #[test]
            fn any_text_is_read_or_refused() {
                laws::any_text_is_read_or_refused::<$position>();
            }
        })*

        #[test]
        fn every_game_of_the_catalogue_is_here() {
            let listed: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name).collect();
            assert_eq!([$(<$position>::NAME),*], listed[..]);
        }
    };
}

laws! {
    kamisado: dragontooth_games::kamisado::Position, 97;
    linja: dragontooth_games::linja::Position, 126;
    tzaar: dragontooth_games::tzaar::Position, 177;
    backgammon: dragontooth_games::backgammon::Position, 4_000;
}
