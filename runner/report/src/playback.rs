use dragontooth_games::Seat;
use dragontooth_games::catalogue;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::record::{GameRecord, MatchRecord, RecordOutcome, RecordStep};

/// The most frames of a playback: a match with more of them is cut.
pub const MAX_FRAMES: usize = 20_000;

/// A recorded match as the positions that it went through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playback {
    /// The positions, in order.
    pub frames: Vec<Frame>,
    /// The reason why it ends before the record does, if so.
    pub fault: Option<String>,
}

/// A position of a match and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The number of the game, from 1.
    pub game: u32,
    /// The cause of the position.
    pub cause: Cause,
    /// The position in the game's notation.
    pub position: String,
    /// The points by seat.
    pub score: [u32; 2],
    /// The seat that has the first side in the game's positions.
    pub first_side: Seat,
    /// The outcome of the game, if it is over.
    pub outcome: Option<RecordOutcome>,
}

/// The cause of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A game began with it.
    Start,
    /// A seat played an action.
    Action {
        /// The seat.
        seat: Seat,
        /// The action.
        action: String,
        /// The number of the decision in the match, from 0.
        decision: usize,
    },
    /// A seat could not act.
    Pass {
        /// The seat.
        seat: Seat,
    },
    /// Chance gave a roll.
    Roll {
        /// The roll.
        roll: String,
    },
}

impl Playback {
    /// Plays a record again by the rules, as far as that goes.
    #[must_use]
    pub fn of(record: &MatchRecord) -> Self {
        let mut playback = Self {
            frames: Vec::new(),
            fault: None,
        };
        playback.fault = playback.play(record).err();
        playback
    }

    fn play(&mut self, record: &MatchRecord) -> Result<(), String> {
        let game = catalogue::find(&record.game).map_err(|error| error.to_string())?;
        let fresh = game.new_match(Some(&record.variant), record.target);
        let mut play = fresh.map_err(|error| error.to_string())?;
        let mut decisions = 0;
        for game in &record.games {
            self.play_game(&mut *play, game, &mut decisions)?;
        }
        Ok(())
    }

    fn play_game(
        &mut self,
        play: &mut dyn Match,
        game: &GameRecord,
        decisions: &mut usize,
    ) -> Result<(), String> {
        let number = play.game_number() + 1;
        let failed = |error: &dyn std::fmt::Display| format!("game {number}: {error}");
        play.begin_game(&game.start).map_err(|e| failed(&e))?;
        self.show(play, Cause::Start)?;
        for step in &game.steps {
            let cause = match step {
                RecordStep::Action { seat, action } => {
                    play.play(action).map_err(|e| failed(&e))?;
                    *decisions += 1;
                    Cause::Action {
                        seat: *seat,
                        action: action.clone(),
                        decision: *decisions - 1,
                    }
                }
                RecordStep::Pass { seat } => {
                    play.pass().map_err(|e| failed(&e))?;
                    Cause::Pass { seat: *seat }
                }
                RecordStep::Roll { roll } => {
                    play.roll(roll).map_err(|e| failed(&e))?;
                    Cause::Roll { roll: roll.clone() }
                }
            };
            self.show(play, cause)?;
        }
        if let Step::Score(_) = play.step() {
            play.score_game().map_err(|e| failed(&e))?;
        }
        if let Some(last) = self.frames.last_mut() {
            last.score = score(play);
            last.outcome = game.outcome;
        }
        Ok(())
    }

    fn show(&mut self, play: &dyn Match, cause: Cause) -> Result<(), String> {
        if self.frames.len() == MAX_FRAMES {
            return Err(format!("only the first {MAX_FRAMES} positions are shown"));
        }
        let first_is_first = play.side(Seat::First) == Seat::First;
        self.frames.push(Frame {
            game: play.game_number(),
            cause,
            position: play.position().unwrap_or_default(),
            score: score(play),
            first_side: if first_is_first {
                Seat::First
            } else {
                Seat::Second
            },
            outcome: None,
        });
        Ok(())
    }
}

fn score(play: &dyn Match) -> [u32; 2] {
    Seat::BOTH.map(|seat| play.score().of(seat))
}
