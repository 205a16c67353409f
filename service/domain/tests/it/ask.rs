//! What may be asked of a match, drawn without knowing the match.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, MatchState};
use dragontooth_service_vocabulary::{
    IllegalActionLimit, NewMatch, PlayerId, TimeControl, Timestamp,
};
use proptest::prelude::*;

use crate::people::{
    ANN, BOB, EVE, HOST, OPERATOR, abort, abort_as_operator, act, decline, grace, join, new_match,
    resign,
};

/// How long nothing happens.
#[derive(Clone, Debug)]
pub(crate) enum Wait {
    /// So many thousandths of the time that is left for the decision.
    Part(u32),
    /// To the deadline.
    Whole,
    /// A microsecond more.
    TooLong,
}

/// A command, as far as it can be told without the match.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    Act {
        player: Who,
        decision: Which,
        action: What,
        id: usize,
    },
    Join(PlayerId, Option<Seat>),
    Resign(PlayerId, usize),
    Abort(PlayerId, usize),
    AbortAsOperator(usize),
    Decline(PlayerId, usize),
    CheckClock,
    EndGrace(Seat, bool),
    /// Repeats the command this many places before.
    Again(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Who {
    Due,
    Player(PlayerId),
}

#[derive(Clone, Debug)]
pub(crate) enum Which {
    Due,
    Earlier(u64),
    Later,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    Legal(usize),
    Text(&'static str),
}

impl Wait {
    /// When it ends, in a match in which it is `now`.
    pub(crate) fn end(&self, state: &MatchState, now: Timestamp) -> Timestamp {
        let (Some(due), Some(deadline)) = (state.due(), state.deadline()) else {
            return now;
        };
        match self {
            Self::Part(part) => {
                let micros = deadline.since(due.since).as_micros() * u128::from(*part) / 1_000;
                due.since
                    .after(Duration::from_micros(u64::try_from(micros).unwrap()))
            }
            Self::Whole => deadline,
            Self::TooLong => deadline.after(Duration::from_micros(1)),
        }
    }
}

impl Ask {
    /// The command that it is in a match in which these have been given before.
    pub(crate) fn command(&self, state: &MatchState, before: &[Command]) -> Command {
        match self {
            Self::Act {
                player,
                decision,
                action,
                id,
            } => {
                let due = state.due();
                let due_player = due
                    .and_then(|due| state.seated(due.seat))
                    .map(|seated| seated.player);
                let player = match player {
                    Who::Due => due_player.unwrap_or(ANN),
                    Who::Player(player) => *player,
                };
                let due = due.map_or(1, |due| due.decision.0);
                let decision = match decision {
                    Which::Due => due,
                    Which::Earlier(by) => due.saturating_sub(*by),
                    Which::Later => due + 1,
                };
                let legal = state.play().legal_actions();
                let action = match action {
                    What::Legal(index) if !legal.is_empty() => &legal[index % legal.len()],
                    What::Legal(_) => "a1a2",
                    What::Text(text) => *text,
                };
                act(player, decision, action, &id_of(*id))
            }
            Self::Join(player, seat) => join(*player, *seat),
            Self::Resign(player, id) => resign(*player, &id_of(*id)),
            Self::Abort(player, id) => abort(*player, &id_of(*id)),
            Self::AbortAsOperator(id) => abort_as_operator(OPERATOR, "it hangs", &id_of(*id)),
            Self::Decline(player, id) => decline(*player, "", &id_of(*id)),
            Self::Again(back) => before
                .iter()
                .rev()
                .nth(*back)
                .cloned()
                .unwrap_or(Command::CheckClock),
            Self::CheckClock => Command::CheckClock,
            Self::EndGrace(seat, opponent_away) => Command::EndGrace {
                seat: *seat,
                opponent_away: *opponent_away,
            },
        }
    }
}

fn id_of(number: usize) -> String {
    if number == 0 {
        String::new()
    } else {
        number.to_string()
    }
}

pub(crate) fn waits() -> impl Strategy<Value = Wait> {
    prop_oneof![
        20 => (0..200_u32).prop_map(Wait::Part),
        4 => (0..1_000_u32).prop_map(Wait::Part),
        1 => Just(Wait::Whole),
        1 => Just(Wait::TooLong),
    ]
}

pub(crate) fn asks() -> impl Strategy<Value = Ask> {
    prop_oneof![
        120 => good_acts(),
        20 => any_acts(),
        16 => (0..20_usize).prop_map(Ask::Again),
        8 => (players(), seats()).prop_map(|(player, seat)| Ask::Join(player, seat)),
        8 => Just(Ask::CheckClock),
        1 => (prop::sample::select(Seat::BOTH.to_vec()), any::<bool>())
            .prop_map(|(seat, both)| Ask::EndGrace(seat, both)),
        1 => (players(), ids()).prop_map(|(player, id)| Ask::Resign(player, id)),
        1 => (players(), ids()).prop_map(|(player, id)| Ask::Abort(player, id)),
        1 => ids().prop_map(Ask::AbortAsOperator),
        1 => (players(), ids()).prop_map(|(player, id)| Ask::Decline(player, id)),
    ]
}

fn good_acts() -> impl Strategy<Value = Ask> {
    (any::<usize>(), ids()).prop_map(|(index, id)| Ask::Act {
        player: Who::Due,
        decision: Which::Due,
        action: What::Legal(index),
        id,
    })
}

fn any_acts() -> impl Strategy<Value = Ask> {
    let who = prop_oneof![3 => Just(Who::Due), 2 => players().prop_map(Who::Player)];
    let which = prop_oneof![
        4 => Just(Which::Due),
        1 => (1..5_u64).prop_map(Which::Earlier),
        1 => Just(Which::Later),
    ];
    let texts = [
        "", "a1", "a1a1", "h8h1", "left", "right", "pass", "a1a9", "🐉",
    ];
    let what = prop_oneof![
        3 => any::<usize>().prop_map(What::Legal),
        2 => prop::sample::select(texts.to_vec()).prop_map(What::Text),
    ];
    (who, which, what, ids()).prop_map(|(player, decision, action, id)| Ask::Act {
        player,
        decision,
        action,
        id,
    })
}

/// Ids of requests: 0 for none, and few enough to meet again.
fn ids() -> impl Strategy<Value = usize> {
    prop_oneof![4 => Just(0_usize), 6 => 1..25_usize]
}

pub(crate) fn creators() -> impl Strategy<Value = PlayerId> {
    prop::sample::select(vec![HOST, ANN, BOB])
}

fn players() -> impl Strategy<Value = PlayerId> {
    prop::sample::select(vec![ANN, BOB, EVE, HOST])
}

fn seats() -> impl Strategy<Value = Option<Seat>> {
    prop::sample::select(vec![None, Some(Seat::First), Some(Seat::Second)])
}

pub(crate) fn new_matches() -> impl Strategy<Value = NewMatch> {
    let variant = prop::sample::select(vec!["standard", "random"]);
    let target = prop::sample::select(vec![1, 3, 7, 15]);
    let reserved = prop::sample::select(vec![
        [None, None],
        [Some(ANN), None],
        [None, Some(BOB)],
        [Some(ANN), Some(BOB)],
    ]);
    let limits = prop::sample::select(vec![
        None,
        IllegalActionLimit::new(1).ok(),
        IllegalActionLimit::new(3).ok(),
    ]);
    let graces = prop::sample::select(vec![None, Some(grace(10))]);
    (
        variant,
        target,
        [controls(), controls()],
        reserved,
        graces,
        limits,
    )
        .prop_map(
            |(variant, target, time_controls, reserved, disconnect_grace, limit)| NewMatch {
                variant: Some(variant.to_owned()),
                target,
                time_controls,
                reserved,
                disconnect_grace,
                illegal_action_limit: limit,
                ..new_match()
            },
        )
}

fn controls() -> impl Strategy<Value = Option<TimeControl>> {
    let (base, extra) = (Duration::from_mins(1), Duration::from_secs(2));
    prop::option::of(prop::sample::select(vec![
        TimeControl::PerAction { limit: extra },
        TimeControl::Fischer {
            base,
            increment: extra,
        },
        TimeControl::Fischer {
            base,
            increment: Duration::ZERO,
        },
        TimeControl::Delay { base, delay: extra },
    ]))
}
