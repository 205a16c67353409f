use std::time::{Duration, Instant};

use dragontooth_games::{Seat as MatchSeat, catalogue};
use dragontooth_service_client::TimeControl;

use super::engine::Silence;
use super::engines::Seat;
use super::messages::{Both, Clock, Go, MatchOver, NewMatch, Place, Stop, ToEngine};
use super::{Choice, EngineFault, Engines, FromEngine, MatchEnd, Told, shortened, told};

/// The bits of a seed that are told: a whole number below 2^53 is exact in every language.
const SEED_BITS_LEFT_OUT: u32 = 64 - 53;

/// A match that an engine plays. When it is over, tell how by [`EngineMatch::end`]; dropped without
/// that, the engine is told that nobody knows how.
pub struct EngineMatch {
    engines: Engines,
    seat: Seat,
    terms: Terms,
    game_number: u32,
    is_told: bool,
    /// What is written to the engine.
    lines: Vec<u8>,
}

/// What a match is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The match's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// The points that win the match.
    pub target: u32,
    /// The engine's seat.
    pub seat: MatchSeat,
    /// The agreement on time of each seat; none for no clock.
    pub time_controls: [Option<TimeControl>; 2],
}

/// A decision that an engine is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The decision's number.
    pub decision: u64,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// The actions that were played in the match before.
    pub ply: u32,
    /// The position.
    pub position: &'a str,
    /// The points so far.
    pub score: [u32; 2],
    /// What chance gave for the decision.
    pub roll: Option<&'a str>,
    /// What happened since the last decision that the engine was asked for, in order; none if nobody
    /// knows.
    pub told: Option<&'a [Told]>,
    /// What the random choices of the decision follow from.
    pub seed: u64,
    /// The time that it should take at most.
    pub time: Option<Duration>,
    /// The time after which the clock has run out.
    pub left: Option<Duration>,
    /// The clocks by seat, none for a seat without; none in a match without any.
    pub clocks: Option<[Option<Duration>; 2]>,
}

/// How long an answer is waited for.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// So long at most; none for no limit.
    pub until: Option<Instant>,
    /// What an engine has done that did not answer until then.
    pub fault: &'a EngineFault,
    /// Whether nobody wants the answer any more.
    pub is_over: &'a dyn Fn() -> bool,
}

impl EngineMatch {
    /// Has one of `engines` play a match.
    ///
    /// # Errors
    ///
    /// There is none, it does not play the game, or it is not ready.
    pub fn begin(engines: &Engines, terms: Terms) -> Result<Self, EngineFault> {
        let seat = ready_seat(engines)?;
        let engine = &seat.engine;
        if !engine.about.games.contains(&terms.game) {
            return Err(EngineFault::OtherGame(terms.game));
        }
        engine.seat(&terms.id);
        let mut lines = Vec::new();
        let new = ToEngine::NewMatch(NewMatch {
            match_id: (&*terms.id).into(),
            title: (&*terms.title).into(),
            game: (&*terms.game).into(),
            variant: (&*terms.variant).into(),
            target: terms.target,
            seat: terms.seat.into(),
            time_controls: terms.time_controls.map(|each| each.map(Clock::from)).into(),
        });
        new.write(&mut lines);
        engine.tell(&lines)?;
        Ok(Self {
            engines: engines.clone(),
            seat,
            terms,
            game_number: 0,
            is_told: false,
            lines,
        })
    }

    /// Asks the engine for a decision. What it chooses may be illegal.
    ///
    /// # Errors
    ///
    /// It gives no answer. An engine that is too late is told to stop, and killed if it does not.
    pub fn ask(
        &mut self,
        asked: &Asked<'_>,
        patience: Patience<'_>,
    ) -> Result<Choice, EngineFault> {
        let id = &self.terms.id;
        self.lines.clear();
        let happened = asked.told;
        let steps = happened
            .and_then(|happened| told::write(happened, id, &mut self.game_number, &mut self.lines));
        // That it began may not be known.
        self.game_number = asked.game_number;
        let (legal, offers) = if self.seat.engine.about.legal {
            legal(&self.terms, asked.position).unzip()
        } else {
            (None, None)
        };
        let place = ToEngine::Position(Box::new(Place {
            match_id: id.into(),
            decision: asked.decision,
            game_number: asked.game_number,
            ply: asked.ply,
            position: asked.position.into(),
            score: asked.score.into(),
            roll: asked.roll.map(Into::into),
            steps: steps.map(Into::into),
            legal: legal.map(Into::into),
            offers: offers.map(Into::into),
        }));
        place.write(&mut self.lines);
        let go = ToEngine::Go(Go {
            match_id: id.into(),
            decision: asked.decision,
            seed: asked.seed >> SEED_BITS_LEFT_OUT,
            time_ms: asked.time.map(whole_ms),
            left_ms: asked.left.map(whole_ms),
            clocks_ms: asked
                .clocks
                .map(|clocks| Both::from(clocks.map(|clock| clock.map(whole_ms)))),
        });
        go.write(&mut self.lines);
        let engine = &self.seat.engine;
        let Patience { until, is_over, .. } = patience;
        match engine.ask(id, asked.decision, &self.lines, until, is_over) {
            Ok(FromEngine::BestAction { action, .. }) => Ok(Choice::Action(action)),
            Ok(FromEngine::Resign(_)) => Ok(Choice::Resign),
            Ok(FromEngine::Hello(_) | FromEngine::ReadyOk | FromEngine::Info(_)) => {
                Err(EngineFault::Ended("it is out of step".to_owned()))
            }
            Err(Silence::Fault(fault)) => Err(self.noted(fault)),
            Err(Silence::Late) => {
                let fault = self.noted(patience.fault.clone());
                self.stop(asked.decision);
                Err(fault)
            }
            Err(Silence::Unwanted) => {
                let Terms { id, title, .. } = &self.terms;
                self.engines.note(&format!(
                    "the match {id} {title} ended while it thought about decision {}: {}",
                    asked.decision, asked.position
                ));
                self.stop(asked.decision);
                Err(EngineFault::MatchOver)
            }
        }
    }

