use std::time::{Duration, Instant};

use dragontooth_games::catalogue;
use dragontooth_games::record::Thinking;
use dragontooth_service_vocabulary::{History, Sequence};

use super::engine::NoAnswer;
use super::engines::EngineSlot;
use super::messages::{
    BySeat, ClockTerms, GoMessage, MatchOverMessage, NewMatchMessage, PositionMessage,
    RefusedMessage, StopMessage, ToEngine,
};
use super::{
    AnswerTo, Choice, EngineFault, EngineThinkingFault, Engines, FromEngine, MatchEnd, MatchInfo,
    history_lines, shortened,
};

/// Low bits of a seed that are not sent: a whole number below 2^53 is exact in every language.
const SEED_BITS_LEFT_OUT: u32 = 64 - 53;

/// A match that an engine plays. Report its result by [`EngineMatch::end`]; if this is dropped without it,
/// the engine receives a `matchover` with the termination `unknown`.
pub struct EngineMatch {
    engines: Engines,
    slot: EngineSlot,
    info: MatchInfo,
    game_number: u32,
    /// The event up to which the engine has the history.
    told: Sequence,
    is_ended: bool,
    /// The thoughts about the last decision.
    thinking: Option<Thinking>,
    /// Buffer for the lines to send.
    lines: Vec<u8>,
}

/// A decision to ask an engine for.
#[derive(Clone, Copy, Debug)]
pub struct DecisionRequest<'a> {
    /// Id of the decision.
    pub decision: u64,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// Number of actions played in the match so far.
    pub ply: u32,
    /// The position.
    pub position: &'a str,
    /// The points so far.
    pub score: [u32; 2],
    /// The roll to play, in games with dice.
    pub roll: Option<&'a str>,
    /// The events up to the decision. Those up to the last decision that the engine was asked for are left out.
    /// `None` if they are not known.
    pub history: Option<&'a History>,
    /// Seed for the random choices of the decision.
    pub seed: u64,
    /// Time for the decision; `None` means no limit.
    pub time: Option<Duration>,
    /// Time until the clock runs out; `None` means no limit.
    pub left: Option<Duration>,
    /// The clocks by seat; `None` for a seat, or for the match, without a clock.
    pub clocks: Option<[Option<Duration>; 2]>,
}

/// The end of the wait for an answer.
#[derive(Clone, Copy)]
pub struct AnswerDeadline<'a> {
    /// The latest time; `None` means no limit.
    pub until: Option<Instant>,
    /// The fault of an engine that has not answered by then.
    pub fault: &'a EngineFault,
    /// Returns true once the answer is not wanted any more.
    pub is_over: &'a dyn Fn() -> bool,
}

impl EngineMatch {
    /// Begins a match at one of `engines`.
    ///
    /// # Errors
    ///
    /// No engine can be started, it does not play the game, or it is not ready.
    pub fn begin(engines: &Engines, info: MatchInfo) -> Result<Self, EngineFault> {
        let slot = ready_slot(engines)?;
        let engine = &slot.engine;
        if !engine.about.games.contains(&info.game) {
            return Err(EngineFault::OtherGame {
                game: info.game,
                games: engine.about.games.clone(),
            });
        }
        engine.add_match(&info.id);
        let mut lines = Vec::new();
        let new = ToEngine::NewMatch(NewMatchMessage {
            match_id: (&*info.id).into(),
            title: (&*info.title).into(),
            game: (&*info.game).into(),
            variant: (&*info.variant).into(),
            target: info.target,
            seat: info.seat.into(),
            time_controls: info
                .time_controls
                .map(|each| each.map(ClockTerms::from))
                .into(),
        });
        new.write(&mut lines);
        engine.send(&lines)?;
        Ok(Self {
            engines: engines.clone(),
            slot,
            info,
            game_number: 0,
            told: Sequence(0),
            is_ended: false,
            thinking: None,
            lines,
        })
    }

