//! The laws of every game: one body, run for each game of the catalogue.

mod laws;
pub(crate) mod matches;

use dragontooth_games::{MatchPlay as _, catalogue};

/// A module of tests for each game. The bound limits the number of actions of a game from
/// the start of a match; a game ends for one of the reasons.
macro_rules! laws {
    ($($game:ident: $actions_max:literal, [$($reason:ident),*];)*) => {
        $(mod $game {
            use dragontooth_games::$game::{Position, $($reason),*};

            use super::laws;

            #[test]
            fn the_rules_page_has_the_reasons() {
                laws::the_rules_page_has_the_reasons::<Position>(&[$($reason),*]);
            }

            #[test]
            fn notation_reads_back() {
                laws::notation_reads_back::<Position>();
            }

            #[test]
            fn exactly_the_legal_actions_pass_the_check() {
                laws::exactly_the_legal_actions_pass_the_check::<Position>();
            }

            #[test]
            fn the_next_positions_are_those_after_playing() {
                laws::the_next_positions_are_those_after_playing::<Position>();
            }

            #[test]
            fn games_end_within_the_bound() {
                laws::games_end_within_the_bound::<Position>($actions_max, &[$($reason),*]);
            }

            #[test]
            fn counting_agrees_with_playing() {
                laws::counting_agrees_with_playing::<Position>();
            }

            #[test]
            fn the_distinct_rolls_cover_all_rolls() {
                laws::the_distinct_rolls_cover_all_rolls::<Position>();
            }

            #[test]
            fn offers_are_legal_and_not_listed() {
                laws::offers_are_legal_and_not_listed::<Position>();
            }

            #[test]
            fn any_text_is_read_or_refused() {
                laws::any_text_is_read_or_refused::<Position>();
            }
        })*

        #[test]
        fn every_game_of_the_catalogue_is_here() {
            let listed: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name).collect();
            assert_eq!([$(dragontooth_games::$game::Position::NAME),*], listed[..]);
        }
    };
}

laws! {
    kamisado: 97, [HOME_ROW, DEADLOCK];
    linja: 126, [SEPARATED, DEADLOCK];
    tzaar: 177, [LOST_KIND, BURIED_KIND, NO_CAPTURE];
    backgammon: 4_000, [BORNE_OFF, GAMMON, BACKGAMMON, DROPPED, RESIGNED];
}
