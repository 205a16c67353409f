"""The end of a session, and what its bots still do then."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from conftest import PATIENCE, Pairing, Service, play, play_on_threads
from dragontooth import (
    Bot,
    Client,
    Decision,
    Match,
    MatchInfo,
    Session,
    Summary,
    Termination,
    player,
    session,
)
from dragontooth.examples.random_bot import RandomBot

ABANDONED = "match %s: the bot takes too long to handle the end; it is not waited for"

Playing = Callable[..., list[Summary]]


@pytest.mark.parametrize("playing", [play, play_on_threads])
def test_a_search_ends_with_its_session(shared_service: Service, playing: Playing) -> None:
    ended, given_up = threading.Event(), threading.Event()
    due: list[int] = []

    class Searches(Bot):
        def choose(self, decision: Decision) -> str:
            due.append(decision.id)
            stopped.stop()
            while not (decision.over or given_up.is_set()):
                pass
            ended.set()
            return decision.legal_actions[0]

    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")
    with Client(pairing.second) as client:
        client.join_match(match.id)
    stopped = Session(Searches, pairing.first)
    playing(stopped)
    is_over = ended.wait(PATIENCE)
    given_up.set()
    assert is_over
    # What it then chose is not played.
    with Client(pairing.second) as client:
        assert [client.decision(match.id).decision_id] == due


@pytest.mark.parametrize("is_session_first", [True, False])
def test_a_bot_that_is_cancelled_with_its_session_has_not_failed(
    shared_service: Service, caplog: pytest.LogCaptureFixture, is_session_first: bool
) -> None:
    """As `asyncio.run` of Python 3.10 cancels all tasks after SIGINT, in any order."""

    class Waits(Bot):
        async def choose(self, decision: Decision) -> str:
            asked.set()
            await asyncio.Event().wait()
            return decision.legal_actions[0]

    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")
    with Client(pairing.second) as client:
        client.join_match(match.id)
    cancelled = Session(Waits, pairing.first)
    asked = asyncio.Event()

    async def interrupted() -> None:
        playing = asyncio.create_task(cancelled.run_async())
        await asyncio.wait_for(asked.wait(), PATIENCE)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in sorted(tasks, key=lambda task: (task is playing) != is_session_first):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert playing.cancelled()

    asyncio.run(interrupted())
    assert cancelled.summary.failures == 0
    assert "the bot raised" not in caplog.text
    assert pairing.result(match).outcome is None


def test_a_bot_whose_awaitable_is_cancelled_has_failed(shared_service: Service) -> None:
    class Waits(Bot):
        async def choose(self, decision: Decision) -> str:
            answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            answer.cancel()
            return await answer

    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")
    first, _ = play(
        Session(Waits, pairing.first, matches=1), Session(RandomBot, pairing.second, matches=1)
    )
    assert first.failures == 1
    outcome = pairing.result(match).outcome
    assert outcome is not None
    assert outcome.termination is Termination.RESIGNATION


@pytest.mark.parametrize("playing", [play, play_on_threads])
def test_a_session_waits_until_its_bots_have_handled_the_end(
    shared_service: Service, monkeypatch: pytest.MonkeyPatch, playing: Playing
) -> None:
    monkeypatch.setattr(session, "FAREWELL", 0.0)
    told: list[str] = []

    class Saves(RandomBot):
        def on_match_ended(self, match: MatchInfo, result: Match) -> None:
            with Client(pairing.second) as client:
                told.append(client.record(match.id))

    pairing = Pairing(shared_service)
    pairing.match("kamisado")
    playing(Session(Saves, pairing.first, matches=1), Session(RandomBot, pairing.second, matches=1))
    assert len(told) == 1


@pytest.mark.parametrize("is_stopped", [True, False])
def test_a_bot_that_does_not_handle_the_end_is_abandoned(
    shared_service: Service,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    is_stopped: bool,
) -> None:
    """At once if the session was stopped, and otherwise after a time of grace."""
    monkeypatch.setattr(session, "FAREWELL", 0.0)
    monkeypatch.setattr(player, "GRACE", 2 * PATIENCE if is_stopped else 0.0)
    release = threading.Event()

    class Lingers(RandomBot):
        def on_match_ended(self, match: MatchInfo, result: Match) -> None:
            if is_stopped:
                first.stop()
            release.wait()

    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")
    first = Session(Lingers, pairing.first, matches=1)
    play(first, Session(RandomBot, pairing.second, matches=1))
    release.set()
    assert ABANDONED % match.id in caplog.messages
