"""Sessions that lose their connection."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from conftest import PATIENCE, Pairing, Service, new_token, play
from dragontooth import (
    Bot,
    Client,
    Connection,
    ConnectionLost,
    Decision,
    Match,
    MatchInfo,
    Refused,
    Session,
    Superseded,
    Termination,
    Unreachable,
    silence,
)
from dragontooth.client import CREATE_MATCH
from dragontooth.examples.random_bot import RandomBot
from dragontooth.session import watch
from dragontooth.v1 import match_service_pb2
from proxy import Proxy

DISTURBED_AT = 3


def disturbed(disturb: Callable[[], None], *, before_answer: bool) -> type[Bot]:
    """A class of bots that have something happen in the middle of their third decision.

    `before_answer`: it is all over when the answer is sent; otherwise it happens meanwhile.
    """

    class Disturbed(RandomBot):
        def __init__(self) -> None:
            self.decisions = 0

        def choose(self, decision: Decision) -> str:
            self.decisions += 1
            if self.decisions == DISTURBED_AT:
                if before_answer:
                    disturb()
                else:
                    threading.Thread(target=disturb).start()
            return super().choose(decision)

    return Disturbed


@pytest.mark.parametrize("before_answer", [True, False])
@pytest.mark.parametrize("kill", [True, False], ids=["killed", "told to stop"])
def test_a_service_that_ends_in_the_middle_of_a_match(
    start_service: Callable[..., Service], kill: bool, before_answer: bool
) -> None:
    service = start_service()
    happened = threading.Event()

    def disturb() -> None:
        if kill:
            service.kill()
        else:
            service.stop()
        service.start()
        happened.set()

    pairing = Pairing(service)
    match = pairing.match("kamisado", 3)
    bot = disturbed(disturb, before_answer=before_answer)
    first, second = play(
        Session(bot, pairing.first, matches=1), Session(RandomBot, pairing.second, matches=1)
    )
    assert happened.wait(PATIENCE)
    result = pairing.result(match)
    assert result.outcome is not None
    assert result.outcome.termination is Termination.NORMAL
    assert (first.failures, second.failures) == (0, 0)
    assert first.won + second.won == 1


@pytest.mark.parametrize("before_answer", [True, False])
def test_a_connection_that_is_cut(shared_service: Service, before_answer: bool) -> None:
    proxy = Proxy(shared_service.port)
    pairing = Pairing(shared_service, first=proxy.address)
    matches = [pairing.match("linja"), pairing.match("tzaar")]
    bot = disturbed(proxy.cut, before_answer=before_answer)
    first, _ = play(
        Session(bot, pairing.first, matches=2), Session(RandomBot, pairing.second, matches=2)
    )
    proxy.close()
    assert first.matches == 2
    assert first.failures == 0
    assert proxy.connections > 1
    for match in matches:
        outcome = pairing.result(match).outcome
        assert outcome is not None
        assert outcome.termination is Termination.NORMAL


def test_an_address_that_fails_is_left_for_the_next(shared_service: Service) -> None:
    """Two proxies stand for two replicas; nothing listens at the first address."""
    one, other = Proxy(shared_service.port), Proxy(shared_service.port)
    addresses = f"http://127.0.0.1:1,{one.address},{other.address}"
    pairing = Pairing(shared_service, first=addresses)
    match = pairing.match("linja")
    bot = disturbed(one.close, before_answer=True)
    first, _ = play(
        Session(bot, pairing.first, matches=1), Session(RandomBot, pairing.second, matches=1)
    )
    assert (first.matches, first.failures) == (1, 0)
    assert (one.connections, other.connections) == (1, 1)
    with Client(pairing.first) as client:
        outcome = client.match(match.id).outcome
    other.close()
    assert outcome is not None
    assert outcome.termination is Termination.NORMAL


def test_an_address_whose_connection_has_aged_is_kept(
    start_service: Callable[..., Service],
) -> None:
    """Two proxies stand for two replicas."""
    service = start_service("--connection-age", "1s")
    one, other = Proxy(service.port), Proxy(service.port)
    pairing = Pairing(service, first=f"{one.address},{other.address}")
    pairing.match("linja")
    bot = disturbed(lambda: one.wait_for(2, PATIENCE), before_answer=True)
    first, _ = play(
        Session(bot, pairing.first, matches=1), Session(RandomBot, pairing.second, matches=1)
    )
    assert (first.matches, first.failures) == (1, 0)
    assert other.connections == 0
    one.close()
    other.close()


def test_a_watch_keeps_an_address_whose_connection_has_aged(
    start_service: Callable[..., Service],
) -> None:
    service = start_service("--connection-age", "1s")
    one, other = Proxy(service.port), Proxy(service.port)
    pairing = Pairing(service, first=f"{one.address},{other.address}")
    match = pairing.match("kamisado")

    def abort() -> None:
        one.wait_for(2, PATIENCE)
        with Client(pairing.second) as client:
            client.abort_match(match.id)

    aborting = threading.Thread(target=abort)
    aborting.start()
    with Client(pairing.first) as client:
        sequences = [event.sequence for event in client.watch(match.id)]
    aborting.join()
    assert sequences == list(range(1, pairing.result(match).head_sequence + 1))
    assert other.connections == 0
    one.close()
    other.close()


def test_another_run_answers_a_decision_whose_answer_was_refused(shared_service: Service) -> None:
    """With a limit of illegal actions the service remembers the refused one and its request id."""
    pairing = Pairing(shared_service)
    with Client(pairing.first) as first, Client(pairing.second) as second:
        players = {1: first.who_am_i(), 2: second.who_am_i()}
    request = match_service_pb2.CreateMatchRequest(
        game="kamisado",
        target=1,
        illegal_action_limit=2,
        reservations=[{"seat": seat, "player_id": player} for seat, player in players.items()],
    )
    with pairing.first.channel() as channel:
        match = CREATE_MATCH.unary(channel)(request, metadata=pairing.first.metadata).match

    class EndsItsRun(Bot):
        def choose(self, decision: Decision) -> str:
            return "a1b1"

        async def on_refused(self, decision: Decision, error: Refused) -> str | None:
            run.stop()
            await asyncio.Event().wait()
            return None

    async def together() -> None:
        opponent = Session(RandomBot, pairing.second, match_id=match.id)
        playing = asyncio.create_task(opponent.run_async())
        await run.run_async()
        await Session(RandomBot, pairing.first, match_id=match.id).run_async()
        await playing

    run = Session(EndsItsRun, pairing.first, match_id=match.id)
    asyncio.run(asyncio.wait_for(together(), PATIENCE))
    with Client(pairing.first) as client:
        outcome = client.match(match.id).outcome
    assert outcome is not None
    assert outcome.termination is Termination.NORMAL


def test_a_match_that_ended_while_nobody_listened(shared_service: Service) -> None:
    """The opponent resigns after the connection was cut and before there is a new one."""
    proxy = Proxy(shared_service.port)
    pairing = Pairing(shared_service, first=proxy.address)
    match = pairing.match("kamisado")
    ended: list[Match] = []

    class Cut(Bot):
        async def choose(self, decision: Decision) -> str:
            proxy.cut()
            await asyncio.to_thread(resign)
            return "too late"

        def on_match_ended(self, match: MatchInfo, result: Match) -> None:
            ended.append(result)

    def resign() -> None:
        with Client(pairing.second) as client:
            client.resign_match(match.id)

    first, _ = play(
        Session(Cut, pairing.first, match_id=match.id),
        Session(RandomBot, pairing.second, match_id=match.id),
    )
    proxy.close()
    assert (first.matches, first.won) == (1, 1)
    outcome = pairing.result(match).outcome
    assert outcome is not None
    assert outcome.termination is Termination.RESIGNATION


def test_a_newer_stream_closes_the_older(shared_service: Service) -> None:
    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")

    async def both() -> None:
        is_there = asyncio.Event()

        class Present(Bot):
            async def on_match_started(self, match: MatchInfo) -> None:
                is_there.set()

            async def choose(self, decision: Decision) -> str:
                return await asyncio.Future()

        older, newer = Session(Present, pairing.first), Session(Present, pairing.first)
        first = asyncio.create_task(older.run_async())
        await asyncio.to_thread(join)
        await asyncio.wait_for(is_there.wait(), PATIENCE)
        is_there.clear()
        second = asyncio.create_task(newer.run_async())
        with pytest.raises(Superseded):
            await asyncio.wait_for(first, PATIENCE)
        # The newer one goes on with the match.
        await asyncio.wait_for(is_there.wait(), PATIENCE)
        newer.stop()
        assert (await asyncio.wait_for(second, PATIENCE)).matches == 0

    def join() -> None:
        with Client(pairing.second) as client:
            client.join_match(match.id)

    asyncio.run(both())


@pytest.mark.parametrize("disturb", ["cut", "killed", "told to stop"])
def test_a_watch_goes_on_after_the_last_event(
    start_service: Callable[..., Service], disturb: str
) -> None:
    service = start_service()
    proxy = Proxy(service.port)
    pairing = Pairing(service)
    match = pairing.match("kamisado")
    watching = Client(Connection(proxy.address, pairing.first.token), patience=PATIENCE)
    sequences = []
    with watching, closing(watching.watch(match.id)) as events:
        sequences.append(next(events).sequence)
        if disturb == "cut":
            proxy.cut()
        else:
            (service.kill if disturb == "killed" else service.stop)()
            service.start()
        play(*(Session(RandomBot, one, matches=1) for one in (pairing.first, pairing.second)))
        sequences += [event.sequence for event in events]
    proxy.close()
    assert sequences == list(range(1, pairing.result(match).head_sequence + 1))


def test_a_watch_ends_with_what_keeps_it_from_going_on(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = start_service()
    pairing = Pairing(service)
    match = pairing.match("kamisado")

    def watch(then: Callable[[], None]) -> None:
        with Client(pairing.first, patience=0.0) as client:
            for event in client.watch(match.id):
                seen.append(event.sequence)
                then()

    seen: list[int] = []
    monkeypatch.setattr(silence, "LOOK", 0.01)
    with monkeypatch.context() as patch:
        with pytest.raises(Unreachable, match="the service stopped sending heartbeats"):
            # They come every 10 s.
            watch(lambda: patch.setattr(silence, "LONGEST_SILENCE", 0.1))
    with pytest.raises(Unreachable, match="the service is shutting down"):
        watch(service.stop)
    assert seen == [1, 1]


def test_a_service_that_is_not_there() -> None:
    proxy = Proxy(1)
    connection = Connection(proxy.address, new_token())
    proxy.close()
    session = Session(RandomBot, connection, first_patience=0.3)
    with pytest.raises(ConnectionLost) as raised:
        session.run()
    assert "no connection for 0.3 s: the service cannot be reached" in str(raised.value)


def test_missing_heartbeats_end_the_stream() -> None:
    """The last message came longer ago than three heartbeats."""
    with pytest.raises(Exception, match="the service stopped sending heartbeats"):
        asyncio.run(watch([time.monotonic() - 31], 10))
