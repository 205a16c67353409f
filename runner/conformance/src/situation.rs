use dragontooth_games::catalogue::Game;

use super::line::{Found, Line, Moment, find};

/// A situation of a game that bots get wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Situation {
    /// The bot's turn passes, because the rules leave it nothing to play.
    OwnPass,
    /// The opponent's turn passes, so that the bot decides twice in a row.
    OpponentPass,
    /// A push is the only legal action, and the bot moves again after it.
    OnlyPush,
    /// Between two games the winner of the last one chooses left or right.
    Refill,
    /// The bot's first decision in the second game of a match.
    NextGame,
    /// The second move of a turn at Linja.
    SecondMove,
    /// The first move of an extra turn at Linja.
    ExtraTurn,
    /// The capture that opens a game of TZAAR.
    Opening,
    /// The second action of a turn at TZAAR, which may be a pass.
    SecondAction,
    /// A second action that can only be a pass.
    OnlyPass,
    /// A double, of which as many parts as possible are played.
    Doublet,
    /// A checker on the bar.
    Bar,
    /// All checkers at home.
    BearingOff,
    /// To roll or to double.
    RollOrDouble,
    /// The opponent has doubled.
    TakeOrDrop,
    /// The opponent offers to resign.
    Resignation,
}

impl Situation {
    /// A line into it; `None` if none is found.
    #[must_use]
    pub fn line(self, game: &'static Game) -> Option<Line> {
        let variant = game.variants().first()?.name;
        let target = self.target();
        find(game, variant, target, |moment| self.is_at(moment))
    }

    /// The answers that the rules leave to the bot, if they leave only these.
    #[must_use]
    pub const fn answers(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Refill => Some(&["left", "right"]),
            Self::OnlyPass => Some(&["-"]),
            Self::TakeOrDrop => Some(&["take", "drop"]),
            Self::Resignation => Some(&["accept", "decline"]),
            Self::OwnPass
            | Self::OpponentPass
            | Self::OnlyPush
            | Self::NextGame
            | Self::SecondMove
            | Self::ExtraTurn
            | Self::Opening
            | Self::SecondAction
            | Self::Doublet
            | Self::Bar
            | Self::BearingOff
            | Self::RollOrDouble => None,
        }
    }

    /// The target of the match, high enough for it to continue.
    const fn target(self) -> u32 {
        match self {
            // Pushes need towers that have won before.
            Self::OnlyPush => 15,
            Self::OwnPass
            | Self::OpponentPass
            | Self::Refill
            | Self::NextGame
            | Self::SecondMove
            | Self::ExtraTurn
            | Self::Opening
            | Self::SecondAction
            | Self::OnlyPass => 3,
            Self::Doublet
            | Self::Bar
            | Self::BearingOff
            | Self::RollOrDouble
            | Self::TakeOrDrop
            | Self::Resignation => 7,
        }
    }

    fn is_at(self, moment: &Moment<'_>) -> Option<Found> {
        let here = |is_it: bool| is_it.then(|| moment.bot_decides());
        let legal = moment.legal;
        match self {
            Self::OwnPass => own_pass(moment),
            Self::OpponentPass => here(opponent_passes(moment)),
            Self::OnlyPush => here(is_only_push(moment)),
            Self::Refill => here(legal == ["left", "right"]),
            Self::NextGame => here(moment.play.game_number() == 2 && legal.len() > 2),
            Self::SecondMove => here(moment.position().contains(" 2:") && legal.len() > 1),
            Self::ExtraTurn => here(moment.position().ends_with(" 1x")),
            Self::Opening => here(moment.position().ends_with(" o")),
            Self::SecondAction => here(
                moment.position().ends_with(" 2")
                    && ["x", "+", "-"]
                        .iter()
                        .all(|kind| legal.iter().any(|action| action.contains(kind))),
            ),
            Self::OnlyPass => here(legal == ["-"]),
            Self::Doublet => here(is_doublet(moment)),
            Self::Bar => here(!legal.is_empty() && legal.iter().all(|a| a.contains("bar/"))),
            Self::BearingOff => here(legal.iter().any(|action| action.contains("/off"))),
            Self::RollOrDouble => here(may_double(moment)),
            Self::TakeOrDrop => may_double(moment).then(|| moment.opponent_plays("double")),
            Self::Resignation => resignation(moment),
        }
    }
}

/// The opponent has an action after which the bot's turn passes and the opponent decides again.
fn own_pass(moment: &Moment<'_>) -> Option<Found> {
    let bot = moment.seat.other();
    let passes = |action: &&String| {
        moment.after(action).is_some_and(|after| {
            !after.game_over && after.passed == [bot] && after.next == Some(moment.seat)
        })
    };
    let action = moment.legal.iter().find(passes)?;
    Some(moment.opponent_plays(action))
}

/// Whatever is played, the opponent's turn passes and the same seat decides again.
fn opponent_passes(moment: &Moment<'_>) -> bool {
    let opponent = moment.seat.other();
    // Most decisions are sorted out by the first action.
    moment.legal.iter().all(|action| {
        moment.after(action).is_some_and(|after| {
            !after.game_over && after.passed == [opponent] && after.next == Some(moment.seat)
        })
    })
}

/// The only action is a push: it ends on the square of another tower.
fn is_only_push(moment: &Moment<'_>) -> bool {
    let [action] = moment.legal else {
        return false;
    };
    let goes_on = moment.after(action).is_some_and(|after| {
        !after.game_over && after.passed.is_empty() && after.next == Some(moment.seat)
    });
    // Only after a push the same seat moves again without a pass in between.
    goes_on && action != "left" && action != "right"
}

fn is_doublet(moment: &Moment<'_>) -> bool {
    let roll = moment.play.rolled().unwrap_or_default();
    let mut dice = roll.chars();
    let double = dice.next() == dice.next();
    double && !roll.is_empty() && moment.legal.len() > 1
}

fn may_double(moment: &Moment<'_>) -> bool {
    moment.legal.iter().any(|action| action == "double")
}

/// The opponent offers to resign a single game, and is asked whether that is enough.
fn resignation(moment: &Moment<'_>) -> Option<Found> {
    const OFFER: &str = "resign 1";
    let offers = moment.play.offers();
    let after = offers
        .iter()
        .any(|offer| offer == OFFER)
        .then(|| moment.after(OFFER))??;
    let asked = after.next == Some(moment.seat.other())
        && after.play.legal_actions() == ["accept", "decline"];
    asked.then(|| moment.opponent_plays(OFFER))
}