    /// The action was refused by the rules: that is noted for the engine's author.
    #[must_use]
    pub fn refused(&self, action: &str, reason: &str) -> EngineFault {
        self.noted(EngineFault::Illegal {
            action: shortened(action.as_bytes()),
            reason: reason.to_owned(),
        })
    }

    /// The action that a choice stands for, if the rules of a game that is known here allow it.
    ///
    /// # Errors
    ///
    /// The rules forbid it, or it is none.
    pub fn checked(&self, position: &str, action: String) -> Result<String, EngineFault> {
        let Some(play) = play(&self.terms, position) else {
            return Ok(action);
        };
        match play.canonical(&action) {
            Ok(_) => Ok(action),
            Err(error) => Err(self.refused(&action, &error.to_string())),
        }
    }

    /// The match is over: the engine is told what happened at last, and how it ended.
    pub fn end(mut self, happened: &[Told], end: &MatchEnd) {
        self.tell_end(happened, Some(end));
    }

    fn tell_end(&mut self, happened: &[Told], end: Option<&MatchEnd>) {
        if std::mem::replace(&mut self.is_told, true) {
            return;
        }
        let id = &self.terms.id;
        self.lines.clear();
        told::write(happened, id, &mut self.game_number, &mut self.lines);
        let over = ToEngine::MatchOver(MatchOver {
            match_id: id.into(),
            winner: end.and_then(|end| end.winner).map(Into::into),
            termination: end.map_or("unknown", |end| &end.termination).into(),
            score: end.map(|end| end.score.into()),
        });
        over.write(&mut self.lines);
        // An engine that has failed is not told.
        let _ = self.seat.engine.tell(&self.lines);
        self.seat.engine.unseat(id);
    }

    fn stop(&mut self, decision: u64) {
        let id = &self.terms.id;
        self.lines.clear();
        let stop = ToEngine::Stop(Stop {
            match_id: id.into(),
            decision,
        });
        stop.write(&mut self.lines);
        self.seat.engine.stop(id, &self.lines);
    }

    fn noted(&self, fault: EngineFault) -> EngineFault {
        if fault == EngineFault::MatchOver {
            return fault;
        }
        let Terms { id, title, .. } = &self.terms;
        self.engines
            .note(&format!("fault in the match {id} {title}: {fault}"));
        fault
    }
}

impl Drop for EngineMatch {
    fn drop(&mut self) {
        self.tell_end(&[], None);
    }
}

/// A place at an engine that is ready. Those that have been idle may have failed without anybody's
/// noticing: then another is taken, up to one that is started for this place.
fn ready_seat(engines: &Engines) -> Result<Seat, EngineFault> {
    loop {
        let seat = engines.seat()?;
        match seat.engine.be_ready() {
            Ok(()) => return Ok(seat),
            Err(fault) if seat.is_new => return Err(fault),
            Err(fault) => engines.note(&fault.to_string()),
        }
    }
}

/// The match at a position, if its game is known here.
fn play(terms: &Terms, position: &str) -> Option<Box<dyn dragontooth_games::match_play::Match>> {
    let game = catalogue::find(&terms.game).ok()?;
    let mut play = game.new_match(Some(&terms.variant), terms.target).ok()?;
    play.begin_game(position).ok()?;
    Some(play)
}

fn legal(terms: &Terms, position: &str) -> Option<(Vec<String>, Vec<String>)> {
    let play = play(terms, position)?;
    Some((play.legal_actions(), play.offers()))
}

fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
