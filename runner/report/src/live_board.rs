use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::catalogue;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::record::RecordStep;
use dragontooth_runner_tournament::MatchRules;
use dragontooth_service_vocabulary::TimeControl;

use super::live_clocks::{LiveClock, LiveClocks};

/// A step of a match under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveStep {
    /// A game began from a position.
    Game(String),
    /// Something happened in the game. The seat that acted has this time left after it; `None` means no clock.
    Step(RecordStep, Option<Duration>),
    /// The game ended, and these are the points of the match by seat.
    Scored([u32; 2]),
}

/// A match under way as it is drawn: its position, its score and its last action.
#[derive(Debug)]
pub struct LiveBoard {
    /// The place of the match in the schedule.
    pub(super) slot: String,
    /// The names of the bots by seat.
    pub(super) players: [String; 2],
    /// The points by seat.
    pub(super) score: [u32; 2],
    /// The last action, pass or roll, with its seat if a seat chose it.
    pub(super) last: Option<(Option<Seat>, String)>,
    /// The actions so far.
    pub(super) plies: u32,
    /// The position before the last action.
    pub(super) before: Option<String>,
    /// `None` once a step was not one by the rules.
    play: Option<Box<dyn Match>>,
    /// `None` if neither seat has a clock.
    clocks: Option<LiveClocks>,
}

impl LiveBoard {
    /// A match in which nothing has happened.
    #[must_use]
    pub fn new(rules: MatchRules, slot: String, players: [String; 2]) -> Self {
        let game = catalogue::find(rules.game()).ok();
        let play = game.and_then(|game| game.new_match(Some(rules.variant()), rules.target()).ok());
        Self {
            slot,
            players,
            score: [0; 2],
            last: None,
            plies: 0,
            before: None,
            play,
            clocks: None,
        }
    }

    /// The match begins at this time with these time controls, by seat.
    pub fn start_clocks(&mut self, controls: [Option<TimeControl>; 2], now: SystemTime) {
        let has_clocks = controls.iter().any(Option::is_some);
        self.clocks = has_clocks.then(|| LiveClocks::new(controls, now));
    }

    /// Plays the steps that follow those before, the last of which happened at `time`. After a step that the rules do not
    /// allow there is no position.
    pub fn follow(&mut self, steps: &[LiveStep], time: SystemTime) {
        let acts = |step: &LiveStep| matches!(step, LiveStep::Step(RecordStep::Action { .. }, _));
        let last_action = steps.iter().rposition(acts);
        for (at, step) in steps.iter().enumerate() {
            if last_action == Some(at) {
                self.before = self.position();
            }
            if self.apply(step).is_none() {
                self.play = None;
            }
        }
        if let Some(clocks) = self.clocks.as_mut().filter(|_| !steps.is_empty()) {
            clocks.step(time);
        }
    }

    /// The clock of a seat; `None` without one.
    pub(super) fn clock(&self, seat: Seat) -> Option<LiveClock> {
        let play = self.play.as_ref();
        let to_decide = play.and_then(|play| match play.step() {
            Step::Decide(seat) => Some(seat),
            Step::Deal | Step::Pass(_) | Step::Chance | Step::Score(_) | Step::Over { .. } => None,
        });
        self.clocks?.of(seat, to_decide)
    }

    /// The current position in the game's notation; `None` before the first game.
    pub(super) fn position(&self) -> Option<String> {
        self.play.as_ref()?.position()
    }

    /// The number of the game, from 1; 0 before the first.
    pub(super) fn game(&self) -> u32 {
        self.play.as_ref().map_or(0, |play| play.game_number())
    }

    /// The seat that has the first side in the game's positions.
    pub(super) fn first_side(&self) -> Seat {
        let side = self.play.as_ref().map(|play| play.side(Seat::First));
        match side {
            Some(Seat::Second) => Seat::Second,
            Some(Seat::First) | None => Seat::First,
        }
    }

    fn apply(&mut self, step: &LiveStep) -> Option<()> {
        match step {
            LiveStep::Game(start) => {
                (self.last, self.before) = (None, None);
                self.play.as_mut()?.begin_game(start).ok()
            }
            LiveStep::Step(RecordStep::Action { seat, action }, left) => {
                self.plies += 1;
                if let (Some(clocks), Some(left)) = (&mut self.clocks, left) {
                    clocks.set(*seat, *left);
                }
                self.last = Some((Some(*seat), action.clone()));
                self.play.as_mut()?.play(action).ok().map(|_| ())
            }
            LiveStep::Step(RecordStep::Pass { seat }, _) => {
                self.last = Some((Some(*seat), "passes".to_owned()));
                self.play.as_mut()?.pass().ok()
            }
            LiveStep::Step(RecordStep::Roll { roll }, _) => {
                self.last = Some((None, format!("roll {roll}")));
                self.play.as_mut()?.roll(roll).ok().map(|_| ())
            }
            LiveStep::Scored(score) => {
                self.score = *score;
                let play = self.play.as_mut()?;
                if let Step::Score(_) = play.step() {
                    return play.score_game().ok();
                }
                Some(())
            }
        }
    }
}
