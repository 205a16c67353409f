"""The effects of the service's messages, without a service."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import ANY

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from conftest import PATIENCE
from dragontooth import (
    ActionPlayed,
    Decision,
    ErrorReason,
    GameEnded,
    GameStarted,
    Refused,
    Rolled,
    Score,
    Summary,
    TurnPassed,
    Unreachable,
    thinking,
    wire,
)
from dragontooth.active_matches import ActiveMatches, Plan
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
from dragontooth.errors import CallError, CallFailed
from dragontooth.thinking import ThinkingPool
from dragontooth.v1 import game_service_pb2, match_pb2

MATCH = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b"
OTHER = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6c"
ME = "0" * 32
SECOND_NS = 10**9


def matches(plan: Plan | None = None) -> ActiveMatches:
    made = ActiveMatches(plan or Plan(), 0, 0)
    made.connected(ME)
    return made


def view() -> match_pb2.Match:
    """The match as the service tells it."""
    return match_pb2.Match(
        id=MATCH,
        game="kamisado",
        variant="standard",
        target=1,
        state=match_pb2.MATCH_STATE_ACTIVE,
        seats=[
            match_pb2.SeatInfo(seat=match_pb2.SEAT_FIRST, player_id=ME),
            match_pb2.SeatInfo(seat=match_pb2.SEAT_SECOND, player_id="1" * 32),
        ],
        game_number=1,
    )


def ended() -> match_pb2.Match:
    match = view()
    match.state = match_pb2.MATCH_STATE_ENDED
    match.outcome.winner = match_pb2.SEAT_FIRST
    match.outcome.termination = match_pb2.TERMINATION_NORMAL
    return match


def opened(match: match_pb2.Match | None = None) -> ActiveMatches:
    """A matches at which the match is played."""
    made = matches()
    made.opened(wire.match(match or view()), wire.SEATS[match_pb2.SEAT_FIRST])
    assert [type(effect) for effect in made.take_effects()] == [Open]
    return made


def decision(decision_id: int, game_number: int = 1) -> match_pb2.Decision:
    return match_pb2.Decision(
        match_id=MATCH,
        decision_id=decision_id,
        game_number=game_number,
        position="p",
        legal_actions=["a1a2"],
    )


def asked(made: ActiveMatches) -> Ask:
    (effect,) = made.take_effects()
    assert isinstance(effect, Ask)
    return effect


def refusal(reason: ErrorReason, wait: float | None = None) -> Refused:
    return Refused("CODE", reason, "no", wait=wait)


def answered(made: ActiveMatches, decision_id: int = 4) -> Answer:
    """Has the bot answer a decision."""
    made.decision(decision(decision_id), 0)
    made.chosen(asked(made).decision, "a1a2", SECOND_NS)
    (effect,) = made.take_effects()
    assert isinstance(effect, Answer)
    return effect


def refuse(made: ActiveMatches, answer: Answer, error: CallError) -> list[Effect]:
    made.refused(answer.match_id, answer.decision_id, answer.request_id, error)
    return made.take_effects()


def test_a_bot_gets_every_event_of_play_once() -> None:
    made = opened()

    def due(decision_id: int, since: range) -> None:
        message = decision(decision_id)
        for sequence in since:
            message.since.add(sequence=sequence, seat=match_pb2.SEAT_FIRST, action="a1a2")
        made.decision(message, 0)

    def sequences(question: Decision) -> list[int]:
        return [event.sequence for event in question.since]

    due(6, range(4, 7))
    first = asked(made).decision
    # Its player answers this decision and the next one elsewhere, while the bot thinks.
    due(8, range(7, 9))
    due(10, range(9, 11))
    made.chosen(first, "a1a2", SECOND_NS)
    second = asked(made).decision
    assert (sequences(first), sequences(second)) == ([4, 5, 6], [7, 8, 9, 10])
    # On the next stream the answer is sent again, and after it comes what the bot does not know.
    made.chosen(second, "a1a2", SECOND_NS)
    made.take_effects()
    made.connected(ME)
    made.take_effects()
    due(10, range(9, 11))
    (again,) = made.take_effects()
    assert isinstance(again, Answer)
    due(13, range(11, 14))
    assert sequences(asked(made).decision) == [11, 12, 13]


def test_events_of_play_are_read_with_their_kinds() -> None:
    first, second = match_pb2.SEAT_FIRST, match_pb2.SEAT_SECOND
    message = match_pb2.Decision()
    message.since.add(sequence=3).game_started.position = "p"
    message.since.add(sequence=4, roll="31")
    message.since.add(sequence=5, seat=first, action="8/5 6/5")
    message.since.add(sequence=6, seat=second, turn_passed=True)
    message.since.add(sequence=7)  # Of a kind that a later service has.
    ended = message.since.add(sequence=8).game_ended
    ended.outcome.winner, ended.outcome.points, ended.outcome.reason = first, 2, "gammon"
    ended.score.first = 2
    seats = wire.SEATS
    assert wire.history(message.since) == (
        GameStarted(3, 0, "p"),
        Rolled(4, "31"),
        ActionPlayed(5, seats[first], "8/5 6/5"),
        TurnPassed(6, seats[second]),
        GameEnded(8, seats[first], 2, "gammon", Score(2, 0)),
    )


def test_a_decision_is_asked_once_and_answered_the_same_way_again() -> None:
    made = opened()
    made.decision(decision(4), 0)
    question = asked(made)
    # On a new stream the bot still thinks.
    made.connected(ME)
    made.decision(decision(4), 0)
    assert made.take_effects() == [Check(MATCH, 0.0)]
    made.chosen(question.decision, "a1a2", 0)
    answer = Answer(MATCH, 4, "a1a2", f"{MATCH}:4")
    assert made.take_effects() == [answer]
    # Once more a new stream: the answer may not have arrived.
    made.connected(ME)
    made.decision(decision(4), 0)
    assert made.take_effects() == [Check(MATCH, 0.0), answer]


def test_what_a_bot_chooses_too_late_is_not_sent() -> None:
    made = opened()
    made.decision(decision(4), 0)
    first = asked(made).decision
    # Somebody else has answered with the same token.
    made.decision(decision(6), 0)
    assert made.take_effects() == []
    made.chosen(first, "a1a2", 0)
    second = asked(made).decision
    assert second.id == 6
    made.closed(wire.match(ended()))
    assert second.over
    made.take_effects()
    made.chosen(second, "a1a2", 0)
    assert made.take_effects() == []
    assert (made.summary.matches, made.summary.won, made.summary.lost) == (1, 1, 0)


def test_the_pauses_of_what_is_refused_grow_until_something_is_accepted() -> None:
    """A full or broken service must not get every request again several times a second."""
    made = opened()
    answer = answered(made)

    def pause(error: CallError) -> float:
        (effect,) = refuse(made, answer, error)
        assert isinstance(effect, Retry)
        return effect.pause

    for longest in (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10):
        assert longest / 2 <= pause(Unreachable("later")) <= longest
    accepted = game_service_pb2.PlayResponse.AnswerAccepted(match_id=MATCH, decision_id=4)
    made.accepted(accepted, SECOND_NS)
    assert 0.9 <= pause(refusal(ErrorReason.RATE_LIMITED, 0.9)) <= 0.95


def test_refusals_of_answers() -> None:
    made = opened()
    answer = answered(made)
    assert refuse(made, answer, refusal(ErrorReason.RATE_LIMITED, 0.5)) == [Retry(MATCH, ANY)]
    made.retry(MATCH, 0)
    assert made.take_effects() == [answer]
    assert refuse(made, answer, refusal(ErrorReason.STALE_DECISION)) == []
    assert refuse(made, answer, refusal(ErrorReason("MOON_TOO_FULL"))) == []
    error = refusal(ErrorReason.ILLEGAL_ACTION)
    (again,) = refuse(made, answer, error)
    assert again == Ask(asked_decision(again), error)
    made.chosen(asked_decision(again), "a1a3", 0)
    assert made.take_effects() == [Answer(MATCH, 4, "a1a3", f"{MATCH}:4:2")]
    # A refusal of the first try that comes once more says nothing of the second.
    assert refuse(made, answer, error) == []
    gone = refusal(ErrorReason.LOG_DAMAGED)
    made.refused(MATCH, 4, f"{MATCH}:4:2", gone)
    assert made.take_effects() == [Close(MATCH, None)]


def test_an_answer_whose_request_id_is_taken_gets_another_one() -> None:
    """Another run of the program may have used it, for an action that was refused."""
    taken = refusal(ErrorReason.REQUEST_ID_REUSED)
    made = opened()
    made.decision(decision(2**64 - 1), 0)
    due = asked(made).decision
    ids: list[str] = []
    # The bot's second try is named anew too.
    for _ in range(2):
        made.chosen(due, "a1a2", 0)
        (first,) = made.take_effects()
        assert isinstance(first, Answer)
        assert refuse(made, first, taken) == [Retry(MATCH, 0.0)]
        made.retry(MATCH, 0)
        (second,) = made.take_effects()
        assert isinstance(second, Answer)
        assert second == replace(first, request_id=second.request_id)
        ids += [first.request_id, second.request_id]
        # Not for ever.
        assert refuse(made, second, taken) == []
        (again,) = refuse(made, second, refusal(ErrorReason.ILLEGAL_ACTION))
        due = asked_decision(again)
    assert len(set(ids)) == 4
    assert all(len(request_id) <= 64 for request_id in ids)
    # Once there is a newer decision, the answer has come too late.
    made = opened()
    answer = answered(made)
    made.decision(decision(6), 0)
    made.take_effects()
    assert refuse(made, answer, taken) == []


def asked_decision(effect: Effect) -> Decision:
    assert isinstance(effect, Ask)
    return effect.decision


def test_a_bot_that_fails_resigns_until_the_match_is_over() -> None:
    made = opened()
    made.decision(decision(4), 0)
    made.take_effects()
    made.bot_failed(MATCH, "no idea")
    resign = Resign(MATCH, f"{MATCH}:resign", "no idea")
    assert made.take_effects() == [resign]
    # The opponent may be to move on the next stream.
    made.connected(ME)
    made.opened(wire.match(view()), wire.SEATS[match_pb2.SEAT_FIRST])
    assert made.take_effects() == [Check(MATCH, 0.0), resign]
    made.decision(decision(6), 0)
    assert made.take_effects() == []
    made.refused(MATCH, 0, resign.request_id, Unreachable("later"))
    assert made.take_effects() == [Retry(MATCH, ANY)]
    made.retry(MATCH, 0)
    assert made.take_effects() == [resign]
    assert made.summary.failures == 1


def test_no_more_matches_than_there_is_room_for() -> None:
    made = matches(Plan(matches_at_once=1))
    made.invited(OTHER, "c")
    made.invited(MATCH, "c")
    assert made.take_effects() == [Accept(OTHER, "c")]
    made.refused(OTHER, 0, "", refusal(ErrorReason.SEAT_TAKEN))
    assert made.take_effects() == [Accept(MATCH, "c")]


def test_an_invitation_whose_seat_cannot_be_taken_is_declined() -> None:
    """The inviter must not wait for a name that the service refuses."""
    made = matches(Plan(matches_at_once=1))
    made.invited(MATCH, "c")
    made.invited(OTHER, "c")
    made.take_effects()
    made.refused(MATCH, 0, "", refusal(ErrorReason.FIELD_INVALID))
    decline = Decline(MATCH, "this bot cannot take its seat: no (FIELD_INVALID)")
    assert made.take_effects() == [decline, Accept(OTHER, "c")]


def test_no_more_matches_than_are_wanted() -> None:
    made = matches(Plan(matches=1))
    made.invited(MATCH, "c")
    made.invited(OTHER, "c")
    assert made.take_effects() == [Accept(MATCH, "c")]
    made.opened(wire.match(view()), wire.SEATS[match_pb2.SEAT_FIRST])
    made.take_effects()
    made.closed(wire.match(ended()))
    assert made.is_done
    assert Accept(OTHER, "c") not in made.take_effects()


def test_reports_the_games_that_are_over() -> None:
    made = opened()
    answered(made)
    made.decision(decision(9, game_number=3), 0)
    effect = made.take_effects()
    assert [one.game_number for one in effect if isinstance(one, TellGame)] == [1, 2]
    assert isinstance(effect[-1], Ask)


def test_the_clock_is_the_service_s() -> None:
    """A decision that follows an answer has begun just now, whatever the local clock shows."""
    far = 10**6
    match = view()
    match.time_control.per_action.limit.seconds = 10
    made = opened(match)
    answer = answered(made)
    accepted = game_service_pb2.PlayResponse.AnswerAccepted(match_id=MATCH, decision_id=4)
    made.accepted(accepted, SECOND_NS + SECOND_NS // 10)
    assert answer.decision_id == 4
    message = decision(6)
    for seat in (match_pb2.SEAT_FIRST, match_pb2.SEAT_SECOND):
        message.clocks.add(seat=seat).remaining.seconds = 10
    message.deadline.CopyFrom(Timestamp(seconds=far + 10))
    made.decision(message, 2 * SECOND_NS)
    due = asked(made).decision
    assert due.deadline == 12
    # The last answer took 0.1 s.
    assert due.choose_by is not None
    assert round(due.choose_by, 3) == 12 - 0.1 - 0.05


def test_a_match_that_is_not_known_any_more() -> None:
    made = opened()
    made.connected(ME)
    assert made.take_effects() == [Check(MATCH, 0.0)]
    for passing in (Unreachable("later"), CallFailed("INTERNAL", "of a proxy")):
        made.checked(MATCH, passing)
        assert made.take_effects() == [Check(MATCH, ANY)]
    made.checked(MATCH, refusal(ErrorReason.MATCH_NOT_FOUND))
    assert made.take_effects() == [Close(MATCH, None)]


def probe(match_id: str) -> Answer:
    """The question if a match is over, for which a token needs no more than to play."""
    return Answer(match_id, 1, "?", "")


def test_matches_that_cannot_be_asked_for_are_played_on() -> None:
    # A token may allow to play and not to watch.
    denied = refusal(ErrorReason.SCOPE_MISSING)
    made = opened()
    made.connected(ME)
    made.checked(MATCH, denied)
    assert made.take_effects() == [Check(MATCH, 0.0), probe(MATCH)]
    assert refuse(made, probe(MATCH), Unreachable("later")) == [Check(MATCH, ANY)]
    assert refuse(made, probe(MATCH), refusal(ErrorReason.STALE_DECISION)) == []
    assert answered(made).decision_id == 4
    assert refuse(made, probe(MATCH), refusal(ErrorReason.MATCH_NOT_FOUND)) == [Close(MATCH, None)]
    assert made.summary.matches == 0


def test_a_match_that_ended_unheard_counts_once_without_a_result(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = opened()
    with caplog.at_level("INFO"):
        over = refuse(made, probe(MATCH), refusal(ErrorReason.MATCH_ENDED))
    assert over == [Close(MATCH, None)]
    (record,) = caplog.records
    text = f"match {MATCH} has ended; its result cannot be read without the scope watch"
    assert (record.levelname, record.message) == ("INFO", text)
    # The service may tell of the end meanwhile.
    made.closed(wire.match(ended()))
    assert refuse(made, probe(MATCH), refusal(ErrorReason.MATCH_ENDED)) == []
    assert made.summary == Summary(matches=1)


def test_a_session_of_one_match_ends_with_it_though_it_cannot_be_asked_for() -> None:
    for reason, is_over in ((ErrorReason.MATCH_ENDED, True), (ErrorReason.MATCH_NOT_FOUND, False)):
        made = matches(Plan(match_id=MATCH))
        assert made.take_effects() == [Check(MATCH, 0.0)]
        made.checked(MATCH, refusal(ErrorReason.SCOPE_MISSING))
        assert made.take_effects() == [probe(MATCH)]
        # It has not begun: what is asked about is due in no match.
        assert refuse(made, probe(MATCH), refusal(ErrorReason.MATCH_NOT_STARTED)) == []
        effects = refuse(made, probe(MATCH), refusal(reason))
        assert [type(effect) for effect in effects] == ([] if is_over else [Fail])
        assert (made.is_done, made.summary.matches) == (is_over, int(is_over))


def test_a_match_that_ended_unheard_is_one_of_those_to_play() -> None:
    made = matches(Plan(matches=1))
    made.opened(wire.match(view()), wire.SEATS[match_pb2.SEAT_FIRST])
    assert not made.is_done
    refuse(made, probe(MATCH), refusal(ErrorReason.MATCH_ENDED))
    assert made.is_done


def test_an_accepted_match_that_ended_unheard_leaves_its_place() -> None:
    first, second, third, fourth = (f"{MATCH[:-1]}{digit}" for digit in range(4))
    made = matches(Plan(matches_at_once=2))
    for match_id in (first, second, third, fourth):
        made.invited(match_id, "c")
    assert made.take_effects() == [Accept(first, "c"), Accept(second, "c")]
    made.connected(ME)
    for match_id in (third, fourth):
        made.invited(match_id, "c")
    assert made.take_effects() == [Check(first, 0.0), Check(second, 0.0)]
    for match_id in (first, second):
        made.checked(match_id, refusal(ErrorReason.SCOPE_MISSING))
    assert made.take_effects() == [probe(first), probe(second)]
    # The seat was taken before the match ended.
    over = refusal(ErrorReason.MATCH_ENDED)
    assert refuse(made, probe(first), over) == [Accept(third, "c")]
    # It was not: whether it still may be, its acceptance shows.
    no_seat = refusal(ErrorReason.NO_SEAT)
    assert refuse(made, probe(second), no_seat) == [Accept(second, "c")]
    made.refused(second, 0, "", over)
    assert made.take_effects() == [Accept(fourth, "c")]


def test_a_thread_that_does_not_come_back_is_replaced() -> None:
    begun, release = threading.Event(), threading.Event()
    never: list[int] = []

    def think_for_ever() -> str:
        begun.set()
        release.wait()
        return "late"

    async def work() -> list[object]:
        pool = ThinkingPool(1)
        results: asyncio.Queue[object] = asyncio.Queue()

        def done(result: object, failure: BaseException | None) -> None:
            results.put_nowait(failure or result)

        lost = pool.submit(think_for_ever, done)
        await asyncio.to_thread(begun.wait)
        dropped = pool.submit(lambda: never.append(1), done)
        pool.submit(lambda: "done", done)
        assert pool.disown(dropped)
        assert not pool.disown(lost)
        first = await asyncio.wait_for(results.get(), PATIENCE)
        release.set()
        second = await asyncio.wait_for(results.get(), PATIENCE)
        pool.close()
        return [first, second]

    assert asyncio.run(work()) == ["done", "late"]
    assert never == []


def test_no_thread_withholds_a_quick_result() -> None:
    slow = [threading.Event() for _ in range(3)]

    async def work() -> list[object]:
        pool = ThinkingPool(2)
        results: asyncio.Queue[object] = asyncio.Queue()

        def done(result: object, failure: BaseException | None) -> None:
            results.put_nowait(failure or result)

        # Both threads are there, and idle.
        for event in slow[:2]:
            pool.submit(event.wait, done)
        for event in slow[:2]:
            event.set()
            await asyncio.wait_for(results.get(), PATIENCE)
        pool.submit(lambda: "quick", done)
        pool.submit(slow[2].wait, done)
        first = await asyncio.wait_for(results.get(), PATIENCE)
        slow[2].set()
        second = await asyncio.wait_for(results.get(), PATIENCE)
        pool.close()
        return [first, second]

    assert asyncio.run(work()) == ["quick", True]


def test_quick_work_does_not_wait_for_slow_work() -> None:
    release = threading.Event()

    async def work() -> list[object]:
        pool = ThinkingPool(2)
        results: asyncio.Queue[object] = asyncio.Queue()

        def done(result: object, failure: BaseException | None) -> None:
            results.put_nowait(failure or result)

        # From here on the pool knows its work as quick, and does it on one thread.
        for _ in range(10):
            pool.submit(lambda: None, done)
            await asyncio.wait_for(results.get(), PATIENCE)
        pool.submit(release.wait, done)
        pool.submit(lambda: "quick", done)
        first = await asyncio.wait_for(results.get(), PATIENCE)
        release.set()
        second = await asyncio.wait_for(results.get(), PATIENCE)
        pool.close()
        return [first, second]

    assert asyncio.run(work()) == ["quick", True]


def test_a_single_thread_withholds_no_quick_result(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(thinking, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    release = threading.Event()

    async def work() -> list[object]:
        pool = ThinkingPool(1)
        results: asyncio.Queue[object] = asyncio.Queue()

        def done(result: object, failure: BaseException | None) -> None:
            results.put_nowait(failure or result)

        def slow() -> None:
            now[0] += 1.0

        # From here on the pool knows its work as slow.
        pool.submit(slow, done)
        await asyncio.wait_for(results.get(), PATIENCE)
        pool.submit(lambda: "quick", done)
        pool.submit(release.wait, done)
        first = await asyncio.wait_for(results.get(), PATIENCE)
        release.set()
        second = await asyncio.wait_for(results.get(), PATIENCE)
        pool.close()
        return [first, second]

    assert asyncio.run(work()) == ["quick", True]
