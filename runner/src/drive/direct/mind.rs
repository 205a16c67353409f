use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::decision_seed;
use dragontooth_bots::{Bot, Budget, MatchInfo};
use dragontooth_service_client::{DecisionId, Sequence};
use dragontooth_service_domain as domain;

/// Makes a bot for a match, or tells why there is none.
type Make = Box<dyn Fn(&MatchInfo) -> Result<Box<dyn Bot>, String> + Send>;

/// A bot of a match in this process: made at its first decision, as a session makes it.
pub(super) struct Mind {
    seed: u64,
    make: Make,
    bot: Option<Box<dyn Bot>>,
}

impl Mind {
    /// A bot whose decisions' seeds follow from `seed`.
    pub(super) fn new(
        seed: u64,
        make: impl Fn(&MatchInfo) -> Result<Box<dyn Bot>, String> + Send + 'static,
    ) -> Self {
        Self {
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

    /// Has the bot choose an action; or tells how it failed.
    pub(super) fn choose(
        &mut self,
        info: &MatchInfo,
        position: &str,
        decision: domain::Sequence,
        time: Option<Duration>,
    ) -> Result<String, String> {
        let decision = DecisionId::after(Sequence::new(decision.0));
        let seed = decision_seed(self.seed, &info.title, info.seat, decision);
        let budget = Budget { time, seed };
        let chosen = catch_unwind(AssertUnwindSafe(|| self.ask(info, position, &budget)));
        chosen.unwrap_or_else(|_| Err("the bot panicked".to_owned()))
    }

    fn ask(&mut self, info: &MatchInfo, position: &str, budget: &Budget) -> Result<String, String> {
        let bot = match &mut self.bot {
            Some(bot) => bot,
            none => none.insert((self.make)(info)?),
        };
        bot.choose(position, budget)
            .map_err(|error| describe(&error))
    }
}

/// An error with its causes.
fn describe(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}
