"""The choice among the addresses of a service, and how long each has to answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from conftest import PATIENCE, new_token
from dragontooth import Client, Connection, ConnectionLost, Session, Unreachable, wire
from dragontooth.examples.random_bot import RandomBot
from dragontooth.model import CloseReason
from dragontooth.replicas import Replicas

ADDRESSES = ("http://a.example:1", "http://b.example:1")
#: Those that docs/protocol.md names under "Several addresses".
LEFT = {CloseReason.DRAINING, CloseReason.LOG_UNAVAILABLE}
MATCH = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b"


@pytest.mark.parametrize("reason", CloseReason)
def test_only_a_replica_that_goes_away_is_left(reason: CloseReason) -> None:
    replicas, failure = Replicas(ADDRESSES), wire.closed(reason)
    is_left = replicas.failed(failure) is None
    assert (is_left, replicas.at) == ((True, 1) if reason in LEFT else (False, 0))
    assert failure.is_transient


def test_an_address_whose_stream_is_lost_is_tried_again_too() -> None:
    lost, replicas = Unreachable("lost"), Replicas(ADDRESSES)
    replicas.answered()
    tried = []
    for _ in range(3):
        tried.append((replicas.at, replicas.timeout))
        of_all = replicas.failed(lost)
    assert tried == [(0, 5), (1, 5), (0, 20)]
    assert str(of_all) == "http://b.example:1: lost; http://a.example:1: lost"
    assert replicas.at == 1


class Hung:
    """A service that answers no stream, and every call with `UNAVAILABLE`."""

    def __init__(self) -> None:
        #: The seconds that the caller of each call waits.
        self.waits: list[float] = []
        self._server = grpc.server(ThreadPoolExecutor(4), handlers=[self])
        self.address = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def stop(self) -> None:
        """Ends the service."""
        self._server.stop(None).wait(PATIENCE)

    def service(self, handler_call_details: Any) -> grpc.RpcMethodHandler:
        if handler_call_details.method.endswith("/Play"):
            return grpc.stream_stream_rpc_method_handler(self._hang)
        if handler_call_details.method.endswith("/WatchMatch"):
            return grpc.unary_stream_rpc_method_handler(self._hang)
        return grpc.unary_unary_rpc_method_handler(self._refuse)

    def _hang(self, _: Any, context: grpc.ServicerContext) -> Iterator[bytes]:
        over = threading.Event()
        if context.add_callback(over.set):
            over.wait(PATIENCE)
        return iter(())

    def _refuse(self, _: bytes, context: grpc.ServicerContext) -> bytes:
        self.waits.append(context.time_remaining())
        context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
        return b""


@pytest.fixture
def hung() -> Iterator[list[Hung]]:
    """Two services that hang."""
    services = [Hung(), Hung()]
    yield services
    for service in services:
        service.stop()


def connection(services: list[Hung]) -> Connection:
    """A connection to replicas."""
    return Connection(",".join(service.address for service in services), new_token())


def test_a_call_waits_longest_for_the_last_replica(hung: list[Hung]) -> None:
    """The times are those of docs/protocol.md under "Several addresses"."""
    for services in (hung, hung[:1]):
        with Client(connection(services), patience=0.0) as client:
            with pytest.raises(Unreachable):
                client.who_am_i()
    (first, alone), (last,) = (service.waits for service in hung)
    # gRPC rounds them, and some time has passed.
    assert (first, last, alone) == pytest.approx((5, 20, 20), abs=2)


def test_a_stream_waits_longest_for_the_last_replica(
    hung: list[Hung], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragontooth.replicas.REPLICA_TIMEOUT", 0.2)
    monkeypatch.setattr("dragontooth.replicas.CALL_TIMEOUT", 0.4)
    monkeypatch.setattr("dragontooth.silence.LOOK", 0.01)
    both = connection(hung)
    failures = zip(both.addresses, (0.2, 0.4), strict=True)
    text = "; ".join(
        f"{address}: the service cannot be reached: no answer within {wait} s"
        for address, wait in failures
    )
    with Client(both, patience=0.0) as client, pytest.raises(Unreachable, match=text):
        next(client.watch(MATCH))
    with pytest.raises(ConnectionLost, match=text):
        Session(RandomBot, both, first_patience=0.0).run()
