"""Streams of messages that may not fall silent."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from typing import Any

import grpc

from dragontooth.errors import Unreachable, from_rpc

#: Longest silence of a stream after which its connection counts as lost, in seconds. The service
#: sends something at least every 10 s.
LONGEST_SILENCE = 30.0
#: Number of looks at a stream in that time.
LOOKS = 3


def messages(stream: Any) -> Generator[Any, None, None]:
    """Yields the messages of a stream for threads. Raises a `CallError` when it fails."""
    watchdog = Watchdog(stream)
    try:
        while True:
            watchdog.since = time.monotonic()
            try:
                message = next(stream)
            except StopIteration:
                return
            # The reader may take its time.
            watchdog.since = None
            yield message
    except grpc.RpcError as error:
        if watchdog.has_bitten:
            raise Unreachable("the service stopped sending heartbeats") from error
        raise from_rpc(error) from error
    finally:
        watchdog.over.set()
        stream.cancel()


class Watchdog:
    """Cancels a stream that is silent for too long."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        #: The moment from which the next message is waited for; None while it is not.
        self.since: float | None = None
        self.has_bitten = False
        self.over = threading.Event()
        threading.Thread(target=self._watch, name="dragontooth-watchdog", daemon=True).start()

    def _watch(self) -> None:
        while not self.over.wait(LONGEST_SILENCE / LOOKS):
            since = self.since
            if since is not None and time.monotonic() - since > LONGEST_SILENCE:
                self.has_bitten = True
                self._stream.cancel()
                return
