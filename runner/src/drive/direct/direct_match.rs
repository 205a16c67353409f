use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dragontooth_bots::session::thinking_time;
use dragontooth_bots::{Choice, MatchEnd, MatchInfo};
use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_runner_live::MatchFeed;
use dragontooth_runner_tournament::{Ending, Fault, FaultKind, MatchRules, Name};
use dragontooth_service_client::{MatchResignation, system_time};
use dragontooth_service_domain::{
    Command, Decided, DueDecision, MatchState, OfferedThinking, Rejection, create, decide, replay,
};
use dragontooth_service_store::{ChainHash, MatchLog, encode};
use dragontooth_service_vocabulary::{
    FailureText, IllegalActionLimit, InvalidText, MatchEvent, MatchId, NewMatch, PlayerId,
    PlayerName, Recorded, SeedText, Sequence, Termination, TimeControl, Timestamp, Title,
};
use uuid::Uuid;

use super::direct_player::{DirectPlayer, Failure, Question};
use crate::adjudicator::EarlyEnd;
use crate::drive::apply_event::Facts;
use crate::drive::match_progress::{End, MatchProgress};
use crate::openings::InvalidOpenings;
use crate::record::{Fingerprint, Origin, Played, ServiceKind};

/// Safety margin subtracted from the clock, because the thread may have to wait for others.
const THREAD_MARGIN: Duration = Duration::from_millis(10);

/// The smallest time that the clocks know.
const CLOCK_STEP: Duration = Duration::from_micros(1);

/// The settings of a match.
#[derive(Clone, Debug)]
pub(super) struct Setting<'a> {
    pub(super) id: Uuid,
    pub(super) title: String,
    pub(super) rules: MatchRules,
    /// True if it is played on after a call.
    pub(super) is_audited: bool,
    /// The seed of everything random in it.
    pub(super) seed: String,
    /// The actions from which it begins.
    pub(super) opening: Vec<String>,
    /// The bots' shares of it, by seat; `None` for the default.
    pub(super) shares: [Option<String>; 2],
    /// Number of illegal actions at one decision that loses the match. `None` means no limit.
    pub(super) illegal_actions: Option<IllegalActionLimit>,
    /// By seat.
    pub(super) time_controls: [Option<TimeControl>; 2],
    /// The bots' names, by seat.
    pub(super) names: [&'a Name; 2],
    /// Longest decision of an engine without a clock.
    pub(super) stall: Duration,
    /// The faults for which bots lose it without playing.
    pub(super) forfeits: Vec<Fault>,
    /// The way of its steps to the page of the event.
    pub(super) feed: Option<MatchFeed>,
}

/// The creator of the matches. No other caller exists.
const CREATOR: PlayerId = PlayerId::from_bytes([u8::MAX; 16]);

/// The reason why a match is not played to its end in this process.
#[derive(Debug, thiserror::Error)]
pub(super) enum DirectError {
    /// The domain refuses a command.
    #[error("a command was refused: {0}")]
    Refused(#[from] Rejection),
    /// Its opening cannot be played.
    #[error("the match cannot be created: {0}")]
    Opening(#[from] InvalidOpenings),
    /// A text is not fit for the log of a match.
    #[error("the match cannot be created: its {what}: {fault}")]
    Text {
        what: &'static str,
        fault: InvalidText,
    },
    /// The result is no longer wanted.
    #[error("the match was broken off")]
    BrokenOff,
}

/// A match of two bots in this process: the state that a service would keep, without a log.
pub(super) struct DirectMatch<'a> {
    id: MatchId,
    state: MatchState,
    /// The hash over the events so far.
    head: ChainHash,
    progress: MatchProgress,
    players: [DirectPlayer; 2],
    infos: [MatchInfo; 2],
    time_controls: [Option<TimeControl>; 2],
    now: &'a dyn Fn() -> Timestamp,
    /// Longest decision without a clock.
    stall: Duration,
    forfeits: Vec<Fault>,
    crash: Option<Fault>,
}

impl<'a> DirectMatch<'a> {
    /// Creates a match and seats its players, whose bots are `players`. The clock is `now`.
    pub(super) fn begin(
        setting: &Setting<'_>,
        mut players: [DirectPlayer; 2],
        now: &'a dyn Fn() -> Timestamp,
    ) -> Result<Self, DirectError> {
        let infos = Seat::BOTH.map(|seat| setting.info(seat));
        if setting.forfeits.is_empty() {
            for (player, info) in players.iter_mut().zip(&infos) {
                player.prepare(info);
            }
        }
        let text = |what| move |fault| DirectError::Text { what, fault };
        let rules = setting.rules;
        let new = NewMatch {
            variant: Some(rules.variant().to_owned()),
            time_controls: setting.time_controls,
            seed: Some(SeedText::new(&setting.seed).map_err(text("seed"))?.into()),
            title: Title::new(&setting.title).map_err(text("title"))?,
            reserved: Seat::BOTH.map(|seat| Some(player(seat))),
            illegal_action_limit: setting.illegal_actions,
            opening: setting.opening.clone(),
            ..NewMatch::new(rules.game(), rules.target())
        };
        let id = MatchId::from_bytes(*setting.id.as_bytes());
        let no_seed = Seed::from_bytes([0; Seed::BYTES]);
        let created = Recorded {
            sequence: Sequence(1),
            time: now(),
            event: create(&new, CREATOR, id, &no_seed)?,
        };
        let state = replay([&created])
            .ok()
            .flatten()
            .expect("what was just created can be replayed");
        let head = MatchLog::start(id).hash;
        let head = head.followed_by(&encode(created.time, &created.event));
        let mut progress = MatchProgress::new(EarlyEnd::new(rules, setting.is_audited));
        progress.show_on(setting.feed.clone(), setting.time_controls);
        progress.apply_event(created, Facts::default());
        let mut begun = Self {
            id,
            state,
            head,
            progress,
            players,
            infos,
            time_controls: setting.time_controls,
            now,
            stall: setting.stall,
            forfeits: setting.forfeits.clone(),
            crash: None,
        };
        if let [_, _] = begun.forfeits[..] {
            // Both bots forfeit.
            return Ok(begun);
        }
        for seat in Seat::BOTH {
            let name = PlayerName::new(setting.names[seat.index()].as_str());
            let share = setting.shares[seat.index()].as_deref();
            let share = share.map(SeedText::new).transpose();
            let join = Command::Join {
                player: player(seat),
                seat: Some(seat),
                name: name.map_err(text("player's name"))?.into(),
                seed: share.map_err(text("player's share of the seed"))?,
                request_id: None,
            };
            begun.obey(&join, now())?;
        }
        Ok(begun)
    }

