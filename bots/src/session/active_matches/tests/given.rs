use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use dragontooth_games::Seat;
use dragontooth_games::match_play::Score;
use dragontooth_service_client::{Code, Reason, Refusal, SeatView};
use dragontooth_service_vocabulary::{
    EndReason, HistoryEvent, MatchOutcome, Sequence, Termination, TimeControl,
};

use super::super::*;
use crate::{Bot, BotError, Budget};

pub(super) const LIMIT: Duration = Duration::from_secs(2);

struct Idle;

impl Bot for Idle {
    fn choose(&mut self, position: &str, _: &Budget) -> Result<String, BotError> {
        Err(BotError::NothingToDecide(position.to_owned()))
    }
}

/// A session with a clock that moves only when the test moves it.
pub(super) struct Given {
    pub(super) table: ActiveMatches,
    pub(super) now: Instant,
    pub(super) wall: SystemTime,
}

pub(super) fn given(until: Until) -> Given {
    let (now, wall) = (Instant::now(), SystemTime::now());
    let options = SessionOptions {
        until,
        seed: 7,
        matches_at_once: 2,
        ..SessionOptions::default()
    };
    let mut given = Given {
        table: ActiveMatches::new(options, now, wall),
        now,
        wall,
    };
    given.table.connected(player());
    given.effects();
    given
}

pub(super) fn player() -> PlayerId {
    "00112233445566778899aabbccddeeff".parse().unwrap()
}

pub(super) fn id(number: u32) -> MatchId {
    format!("0190f5fe-7c3a-7d2e-9f5b-{number:012x}")
        .parse()
        .unwrap()
}

pub(super) fn at(sequence: u64) -> DecisionId {
    DecisionId::after(Sequence(sequence))
}

pub(super) fn view(number: u32, winner: Option<Seat>) -> MatchView {
    let ended = winner.is_some();
    let termination = Termination::Normal;
    MatchView {
        id: id(number),
        title: "demo".to_owned(),
        game: "kamisado".to_owned(),
        variant: "standard".to_owned(),
        target: 1,
        state: if ended { Stage::Ended } else { Stage::Active },
        seats: [SeatView::default(), SeatView::default()].map(|seat| SeatView {
            time_control: Some(TimeControl::PerAction { limit: LIMIT }),
            ..seat
        }),
        score: Score::default(),
        game_number: 1,
        position: None,
        to_act: None,
        decision_id: None,
        clocks: None,
        deadline: None,
        outcome: winner.map(|winner| MatchOutcome::new(Some(winner), termination)),
        head_sequence: Sequence::START,
        head_hash: String::new(),
        created: None,
        ended: None,
        creator: None,
        seed_commitment: String::new(),
        seed_given: true,
        server_seed: None,
        private: false,
        spectator_delay: None,
        disconnect_grace: None,
        forfeits: [None; 2],
        illegal_action_limit: None,
        join_deadline: None,
        opening: Vec::new(),
    }
}

pub(super) fn over(view: MatchView) -> Closed {
    Closed {
        view,
        since: History::default(),
    }
}

/// A history of passes with these sequences, without the first.
pub(super) fn passes(sequences: RangeInclusive<u64>) -> History {
    let mut history = History::default();
    for sequence in sequences.skip(1) {
        let seat = Seat::Second;
        history.push(Sequence(sequence), HistoryEvent::Pass { seat });
    }
    history
}

pub(super) fn refusal(reason: Reason, retry_after: Option<Duration>) -> ClientError {
    ClientError::Refused(Box::new(Refusal {
        code: Code::FailedPrecondition,
        reason,
        message: "no".to_owned(),
        metadata: BTreeMap::new(),
        fields: Vec::new(),
        retry_after,
    }))
}

impl Given {
    pub(super) fn effects(&mut self) -> Vec<String> {
        self.table.take_effects().iter().map(text).collect()
    }

    pub(super) fn invited(&mut self, number: u32) {
        self.table.invited(Invitation {
            view: view(number, None),
            seat: Seat::First,
        });
    }

    pub(super) fn bot_made(&mut self, number: u32) {
        self.table.bot_made(id(number), Some(Box::new(Idle)));
    }

    pub(super) fn open(&mut self, number: u32) {
        self.table.opened(Opened {
            view: view(number, None),
            seat: Seat::First,
        });
    }

    pub(super) fn decision(&mut self, number: u32, sequence: u64) {
        self.decision_since(number, sequence, sequence);
    }