    /// Asks the engine for a decision. The action that it returns may be illegal.
    ///
    /// # Errors
    ///
    /// The engine does not answer. An engine that is too late is asked to stop, and killed if it does not.
    pub fn ask(
        &mut self,
        request: &DecisionRequest<'_>,
        deadline: AnswerDeadline<'_>,
    ) -> Result<Choice, EngineFault> {
        let id = &self.info.id;
        self.lines.clear();
        let history = request.history.map(|history| history.after(self.told));
        self.told = Sequence(request.decision);
        let steps = history.as_ref().and_then(|history| {
            history_lines::write(history, id, &mut self.game_number, &mut self.lines)
        });
        // The history may be missing, and the event that began the game with it.
        self.game_number = request.game_number;
        let (legal, offers) = if self.slot.engine.about.legal {
            legal(&self.info, request.position).unzip()
        } else {
            (None, None)
        };
        let position = ToEngine::Position(Box::new(PositionMessage {
            match_id: id.into(),
            decision: request.decision,
            game_number: request.game_number,
            ply: request.ply,
            position: request.position.into(),
            score: request.score.into(),
            roll: request.roll.map(Into::into),
            steps: steps.map(Into::into),
            legal: legal.map(Into::into),
            offers: offers.map(Into::into),
        }));
        position.write(&mut self.lines);
        let go = ToEngine::Go(GoMessage {
            match_id: id.into(),
            decision: request.decision,
            seed: request.seed >> SEED_BITS_LEFT_OUT,
            time_ms: request.time.map(whole_ms),
            left_ms: request.left.map(whole_ms),
            clocks_ms: request
                .clocks
                .map(|clocks| BySeat::from(clocks.map(|clock| clock.map(whole_ms)))),
        });
        go.write(&mut self.lines);
        let engine = &self.slot.engine;
        let AnswerDeadline { until, is_over, .. } = deadline;
        match engine.ask(id, request.decision, &self.lines, until, is_over) {
            Ok(FromEngine::BestAction {
                to,
                action,
                thinking,
            }) => {
                self.thinking = None;
                match thinking.map(|sent| (*sent).and_then(|sent| sent.of(self.info.seat))) {
                    None => {}
                    Some(Ok(thinking)) => self.thinking = Some(thinking),
                    Some(Err(fault)) => self.refuse_thinking(to, &action, &fault)?,
                }
                Ok(Choice::Action(action))
            }
            Ok(FromEngine::Resign(_)) => Ok(Choice::Resign),
            Ok(
                FromEngine::Hello(_)
                | FromEngine::ReadyOk
                | FromEngine::Info(_)
                | FromEngine::Thinking { .. },
            ) => Err(EngineFault::Ended(
                "it sent another message in place of an answer".to_owned(),
            )),
            Err(NoAnswer::Fault(fault)) => Err(self.noted(fault)),
            Err(NoAnswer::Late) => {
                let fault = self.noted(deadline.fault.clone());
                engine.note_unfinished();
                self.stop(request.decision);
                Err(fault)
            }
            Err(NoAnswer::Unwanted) => {
                let MatchInfo { id, title, .. } = &self.info;
                self.engines.note(&format!(
                    "the match {id} {title} ended while it thought about decision {}: {}",
                    request.decision, request.position
                ));
                engine.note_unfinished();
                self.stop(request.decision);
                Err(EngineFault::MatchOver)
            }
        }
    }

    /// Takes the engine's thoughts about the decision that it answered last, if it sent any.
    pub fn take_thinking(&mut self) -> Option<Thinking> {
        self.thinking.take()
    }

    /// Tells the engine that its thoughts were left out. Its action counts.
    fn refuse_thinking(
        &mut self,
        to: AnswerTo,
        action: &str,
        fault: &EngineThinkingFault,
    ) -> Result<(), EngineFault> {
        let MatchInfo { id, title, .. } = &self.info;
        let why = format!("left out the thinking in the match {id} {title}: {fault}");
        self.engines.note(&why);
        let mut line = Vec::new();
        let answer = FromEngine::BestAction {
            to,
            action: action.to_owned(),
            thinking: None,
        };
        answer.write(&mut line);
        self.lines.clear();
        let refused = ToEngine::Refused(RefusedMessage {
            reason: (&*fault.why).into(),
            line: shortened(line.trim_ascii_end()).into(),
            field: Some(fault.field.into()),
        });
        refused.write(&mut self.lines);
        self.slot.engine.send(&self.lines)
    }

