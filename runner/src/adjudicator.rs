use dragontooth_bots::builtin::proof::proven_winner;
use dragontooth_games::Seat;
use dragontooth_games::catalogue;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::record::{MatchRecord, RecordStep, Thinking, ThinkingValue};
use dragontooth_runner_tournament::{Adjudication, Call, CallRule, Event, MatchRules};
use sha2::{Digest, Sha256};

/// The conditions under which the runner ends a match before its rules do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EarlyEnd {
    rules: MatchRules,
    is_audited: bool,
}

impl EarlyEnd {
    /// The conditions for a match by these rules that is played on after a call if it `is_audited`.
    pub(crate) const fn new(rules: MatchRules, is_audited: bool) -> Self {
        Self { rules, is_audited }
    }

    /// The conditions for the match of `event` with this title.
    pub(crate) fn of(event: &Event, title: &str) -> Self {
        let rules = event.rules();
        let audit = rules.adjudication().map_or(0, |terms| terms.audit);
        Self::new(rules, is_in_share(event.seed(), title, audit))
    }

    /// The actions after which it is drawn. `None` means no limit.
    pub(crate) const fn max_plies(&self) -> Option<u32> {
        self.rules.max_plies()
    }

    /// True if the match is played on after a call.
    pub(crate) const fn is_audited(&self) -> bool {
        self.is_audited
    }

    /// The judge of the match; `None` without adjudication.
    pub(crate) fn adjudicator(&self) -> Option<Adjudicator> {
        Adjudicator::new(&self.rules)
    }
}

/// Returns true if a match is one of this share, in millionths, of all titles.
fn is_in_share(seed: u64, title: &str, share: u32) -> bool {
    const DOMAIN: &str = "dragontooth.audit.v1";
    let hash = Sha256::digest(format!("{DOMAIN}\n{seed}\n{title}"));
    let (first, _) = hash.split_first_chunk::<8>().expect("it has 32 bytes");
    u128::from(u64::from_be_bytes(*first)) * 1_000_000 < u128::from(share) << 64
}

/// Follows a match, action by action, and makes at most one call. The same actions and thoughts always lead to the
/// same call.
#[derive(Clone, Debug)]
pub(crate) struct Adjudicator {
    terms: Adjudication,
    play: Box<dyn Match>,
    /// The values of the game, each with the seat that sent it.
    values: Vec<(Seat, ThinkingValue)>,
    /// The actions of the match, and of the game.
    plies: u32,
    game_plies: u32,
    call: Option<Call>,
}

impl Adjudicator {
    fn new(rules: &MatchRules) -> Option<Self> {
        let terms = rules.adjudication()?;
        let game = catalogue::find(rules.game()).expect("rules name a game of the catalogue");
        let play = game.new_match(Some(rules.variant()), rules.target());
        Some(Self {
            terms,
            play: play.expect("rules have a variant and a target of the game"),
            values: Vec::new(),
            plies: 0,
            game_plies: 0,
            call: None,
        })
    }

    /// The call, if one was made.
    pub(crate) const fn call(&self) -> Option<Call> {
        self.call
    }

    /// The call in a match that was recorded.
    pub(crate) fn call_in(mut self, record: &MatchRecord) -> Option<Call> {
        for game in &record.games {
            self.begin_game(&game.start);
            for (at, step) in game.steps.iter().enumerate() {
                self.take(step, game.thinking.get(&at));
            }
            self.end_game();
        }
        self.call
    }

    /// A game begins from a position.
    pub(crate) fn begin_game(&mut self, position: &str) {
        if self.call.is_some() {
            return;
        }
        let begun = self.play.begin_game(position);
        debug_assert_eq!(begun, Ok(()), "a game begins by the rules");
        self.values.clear();
        self.game_plies = 0;
    }

    /// The game is over.
    pub(crate) fn end_game(&mut self) {
        if let (None, Step::Score(_)) = (self.call, self.play.step()) {
            let scored = self.play.score_game();
            debug_assert_eq!(scored, Ok(()), "a game that is over can be scored");
        }
    }

    /// A step of the game, with the thoughts of the seat that took it.
    pub(crate) fn take(&mut self, step: &RecordStep, thinking: Option<&Thinking>) {
        if self.call.is_some() {
            return;
        }
        match step {
            RecordStep::Action { seat, action } => {
                let played = self.play.play(action).map(drop);
                debug_assert_eq!(played, Ok(()), "an action is played by the rules");
                self.plies += 1;
                self.game_plies += 1;
                if let Some(value) = thinking.and_then(|thinking| thinking.value) {
                    self.values.push((*seat, value));
                }
                self.call = self.judge();
            }
            RecordStep::Pass { .. } => {
                let passed = self.play.pass();
                debug_assert_eq!(passed, Ok(()), "a pass is due");
            }
            RecordStep::Roll { roll } => {
                let rolled = self.play.roll(roll).map(drop);
                debug_assert_eq!(rolled, Ok(()), "a roll is due");
            }
        }
    }

    /// The call after an action, if the match is not over.
    fn judge(&self) -> Option<Call> {
        let call = |(rule, winner, value)| Call {
            rule,
            winner,
            ply: self.plies,
            value,
        };
        let mut settled = self.play.clone();
        while let Step::Pass(_) = settled.step() {
            settled.pass().ok()?;
        }
        match settled.step() {
            Step::Decide(_) | Step::Chance => {}
            Step::Deal | Step::Pass(_) | Step::Score(_) | Step::Over { .. } => return None,
        }
        let proven = || {
            let nodes = self.terms.proof_nodes?;
            if !Seat::BOTH.into_iter().any(|seat| self.wins_match(seat)) {
                return None;
            }
            let side = proven_winner(self.play.game(), &settled.position()?, nodes.get())?;
            let is_winner = |seat: &Seat| self.play.side(*seat) == side;
            let winner = Seat::BOTH.into_iter().find(is_winner)?;
            Some((CallRule::Tables, Some(winner), None))
        };
        let valued = || {
            let (rule, winner, value) = self.terms.by_values(&self.values, self.game_plies)?;
            Some((rule, winner, Some(value)))
        };
        let decides =
            |(_, winner, _): &(CallRule, Option<Seat>, Option<ThinkingValue>)| match winner {
                Some(winner) => self.wins_match(*winner),
                None => self.play.score().leader().is_none(),
            };
        let found = proven()
            .filter(decides)
            .or_else(|| valued().filter(decides));
        found.map(call)
    }

    /// Returns true if the seat wins the match with the game in progress, whatever that brings.
    fn wins_match(&self, seat: Seat) -> bool {
        let score = self.play.score().of(seat);
        score + self.play.least_points() >= self.play.target().points()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_titles_is_audited_and_always_the_same() {
        let titles: Vec<String> = (0..20_000).map(|number| format!("cup/c{number}")).collect();
        let count = |seed, share| {
            let in_share = |title: &&String| is_in_share(seed, title, share);
            titles.iter().filter(in_share).count()
        };
        assert_eq!((count(7, 0), count(7, 1_000_000)), (0, 20_000));
        // Within five standard deviations.
        assert!(count(7, 100_000).abs_diff(2_000) < 215);
        assert!(count(7, 500_000).abs_diff(10_000) < 355);
        let both =
            |title: &&String| is_in_share(7, title, 100_000) && is_in_share(8, title, 100_000);
        assert!(titles.iter().filter(both).count().abs_diff(200) < 71);
        // A larger share has all matches of a smaller one.
        let grows =
            |title: &String| !is_in_share(7, title, 100_000) || is_in_share(7, title, 100_001);
        assert!(titles.iter().all(grows));
    }
}