    /// Plays it to its end, or until `stop` is set.
    pub(super) fn play(mut self, stop: &AtomicBool) -> Result<Played, DirectError> {
        if !self.forfeits.is_empty() {
            return self.carry_out();
        }
        while let Some(due) = self.state.due() {
            if stop.load(Ordering::Relaxed) {
                return Err(DirectError::BrokenOff);
            }
            if self.progress.is_spent() {
                self.progress.ended(End {
                    winner: None,
                    termination: Ending::Adjudicated,
                    failure: None,
                    time: system_time((self.now)()),
                });
                break;
            }
            self.have_decided(due, stop)?;
        }
        let mut played = self.played()?;
        for (player, seat) in self.players.iter_mut().zip(Seat::BOTH) {
            player.end(&MatchEnd {
                winner: played.winner,
                termination: played.termination.to_string(),
                score: played.score,
                since: self.state.history_since(seat),
            });
        }
        if played.termination == Ending::By(Termination::Resignation) {
            // The kind of an engine's fault is not in the events.
            match (&mut played.faults[..], self.crash) {
                ([told], Some(crash)) if told.kind == FaultKind::Crash => *told = crash,
                _ => {}
            }
        }
        Ok(played)
    }

    /// Ends the match before it is played: a disabled bot forfeits it, and if both are disabled it is
    /// aborted.
    fn carry_out(mut self) -> Result<Played, DirectError> {
        let forfeits = std::mem::take(&mut self.forfeits);
        let end = match &forfeits[..] {
            [only] => Command::Resign {
                player: player(only.seat),
                failure: None,
                request_id: None,
            },
            _ => Command::Abort {
                player: CREATOR,
                request_id: None,
            },
        };
        // The clock that runs from the start of the first game does not matter, even if it is up by now.
        let received = self.state.due().map_or_else(self.now, |due| due.since);
        self.obey(&end, received)?;
        let mut played = self.played()?;
        played.faults = forfeits;
        Ok(played)
    }

    /// The match as it was played.
    fn played(&self) -> Result<Played, DirectError> {
        let played = self.progress.played(self.id);
        let played = played.ok_or(DirectError::BrokenOff)?;
        let origin = Origin {
            service: ServiceKind::Direct,
            head_hash: Some(Fingerprint::from_bytes(*self.head.bytes())),
        };
        Ok(Played { origin, ..played })
    }

