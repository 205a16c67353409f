use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::error_chain;
use dragontooth_bots::session::decision_seed;
use dragontooth_bots::{Bot, Budget, Choice, MatchEnd, MatchInfo};
use dragontooth_bots_engines::stdio::{
    AnswerDeadline, DecisionRequest, EngineFault, EngineMatch, Engines,
};
use dragontooth_games::record::Thinking;
use dragontooth_runner_tournament::FaultKind;
use dragontooth_service_client::DecisionId;
use dragontooth_service_vocabulary::{History, Sequence};

use crate::drive::engines::kind_of;

/// Makes a bot for a match, or returns the reason why it cannot.
type Make = Box<dyn Fn(&MatchInfo) -> Result<Box<dyn Bot>, String> + Send>;

/// The player of a seat in this process.
pub(super) enum DirectPlayer {
    /// A bot, made when it is prepared.
    Bot {
        seed: u64,
        make: Make,
        bot: Option<Box<dyn Bot>>,
    },
    /// An engine.
    Engine(Box<DirectEngine>),
}

/// An engine in a match.
pub(super) struct DirectEngine {
    seed: u64,
    engines: Engines,
    playing: Option<EngineMatch>,
    failed: Option<EngineFault>,
}

/// A decision that is due.
pub(super) struct Question<'a> {
    pub(super) position: &'a str,
    pub(super) decision: Sequence,
    pub(super) game_number: u32,
    pub(super) ply: u32,
    pub(super) score: [u32; 2],
    pub(super) roll: Option<&'a str>,
    /// The time that it should take at most.
    pub(super) time: Option<Duration>,
    /// The time after which the clock has run out.
    pub(super) left: Option<Duration>,
    pub(super) clocks: Option<[Option<Duration>; 2]>,
    /// The events of play since the seat's previous decision.
    pub(super) since: &'a History,
    /// Longest decision without a clock.
    pub(super) stall: Duration,
    /// Returns true if the result is no longer wanted.
    pub(super) is_over: &'a dyn Fn() -> bool,
}

/// The reason why there is no action.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: FaultKind,
    pub(super) detail: String,
}

impl DirectPlayer {
    /// A bot whose decisions' seeds follow from `seed`.
    pub(super) fn new(
        seed: u64,
        make: impl Fn(&MatchInfo) -> Result<Box<dyn Bot>, String> + Send + 'static,
    ) -> Self {
        Self::Bot {
            seed,
            make: Box::new(make),
            bot: None,
        }
    }

    /// A built-in bot.
    pub(super) fn builtin(spec: BotSpec) -> Self {
        Self::new(spec.seed(), move |info| {
            spec.make(info).map_err(|error| error.to_string())
        })
    }

    /// One of `engines`.
    pub(super) fn engine(engines: Engines, seed: u64) -> Self {
        Self::Engine(Box::new(DirectEngine {
            seed,
            engines,
            playing: None,
            failed: None,
        }))
    }

    /// Prepares for a match before any clock runs. Errors surface at the first decision.
    pub(super) fn prepare(&mut self, info: &MatchInfo) {
        match self {
            Self::Bot { make, bot, .. } => {
                let made = catch_unwind(AssertUnwindSafe(|| make(info)));
                // Its error or panic comes again at its first decision.
                *bot = made.ok().and_then(Result::ok);
            }
            Self::Engine(player) => match EngineMatch::begin(&player.engines, info.clone()) {
                Ok(playing) => player.playing = Some(playing),
                Err(fault) => player.failed = Some(fault),
            },
        }
    }

    /// Makes a decision, or returns how it failed.
    pub(super) fn choose(
        &mut self,
        info: &MatchInfo,
        question: &Question<'_>,
    ) -> Result<Choice, Failure> {
        let decision = DecisionId::after(Sequence(question.decision.0));
        let seed = decision_seed(self.seed(), &info.title, info.seat, decision);
        match self {
            Self::Bot { make, bot, .. } => {
                let budget = Budget {
                    time: question.time,
                    seed,
                };
                let ask = || ask(make, bot, info, question.position, &budget);
                let chosen = catch_unwind(AssertUnwindSafe(ask));
                let chosen = chosen.unwrap_or_else(|_| Err("the bot panicked".to_owned()));
                chosen.map(Choice::Action).map_err(|detail| Failure {
                    kind: FaultKind::Crash,
                    detail,
                })
            }
            Self::Engine(player) => player.ask(question, seed).map_err(|fault| Failure {
                kind: kind_of(&fault),
                detail: fault.to_string(),
            }),
        }
    }

    /// Takes the thoughts about its last decision.
    pub(super) fn take_thinking(&mut self) -> Option<Thinking> {
        match self {
            Self::Bot { bot, .. } => bot.as_mut()?.take_thinking(),
            Self::Engine(player) => player.playing.as_mut()?.take_thinking(),
        }
    }

    /// The rules refuse its action.
    pub(super) fn refused(&self, action: &str, reason: String) -> Failure {
        match self {
            Self::Engine(player) if player.playing.is_some() => {
                let fault = player
                    .playing
                    .as_ref()
                    .map(|playing| playing.refused(action, &reason));
                Failure {
                    kind: FaultKind::Illegal,
                    detail: fault.map_or(reason, |fault| fault.to_string()),
                }
            }
            Self::Bot { .. } | Self::Engine(_) => Failure {
                kind: FaultKind::Crash,
                detail: reason,
            },
        }
    }

    /// The match is over.
    pub(super) fn end(&mut self, end: &MatchEnd) {
        if let Self::Engine(player) = self
            && let Some(playing) = player.playing.take()
        {
            playing.end(end);
        }
    }

    const fn seed(&self) -> u64 {
        match self {
            Self::Bot { seed, .. } => *seed,
            Self::Engine(player) => player.seed,
        }
    }
}

impl DirectEngine {
    fn ask(&mut self, question: &Question<'_>, seed: u64) -> Result<Choice, EngineFault> {
        if let Some(fault) = self.failed.take() {
            return Err(fault);
        }
        let Some(playing) = &mut self.playing else {
            return Err(EngineFault::MatchOver);
        };
        let asked = DecisionRequest {
            decision: question.decision.0,
            game_number: question.game_number,
            ply: question.ply,
            position: question.position,
            score: question.score,
            roll: question.roll,
            history: Some(question.since),
            seed,
            time: question.time,
            left: question.left,
            clocks: question.clocks,
        };
        let idle = EngineFault::Idle(question.stall);
        let patience = AnswerDeadline {
            until: Instant::now().checked_add(question.left.unwrap_or(question.stall)),
            fault: if question.left.is_some() {
                &EngineFault::Late
            } else {
                &idle
            },
            is_over: question.is_over,
        };
        playing.ask(&asked, patience)
    }
}

impl fmt::Debug for DirectPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectPlayer")
            .field("seed", &self.seed())
            .finish_non_exhaustive()
    }
}

fn ask(
    make: &Make,
    bot: &mut Option<Box<dyn Bot>>,
    info: &MatchInfo,
    position: &str,
    budget: &Budget,
) -> Result<String, String> {
    let bot = match bot {
        Some(bot) => bot,
        none => none.insert(make(info)?),
    };
    bot.choose(position, budget)
        .map_err(|error| error_chain(&error))
}
