use std::time::Duration;

use dragontooth_games::MatchPlay;
use dragontooth_games::backgammon::Position as Backgammon;
use dragontooth_games::kamisado::Position as Kamisado;
use dragontooth_games::linja::Position as Linja;
use dragontooth_games::tzaar::Position as Tzaar;

use crate::backgammon::{CANDIDATES_MAX, Expectimax, GreedyBackgammon};
use crate::info::Settings;
use crate::kamisado::KamisadoEvaluation;
use crate::linja::LinjaEvaluation;
use crate::search::{DEPTH_MAX, Evaluation, SearchLimits};
use crate::tzaar::TzaarEvaluation;
use crate::{Bot, MatchInfo, PositionBot, TextBot};
use crate::{BotInfo, OptionInfo, Random, Searching};

/// The built-in bots, the weakest first.
pub const BOTS: &[BotInfo] = &[RANDOM, GREEDY, ALPHABETA, EXPECTIMAX];

/// The games of each bot: support for another game is a line here.
const LINES: &[Line] = &[
    Line::new::<Kamisado>(&RANDOM, |_, _| random::<Kamisado>()),
    Line::new::<Kamisado>(&GREEDY, |_, info| {
        greedy(KamisadoEvaluation::new(info.target))
    }),
    Line::new::<Kamisado>(&ALPHABETA, |settings, info| {
        alphabeta(settings, KamisadoEvaluation::new(info.target))
    }),
    Line::new::<Linja>(&RANDOM, |_, _| random::<Linja>()),
    Line::new::<Linja>(&GREEDY, |_, _| greedy(LinjaEvaluation::new())),
    Line::new::<Linja>(&ALPHABETA, |settings, _| {
        alphabeta(settings, LinjaEvaluation::new())
    }),
    Line::new::<Tzaar>(&RANDOM, |_, _| random::<Tzaar>()),
    Line::new::<Tzaar>(&GREEDY, |_, _| greedy(TzaarEvaluation::new())),
    Line::new::<Tzaar>(&ALPHABETA, |settings, _| {
        alphabeta(settings, TzaarEvaluation::new())
    }),
    Line::new::<Backgammon>(&RANDOM, |_, _| random::<Backgammon>()),
    Line::new::<Backgammon>(&GREEDY, |_, _| boxed(GreedyBackgammon)),
    Line::new::<Backgammon>(&EXPECTIMAX, |settings, _| expectimax(settings)),
];

const RANDOM: BotInfo = BotInfo {
    name: "random",
    summary: "plays a random legal action, each equally likely",
    options: &[SEED],
};
const GREEDY: BotInfo = BotInfo {
    name: "greedy",
    summary: "plays the action that leads to the best position by its evaluation",
    options: &[SEED],
};
const ALPHABETA: BotInfo = BotInfo {
    name: "alphabeta",
    summary: "searches as deep as its limits allow",
    options: &[SEED, NODES, DEPTH, TIME_MS, TABLE_MIB],
};
const EXPECTIMAX: BotInfo = BotInfo {
    name: "expectimax",
    summary: "evaluates its best plays one roll ahead, averaged over all rolls",
    options: &[SEED, CANDIDATES, TIME_MS],
};

/// Option of every bot.
pub(super) const SEED: OptionInfo = OptionInfo {
    name: "seed",
    summary: "seed of its random choices; 0 by default",
    min: 0,
    max: u64::MAX,
};
const NODES: OptionInfo = OptionInfo {
    name: "nodes",
    summary: "largest number of positions per decision; \
              by default 50000 without a depth and a time, otherwise no limit",
    min: 1,
    max: u64::MAX,
};
const DEPTH: OptionInfo = OptionInfo {
    name: "depth",
    summary: "largest search depth in plies; 100 by default",
    min: 1,
    max: DEPTH_MAX as u64,
};
const TIME_MS: OptionInfo = OptionInfo {
    name: "time_ms",
    summary: "largest time per decision in milliseconds; by default as the clock allows",
    min: 1,
    max: 86_400_000,
};
const CANDIDATES: OptionInfo = OptionInfo {
    name: "candidates",
    summary: "largest number of plays evaluated one roll ahead; 8 by default",
    min: 1,
    max: CANDIDATES_MAX as u64,
};
const CANDIDATES_DEFAULT: u64 = 8;
const TABLE_MIB: OptionInfo = OptionInfo {
    name: "table_mib",
    summary: "largest size of the transposition table in mebibytes, 0 for none; 16 by default",
    min: 0,
    max: 4096,
};
const TABLE_MIB_DEFAULT: u64 = 16;

/// The bot does not play the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no bot {bot} for the game {game:?}")]
pub struct MakeError {
    bot: &'static str,
    game: String,
}

/// Support of a bot for a game.
pub(super) struct Line {
    game: &'static str,
    bot: &'static str,
    make: fn(&Settings, &MatchInfo) -> Box<dyn Bot>,
}

impl BotInfo {
    /// The games that it plays, by their names in the catalogue.
    pub fn games(&self) -> impl Iterator<Item = &'static str> {
        let own = LINES.iter().filter(|line| line.bot == self.name);
        own.map(|line| line.game)
    }
}

impl Line {
    const fn new<P: MatchPlay>(
        bot: &BotInfo,
        make: fn(&Settings, &MatchInfo) -> Box<dyn Bot>,
    ) -> Self {
        Self {
            game: P::NAME,
            bot: bot.name,
            make,
        }
    }
}

pub(super) fn line(bot: &str, game: &str) -> Option<&'static Line> {
    LINES
        .iter()
        .find(|line| line.bot == bot && line.game == game)
}

pub(super) fn make(
    bot: &'static str,
    settings: &Settings,
    info: &MatchInfo,
) -> Result<Box<dyn Bot>, MakeError> {
    let line = line(bot, &info.game).ok_or_else(|| MakeError {
        bot,
        game: info.game.clone(),
    })?;
    Ok((line.make)(settings, info))
}

fn random<P: MatchPlay>() -> Box<dyn Bot> {
    boxed::<P>(Random)
}

fn greedy<P: MatchPlay>(evaluation: impl Evaluation<P> + 'static) -> Box<dyn Bot> {
    boxed(Searching::new(
        evaluation,
        SearchLimits {
            depth: 1,
            ..SearchLimits::NONE
        },
        0,
    ))
}

fn alphabeta<P: MatchPlay>(
    settings: &Settings,
    evaluation: impl Evaluation<P> + 'static,
) -> Box<dyn Bot> {
    let depth = settings
        .get(&DEPTH)
        .and_then(|depth| u8::try_from(depth).ok());
    let limits = SearchLimits {
        depth: depth.unwrap_or(DEPTH_MAX),
        nodes: settings.get(&NODES),
        time: settings.get(&TIME_MS).map(Duration::from_millis),
    };
    let table_bytes = settings.get(&TABLE_MIB).unwrap_or(TABLE_MIB_DEFAULT) << 20;
    boxed(Searching::new(
        evaluation,
        limits,
        usize::try_from(table_bytes).unwrap_or(usize::MAX),
    ))
}

fn expectimax(settings: &Settings) -> Box<dyn Bot> {
    let candidates = settings.get(&CANDIDATES).unwrap_or(CANDIDATES_DEFAULT);
    boxed(Expectimax::new(
        usize::try_from(candidates).unwrap_or(CANDIDATES_MAX),
        settings.get(&TIME_MS).map(Duration::from_millis),
    ))
}

fn boxed<P: MatchPlay>(engine: impl PositionBot<P> + 'static) -> Box<dyn Bot> {
    Box::new(TextBot::<P, _>::new(engine))
}