    /// Has the bot decide whose turn it is. One that takes too long loses by time, one that fails
    /// resigns.
    fn have_decided(&mut self, due: DueDecision, stop: &AtomicBool) -> Result<(), DirectError> {
        let chosen = self.choose(due, stop);
        if stop.load(Ordering::Relaxed) {
            return Err(DirectError::BrokenOff);
        }
        // One moment for all that follows: what is in time for the first command is so for the last.
        let received = (self.now)();
        if self.time_controls[due.seat.index()].is_some() {
            self.obey(&Command::CheckClock, received)?;
            if self.state.result().is_some() {
                return Ok(());
            }
        }
        let player = player(due.seat);
        let failure = match chosen {
            Ok(Choice::Action(action)) => {
                let thinking = self.players[due.seat.index()].take_thinking();
                let act = Command::Act {
                    player,
                    decision: due.decision,
                    action: action.clone(),
                    thinking: thinking.map(|thinking| {
                        Box::new(OfferedThinking {
                            seat: None,
                            thinking,
                        })
                    }),
                    request_id: None,
                };
                let Err(rejection) = self.obey(&act, received) else {
                    return Ok(());
                };
                if self.state.result().is_some() {
                    return Ok(());
                }
                let player = &self.players[due.seat.index()];
                Some(player.refused(&action, rejection.without_left().to_string()))
            }
            Ok(Choice::Resign) => None,
            Err(failure) => Some(failure),
        };
        let told = failure.as_ref().and_then(|failure| {
            let resignation = MatchResignation::by_failure(self.id, &failure.detail);
            FailureText::new(&resignation.failure?).ok()
        });
        self.crash = failure.map(|Failure { kind, detail }| Fault {
            seat: due.seat,
            kind,
            detail,
        });
        let resign = Command::Resign {
            player,
            failure: told,
            request_id: None,
        };
        Ok(self.obey(&resign, received)?)
    }

    fn choose(&mut self, due: DueDecision, stop: &AtomicBool) -> Result<Choice, Failure> {
        let play = self.state.play();
        let position = play.position().unwrap_or_default();
        let clocks = self.state.clocks();
        let allowance = clocks.allowance(due.seat);
        let used = (self.now)().since(due.since);
        let time = allowance.map(|left| {
            let stock = clocks.remaining(due.seat);
            thinking_time(
                self.time_controls[due.seat.index()],
                stock,
                left,
                THREAD_MARGIN,
            )
        });
        let clocks = Seat::BOTH.map(|seat| clocks.remaining(seat));
        let score = play.score();
        let rolled = play.rolled();
        let since = self.state.history_since(due.seat);
        let question = Question {
            position: &position,
            decision: due.decision,
            game_number: play.game_number(),
            ply: self.state.ply(),
            score: Seat::BOTH.map(|seat| score.of(seat)),
            roll: rolled.as_deref(),
            time,
            // Then it has run out indeed.
            left: allowance.map(|left| left.saturating_sub(used) + CLOCK_STEP),
            clocks: clocks.iter().any(Option::is_some).then_some(clocks),
            since: &since,
            stall: self.stall,
            is_over: &|| stop.load(Ordering::Relaxed),
        };
        let seat = due.seat.index();
        self.players[seat].choose(&self.infos[seat], &question)
    }

    /// Decides a command, received at that moment, and applies its events.
    fn obey(&mut self, command: &Command, received: Timestamp) -> Result<(), Rejection> {
        let (events, refused) = match decide(&self.state, command, received)? {
            Decided::Events(events) => (events, Ok(())),
            Decided::Answered(_) => return Ok(()),
            Decided::Refused { events, rejection } => (events, Err(rejection)),
        };
        let time = (self.now)();
        for event in events {
            let recorded = Recorded {
                sequence: self.state.head().next(),
                time,
                event,
            };
            self.state.evolve(&recorded);
            self.take(recorded);
        }
        refused
    }

    /// Reports an event that has happened to the bots that listen, and applies it to the progress of the match.
    fn take(&mut self, recorded: Recorded) {
        let payload = encode(recorded.time, &recorded.event);
        self.head = self.head.followed_by(&payload);
        let play = self.state.play();
        let score = || Seat::BOTH.map(|seat| play.score().of(seat));
        let mut facts = Facts::default();
        match &recorded.event {
            MatchEvent::GameEnded { .. } => facts.score = score(),
            MatchEvent::ActionRefused { action, .. } => {
                let refusal = self.state.refusal_of(action);
                facts.rule = refusal.and_then(|refusal| refusal.rule());
            }
            MatchEvent::Created(_)
            | MatchEvent::SeatJoined { .. }
            | MatchEvent::GameStarted { .. }
            | MatchEvent::ActionPlayed { .. }
            | MatchEvent::Rolled { .. }
            | MatchEvent::TurnPassed { .. }
            | MatchEvent::MatchEnded { .. } => {}
        }
        self.progress.apply_event(recorded, facts);
    }
}

impl Setting<'_> {
    fn info(&self, seat: Seat) -> MatchInfo {
        MatchInfo {
            id: self.id.to_string(),
            title: self.title.clone(),
            game: self.rules.game().to_owned(),
            variant: self.rules.variant().to_owned(),
            target: self.rules.target(),
            seat,
            time_controls: self.time_controls,
        }
    }
}

/// The player id of a seat. No other caller exists.
fn player(seat: Seat) -> PlayerId {
    PlayerId::from_bytes(match seat {
        Seat::First => [0; 16],
        Seat::Second => [1; 16],
    })
}

#[cfg(test)]
mod tests;
