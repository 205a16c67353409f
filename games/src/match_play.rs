//! Match play: games in a row until a side has the agreed number of points.
//!
//! [`Match`] is a match of any game, played in notation; [`TypedMatch`] implements it for each
//! game. The caller drives it: [`Match::step`] says what comes next.
//!
//! ```
//! use dragontooth_games::catalogue;
//! use dragontooth_games::chance::Draws;
//! use dragontooth_games::match_play::Step;
//!
//! let draws = Draws::from_text("a seed");
//! let mut play = catalogue::find("backgammon")?.new_match(None, 1)?;
//! loop {
//!     match play.step() {
//!         Step::Deal => {
//!             let number = play.game_number() + 1;
//!             let opening = play.deal(&mut draws.deal(number));
//!             play.begin_game(&opening)?;
//!         }
//!         Step::Chance => {
//!             let roll = play.draw(&mut draws.roll(play.game_number(), play.rolls() + 1));
//!             play.roll(&roll)?;
//!         }
//!         Step::Decide(_) => {
//!             let action = play.legal_actions().swap_remove(0);
//!             play.play(&action)?;
//!         }
//!         Step::Pass(_) => play.pass()?,
//!         Step::Score(_) => play.score_game()?,
//!         Step::Over { .. } => break,
//!     }
//! }
//! assert_eq!(play.game_number(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod erased_match;
mod opening;
mod rules;
mod targets;
mod typed_match;

pub use erased_match::{InvalidOpening, MAX_OPENING_ENTRIES, Match, PlayError, Step};
pub(crate) use rules::find_variant;
pub use rules::{FinishedGame, MatchPlay, Score, Target, Variant};
pub use targets::Targets;
pub use typed_match::TypedMatch;
