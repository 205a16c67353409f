use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::record::{GameRecord, RecordOutcome, RecordStep, Thinking};
use dragontooth_runner_live::MatchFeed;
use dragontooth_runner_report::LiveStep;
use dragontooth_runner_tournament::{Call, Ending, Fault, FaultKind, GameCounts};
use dragontooth_service_vocabulary::{MatchId, Termination, TimeControl, Timestamp};

use crate::adjudicator::{Adjudicator, EarlyEnd};
use crate::record::{Gameplay, Origin, Played};

/// The progress of a match, as far as its result and its record need it.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchProgress {
    /// The time of its creation.
    pub(super) started: Option<SystemTime>,
    /// The time of the last event: a decision that is due has been due since then.
    pub(super) last: Option<Timestamp>,
    joined: [bool; 2],
    score: [u32; 2],
    games: GameCounts,
    plies: u32,
    gameplay: Gameplay,
    /// The seat that gave illegal actions at the pending decision, and the last of them.
    refused: Option<(Seat, String)>,
    end: Option<End>,
    /// The actions after which it is drawn if it is not over.
    max_plies: Option<u32>,
    adjudicator: Option<Adjudicator>,
    /// True if it is played on after a call.
    is_audited: bool,
    /// True if a seat acted after that: what follows does not count.
    overrun: bool,
    /// The way of its steps to the page of the event.
    feed: Option<MatchFeed>,
}

/// The end of a match.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) winner: Option<Seat>,
    pub(super) termination: Ending,
    /// The reason that the resigning bot gave for its failure, if any.
    pub(super) failure: Option<String>,
    pub(super) time: SystemTime,
}

impl MatchProgress {
    /// A match that ends before its rules end it under these conditions.
    pub(super) fn new(early_end: EarlyEnd) -> Self {
        Self {
            max_plies: early_end.max_plies(),
            adjudicator: early_end.adjudicator(),
            is_audited: early_end.is_audited(),
            ..Self::default()
        }
    }

    /// From its beginning the match is shown on the page of the event, with clocks by these time controls of the seats.
    pub(super) fn show_on(
        &mut self,
        feed: Option<MatchFeed>,
        time_controls: [Option<TimeControl>; 2],
    ) {
        if let Some(feed) = &feed {
            feed.begin(time_controls);
        }
        self.feed = feed;
    }

    fn show(&self, step: impl FnOnce() -> LiveStep) {
        if let Some(feed) = &self.feed {
            feed.add(step());
        }
    }

    /// Returns true if the match has to be stopped: its result is called, or it has reached its limit of actions,
    /// and it is not over.
    pub(super) fn is_spent(&self) -> bool {
        self.has_all_plies() && self.end.is_none()
    }

    /// Returns true if no further action counts.
    fn has_all_plies(&self) -> bool {
        self.deciding_call().is_some() || self.max_plies.is_some_and(|most| self.plies >= most)
    }

    fn call(&self) -> Option<Call> {
        self.adjudicator.as_ref().and_then(Adjudicator::call)
    }

    /// The call by which the match ends.
    fn deciding_call(&self) -> Option<Call> {
        self.call().filter(|_| !self.is_audited)
    }

    /// A player has taken `seat` and adds `seed` to the random choices.
    pub(super) fn joined(&mut self, seat: Seat, seed: &str) {
        self.joined[seat.index()] = true;
        seed.clone_into(&mut self.gameplay.player_seeds[seat.index()]);
    }

    /// A game began from a position.
    pub(super) fn game_started(&mut self, position: String) {
        if self.overrun {
            return;
        }
        self.show(|| LiveStep::Game(position.clone()));
        if let Some(adjudicator) = &mut self.adjudicator {
            adjudicator.begin_game(&position);
        }
        self.gameplay.games.push(GameRecord {
            start: position,
            steps: Vec::new(),
            thinking: BTreeMap::new(),
            outcome: None,
        });
    }

    /// A seat played an action after thinking for `thought`, which left it `remaining` on its clock, and sent these thoughts.
    pub(super) fn acted(
        &mut self,
        seat: Seat,
        action: String,
        (thought, remaining): (Duration, Option<Duration>),
        thinking: Option<Box<Thinking>>,
    ) {
        if self.has_all_plies() {
            self.overrun = true;
            return;
        }
        self.plies += 1;
        self.refused = None;
        self.gameplay.thinking.push(thought);
        self.take(RecordStep::Action { seat, action }, remaining, thinking);
    }

    /// A seat gave an illegal action: either a rule forbids it or it is not an action of the game. Its
    /// decision is still due.
    pub(super) fn refused(&mut self, seat: Seat, action: &str, rule: Option<&str>) {
        let what = match rule {
            Some(rule) => format!("{action:?}, which rule {rule} forbids"),
            None => format!("{action:?}, which is no action of the game"),
        };
        self.refused = Some((seat, what));
    }

