use dragontooth_games::Seat;
use dragontooth_games::catalogue::Game;
use dragontooth_games::chance::{Chance, Draws, SeededChance};
use dragontooth_games::match_play::{Match, Step};

/// The most random matches in which a situation is sought.
pub const MAX_PLAYOUTS: u32 = 20_000;

/// A line of play into a situation: the actions of both seats until the bot under test takes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The variant.
    pub variant: &'static str,
    /// The points that win the match.
    pub target: u32,
    /// The seed of every draw in the match.
    pub seed: String,
    /// The seat of the bot.
    pub bot: Seat,
    /// The actions of both seats, in order.
    pub actions: Vec<String>,
    /// The opponent's actions while the bot plays.
    pub live: Vec<String>,
    /// The position after `actions`.
    pub position: String,
}

/// The reason why a decision of a random match is the one that was searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The seat of the bot.
    pub bot: Seat,
    /// The opponent's actions while the bot plays.
    pub live: Vec<String>,
}

/// A decision in a random match.
#[derive(Debug)]
pub struct Moment<'a> {
    /// The match, in which `seat` decides.
    pub play: &'a dyn Match,
    /// The seat to decide.
    pub seat: Seat,
    /// Its legal actions.
    pub legal: &'a [String],
    /// The actions played so far.
    pub ply: usize,
    draws: &'a Draws,
}

/// The events between an action and the next decision.
#[derive(Debug)]
pub struct After {
    /// The match.
    pub play: Box<dyn Match>,
    /// The seats whose turn passed.
    pub passed: Vec<Seat>,
    /// True if a game ended.
    pub game_over: bool,
    /// The seat to decide; `None` if the match is over.
    pub next: Option<Seat>,
}

impl Moment<'_> {
    /// The consequences of an action; `None` if it is illegal.
    #[must_use]
    pub fn after(&self, action: &str) -> Option<After> {
        let mut play = self.play.boxed_clone();
        play.play(action).ok()?;
        Some(go_on(play, self.draws))
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> String {
        self.play.position().unwrap_or_default()
    }

    /// The bot decides here.
    #[must_use]
    pub const fn bot_decides(&self) -> Found {
        Found {
            bot: self.seat,
            live: Vec::new(),
        }
    }

    /// The opponent decides here, and plays `action` while the bot is there.
    #[must_use]
    pub fn opponent_plays(&self, action: impl Into<String>) -> Found {
        Found {
            bot: self.seat.other(),
            live: vec![action.into()],
        }
    }
}

/// Plays random matches, always the same ones, until `is_it` accepts a decision; `None` if it accepts none
/// in [`MAX_PLAYOUTS`].
///
/// The search runs against the current rules, so that no line is out of date.
pub fn find(
    game: &'static Game,
    variant: &'static str,
    target: u32,
    is_it: impl Fn(&Moment<'_>) -> Option<Found>,
) -> Option<Line> {
    (0..MAX_PLAYOUTS).find_map(|number| playout(game, variant, target, number, &is_it))
}

fn playout(
    game: &'static Game,
    variant: &'static str,
    target: u32,
    number: u32,
    is_it: &impl Fn(&Moment<'_>) -> Option<Found>,
) -> Option<Line> {
    let seed = format!("conformance {number}");
    let draws = Draws::from_text(&seed);
    // A number that no roll of a match has.
    let mut chance = draws.roll(u32::MAX, u32::MAX);
    let mut actions: Vec<String> = Vec::new();
    let begun = game.new_match(Some(variant), target).ok()?;
    let mut now = go_on(begun, &draws);
    while let Some(seat) = now.next {
        let legal = now.play.legal_actions();
        let moment = Moment {
            play: &*now.play,
            seat,
            legal: &legal,
            ply: actions.len(),
            draws: &draws,
        };
        if let Some(Found { bot, live }) = is_it(&moment) {
            return Some(Line {
                variant,
                target,
                seed,
                bot,
                position: moment.position(),
                actions,
                live,
            });
        }
        let action = pick(&legal, &mut chance)?;
        let mut play = now.play;
        actions.push(play.play(&action).ok()?);
        now = go_on(play, &draws);
    }
    None
}

/// One of the actions, but no cube while there is a choice: it ends matches before anything happens.
/// None if there are none.
pub fn pick(legal: &[String], chance: &mut SeededChance) -> Option<String> {
    let quiet: Vec<&String> = legal.iter().filter(|action| *action != "double").collect();
    let bound = u32::try_from(quiet.len()).ok().filter(|bound| *bound > 0)?;
    quiet
        .get(chance.below(bound) as usize)
        .map(|action| (*action).clone())
}

/// Plays all that follows without a decision.
fn go_on(mut play: Box<dyn Match>, draws: &Draws) -> After {
    const FITS: &str = "the step is the one that the match wants";
    let mut passed = Vec::new();
    let mut game_over = false;
    let next = loop {
        match play.step() {
            Step::Decide(seat) => break Some(seat),
            Step::Over { .. } => break None,
            Step::Pass(seat) => {
                play.pass().expect(FITS);
                passed.push(seat);
            }
            Step::Chance => {
                let mut chance = draws.roll(play.game_number(), play.rolls() + 1);
                let roll = play.draw(&mut chance);
                play.roll(&roll).expect(FITS);
            }
            Step::Score(_) => {
                play.score_game().expect(FITS);
                game_over = true;
            }
            Step::Deal => {
                let position = play.deal(&mut draws.deal(play.game_number() + 1));
                play.begin_game(&position)
                    .expect("a position that was dealt can be read");
            }
        }
    };
    After {
        play,
        passed,
        game_over,
        next,
    }
}