    /// Returns the fault of an action that the rules refuse, and logs it for the engine's author.
    #[must_use]
    pub fn refused(&self, action: &str, reason: &str) -> EngineFault {
        self.noted(EngineFault::Illegal {
            action: shortened(action.as_bytes()),
            reason: reason.to_owned(),
        })
    }

    /// Returns the action if the rules allow it. The actions of games that are not in the catalogue are not
    /// checked.
    ///
    /// # Errors
    ///
    /// The rules forbid the action, or it cannot be read.
    pub fn checked(&self, position: &str, action: String) -> Result<String, EngineFault> {
        let Some(play) = play(&self.info, position) else {
            return Ok(action);
        };
        match play.canonical(&action) {
            Ok(_) => Ok(action),
            Err(error) => Err(self.refused(&action, &error.to_string())),
        }
    }

    /// Reports the last events and the result of the match to the engine.
    pub fn end(mut self, end: &MatchEnd) {
        self.send_end(Some(end));
    }

    fn send_end(&mut self, end: Option<&MatchEnd>) {
        if std::mem::replace(&mut self.is_ended, true) {
            return;
        }
        let id = &self.info.id;
        self.lines.clear();
        if let Some(end) = end {
            let history = end.since.after(self.told);
            history_lines::write(&history, id, &mut self.game_number, &mut self.lines);
        }
        let known = end.filter(|end| end.termination != MatchEnd::UNKNOWN);
        let over = ToEngine::MatchOver(MatchOverMessage {
            match_id: id.into(),
            winner: known.and_then(|end| end.winner).map(Into::into),
            termination: known
                .map_or(MatchEnd::UNKNOWN, |end| &end.termination)
                .into(),
            score: known.map(|end| end.score.into()),
        });
        over.write(&mut self.lines);
        // An engine that has failed does not need the result.
        let _ = self.slot.engine.send(&self.lines);
        self.slot.engine.remove_match(id);
    }

    fn stop(&mut self, decision: u64) {
        let id = &self.info.id;
        self.lines.clear();
        let stop = ToEngine::Stop(StopMessage {
            match_id: id.into(),
            decision,
        });
        stop.write(&mut self.lines);
        self.slot.engine.stop(id, &self.lines);
    }

    fn noted(&self, fault: EngineFault) -> EngineFault {
        if fault == EngineFault::MatchOver {
            return fault;
        }
        let MatchInfo { id, title, .. } = &self.info;
        self.engines
            .note(&format!("fault in the match {id} {title}: {fault}"));
        fault
    }
}

impl Drop for EngineMatch {
    fn drop(&mut self) {
        self.send_end(None);
    }
}

/// Returns a place at an engine that is ready. The failure of an idle engine goes unnoticed until it is
/// asked: then the next one is tried, the last of them one that is started for this match.
fn ready_slot(engines: &Engines) -> Result<EngineSlot, EngineFault> {
    loop {
        let slot = engines.slot()?;
        match slot.be_ready() {
            Ok(()) => return Ok(slot),
            Err(fault) if slot.is_new && slot.engine.fault().is_some() => return Err(fault),
            Err(fault) => engines.note(&fault.to_string()),
        }
    }
}

/// Returns a match at a position, if its game is in the catalogue.
fn play(info: &MatchInfo, position: &str) -> Option<Box<dyn dragontooth_games::match_play::Match>> {
    let game = catalogue::find(&info.game).ok()?;
    let mut play = game.new_match(Some(&info.variant), info.target).ok()?;
    play.begin_game(position).ok()?;
    Some(play)
}

fn legal(info: &MatchInfo, position: &str) -> Option<(Vec<String>, Vec<String>)> {
    let play = play(info, position)?;
    Some((play.legal_actions(), play.offers()))
}

fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