    /// Something else happened in a game.
    pub(super) fn step(&mut self, step: RecordStep) {
        if !self.overrun {
            self.take(step, None, None);
        }
    }

    fn take(
        &mut self,
        step: RecordStep,
        remaining: Option<Duration>,
        thinking: Option<Box<Thinking>>,
    ) {
        self.show(|| LiveStep::Step(step.clone(), remaining));
        if let Some(adjudicator) = &mut self.adjudicator {
            adjudicator.take(&step, thinking.as_deref());
        }
        if let Some(game) = self.gameplay.games.last_mut() {
            if let Some(thinking) = thinking {
                game.thinking.insert(game.steps.len(), *thinking);
            }
            game.steps.push(step);
        }
    }

    /// A game ended, and these are the points of the match.
    pub(super) fn game_ended(&mut self, outcome: RecordOutcome, score: [u32; 2]) {
        if self.overrun {
            return;
        }
        match outcome.winner {
            Some(seat) => self.games.won[seat.index()] += 1,
            None => self.games.drawn += 1,
        }
        self.score = score;
        if let Some(adjudicator) = &mut self.adjudicator {
            adjudicator.end_game();
        }
        self.show(|| LiveStep::Scored(score));
        if let Some(game) = self.gameplay.games.last_mut() {
            game.outcome = Some(outcome);
        }
    }

    /// The match ended. Once its result is called, that is its result, and with as many actions as it may have it is
    /// drawn, unless the last of them ended it by the rules: whatever came between that and its being broken off.
    pub(super) fn ended(&mut self, end: End) {
        let by_rules = end.termination == Ending::By(Termination::Normal) && !self.overrun;
        self.end = Some(if self.has_all_plies() && !by_rules {
            End {
                winner: self.deciding_call().and_then(|call| call.winner),
                termination: Ending::Adjudicated,
                failure: None,
                ..end
            }
        } else {
            end
        });
    }

    /// Returns true if the player of `seat` has taken it.
    pub(super) const fn has_joined(&self, seat: Seat) -> bool {
        self.joined[seat.index()]
    }

    /// Returns true if both seats are taken.
    pub(super) const fn is_full(&self) -> bool {
        self.joined[0] && self.joined[1]
    }

    /// The match as it was played, if it is over. Contains only those faults that the service shows to
    /// everyone.
    pub(super) fn played(&self, match_id: MatchId) -> Option<Played> {
        let end = self.end.as_ref()?;
        Some(Played {
            match_id,
            winner: end.winner,
            termination: end.termination,
            call: self.call(),
            score: self.score,
            games: self.games,
            plies: self.plies,
            faults: self.fault(end).into_iter().collect(),
            replays: 0,
            gameplay: self.gameplay.clone(),
            origin: Origin::default(),
            started: self.started.unwrap_or(end.time),
            ended: end.time,
        })
    }

    /// The loser's fault: its clock ran out, it gave illegal actions, or it reports a failure of its
    /// own.
    fn fault(&self, end: &End) -> Option<Fault> {
        let loser = end.winner?.other();
        let of_loser = self.refused.as_ref().filter(|(seat, _)| *seat == loser);
        let (kind, detail) = match (end.termination, of_loser) {
            (Ending::By(Termination::Timeout), _) => {
                (FaultKind::Time, "its clock ran out".to_owned())
            }
            (Ending::By(Termination::IllegalAction), _) => {
                let last = of_loser.map_or("unknown", |(_, what)| what);
                let detail = format!("too many illegal actions at one decision, the last {last}");
                (FaultKind::Illegal, detail)
            }
            (Ending::By(Termination::Resignation), Some((_, what))) => {
                let detail = match &end.failure {
                    // Adapters of engines give the action and the rule.
                    Some(failure) if failure.starts_with("it played ") => {
                        format!("it resigned after an illegal action: {failure}")
                    }
                    Some(failure) => {
                        format!("it resigned after its illegal action {what} ({failure})")
                    }
                    None => format!("it resigned after its illegal action {what}"),
                };
                (FaultKind::Illegal, detail)
            }
            (Ending::By(Termination::Resignation), None) => {
                (FaultKind::Crash, end.failure.clone()?)
            }
            (
                Ending::By(
                    Termination::Normal
                    | Termination::Aborted
                    | Termination::Disconnect
                    | Termination::Expired
                    | Termination::Declined,
                )
                | Ending::Adjudicated,
                _,
            ) => return None,
        };
        Some(Fault {
            seat: loser,
            kind,
            detail,
        })
    }
}
