"""The matches of a session: turns events into effects.

This module does no I/O: it receives events with their times and returns the effects. Times
are nanoseconds of the local monotonic clock.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass, field, replace
from functools import partial

from dragontooth import wire
from dragontooth.backoff import Backoff
from dragontooth.clock import SAFETY_MARGIN, RoundTrips, ServerClock, allowance, thinking_time
from dragontooth.effect import (
    Accept,
    Answer,
    Ask,
    Check,
    Close,
    Decline,
    Effect,
    Fail,
    Open,
    Resign,
    Retry,
    TellGame,
)
from dragontooth.errors import CallError, MatchUnavailable, Refused, is_passing
from dragontooth.model import (
    Decision,
    Match,
    MatchInfo,
    MatchState,
    Score,
    Seat,
    Summary,
    Termination,
    Times,
)
from dragontooth.reason import ErrorReason
from dragontooth.v1 import game_service_pb2, match_pb2

log = logging.getLogger("dragontooth")

#: Number of actions that a bot may try for one decision.
TRIES = 16
#: A decision that is never due: the first event of a match creates it. The refusal of an answer to
#: it says if a match that the token may not read is over.
NEVER_DUE = 1

#: Refusals of an answer that mean that the bot chose an impossible action.
BOT_FAILED = frozenset(
    {ErrorReason.ILLEGAL_ACTION, ErrorReason.ACTION_UNREADABLE, ErrorReason.FIELD_INVALID}
)
#: Refusals that mean that something else happened first.
OVERTAKEN = frozenset(
    {
        ErrorReason.STALE_DECISION,
        ErrorReason.NOT_YOUR_TURN,
        ErrorReason.MATCH_ENDED,
        ErrorReason.GAME_OVER,
        ErrorReason.REQUEST_ID_REUSED,
    }
)
#: Refusals that mean that the match can no longer be played.
GONE = frozenset({ErrorReason.MATCH_NOT_FOUND, ErrorReason.NO_SEAT, ErrorReason.LOG_DAMAGED})
#: Refusals of an answer that is never due that mean that nobody can play the match any more.
LOST = frozenset({ErrorReason.MATCH_NOT_FOUND, ErrorReason.LOG_DAMAGED})


@dataclass(frozen=True)
class Plan:
    """The settings of a session that concern its matches."""

    seed: int = 0
    #: Number of matches after which the session ends; None means never.
    matches: int | None = None
    #: The only match to play; None means all.
    match_id: str | None = None
    matches_at_once: int = 1024


@dataclass(eq=False)
class Played:
    """A match in progress."""

    info: MatchInfo
    #: The last game and score reported.
    game_number: int
    score: Score
    thinking: Decision | None = None
    #: A decision that came while the bot was thinking about another one.
    due: Decision | None = None
    answered: Decision | None = None
    answer: Answer | None = None
    sent_ns: int = 0
    tries: int = 0
    #: True if the answer has got another request id, because its first one was taken.
    renamed: bool = False
    #: The last decision that the bot was asked for.
    asked: int = 0
    #: The events after it. The decisions that wait share the list.
    unread: list[match_pb2.HistoryEvent] = field(default_factory=list)
    #: True if an answer was accepted on the open stream: the next decision has only just become
    #: due.
    fresh: bool = False
    #: True if the service has left out a thinking of the bot.
    thinking_refused: bool = False
    #: The resignation, once the bot has failed.
    resign: Resign | None = None

    def end(self) -> None:
        """Tells the bot that its answer is no longer wanted."""
        for decision in (self.thinking, self.due):
            if decision is not None:
                decision.wanted.over = True


class ActiveMatches:
    """The matches of a session."""

    def __init__(self, plan: Plan, now_ns: int, wall_ns: int) -> None:
        self.plan = plan
        self._summary = Summary()
        self._answers = 0
        self._player = ""
        self._matches: dict[str, Played] = {}
        #: Invitations that wait for a free place, with the commitments to their seeds.
        self._invited: dict[str, str] = {}
        #: Invitations that were accepted, until their match opens, with the same.
        self._accepted: dict[str, str] = {}
        #: Invitations that were declined, until their match is over.
        self._declined: dict[str, Decline] = {}
        self._awaited = plan.match_id
        #: The pauses of matches about which the service has refused something for now, until it
        #: accepts something.
        self._pauses: dict[str, Backoff] = {}
        self._clock = ServerClock(now_ns, wall_ns)
        self._trips = RoundTrips()
        self._effects: list[Effect] = []

    @property
    def summary(self) -> Summary:
        """The totals so far."""
        return replace(self._summary, answers=self._answers)

    @property
    def is_done(self) -> bool:
        """True if all matches of the plan are played."""
        if self.plan.match_id is not None:
            return self._awaited is None
        return self.plan.matches is not None and self._summary.matches >= self.plan.matches

    def take_effects(self) -> list[Effect]:
        """Returns and clears the pending effects, in order."""
        effects, self._effects = self._effects, []
        return effects

    def connected(self, player_id: str) -> None:
        """Handles a new stream, on which the service reports everything from the start."""
        self._player = player_id
        self._invited.clear()
        self._declined.clear()
        self._pauses.clear()
        for played in self._matches.values():
            played.fresh = False
        known = {*self._matches, *self._accepted}
        if self._awaited is not None:
            known.add(self._awaited)
        self._effects += [Check(match_id, 0.0) for match_id in sorted(known)]

    def invited(self, match_id: str, commitment: str) -> None:
        """Handles an invitation that the player wants."""
        if match_id in self._accepted:
            self._effects.append(Accept(match_id, commitment))
        else:
            self._invited[match_id] = commitment
            self._accept_more()

    def unwanted(self, match: MatchInfo) -> None:
        """Handles an invitation that the player does not want: its match must not wait.

        A session of one match leaves it to the player's next one.
        """
        if self.plan.match_id not in (None, match.id):
            return
        terms = f"{match.game} {match.variant} to {match.target}"
        reason = f"this bot does not accept these terms: {terms}"
        log.warning("match %s: declining an invitation: %s", match.id, reason)
        self._decline(match.id, reason)

    def opened(self, view: Match, seat: Seat) -> None:
        """Handles a match that opened. It may be known already."""
        self._invited.pop(view.id, None)
        self._accepted.pop(view.id, None)
        self._pauses.pop(view.id, None)
        if (played := self._matches.get(view.id)) is not None:
            if played.resign is not None:
                # It may have been lost with the last stream, and no decision need come.
                self._effects.append(played.resign)
        else:
            info = wire.match_info(view, seat)
            self._matches[view.id] = Played(info, max(1, view.game_number), view.score)
            log.info(
                "match %s opened: %s, %s seat, against %s",
                view.id,
                kind(view),
                seat.value,
                repr(info.opponent) if info.opponent else "an unnamed opponent",
            )
            self._effects.append(Open(info))

    def decision(self, message: match_pb2.Decision, now_ns: int) -> None:
        """Handles a decision that is due."""
        played = self._matches.get(message.match_id)
        if played is None:
            log.warning("match %s: decision for a match that was not opened", message.match_id)
            return
        if played.resign is not None:
            return
        decision_id = message.decision_id
        if played.thinking is not None and played.thinking.id == decision_id:
            return
        self._advance_game(played, message.game_number, wire.score(message.score))
        if played.answered is not None and played.answered.id == decision_id:
            self._answer_again(played, now_ns)
            return
        # Decisions come again, and some are overtaken before the bot is asked for them.
        last = played.unread[-1].sequence if played.unread else played.asked
        played.unread += [event for event in message.since if event.sequence > last]
        due = self._read(played, message, now_ns)
        if played.thinking is None:
            self._ask(played, due)
        else:
            played.due = due

    def chosen(
        self,
        decision: Decision,
        action: str,
        now_ns: int,
        thinking: match_pb2.Thinking | None = None,
    ) -> None:
        """Handles a choice of the bot. It is ignored if the match is over."""
        played = self._matches.get(decision.match.id)
        if played is None or played.thinking is not decision:
            return
        played.thinking = None
        if played.resign is not None:
            return
        if played.due is not None:
            due, played.due = played.due, None
            self._ask(played, due)
            return
        tries = f":{played.tries}" if played.tries > 1 else ""
        request_id = f"{played.info.id}:{decision.id}{tries}"
        played.answered, played.renamed = decision, False
        played.answer = Answer(played.info.id, decision.id, action, request_id, thinking)
        self._answer_again(played, now_ns)

    def bot_failed(self, match_id: str, failure: str) -> None:
        """Resigns a match whose bot did not choose, or chose an impossible action.

        It would fail again at the same decision, and the opponent should not have to wait for its
        clock.
        """
        played = self._matches.get(match_id)
        if played is None or played.resign is not None:
            return
        decision = played.thinking or played.answered
        where = f", decision {decision.id}: {decision.position}" if decision is not None else ""
        log.error("match %s: the bot failed and resigns: %s%s", match_id, failure, where)
        played.thinking = played.due = played.answered = played.answer = None
        played.resign = Resign(match_id, f"{match_id}:resign", failure)
        self._summary = replace(self._summary, failures=self._summary.failures + 1)
        self._effects.append(played.resign)

    def accepted(self, message: game_service_pb2.PlayResponse.AnswerAccepted, now_ns: int) -> None:
        """Handles an accepted answer."""
        played = self._matches.get(message.match_id)
        if played is None:
            return
        self._answers += 1
        self._pauses.pop(message.match_id, None)
        played.fresh = True
        if message.HasField("thinking_fault") and not played.thinking_refused:
            played.thinking_refused = True
            wire.log_thinking_fault(message.match_id, message.thinking_fault)
        if played.answered is not None and played.answered.id == message.decision_id:
            self._trips.add((now_ns - played.sent_ns) / 1e9)

    def refused(self, match_id: str, decision_id: int, request_id: str, error: CallError) -> None:
        """Handles a refused request; `decision_id` is 0 if it was not an answer."""
        if not match_id:
            log.error("the service refused a request without a match: %s", error)
        elif decision_id == NEVER_DUE:
            self._probed(match_id, error)
        elif error.is_transient:
            log.warning("match %s: refused for now: %s", match_id, error)
            self._effects.append(Retry(match_id, self._pause(match_id, error)))
        elif decision_id:
            played = self._matches.get(match_id)
            answer = played.answer if played is not None else None
            if played is not None and answer is not None and answer.request_id == request_id:
                self._answer_refused(played, error)
        elif match_id in self._accepted:
            del self._accepted[match_id]
            log.warning("match %s: cannot accept the invitation: %s", match_id, error)
            if reason_of(error) is ErrorReason.FIELD_INVALID:
                # The name or the share of the session is invalid, and the inviter must not wait.
                self._decline(match_id, f"this bot cannot take its seat: {error}")
            self._accept_more()
        elif self._declined.pop(match_id, None) is not None:
            log.warning("match %s: cannot decline the invitation: %s", match_id, error)
        elif reason_of(error) not in OVERTAKEN:
            log.error("match %s: cannot resign: %s", match_id, error)

    def retry(self, match_id: str, now_ns: int) -> None:
        """Retries a request that was refused transiently."""
        if match_id in self._accepted:
            self._effects.append(Accept(match_id, self._accepted[match_id]))
        elif match_id in self._declined:
            self._effects.append(self._declined[match_id])
        elif (played := self._matches.get(match_id)) is not None:
            if played.resign is not None:
                self._effects.append(played.resign)
            else:
                self._answer_again(played, now_ns)

    def checked(self, match_id: str, found: Match | CallError) -> None:
        """Handles the state of a match that was known before the stream was opened."""
        if isinstance(found, Match):
            self._pauses.pop(match_id, None)
            if found.state is MatchState.ENDED:
                self.closed(found)
        elif is_passing(found):
            self._check_later(match_id, found)
        elif reason_of(found) is ErrorReason.SCOPE_MISSING:
            log.info("match %s: the token may not read its state: %s", match_id, found)
            self._effects.append(Answer(match_id, NEVER_DUE, "?", ""))
        else:
            self._lost(match_id, found)

    def closed(self, view: Match) -> None:
        """Handles the end of a match."""
        played = self._matches.get(view.id)
        if not self._is_own(view.id):
            self._invited.pop(view.id, None)
            self._declined.pop(view.id, None)
            self._pauses.pop(view.id, None)
            return
        seat = played.info.seat if played is not None else view.seat_of(self._player)
        winner = view.outcome.winner if view.outcome is not None else None
        self._summary = replace(
            self._summary,
            matches=self._summary.matches + 1,
            won=self._summary.won + (winner is not None and winner is seat),
            lost=self._summary.lost + (winner is not None and winner is not seat),
        )
        if view.id == self._awaited:
            self._awaited = None
        log.info("%s", ended(view, seat))
        if played is not None:
            normal = view.outcome is not None and view.outcome.termination is Termination.NORMAL
            last = view.game_number + (1 if normal else 0)
            self._advance_game(played, last, view.score)
        self._forget(view.id, view)

    def end(self) -> None:
        """Handles the end of the session."""
        for played in self._matches.values():
            played.end()

    def heartbeat(self, server_ns: int, now_ns: int) -> None:
        """Handles the time of the service."""
        self._clock.observe(server_ns, now_ns)

    def _read(self, played: Played, message: match_pb2.Decision, now_ns: int) -> Decision:
        return Decision(
            match=played.info,
            id=message.decision_id,
            game_number=message.game_number,
            ply=message.ply,
            position=message.position,
            legal_actions=tuple(message.legal_actions),
            score=played.score,
            roll=message.roll,
            offers=tuple(message.offers),
            bot_seed=self.plan.seed,
            read_times=partial(self._times, played.info, message, played.fresh, now_ns),
            read_since=partial(wire.history, played.unread),
        )

    def _times(
        self, info: MatchInfo, message: match_pb2.Decision, fresh: bool, now_ns: int
    ) -> Times:
        """Reads the times of a decision that came at `now_ns`. Called from any thread."""
        clocks = wire.clocks(message)
        if not message.HasField("deadline"):
            return Times(clocks)
        deadline_ns = wire.nanoseconds(message.deadline)
        stock = clocks.of(info.seat) if clocks is not None else None
        whole = None if stock is None else allowance(info.time_control, stock)
        if fresh and whole is not None:
            self._clock.observe(deadline_ns - round(whole * 1e9), now_ns)
        if whole is None:
            left = self._clock.until(deadline_ns, now_ns)
        else:
            left = self._clock.left(deadline_ns, whole, now_ns)
        kept = SAFETY_MARGIN + self._trips.longest
        budget = thinking_time(info.time_control, stock, left, kept)
        return Times(clocks, now_ns / 1e9 + left, now_ns / 1e9 + budget)

    def _ask(self, played: Played, decision: Decision) -> None:
        played.thinking = decision
        played.tries = 1
        played.asked, played.unread = decision.id, []
        self._effects.append(Ask(decision))

    def _answer_again(self, played: Played, now_ns: int) -> None:
        if played.answer is not None:
            played.sent_ns = now_ns
            self._effects.append(played.answer)

    def _answer_refused(self, played: Played, error: CallError) -> None:
        match_id = played.info.id
        reason = reason_of(error)
        if reason in BOT_FAILED and isinstance(error, Refused) and played.answered is not None:
            decision, answer = played.answered, played.answer
            action = answer.action if answer is not None else ""
            log.warning("match %s: the action %r was refused: %s", match_id, action, error)
            if played.tries >= TRIES:
                self.bot_failed(match_id, f"{TRIES} actions for one decision were refused")
                return
            played.tries += 1
            played.thinking, played.answered, played.answer = decision, None, None
            self._effects.append(Ask(decision, error))
        elif (
            reason is ErrorReason.REQUEST_ID_REUSED
            and played.answer is not None
            and played.thinking is None
            and not played.renamed
        ):
            # This player has answered the decision before, as another run of the program, with
            # another action. If that was refused, the decision is still due.
            log.info("match %s: answering again with another request id: %s", match_id, error)
            request_id = f"{match_id}:{secrets.token_hex(8)}"
            played.answer = replace(played.answer, request_id=request_id)
            played.renamed = True
            self._effects.append(Retry(match_id, 0.0))
        elif reason in OVERTAKEN:
            log.info("match %s: an answer came too late: %s", match_id, error)
        elif reason in GONE:
            log.error("match %s is gone: %s", match_id, error)
            self._forget(match_id, None)
        else:
            log.error("match %s: an answer was refused: %s", match_id, error)

    def _probed(self, match_id: str, error: CallError) -> None:
        """Handles the refusal of an answer that is never due."""
        reason = reason_of(error)
        if reason is ErrorReason.MATCH_ENDED:
            self._ended_unread(match_id)
        elif reason in LOST:
            self._lost(match_id, error)
        elif reason is ErrorReason.NO_SEAT and match_id in self._accepted:
            # The acceptance was lost with its stream. If the match is over, it is refused.
            self._effects.append(Accept(match_id, self._accepted[match_id]))
        elif error.is_transient:
            self._check_later(match_id, error)

    def _is_own(self, match_id: str) -> bool:
        """Returns True if the session plays the match, or is to play it."""
        return match_id in self._matches or match_id in self._accepted or match_id == self._awaited

    def _ended_unread(self, match_id: str) -> None:
        """Handles the end of a match whose result the token may not read."""
        if not self._is_own(match_id):
            return
        self._summary = replace(self._summary, matches=self._summary.matches + 1)
        if match_id == self._awaited:
            self._awaited = None
        log.info("match %s has ended; its result cannot be read without the scope watch", match_id)
        self._forget(match_id, None)

    def _check_later(self, match_id: str, error: CallError) -> None:
        self._effects.append(Check(match_id, self._pause(match_id, error)))

    def _pause(self, match_id: str, error: CallError) -> float:
        """Returns the pause before what was refused for now is tried again."""
        return self._pauses.setdefault(match_id, Backoff()).pause(error.retry_after)

    def _lost(self, match_id: str, error: CallError) -> None:
        """Handles a match that can no longer be played."""
        if match_id == self._awaited:
            self._effects.append(Fail(MatchUnavailable(match_id, error)))
        else:
            log.error("match %s is gone: %s", match_id, error)
            self._forget(match_id, None)

    def _advance_game(self, played: Played, game_number: int, score: Score) -> None:
        """Reports the games before `game_number` as over."""
        for number in range(played.game_number, game_number):
            known = score if number == game_number - 1 else played.score
            self._effects.append(TellGame(played.info, number, known))
        played.game_number, played.score = max(played.game_number, game_number), score

    def _forget(self, match_id: str, result: Match | None) -> None:
        played = self._matches.pop(match_id, None)
        self._accepted.pop(match_id, None)
        self._invited.pop(match_id, None)
        self._pauses.pop(match_id, None)
        if played is not None:
            played.end()
            self._effects.append(Close(match_id, result))
        self._accept_more()

    def _accept_more(self) -> None:
        allowed = set(self._invited)
        if self.plan.match_id is not None:
            allowed &= {self.plan.match_id}
        for match_id in sorted(allowed):
            if not self._has_room():
                return
            self._accepted[match_id] = self._invited.pop(match_id)
            self._effects.append(Accept(match_id, self._accepted[match_id]))

    def _decline(self, match_id: str, reason: str) -> None:
        self._declined[match_id] = Decline(match_id, reason)
        self._effects.append(self._declined[match_id])

    def _has_room(self) -> bool:
        busy = len(self._matches) + len(self._accepted)
        if self.plan.matches is not None and self._summary.matches + busy >= self.plan.matches:
            return False
        return busy < self.plan.matches_at_once


def reason_of(error: CallError) -> ErrorReason | None:
    """Returns the reason of a refusal, or None for an error of another kind."""
    return error.reason if isinstance(error, Refused) else None


def kind(view: Match) -> str:
    """Describes the game of a match as text."""
    points = "point" if view.target == 1 else "points"
    return f"{view.game} {view.variant} to {view.target} {points}"


def ended(view: Match, seat: Seat | None) -> str:
    """Describes the end of a match as text; the player's points come first."""
    own = seat or Seat.FIRST
    score = f"{view.score.of(own)}-{view.score.of(own.other)}"
    if view.outcome is None:
        return f"match {view.id} ended: {score}"
    winner = view.outcome.winner
    result = "no winner" if winner is None else "won" if winner is seat else "lost"
    return f"match {view.id} ended: {result} {score} ({view.outcome.termination.value})"
