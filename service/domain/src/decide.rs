use dragontooth_games::chance::{Seed, SeededChance};
use dragontooth_games::match_play::{Match, PlayError, Step};
use dragontooth_games::{Seat, catalogue};

use crate::{
    Answer, Command, Created, Due, Event, MatchState, NewMatch, PlayerId, PlayerName, Rejection,
    RequestId, Sequence, Termination, Timestamp,
};

/// What a command leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// These events, in order. None: it is so already.
    Events(Vec<Event>),
    /// Nothing: the request was answered before, with this.
    Answered(Answer),
}

/// The first event of a new match.
///
/// # Errors
///
/// The catalogue has no such game, the game no such variant or target, or both seats are kept for
/// one player.
pub fn create(new: &NewMatch) -> Result<Event, Rejection> {
    let game = catalogue::find(&new.game).map_err(Rejection::UnknownGame)?;
    let play = game
        .new_match(new.variant.as_deref(), new.target)
        .map_err(Rejection::Setup)?;
    if new.reserved[0].is_some() && new.reserved[0] == new.reserved[1] {
        return Err(Rejection::BothSeats);
    }
    Ok(Event::Created(Box::new(Created {
        game: new.game.clone(),
        variant: play.variant().to_owned(),
        target: new.target,
        time_control: new.time_control,
        seed: new.seed.clone(),
        title: new.title.clone(),
        creator: new.creator,
        reserved: new.reserved,
        request_id: new.request_id.clone(),
    })))
}

/// What `command`, received at `now`, leads to in a match.
///
/// An action that comes after the deadline is refused only once [`Command::CheckClock`] has ended
/// the match: ask that first.
///
/// # Errors
///
/// Why the command is refused.
pub fn decide(state: &MatchState, command: &Command, now: Timestamp) -> Result<Decided, Rejection> {
    match command {
        Command::Join { player, seat, name } => join(state, *player, *seat, name),
        Command::Act {
            player,
            decision,
            action,
            request_id,
        } => {
            let act = Act {
                player: *player,
                decision: *decision,
                action,
            };
            play(state, &act, request_id.as_ref(), now)
        }
        Command::Resign { player, request_id } => resign(state, *player, request_id.as_ref()),
        Command::Abort { player, request_id } => abort(state, *player, request_id.as_ref()),
        Command::CheckClock => Ok(check_clock(state, now)),
    }
}

fn join(
    state: &MatchState,
    player: PlayerId,
    wanted: Option<Seat>,
    name: &PlayerName,
) -> Result<Decided, Rejection> {
    if let Some(held) = state.seat_of(player) {
        return if wanted.is_none_or(|seat| seat == held) {
            Ok(Decided::Events(Vec::new()))
        } else {
            Err(Rejection::OtherSeatHeld(held))
        };
    }
    if state.result().is_some() {
        return Err(Rejection::Ended);
    }
    let seat = free_seat(state, player, wanted)?;
    let mut events = vec![Event::SeatJoined {
        seat,
        player,
        name: name.clone(),
    }];
    if state.seated(seat.other()).is_some() {
        go_on(state, state.play_clone(), &mut events);
    }
    Ok(Decided::Events(events))
}

fn free_seat(
    state: &MatchState,
    player: PlayerId,
    wanted: Option<Seat>,
) -> Result<Seat, Rejection> {
    let keeper = |seat: Seat| state.created().reserved[seat.index()];
    let is_free = |seat: &Seat| state.seated(*seat).is_none();
    let may_take = |seat: &Seat| keeper(*seat).is_none_or(|kept_for| kept_for == player);
    if let Some(seat) = wanted {
        return if !is_free(&seat) {
            Err(Rejection::SeatTaken(seat))
        } else if may_take(&seat) {
            Ok(seat)
        } else {
            Err(Rejection::SeatReserved(seat))
        };
    }
    let kept = Seat::BOTH
        .into_iter()
        .find(|seat| keeper(*seat) == Some(player));
    let open = || {
        Seat::BOTH
            .into_iter()
            .find(|seat| is_free(seat) && may_take(seat))
    };
    kept.filter(is_free).or_else(open).ok_or_else(|| {
        if state.is_full() {
            Rejection::SeatsTaken
        } else {
            Rejection::SeatsReserved
        }
    })
}

struct Act<'a> {
    player: PlayerId,
    decision: Sequence,
    action: &'a str,
}