    /// A decision with the passes after the event `since`.
    pub(super) fn decision_since(&mut self, number: u32, sequence: u64, since: u64) {
        let decision = Decision {
            since: passes(since..=sequence),
            match_id: id(number),
            id: at(sequence),
            seat: Seat::First,
            game_number: 1,
            ply: 0,
            position: "p".to_owned(),
            legal_actions: Vec::new(),
            offers: Vec::new(),
            roll: None,
            score: Score::default(),
            clocks: Some([Some(LIMIT); 2]),
            deadline: Some(self.wall + LIMIT),
            illegal_actions_left: None,
        };
        self.table.decision(decision, self.now);
    }

    pub(super) fn thought(&mut self, number: u32, sequence: u64, action: &str) {
        self.result(number, sequence, Ok(Choice::Action(action.to_owned())));
    }

    pub(super) fn failed(&mut self, number: u32, sequence: u64) {
        self.result(number, sequence, Err("no idea".to_owned()));
    }

    fn result(&mut self, number: u32, sequence: u64, result: Result<Choice, String>) {
        let thought = ThinkingResult {
            match_id: id(number),
            decision_id: at(sequence),
            result,
            bot: Some(Box::new(Idle)),
            thinking: None,
        };
        self.table.thought(thought, self.now);
    }

    pub(super) fn refused(&mut self, number: u32, sequence: Option<u64>, error: ClientError) {
        self.table.refused(RefusedRequest {
            match_id: Some(id(number)),
            decision_id: sequence.map(at),
            request_id: String::new(),
            error,
        });
    }

    pub(super) fn accepted(&mut self, number: u32, sequence: u64) {
        let accepted = AnswerAccepted {
            match_id: id(number),
            decision_id: at(sequence),
            sequence: Sequence(sequence + 1),
            action: String::new(),
            request_id: String::new(),
            refused_thinking: None,
        };
        self.table.accepted(&accepted, self.now);
    }

    pub(super) fn check(&mut self, expected: &[&str]) {
        assert_eq!(self.effects(), expected);
    }
}

/// An effect in short; a match by the last digit of its id.
fn text(effects: &Effect) -> String {
    let short = |id: &MatchId| id.to_string().pop().unwrap();
    match effects {
        Effect::Accept(id, _) => format!("accept {}", short(id)),
        Effect::Decline(id, reason) => {
            let reason = reason.as_ref().map_or("", EndReason::as_str);
            format!("decline {}: {reason}", short(id))
        }
        Effect::MakeBot(id, _) => format!("make {}", short(id)),
        Effect::Answer(answer) if answer.request_id.is_none() => {
            format!("probe {} {}", short(&answer.match_id), answer.decision_id)
        }
        Effect::Answer(answer) => {
            let id = short(&answer.match_id);
            let request = answer.request_id.as_ref().unwrap().as_str();
            let usual = format!("{}:{}", answer.match_id, answer.decision_id);
            let other = if request == usual { "" } else { ", renamed" };
            format!(
                "answer {id} {} {}{other}",
                answer.decision_id, answer.action
            )
        }
        Effect::Resign(resignation) => {
            let id = &resignation.match_id;
            let request = resignation.request_id.as_ref().unwrap();
            assert_eq!(request.as_str(), format!("{id}:resign"));
            match &resignation.failure {
                Some(failure) => format!("resign {}: {failure}", short(id)),
                None => format!("resign {}", short(id)),
            }
        }
        Effect::Ask(question) => {
            format!(
                "ask {} {}{}",
                short(&question.decision.match_id),
                question.decision.id,
                question.bot.as_ref().map_or("", |_| ", with bot")
            )
        }
        Effect::Check(id, Duration::ZERO) => format!("check {}", short(id)),
        // The pauses are random.
        Effect::Check(id, _) => format!("check {} later", short(id)),
        Effect::Retry(id, _) => format!("retry {}", short(id)),
        Effect::Tell(Notice::Opened(opened)) => format!("opened {}", short(&opened.view.id)),
        Effect::Tell(Notice::Closed { view, .. }) => format!("closed {}", short(&view.id)),
        Effect::Tell(Notice::BotFailed { match_id, .. }) => format!("failed {}", short(match_id)),
        Effect::Tell(Notice::Connected { .. }) => "connected".to_owned(),
        Effect::Tell(Notice::Disconnected { .. }) => "disconnected".to_owned(),
        Effect::Fail(error) => format!("fail: {error}"),
    }
}
