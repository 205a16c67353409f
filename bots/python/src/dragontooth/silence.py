"""Streams of messages that may not fall silent."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from typing import Any

import grpc

from dragontooth.errors import Unreachable, from_rpc, too_late

#: Longest silence of a stream after which its connection counts as lost, in seconds. The service
#: sends something at least every 10 s.
LONGEST_SILENCE = 30.0
#: Time between two looks at a stream, in seconds.
LOOK = 1.0


def messages(stream: Any, timeout: float) -> Generator[Any, None, None]:
    """Yields the messages of a stream for threads. Raises a `CallError` when it fails.

    The service has `timeout` seconds to begin its answer.
    """
    watchdog = Watchdog(stream, timeout)
    failure = too_late(timeout)
    try:
        stream.initial_metadata()
        if not watchdog.has_bitten:
            failure = Unreachable("the service stopped sending heartbeats")
        while True:
            watchdog.until = time.monotonic() + LONGEST_SILENCE
            try:
                message = next(stream)
            except StopIteration:
                return
            # The reader may take its time.
            watchdog.until = None
            yield message
    except grpc.RpcError as error:
        raise (failure if watchdog.has_bitten else from_rpc(error)) from error
    finally:
        watchdog.over.set()
        stream.cancel()


class Watchdog:
    """Cancels a stream that is silent for too long."""

    def __init__(self, stream: Any, timeout: float) -> None:
        self._stream = stream
        #: The moment by which something has to come; None while nothing is waited for.
        self.until: float | None = time.monotonic() + timeout
        self.has_bitten = False
        self.over = threading.Event()
        threading.Thread(target=self._watch, name="dragontooth-watchdog", daemon=True).start()

    def _watch(self) -> None:
        while not self.over.wait(LOOK):
            until = self.until
            if until is not None and time.monotonic() > until:
                self.has_bitten = True
                self._stream.cancel()
                return