fn play(
    state: &MatchState,
    act: &Act<'_>,
    request_id: Option<&RequestId>,
    now: Timestamp,
) -> Result<Decided, Rejection> {
    let seat = state.seat_of(act.player).ok_or(Rejection::NoSeat)?;
    if let Some(answer) = state.requests().answer(Some(seat), request_id) {
        return repeat(answer, act);
    }
    let due = due(state)?;
    if act.decision != due.decision {
        return Err(Rejection::StaleDecision {
            named: act.decision,
            due: due.decision,
        });
    }
    if due.seat != seat {
        return Err(Rejection::NotYourTurn { due: due.decision });
    }
    let mut play = state.play_clone();
    let action = play.play(act.action).map_err(|error| match error {
        PlayError::UnreadableAction(why) => Rejection::UnreadableAction(why),
        PlayError::Illegal { rule, facts } => Rejection::IllegalAction { rule, facts },
        PlayError::UnreadablePosition(_) | PlayError::OutOfStep => {
            unreachable!("a decision is due only where the rules want one")
        }
    })?;
    let remaining = state.clocks().remaining_after(seat, now.since(due.since));
    let request_id = request_id.cloned();
    let mut events = vec![Event::ActionPlayed {
        seat,
        action,
        remaining,
        request_id,
    }];
    go_on(state, play, &mut events);
    Ok(Decided::Events(events))
}

fn due(state: &MatchState) -> Result<Due, Rejection> {
    if state.result().is_some() {
        return Err(Rejection::Ended);
    }
    state.due().ok_or(Rejection::NotStarted)
}

/// The answer to a request whose id is known: the first one again, if it is the same request.
fn repeat(answer: &Answer, act: &Act<'_>) -> Result<Decided, Rejection> {
    match answer {
        Answer::Acted {
            decision, action, ..
        } if *decision == act.decision && action == act.action => {
            Ok(Decided::Answered(answer.clone()))
        }
        Answer::Acted { .. } | Answer::Ended => Err(Rejection::RequestIdReused),
    }
}

fn resign(
    state: &MatchState,
    player: PlayerId,
    request_id: Option<&RequestId>,
) -> Result<Decided, Rejection> {
    let seat = state.seat_of(player).ok_or(Rejection::NoSeat)?;
    match state.requests().answer(Some(seat), request_id) {
        None => {}
        Some(answer @ Answer::Ended) => return Ok(Decided::Answered(answer.clone())),
        Some(Answer::Acted { .. }) => return Err(Rejection::RequestIdReused),
    }
    due(state)?;
    Ok(Decided::Events(vec![Event::MatchEnded {
        winner: Some(seat.other()),
        termination: Termination::Resignation,
        request_id: request_id.cloned(),
    }]))
}

fn abort(
    state: &MatchState,
    player: PlayerId,
    request_id: Option<&RequestId>,
) -> Result<Decided, Rejection> {
    let seat = state.seat_of(player);
    if state.created().creator != player && (seat.is_none() || state.ply() > 0) {
        return Err(Rejection::AbortDenied);
    }
    if let Some(answer) = state.requests().answer(None, request_id) {
        return Ok(Decided::Answered(answer.clone()));
    }
    if seat.is_some() && state.requests().answer(seat, request_id).is_some() {
        return Err(Rejection::RequestIdReused);
    }
    if state.result().is_some() {
        return Err(Rejection::Ended);
    }
    Ok(Decided::Events(vec![Event::MatchEnded {
        winner: None,
        termination: Termination::Aborted,
        request_id: request_id.cloned(),
    }]))
}

fn check_clock(state: &MatchState, now: Timestamp) -> Decided {
    let mut events = Vec::new();
    if let (Some(due), Some(deadline)) = (state.due(), state.deadline())
        && now > deadline
    {
        events.push(Event::MatchEnded {
            winner: Some(due.seat.other()),
            termination: Termination::Timeout,
            request_id: None,
        });
    }
    Decided::Events(events)
}

/// Plays all that follows without a decision: passes, scores, the start of the next game, the end.
fn go_on(state: &MatchState, mut play: Box<dyn Match>, events: &mut Vec<Event>) {
    let fits = "the step is the one that the match wants";
    loop {
        match play.step() {
            Step::Decide(_) => return,
            Step::Pass(seat) => {
                play.pass().expect(fits);
                events.push(Event::TurnPassed { seat });
            }
            Step::Score(outcome) => {
                play.score_game().expect(fits);
                events.push(Event::GameEnded {
                    winner: outcome.winner,
                    points: outcome.points,
                    reason: outcome.reason.to_owned(),
                });
            }
            Step::Deal => {
                let number = play.game_number() + 1;
                let position = play.deal(&mut deal_chance(state, number));
                play.begin_game(&position)
                    .expect("a position that was dealt can be read");
                events.push(Event::GameStarted { number, position });
            }
            Step::Over(outcome) => {
                events.push(Event::MatchEnded {
                    winner: outcome.winner,
                    termination: Termination::Normal,
                    request_id: None,
                });
                return;
            }
        }
    }
}

fn deal_chance(state: &MatchState, game_number: u32) -> SeededChance {
    SeededChance::for_deal(&Seed::from_text(state.created().seed.as_str()), game_number)
}
